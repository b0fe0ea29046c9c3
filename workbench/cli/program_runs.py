"""`run`, `dry-run` and `assess`: runs a program, lists what it would change, or analyzes it without running it."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.cli.common_options import DONE, FAULT, REFUSED, UNANSWERED, Parser, add_common, talk
from workbench.cli.terminal_output import Progress, narrate, print_data, print_json, print_part, visible
from workbench.errors import WorkbenchError
from workbench.files import read_plain
from workbench.paths import Paths
from workbench.records import Gate, JsonObject, PlanStep, Risk, Run, RunState, Verdict

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.events import Event


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program's text and language, before it is analyzed."""

    name: str
    code: str
    language: str

    @classmethod
    def read(cls, source: str, language: str = "") -> ProgramText:
        """Read a program. Without `language`, the file extension decides."""
        if source == "-":
            return cls("stdin", sys.stdin.read(), language or "python")
        try:
            code = read_plain(Path(source).expanduser(), "utf-8")
        except (OSError, UnicodeError) as fault:
            words = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
            raise WorkbenchError(f"{source} cannot be read: {words}.") from fault
        name = Path(source).name
        return cls(name, code, language or ("typescript" if name.endswith(".ts") else "python"))


def add_run_options(parser: Parser) -> None:
    """Add the options of every command that runs a program."""
    parser.add_argument("--profile", default="", metavar="NAME", help="run profile whose limits apply")
    parser.add_argument(
        "--tools", action="append", default=[], metavar="TOOL", help="allow only this tool or server; may be repeated"
    )
    parser.add_argument(
        "--timeout", type=float, default=0.0, metavar="SECONDS", help="time limit, at most what the settings allow"
    )
    parser.add_argument("--yes", action="store_true", help="allow the program once if it needs approval")
    parser.add_argument("--wait", action="store_true", help="wait until you answer in a window")


class ProgramRunner:
    """Runs programs for one command and reports their results."""

    def __init__(
        self, connection: CoreConnection, given: argparse.Namespace, *, stdin_is_program: bool = False
    ) -> None:
        from workbench.cli.consents import RunApprover, terminal_reader

        self._connection, self._given = connection, given
        line = terminal_reader(busy=stdin_is_program)
        self.answers = RunApprover(connection.api, yes=given.yes, wait=given.wait, line=line)

    async def submit_and_wait(self, program: ProgramText, purpose: str, skill: str = "", state: str = "") -> Run:
        """Submit a program and return its completed run, with the full output and result."""
        from workbench.api.run_completion import connect_allowed_servers, wait_for_run

        api, given = self._connection.api, self._given
        await connect_allowed_servers(api)
        stream = _Stream(show=given.output == "text")
        forget = self._connection.listen(stream)
        try:
            submitted = await api.submit(
                program.code, purpose, skill, state, program.language, given.profile, tuple(given.tools), given.timeout
            )
            stream.begin(submitted.id)
            run = await wait_for_run(self._connection, submitted.id, self.answers.attend)
        finally:
            forget()
            stream.end()
        run = replace(
            run,
            output=await self._connection.fetch_full_text(run.output),
            result=await self._connection.fetch_full_text(run.result),
        )
        if given.output == "text":
            print_part(run.output[stream.shown :])
            print_part("" if not run.output or run.output.endswith("\n") else "\n")
        return run

    def report(self, run: Run) -> int:
        """Print the result to stdout and messages to stderr, and return the exit code."""
        if self._given.output == "json":
            print_json(as_json(run))
        elif run.result and (value := json.loads(run.result)) is not None:
            print_data(value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False))
        if run.state is RunState.DONE:
            return DONE
        _print_failure(run)
        if self.answers.unanswered:
            if run.verdict is None or run.verdict.risk is not Risk.CRITICAL:  # which only a window can allow
                narrate("Add --yes to allow it, or --wait to decide in a window.")
            return UNANSWERED
        return REFUSED if run.state is RunState.REFUSED else FAULT


def as_json(run: Run) -> JsonObject:
    """The JSON form for scripts."""
    from workbench.api.run_completion import TaskStats

    stats, fault, verdict = TaskStats.of(run), run.fault, run.verdict
    return {
        "run": run.id,
        "state": str(run.state),
        "result": json.loads(run.result) if run.result else None,
        "output": run.output,
        "risk": str(verdict.risk) if verdict else "",
        "sentence": verdict.sentence if verdict else "",
        "fault": {"message": fault.message, "hint": fault.hint, "detail": fault.detail} if fault else None,
        "stats": {
            "duration": stats.duration,
            "tokens_used": stats.tokens_used,
            "memory_used": stats.memory_used,
            "tools_called": list(stats.tools_called),
        },
    }


