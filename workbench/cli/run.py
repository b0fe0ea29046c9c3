"""`run`: runs a program from a file in the sandbox, after the same checks as an agent's."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.common_options import Parser, add_common
from workbench.cli.core_requests import talk
from workbench.cli.program_runs import Program, Running, add_running
from workbench.paths import Paths

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

EPILOG = """The policy of the project judges the program, and its sandbox runs it, with the tools of its servers. What
needs a person is asked on this terminal; without one it is refused, unless --yes says yes beforehand or --wait leaves
it to a window. Critical risk is decided in a window alone. Ctrl+C stops the program and the calls it waits for.

What it prints and its result go to stdout, everything else to stderr.

exit codes: 0 done, 1 it failed or was stopped, 2 wrong usage, 6 a yes is needed first, 7 the policy or a person refused
it, 130 interrupted"""


def arrange_run(parser: Parser) -> None:
    """The program, its bounds, and who says yes."""
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", help="the program, or - for stdin")
    parser.add_argument("--language", default="", metavar="NAME", help="python or typescript; by its ending otherwise")
    parser.add_argument("--purpose", default="", metavar="WORDS", help="what it is for; the name of its file otherwise")
    parser.add_argument("--state", default="", metavar="NAME", help="continue the REPL session with this name")
    add_running(parser)
    add_common(parser, _run)


def _run(given: argparse.Namespace, paths: Paths) -> int:
    program = Program.read(given.file, given.language)

    async def carry(connection: CoreConnection) -> int:
        running = Running(connection, given, stdin_is_program=given.file == "-")
        run = await running.carry(program, given.purpose or program.name, state=given.state)
        return running.report(run)

    return talk(paths, carry)
