"""`dry-run`: lists what a program would change or send, without any of it happening."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.cli.common_options import Parser, add_common
from workbench.cli.core_requests import talk
from workbench.cli.exit_codes import DONE, FAULT
from workbench.cli.program_runs import Program
from workbench.cli.terminal_output import narrate, print_json, visible
from workbench.paths import Paths
from workbench.records import Held, JsonObject, Run, RunState

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

EPILOG = """Reading tools are called as always; whatever else the program does is held back and listed: calls that
change, send or delete something, and files of the workspace. There is no network. This command allows nothing: in
the window, the page of the dry run leads to its plan, where you choose what the program may really do.

The plan goes to stdout, everything else to stderr. Exit codes: 0 it ran to its end, 1 it failed on the way
(the plan holds what came before) or cannot run at all, 2 wrong usage, 130 interrupted (the dry run is stopped)."""


def arrange_dry_run(parser: Parser) -> None:
    """A file, and how the plan is printed."""
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", help="the program, or - for stdin")
    parser.add_argument("--language", default="", metavar="NAME", help="python or typescript; by its ending otherwise")
    parser.add_argument("--profile", default="", metavar="NAME", help="the profile whose limits apply")
    add_common(parser, _dry_run)


def _dry_run(given: argparse.Namespace, paths: Paths) -> int:
    program = Program.read(given.file, given.language)
    run = talk(paths, lambda connection: _carry(connection, program, given.profile))
    if given.output == "json":
        print_json(_as_json(run))
    else:
        _print(run)
    if run.state is not RunState.DONE:
        fault = run.fault
        narrate(f"mcp-workbench: {fault.message if fault else 'It did not come to its end.'}")
        narrate(fault.hint if fault and fault.hint else "The list holds what it would have done until then.")
    return DONE if run.state is RunState.DONE else FAULT


async def _carry(connection: CoreConnection, program: Program, profile: str) -> Run:
    """Follow it to its end; whoever interrupts stops it."""
    from workbench.api.run_completion import wait_for_run

    begun = await connection.api.dry_run(program.code, program.name, "", program.language, profile)
    over = await wait_for_run(connection, begun.id)
    plan = [replace(held, arguments=await connection.whole(held.arguments)) for held in over.plan]
    return replace(over, plan=tuple(plan))


def _print(run: Run) -> None:
    for note in run.plan_notes:
        narrate(visible(note))
    if not run.plan:
        narrate("Nothing had to be held back.")
    for number, held in enumerate(run.plan, 1):
        print(visible(f"{number:>3}  {_words(held)}"))


def _words(held: Held) -> str:
    notes = [f"line {held.line}"] if held.line else []
    notes += {True: ["can be undone"], False: ["cannot be undone"], None: []}[held.reversible]
    notes += [f"not known yet: {one}" for one in held.waits_for]
    notes += [f"{one.path} stood in {one.server}.{one.tool}" for one in held.origins if one.tool]
    return f"{held.summary}  [{'; '.join(notes)}]" if notes else held.summary


def _as_json(run: Run) -> JsonObject:
    return {
        "dry_run": run.id,
        "sha": run.proposal.sha,
        "state": str(run.state),
        "fault": run.fault.message if run.fault else "",
        "notes": list(run.plan_notes),
        "plan": [
            {
                "server": held.server,
                "tool": held.tool,
                "arguments": held.arguments,
                "summary": held.summary,
                "line": held.line,
                "reversible": held.reversible,
                "risk": str(held.risk),
                "waits_for": list(held.waits_for),
                "origins": [
                    {"path": one.path, "from": f"{one.server}.{one.tool}", "kinds": list(one.kinds)}
                    for one in held.origins
                ],
            }
            for held in run.plan
        ],
    }