def _print_failure(run: Run) -> None:
    fault = run.fault
    narrate(f"mcp-workbench: {fault.message if fault else f'The program is {run.state}.'}")
    for words in (fault.detail, fault.hint) if fault else ():
        if words:
            narrate(words)


class _Stream:
    """Prints the program's output while it runs and, on a terminal, the number of its calls."""

    def __init__(self, *, show: bool) -> None:
        self._show = show
        self._run_id = ""
        self._early: list[Event] = []  # events before the run's id was known
        self._calls: set[str] = set()
        self._progress = Progress()
        self.shown = 0  # characters of output that were printed

    def begin(self, run_id: str) -> None:
        self._run_id, early, self._early = run_id, self._early, []
        for event in early:
            self(event)

    def end(self) -> None:
        self._progress.clear()

    def __call__(self, event: Event) -> None:
        from workbench.events import RunCall, RunOutput

        if not isinstance(event, RunCall | RunOutput):
            return
        if not self._run_id:
            self._early.append(event)
        elif event.run_id == self._run_id and isinstance(event, RunOutput):
            self._print(event.text)
        elif event.run_id == self._run_id and isinstance(event, RunCall):
            self._calls.add(event.trace.call_id)
            self._progress.show(f"{len(self._calls)} calls, {event.trace.server}.{event.trace.tool}")

    def _print(self, text: str) -> None:
        """Print a part of the output. A part that is too long for an event is printed, with the rest, at the end."""
        if type(text) is not str or not self._show:
            self._show = False
            return
        self._progress.clear()
        self.shown += len(text)
        print_part(text)
        sys.stdout.flush()


RUN_EPILOG = """\
The program is analyzed and runs in the sandbox with the tools of the project's servers. Approval requests appear in
this terminal. Without a terminal they are refused, unless --yes allows the program beforehand or --wait leaves the
answer to a window. A program of critical risk can be allowed in a window only. Ctrl+C stops the program and its calls.

The program's output and its result go to stdout, everything else to stderr.

exit codes: 0 done, 1 failed or stopped, 2 wrong usage, 6 approval is needed first, 7 refused by the analysis or by the
user, 130 interrupted"""


def arrange_run(parser: Parser) -> None:
    """Add the arguments of `run`: the program, its limits, and how it is approved."""
    parser.epilog = RUN_EPILOG
    parser.add_argument("file", metavar="FILE", help="the program, or - for stdin")
    parser.add_argument("--language", default="", metavar="NAME", help="python or typescript (default: by file name)")
    parser.add_argument(
        "--purpose", default="", metavar="WORDS", help="what the program is for (default: the file name)"
    )
    parser.add_argument(
        "--session", dest="state", default="", metavar="NAME", help="name of a REPL session to continue"
    )
    parser.add_argument("--state", help=argparse.SUPPRESS)  # the option's name in version 0.1
    add_run_options(parser)
    add_common(parser, _run)


def _run(given: argparse.Namespace, paths: Paths) -> int:
    program = ProgramText.read(given.file, given.language)

    async def carry(connection: CoreConnection) -> int:
        running = ProgramRunner(connection, given, stdin_is_program=given.file == "-")
        run = await running.submit_and_wait(program, given.purpose or program.name, state=given.state)
        return running.report(run)

    return talk(paths, carry)


DRY_RUN_EPILOG = """\
Tools that only read are called. Everything else is held back and listed: calls that change, send or
delete something, and changes of workspace files. There is no network. This command allows nothing. In the window, the
page of the dry run opens its plan, where you choose what the program may really do.

The plan goes to stdout, everything else to stderr. Exit codes: 0 the program ran to its end, 1 it failed (the plan is
incomplete) or cannot run, 2 wrong usage, 130 interrupted (the dry run is stopped)."""


def arrange_dry_run(parser: Parser) -> None:
    """Add the arguments of `dry-run`: the program, and the output format of the plan."""
    parser.epilog = DRY_RUN_EPILOG
    parser.add_argument("file", metavar="FILE", help="the program, or - for stdin")
    parser.add_argument("--language", default="", metavar="NAME", help="python or typescript (default: by file name)")
    parser.add_argument("--profile", default="", metavar="NAME", help="run profile whose limits apply")
    add_common(parser, _dry_run)


