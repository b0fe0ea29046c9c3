"""`runs` and `calls`: lists programs and calls that wait for approval, and answers them in a terminal."""

from __future__ import annotations

import argparse
import difflib
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.cli.approval_requests import (
    CALL,
    FILES,
    PROGRAM,
    CallRequest,
    ProgramRequest,
    Request,
    decide,
    find_requests,
    locate,
    settle,
)
from workbench.cli.approval_text import program_facts, time_left
from workbench.cli.common_options import DONE, Command, Parser, add_common, talk
from workbench.cli.terminal_answers import ROLE, answer, find_running_projects, report_no_core, report_unanswered
from workbench.cli.terminal_output import narrate, print_data, print_json, print_record, print_table, visible
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import JsonObject, Run, RunState, Verdict
from workbench.records.runs import ENDS

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi
    from workbench.cli.terminal_answers import Terminal

EPILOG = """You type the answer at an interactive terminal, after the complete request was shown there. It is never
taken from a flag, a pipe or a process that an agent's client started. For high risk, you type the name of what makes
the request risky. After `mcp-workbench pin set`, you also type your PIN. Without --project, all your projects with a
running core are searched. ID may be shortened.

exit codes: 0 done, 1 an error, or the request was answered elsewhere, 4 no core is running, 6 nothing was decided"""

_MOST = 50  # maximum runs that `--all` lists


def arrange_runs(parser: Parser) -> None:
    """Add the subcommands list, show, allow, deny and edit."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="list|show|allow|deny|edit")
    listing = _command(commands, parser, "list", "list requests that wait for you, and running programs", _list)
    listing.add_argument("--all", action="store_true", help="include the latest programs that have ended")
    _with_id(_command(commands, parser, "show", "show all of a request or a run", _show))
    _with_id(_command(commands, parser, "allow", "show a request, then allow it", _allow, data=False))
    deny = _with_id(_command(commands, parser, "deny", "show a request, then deny it", _deny, data=False))
    deny.add_argument("--reason", default="", metavar="TEXT", help="reason that the agent reads")
    edit = _command(commands, parser, "edit", "change a waiting program in $EDITOR, then allow it", _edit, data=False)
    _with_id(edit).add_argument("--file", default="", metavar="FILE", help="take the new text from this file")
    parser.set_defaults(kinds=(PROGRAM, CALL, FILES))


def arrange_calls(parser: Parser) -> None:
    """Add the subcommands list, show, allow and deny."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="list|show|allow|deny")
    _command(commands, parser, "list", "list the held calls of running programs", _list_calls)
    _with_id(_command(commands, parser, "show", "show all of a held call", _show))
    _with_id(_command(commands, parser, "allow", "show a held call, then allow it", _allow, data=False))
    deny = _with_id(_command(commands, parser, "deny", "show a request, then deny it", _deny, data=False))
    deny.add_argument("--reason", default="", metavar="TEXT", help="reason that the agent reads")
    parser.set_defaults(kinds=(CALL,))


def _command(
    commands: argparse._SubParsersAction[Parser],
    parser: Parser,
    name: str,
    words: str,
    run: Command,
    *,
    data: bool = True,
) -> Parser:
    made = commands.add_parser(name, help=words, epilog=EPILOG, formatter_class=parser.formatter_class)
    add_common(made, run, data=data)
    return made


def _with_id(parser: Parser) -> Parser:
    parser.add_argument("id", metavar="ID", help="ID from `runs list` or from the agent")
    return parser


def _list(given: argparse.Namespace, paths: Paths) -> int:
    projects = find_running_projects(given.project, paths)
    rows: list[tuple[str, ...]] = []
    plain: list[JsonObject] = []
    for one in projects:
        requests, runs = talk(one, _all_of, start=False, role=ROLE)
        where = str(one.project)
        for request in requests:
            plain.append({**request.as_json(), "project": where})
            rows.append((request.id, request.title, str(request.risk), request.time, request.author, request.sentence))
        for run in runs:
            over = run.state in ENDS
            if run.state is not RunState.WAITING and (given.all or not over):
                plain.append(_plain(run, where))
                risk, sentence = (str(run.verdict.risk), run.verdict.sentence) if run.verdict else ("", "")
                rows.append((run.id, str(run.state), risk, "", run.proposal.author, sentence))
    if given.output == "json":
        print_json(plain)
    elif rows:
        print_table(rows, shutil.get_terminal_size((120, 24)).columns)
    if not projects:
        return report_no_core()
    if not any(one["state"] == "waiting" for one in plain):
        narrate("Nothing is waiting for you.")
    return DONE


