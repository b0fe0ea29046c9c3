"""`assess`: the policy's verdict on programs, without running them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.common_options import Parser, add_common
from workbench.cli.core_requests import talk
from workbench.cli.exit_codes import DONE, FAULT
from workbench.cli.program_runs import Program
from workbench.cli.terminal_output import print_data, print_json, visible
from workbench.paths import Paths
from workbench.records import Gate, Verdict

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection

EPILOG = """Each program is judged as if an agent proposed it: with the tools of this project, what you said of them,
your rules, and the bounds of a profile. --sarif prints all findings as one SARIF log, for editors and code hosts.
Exit codes: 0 each of them may run, at once or after a yes, 1 one of them cannot run here, or cannot be read."""
_OUTCOMES = {
    Gate.AUTO: "runs at once",
    Gate.ASK: "waits for your approval",
    Gate.REFUSED: "the sandbox would refuse it",
    Gate.BLOCKED: "goes back to its author",
}


def arrange_assess(parser: Parser) -> None:
    """Files, their bounds, and how the verdicts are printed."""
    parser.epilog = EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="a program, or - for stdin")
    parser.add_argument("--language", default="", metavar="NAME", help="python or typescript; by its ending otherwise")
    parser.add_argument("--profile", default="", metavar="NAME", help="the bounds it is judged within")
    parser.add_argument("--sarif", action="store_true", help="print the findings as SARIF")
    add_common(parser, _assess)


def _assess(given: argparse.Namespace, paths: Paths) -> int:
    programs = [Program.read(file, given.language) for file in given.files]
    verdicts, log = talk(paths, lambda connection: _judged(connection, given, programs))
    if given.sarif:
        print_data(log)
    elif given.output == "json":
        print_json([_plain(program, verdict) for program, verdict in zip(programs, verdicts, strict=True)])
    else:
        for program, verdict in zip(programs, verdicts, strict=True):
            _print(program, verdict)
    return FAULT if any(one.gate in (Gate.BLOCKED, Gate.REFUSED) for one in verdicts) else DONE


async def _judged(
    connection: CoreConnection, given: argparse.Namespace, programs: list[Program]
) -> tuple[list[Verdict], str]:

    api = connection.api
    verdicts = [await api.assess(one.code, one.language, given.profile) for one in programs]
    if not given.sarif:
        return verdicts, ""
    return verdicts, await connection.whole(await api.sarif(tuple(given.files), tuple(verdicts)))


def _print(program: Program, verdict: Verdict) -> None:
    print(visible(f"{program.name}: {verdict.risk}, {_OUTCOMES[verdict.gate]}. {verdict.sentence}"))
    for finding in verdict.findings:
        print(visible(f"  line {finding.span.line}: {finding.risk}, {finding.message} [{finding.rule}]"))
    for words in verdict.not_assessed:
        print(visible(f"  not assessed: {words}"))


def _plain(program: Program, verdict: Verdict) -> dict[str, object]:
    from workbench.api.codec import to_plain

    return {"file": program.name, **to_plain(verdict)}