def _dry_run(given: argparse.Namespace, paths: Paths) -> int:
    program = ProgramText.read(given.file, given.language)
    run = talk(paths, lambda connection: _run_dry(connection, program, given.profile))
    if given.output == "json":
        print_json(_as_json(run))
    else:
        _print_plan(run)
    if run.state is not RunState.DONE:
        fault = run.fault
        narrate(f"mcp-workbench: {fault.message if fault else 'The dry run did not finish.'}")
        narrate(
            fault.hint if fault and fault.hint else "The plan lists what the program would have done up to that point."
        )
    return DONE if run.state is RunState.DONE else FAULT


async def _run_dry(connection: CoreConnection, program: ProgramText, profile: str) -> Run:
    """Submit a dry run and wait for its end. An interrupt stops it."""
    from workbench.api.run_completion import wait_for_run

    submitted = await connection.api.dry_run(program.code, program.name, "", program.language, profile)
    ended = await wait_for_run(connection, submitted.id)
    plan = [replace(held, arguments=await connection.fetch_full_text(held.arguments)) for held in ended.plan]
    return replace(ended, plan=tuple(plan))


def _print_plan(run: Run) -> None:
    for note in run.plan_notes:
        narrate(visible(note))
    if not run.plan:
        narrate("No side effects were held back.")
    for number, held in enumerate(run.plan, 1):
        print(visible(f"{number:>3}  {_describe_step(held)}"))


def _describe_step(held: PlanStep) -> str:
    notes = [f"line {held.line}"] if held.line else []
    notes += {True: ["can be undone"], False: ["cannot be undone"], None: []}[held.reversible]
    notes += [f"not known yet: {one}" for one in held.waits_for]
    notes += [f"{one.path} comes from {one.server}.{one.tool}" for one in held.origins if one.tool]
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


ASSESS_EPILOG = """\
Each program is assessed as if an agent proposed it: with the tools of this project, your annotations, your
rules, and the limits of a profile. --sarif prints all findings as one SARIF log, for editors and code hosts.
Exit codes: 0 every program can run, with or without approval; 1 a program cannot run here or cannot be read."""
_OUTCOMES = {
    Gate.AUTO: "runs without approval",
    Gate.ASK: "waits for your approval",
    Gate.REFUSED: "would be refused by the sandbox",
    Gate.BLOCKED: "is returned to its author",
}


def arrange_assess(parser: Parser) -> None:
    """Add the arguments of `assess`: files, a profile, and the output format."""
    parser.epilog = ASSESS_EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="a program, or - for stdin")
    parser.add_argument("--language", default="", metavar="NAME", help="python or typescript (default: by file name)")
    parser.add_argument("--profile", default="", metavar="NAME", help="run profile whose limits apply")
    parser.add_argument("--sarif", action="store_true", help="print the findings as SARIF")
    add_common(parser, _assess)


def _assess(given: argparse.Namespace, paths: Paths) -> int:
    programs = [ProgramText.read(file, given.language) for file in given.files]
    verdicts, log = talk(paths, lambda connection: _assess_all(connection, given, programs))
    if given.sarif:
        print_data(log)
    elif given.output == "json":
        print_json([_plain(program, verdict) for program, verdict in zip(programs, verdicts, strict=True)])
    else:
        for program, verdict in zip(programs, verdicts, strict=True):
            _print_assessment(program, verdict)
    return FAULT if any(one.gate in (Gate.BLOCKED, Gate.REFUSED) for one in verdicts) else DONE


async def _assess_all(
    connection: CoreConnection, given: argparse.Namespace, programs: list[ProgramText]
) -> tuple[list[Verdict], str]:

    api = connection.api
    verdicts = [await api.assess(one.code, one.language, given.profile) for one in programs]
    if not given.sarif:
        return verdicts, ""
    return verdicts, await connection.fetch_full_text(await api.sarif(tuple(given.files), tuple(verdicts)))


def _print_assessment(program: ProgramText, verdict: Verdict) -> None:
    print(visible(f"{program.name}: {verdict.risk}, {_OUTCOMES[verdict.gate]}. {verdict.sentence}"))
    for finding in verdict.findings:
        print(visible(f"  line {finding.span.line}: {finding.risk}, {finding.message} [{finding.rule}]"))
    for words in verdict.not_assessed:
        print(visible(f"  not assessed: {words}"))


def _plain(program: ProgramText, verdict: Verdict) -> dict[str, object]:
    from workbench.api.codec import to_plain

    return {"file": program.name, **to_plain(verdict)}
