"""`doctor` and `sandbox`: examines servers and this machine, and builds what the isolation levels need."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, FAULT, INTERRUPTED, Parser, add_common, talk
from workbench.cli.consents import find_server
from workbench.cli.terminal_output import print_record
from workbench.paths import Paths
from workbench.records import Check, CheckState

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

WORDS = {
    CheckState.GOOD: "good",
    CheckState.DOUBT: "warning",
    CheckState.BAD: "FAILED",
    CheckState.SKIPPED: "not checked",
}


def arrange_doctor(parser: Parser) -> None:
    add_common(parser, _doctor)
    parser.add_argument(
        "server", nargs="?", default="", metavar="SERVER", help="server to examine (default: this machine)"
    )
    parser.add_argument("--details", action="store_true", help="also print the details of each check")
    parser.epilog = "A server that you have not allowed is not started. The exit code is 1 if a check failed."


def _doctor(given: argparse.Namespace, paths: Paths) -> int:
    async def examine(connection: CoreConnection) -> tuple[Check, ...]:
        api = connection.api
        if not given.server:
            return await api.diagnose_machine()
        await find_server(api, given.server)
        return await api.diagnose(given.server)

    checks = talk(paths, examine)
    if given.output == "json":
        print_record(checks)
    else:
        print("\n".join(_lines(checks, details=given.details)))
    return FAULT if any(check.state is CheckState.BAD for check in checks) else DONE


def _lines(checks: Sequence[Check], *, details: bool) -> list[str]:
    width = max((len(check.name) for check in checks), default=0)
    lines = []
    for check in checks:
        lines.append(f"{WORDS[check.state]:<11}  {check.name:<{width}}  {check.sentence}")
        if check.fix:
            lines.append(f"{'':<11}  {'':<{width}}  → {check.fix}")
        if details:
            lines.extend(f"{'':<13}| {line}" for line in check.detail.splitlines())
    return lines


# Python also imports modules from its current directory, and a project can contain modules of any author.
_ABOVE = Path(__file__).resolve().parents[2]
_LEVELS = ("container", "vm")


def arrange_sandbox(parser: Parser) -> None:
    parser.set_defaults(run=_work, project=None)
    deeds = parser.add_subparsers(dest="do", required=True, metavar="DO")
    status = deeds.add_parser("status", help="list the isolation levels and what is missing")
    status.add_argument("--json", action="store_true", help="print JSON")
    build = deeds.add_parser("build", help="build what a level needs from the system's packages")
    build.add_argument("level", choices=_LEVELS)
    build.add_argument("--from", dest="base", default="", metavar="IMAGE", help="start from this image of the engine")
    build.add_argument("--again", action="store_true", help="build again even if the last build is up to date")
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