async def _all_of(connection: CoreConnection) -> tuple[list[Request], tuple[Run, ...]]:
    api = connection.api
    return await find_requests(api), (await api.runs())[:_MOST]


def _list_calls(given: argparse.Namespace, paths: Paths) -> int:
    projects = find_running_projects(given.project, paths)
    calls = [
        request
        for one in projects
        for request in talk(one, lambda connection: find_requests(connection.api), start=False, role=ROLE)
        if request.kind == CALL
    ]
    if given.output == "json":
        print_json([one.as_json() for one in calls])
    else:
        print_table(
            [(one.id, str(one.risk), f"{time_left(one.deadline)} left", one.author, one.sentence) for one in calls],
            shutil.get_terminal_size((120, 24)).columns,
        )
    if not projects:
        return report_no_core()
    if not calls:
        narrate("No call is waiting for you.")
    return DONE


def _plain(run: Run, project: str) -> JsonObject:
    return {
        "id": run.id,
        "kind": PROGRAM,
        "run": run.id,
        "state": str(run.state),
        "risk": str(run.verdict.risk) if run.verdict else "",
        "sentence": run.verdict.sentence if run.verdict else "",
        "author": run.proposal.author,
        "deadline": run.deadline,
        "project": project,
    }


def _show(given: argparse.Namespace, paths: Paths) -> int:
    projects = find_running_projects(given.project, paths)
    if not projects:
        return report_no_core()
    for one in projects:
        if (shown := talk(one, lambda connection: _look(connection, given), start=False, role=ROLE)) is not None:
            return shown
    raise WorkbenchError(
        f"There is no run or held call {given.id!r:.60}.", "`mcp-workbench runs list --all` lists them."
    )


async def _look(connection: CoreConnection, given: argparse.Namespace) -> int | None:
    api, width = connection.api, shutil.get_terminal_size((100, 24)).columns
    calls = [one for one in await api.held_calls() if one.id.startswith(given.id)]
    runs = [one for one in await api.runs() if one.id.startswith(given.id)] if PROGRAM in given.kinds else []
    if len(calls) + len(runs) > 1:
        names = ", ".join([*(one.id for one in calls), *(one.id for one in runs)][:10])
        raise WorkbenchError(f"Several IDs start with {given.id:.40}.", f"Choose one of {names}.")
    if calls:
        held_call = replace(calls[0], arguments=await connection.fetch_full_text(calls[0].arguments))
        if given.output == "json":
            print_record(held_call)
        else:
            print_data("\n".join(await CallRequest(held_call).facts(connection, width)))
            _hint(f"calls allow {held_call.id}", held_call.deadline)
        return DONE
    if not runs:
        return None
    run = await api.run(runs[0].id)
    proposal = replace(run.proposal, code=await connection.fetch_full_text(run.proposal.code))
    output, result = await connection.fetch_full_text(run.output), await connection.fetch_full_text(run.result)
    run = replace(run, proposal=proposal, output=output, result=result)
    if given.output == "json":
        print_record(run)
        return DONE
    print_data("\n".join([f"{run.id} is {run.state}", "", *program_facts(run, proposal.code, width), *_ending(run)]))
    if run.state is RunState.WAITING:
        _hint(f"runs allow {run.id}", run.deadline)
    for held_call in run.held_calls:
        _hint(f"calls allow {held_call.id}", held_call.deadline)
    return DONE


def _ending(run: Run) -> list[str]:
    lines: list[str] = []
    if run.calls:
        lines += [
            "",
            "Calls",
            *(f"  {call.server}.{call.tool}: {call.state} {call.note}".rstrip() for call in run.calls),
        ]
    if run.output:
        lines += ["", "Output", run.output.rstrip()]
    if run.result and run.result != "null":
        lines += ["", "Result", run.result]
    if run.fault is not None:
        lines += ["", f"{run.fault.message} {run.fault.hint}".rstrip()]
    return lines


def _hint(command: str, deadline: float) -> None:
    narrate(f"Waiting for you, {time_left(deadline)} left. To answer: mcp-workbench {command}")


def _allow(given: argparse.Namespace, paths: Paths) -> int:
    return _answer(given, paths, allow=True)


def _deny(given: argparse.Namespace, paths: Paths) -> int:
    return _answer(given, paths, allow=False)


