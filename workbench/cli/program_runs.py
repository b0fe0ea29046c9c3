"""Runs a program for a command: reads it, submits it, streams its output, answers for it, and reports the result."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.cli.common_options import Parser
from workbench.cli.exit_codes import DONE, FAULT, REFUSED, UNANSWERED
from workbench.cli.terminal_output import Progress, narrate, print_data, print_json, print_part
from workbench.errors import WorkbenchError
from workbench.files import read_plain
from workbench.records import JsonObject, Run, RunState


@dataclass(frozen=True, slots=True)
class Program:
    """A text that was not looked at yet."""

    name: str
    code: str
    language: str

    @classmethod
    def read(cls, source: str, language: str = "") -> Program:
        """Without a language, the ending of its name says which it is."""
        if source == "-":
            return cls("stdin", sys.stdin.read(), language or "python")
        try:
            code = read_plain(Path(source).expanduser(), "utf-8")
        except (OSError, UnicodeError) as fault:
            words = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
            raise WorkbenchError(f"{source} cannot be read: {words}.") from fault
        name = Path(source).name
        return cls(name, code, language or ("typescript" if name.endswith(".ts") else "python"))


if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.events import Event


def add_running(parser: Parser) -> None:
    """The options of every command that runs a program."""
    parser.add_argument("--profile", default="", metavar="NAME", help="the bounds it runs within")
    parser.add_argument(
        "--tools", action="append", default=[], metavar="TOOL", help="all it may call: a tool or a server; repeat it"
    )
    parser.add_argument("--timeout", type=float, default=0.0, metavar="SECONDS", help="less than the settings allow")
    parser.add_argument("--yes", action="store_true", help="allow it once, if it has to be asked about")
    parser.add_argument("--wait", action="store_true", help="let a window decide what has to be asked about")


class Running:
    """One program of a command."""

    def __init__(
        self, connection: CoreConnection, given: argparse.Namespace, *, stdin_is_program: bool = False
    ) -> None:
        from workbench.cli.consents import Yes, terminal

        self._connection, self._given = connection, given
        line = terminal(busy=stdin_is_program)
        self.answers = Yes(connection.api, yes=given.yes, wait=given.wait, line=line)

    async def carry(self, program: Program, purpose: str, skill: str = "", state: str = "") -> Run:
        """The run at its end, its texts whole."""
        from workbench.api.run_completion import connect_allowed_servers, wait_for_run

        api, given = self._connection.api, self._given
        await connect_allowed_servers(api)
        stream = _Stream(show=given.output == "text")
        forget = self._connection.listen(stream)
        try:
            begun = await api.submit(
                program.code, purpose, skill, state, program.language, given.profile, tuple(given.tools), given.timeout
            )
            stream.begin(begun.id)
            run = await wait_for_run(self._connection, begun.id, self.answers.attend)
        finally:
            forget()
            stream.end()
        run = replace(
            run, output=await self._connection.whole(run.output), result=await self._connection.whole(run.result)
        )
        if given.output == "text":
            print_part(run.output[stream.shown :])
            print_part("" if not run.output or run.output.endswith("\n") else "\n")
        return run

    def report(self, run: Run) -> int:
        """Its result to stdout; what is to be said of it to stderr; answers with the exit code."""
        if self._given.output == "json":
            print_json(as_json(run))
        elif run.result and (value := json.loads(run.result)) is not None:
            print_data(value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False))
        if run.state is RunState.DONE:
            return DONE
        _tell(run)
        if self.answers.unanswered:
            narrate("Add --yes to allow it, or --wait to decide in a window.")
            return UNANSWERED
        return REFUSED if run.state is RunState.REFUSED else FAULT


def as_json(run: Run) -> JsonObject:
    """What scripts read."""
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


def _tell(run: Run) -> None:
    fault = run.fault
    narrate(f"mcp-workbench: {fault.message if fault else f'The program is {run.state}.'}")
    for words in (fault.detail, fault.hint) if fault else ():
        if words:
            narrate(words)


class _Stream:
    """Prints what the program prints while it runs, and says on a terminal how many calls it has made."""

    def __init__(self, *, show: bool) -> None:
        self._show = show
        self._run_id = ""
        self._early: list[Event] = []  # heard before the run had a name here
        self._calls: set[str] = set()
        self._progress = Progress()
        self.shown = 0  # characters of its output so far

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
        """A long one waits in the core: it, and what follows, is printed at the end."""
        if type(text) is not str or not self._show:
            self._show = False
            return
        self._progress.clear()
        self.shown += len(text)
        print_part(text)
        sys.stdout.flush()
