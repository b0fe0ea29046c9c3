"""`doctor`: why a server cannot be reached, and what this machine lacks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.cli.common_options import Parser, add_common
from workbench.cli.consents import find_server
from workbench.cli.core_requests import talk
from workbench.cli.exit_codes import DONE, FAULT
from workbench.cli.terminal_output import print_record
from workbench.paths import Paths
from workbench.records import Check, CheckState

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

WORDS = {
    CheckState.GOOD: "good",
    CheckState.DOUBT: "look",
    CheckState.BAD: "WRONG",
    CheckState.SKIPPED: "not checked",
}


def arrange_doctor(parser: Parser) -> None:
    add_common(parser, _doctor)
    parser.add_argument("server", nargs="?", default="", metavar="SERVER", help="a server; this machine without one")
    parser.add_argument("--details", action="store_true", help="print what each check saw, too")
    parser.epilog = "A server that nobody has allowed is not started. The exit code is 1 when something is wrong."


def _doctor(given: argparse.Namespace, paths: Paths) -> int:
    async def examine(connection: CoreConnection) -> tuple[Check, ...]:
        api = connection.api
        if not given.server:
            return await api.diagnose_house()
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
