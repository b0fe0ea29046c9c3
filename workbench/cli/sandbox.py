"""`sandbox`: which isolation this machine has, and building what the stronger levels need.

The work is done by a process of its own, because a person's door knows no room.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from workbench.cli.common_options import Parser
from workbench.cli.exit_codes import INTERRUPTED
from workbench.paths import Paths

# Python looks for modules where it starts, and a project may hold anybody's.
_ABOVE = Path(__file__).resolve().parents[2]
_LEVELS = ("container", "vm")


def arrange_sandbox(parser: Parser) -> None:
    parser.set_defaults(run=_work, project=None)
    deeds = parser.add_subparsers(dest="do", required=True, metavar="DO")
    status = deeds.add_parser("status", help="say which levels of isolation there are, and what the others lack")
    status.add_argument("--json", action="store_true", help="print JSON")
    build = deeds.add_parser("build", help="build what a level needs, from the system's packages")
    build.add_argument("level", choices=_LEVELS)
    build.add_argument("--from", dest="base", default="", metavar="IMAGE", help="begin with an image the engine has")
    build.add_argument("--again", action="store_true", help="also when what was built is still current")
    remove = deeds.add_parser("remove", help="remove what was built for a level")
    remove.add_argument("level", choices=_LEVELS)


def _work(given: argparse.Namespace, paths: Paths) -> int:
    words = [given.do]
    if given.do == "status":
        words += ["--json"] * given.json
    else:
        words.append(given.level)
    if given.do == "build":
        words += ["--again"] * given.again + ([f"--from={given.base}"] if given.base else [])
    command = [sys.executable, "-m", "workbench.sandbox.build_command", *words]
    try:
        return subprocess.run(command, cwd=_ABOVE, check=False).returncode
    except KeyboardInterrupt:
        return INTERRUPTED