def _answer(given: argparse.Namespace, paths: Paths, *, allow: bool) -> int:
    if not find_running_projects(given.project, paths):
        return report_no_core()
    project, request_id = locate(given.project, paths, given.id, given.kinds)
    return decide(project, request_id, allow=allow, reason="" if allow else given.reason)


def _edit(given: argparse.Namespace, paths: Paths) -> int:
    if not find_running_projects(given.project, paths):
        return report_no_core()
    project, request_id = locate(given.project, paths, given.id, (PROGRAM,))
    return answer(project, lambda connection, terminal: _change(connection, terminal, request_id, given.file))


async def _change(connection: CoreConnection, terminal: Terminal, run_id: str, source: str) -> int:
    """Assess the edited program and show it before anything changes in the core.

    If the user does not decide, the edited text is stored in a draft.
    """
    api = connection.api
    run = await api.run(run_id)
    before = await connection.fetch_full_text(run.proposal.code)
    draft = Path(source).expanduser() if source else _draft(run, before)
    if not source:
        _open_editor(draft)
    code = _text_of(draft)
    if code == before:
        if not source:
            _remove_draft(draft)
        narrate("The program was not changed.")
        return report_unanswered()
    try:
        done = await _settle_edit(connection, terminal, run, before, code)
    except WorkbenchError as fault:
        raise WorkbenchError(fault.message, f"{fault.hint} Your text is saved: {draft}".strip()) from fault
    if done == DONE and not source:
        _remove_draft(draft)
    elif done != DONE:
        command = f"mcp-workbench runs edit {run_id} --file {shlex.quote(str(draft))}"
        narrate(f"Your text is saved: {draft}. To continue: {command}")
    return done


async def _settle_edit(connection: CoreConnection, terminal: Terminal, run: Run, before: str, code: str) -> int:
    verdict = await connection.api.assess_edit(run.id, code)
    shown = replace(run, verdict=verdict, like=None)
    for line in program_facts(shown, code, terminal.width):
        terminal.say(line)
    terminal.say("\nYour changes")
    for line in difflib.unified_diff(
        before.splitlines(), code.splitlines(), "as proposed", "as you changed it", lineterm=""
    ):
        terminal.say(visible(line))
    return await settle(connection, terminal, _EditedRequest(shown, code), allow=True)


class _EditedRequest(ProgramRequest):
    """A waiting program with an edited text, which is sent to the core together with the answer."""

    def __init__(self, run: Run, code: str) -> None:
        super().__init__(run)
        self._code = code

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        if allow:
            expected = self.run.verdict
            self.run = await api.edit(self.run.id, self._code, self.run.proposal.sha)
            now = self.run.verdict
            if _meaning(expected) != _meaning(now):
                raise WorkbenchError(
                    "The assessment of the program changed in the meantime.", "Review it again; it is still waiting."
                )
        await super().send(api, allow=allow, reason=reason, seconds=seconds, offer=offer)


def _meaning(verdict: Verdict | None) -> tuple[object, ...]:
    return (verdict.sha, verdict.risk, verdict.gate, verdict.effects) if verdict is not None else ()


def _draft(run: Run, code: str) -> Path:
    """Write a copy that only the user can read."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-workbench-edit-"))
    draft = folder / f"{run.id}{'.ts' if run.proposal.language == 'typescript' else '.py'}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(code)
    return draft


def _remove_draft(draft: Path) -> None:
    """Delete the draft, its folder, and backup files of the editor."""
    shutil.rmtree(draft.parent, ignore_errors=True)


def _open_editor(draft: Path) -> None:
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    command = shlex.split(chosen) if chosen else next(([one] for one in ("nano", "vi") if shutil.which(one)), [])
    if not command:
        raise WorkbenchError("No editor was found.", f"Set EDITOR, or edit {draft} and pass it with --file.")
    try:
        with open("/dev/tty", "r+b", buffering=0) as tty:
            done = subprocess.run([*command, str(draft)], stdin=tty, stdout=tty, stderr=tty, check=False)
    except OSError as fault:
        raise WorkbenchError(
            f"{command[0]} cannot be started: {fault.strerror}.", "Set EDITOR to a different editor."
        ) from fault
    if done.returncode:
        raise WorkbenchError(f"{command[0]} ended with code {done.returncode}.", f"Your text is saved: {draft}")


def _text_of(draft: Path) -> str:
    try:
        return draft.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as fault:
        words = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
        raise WorkbenchError(f"{draft} cannot be read: {words}.", "Nothing was changed.") from fault
