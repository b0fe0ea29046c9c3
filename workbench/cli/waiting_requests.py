"""`runs` and `calls`: lists programs and calls that wait for approval, and answers them in a terminal."""

from __future__ import annotations

import argparse
import difflib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.cli.approval_requests import (
    CALLS,
    DECIDABLE,
    CallRequest,
    ProgramRequest,
    Request,
    deadline_of,
    decide,
    deny_all,
    find_requests,
    locate,
    settle,
)
from workbench.cli.approval_text import program_facts, time_left
from workbench.cli.common_options import DONE, Command, Parser, add_common, talk
from workbench.cli.terminal_answers import (
    ROLE,
    answer,
    find_running_projects,
    report_no_core,
    report_unanswered,
    unlock,
)
from workbench.cli.terminal_output import narrate, print_data, print_json, print_record, print_table
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import HeldCall, JsonObject, RequestKind, Run, Verdict
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

_DENIED_TOGETHER = (RequestKind.PROGRAM, *CALLS)  # not file changes, because a denial would delete them
_MOST = 50  # maximum runs that `--all` lists


def arrange_runs(parser: Parser) -> None:
    """Add the subcommands list, show, allow, deny, edit, revive and unmute."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="list|show|allow|deny|edit|revive|unmute")
    listing = _command(commands, parser, "list", "list requests that wait for you, and running programs", _list)
    listing.add_argument("--all", action="store_true", help="include the latest programs that have ended")
    _with_id(_command(commands, parser, "show", "show all of a request or a run", _show))
    _with_id(_command(commands, parser, "allow", "show a request, then allow it", _allow, data=False))
    deny = _command(commands, parser, "deny", "show a request, or all of them, then deny", _deny, data=False)
    deny.add_argument("id", metavar="ID", nargs="?", default="", help="ID from `runs list` or from the agent")
    deny.add_argument("--all", action="store_true", help="deny all waiting programs and calls")
    deny.add_argument("--agent", default="", metavar="NAME", help="with --all: only those of this agent")
    deny.add_argument("--mute", action="store_true", help="with --agent: deny its further requests at once, too")
    deny.add_argument("--reason", default="", metavar="TEXT", help="reason that the agent reads")
    revive = "put a program back that was not answered in time, or that a restart interrupted"
    _with_id(_command(commands, parser, "revive", revive, _revive, data=False))
    unmute = _command(commands, parser, "unmute", "be asked about a muted agent again", _unmute, data=False)
    unmute.add_argument("agent", metavar="NAME", help="name of the agent")
    edit = _command(commands, parser, "edit", "change a waiting program in $EDITOR, then allow it", _edit, data=False)
    _with_id(edit).add_argument("--file", default="", metavar="FILE", help="take the new text from this file")
    parser.set_defaults(kinds=DECIDABLE)


def arrange_calls(parser: Parser) -> None:
    """Add the subcommands list, show, allow, deny and edit."""
    parser.epilog = EPILOG
    commands = parser.add_subparsers(required=True, metavar="list|show|allow|deny|edit")
    _command(commands, parser, "list", "list the held calls of running programs", _list_calls)
    _with_id(_command(commands, parser, "show", "show all of a held call", _show))
    _with_id(_command(commands, parser, "allow", "show a held call, then allow it", _allow, data=False))
    deny = _with_id(_command(commands, parser, "deny", "show a request, then deny it", _deny, data=False))
    deny.add_argument("--reason", default="", metavar="TEXT", help="reason that the agent reads")
    change = "change the arguments of a held call in $EDITOR, then allow it"
    edit = _with_id(_command(commands, parser, "edit", change, _edit_call, data=False))
    edit.add_argument("--file", default="", metavar="FILE", help="take the new arguments (JSON) from this file")
    parser.set_defaults(kinds=CALLS, all=False, agent="", mute=False)


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
            rows.append((request.id, request.title, request.risk_text, request.time, request.author, request.sentence))
        for run in runs:
            over = run.state in ENDS
            if not run.awaits_answer and (given.all or not over):
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
        if request.kind in CALLS
    ]
    if given.output == "json":
        print_json([one.as_json() for one in calls])
    else:
        print_table(
            [(one.id, one.risk_text, f"{time_left(one.deadline)} left", one.author, one.sentence) for one in calls],
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
        "kind": RequestKind.PROGRAM.value,
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
    runs = (
        [one for one in await api.runs() if one.id.startswith(given.id)] if RequestKind.PROGRAM in given.kinds else []
    )
    if len(calls) + len(runs) > 1:
        names = ", ".join([*(one.id for one in calls), *(one.id for one in runs)][:10])
        raise WorkbenchError(f"Several IDs start with {given.id:.40}.", f"Choose one of {names}.")
    if calls:
        held_call = replace(calls[0], arguments=await connection.fetch_full_text(calls[0].arguments))
        if given.output == "json":
            print_record(held_call)
        else:
            print_data("\n".join(await CallRequest(held_call).facts(connection, width)))
            _hint(f"calls allow {held_call.id}", deadline_of(held_call))
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
    if run.awaits_answer:
        _hint(f"runs allow {run.id}", deadline_of(run))
    for held_call in run.held_calls:
        _hint(f"calls allow {held_call.id}", deadline_of(held_call))
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
    if bool(given.id) == given.all:
        raise WorkbenchError("Name one request, or use --all.", "`mcp-workbench runs list` lists the requests.")
    if (given.agent and not given.all) or (given.mute and not given.agent):
        raise WorkbenchError("--agent needs --all, and --mute needs --agent.", "Nothing was denied.")
    return _deny_all(given, paths) if given.all else _answer(given, paths, allow=False)


def _deny_all(given: argparse.Namespace, paths: Paths) -> int:
    """Deny all waiting programs and calls; file changes keep waiting, because a denial would delete them."""
    projects = find_running_projects(given.project, paths)
    if not projects:
        return report_no_core()
    ends = []
    for one in projects:
        found = talk(one, lambda connection: find_requests(connection.api), start=False, role=ROLE)
        ids = [
            request.id for request in found if request.kind in _DENIED_TOGETHER and given.agent in ("", request.author)
        ]
        if ids:
            narrate(f"Project {one.project}")
            ends.append(answer(one, partial(_deny_these, ids, given)))
    if not ends:
        narrate("Nothing is waiting for you." if not given.agent else f"No request of {given.agent:.60} is waiting.")
    return next((code for code in ends if code != DONE), DONE)


async def _deny_these(ids: list[str], given: argparse.Namespace, connection: CoreConnection, terminal: Terminal) -> int:
    requests = [one for one in await find_requests(connection.api) if one.id in ids]
    return await deny_all(connection, terminal, requests, given.reason, mute=given.mute)


def _revive(given: argparse.Namespace, paths: Paths) -> int:
    projects = find_running_projects(given.project, paths)
    if not projects:
        return report_no_core()
    for one in projects:
        runs = talk(one, lambda connection: connection.api.runs(), start=False, role=ROLE)
        if found := [run.id for run in runs if run.id.startswith(given.id) and run.can_be_revived]:
            if len(found) > 1:
                raise WorkbenchError(
                    f"Several IDs start with {given.id:.40}.", f"Choose one of {', '.join(found[:10])}."
                )
            return answer(one, partial(_put_back, found[0]))
    raise WorkbenchError(
        f"{given.id:.40} cannot be put back.",
        "Only a program that waited and was not allowed, or that a restart interrupted, can be put back.",
    )


async def _put_back(run_id: str, connection: CoreConnection, terminal: Terminal) -> int:
    run = await connection.api.run(run_id)
    code = await connection.fetch_full_text(run.proposal.code)
    for line in program_facts(run, code, terminal.width):
        terminal.say(line)
    typed = await terminal.read_line("Type revive to put it back; it is assessed again. Enter leaves it: ")
    if typed != "revive" or not await unlock(connection.api, terminal):
        return report_unanswered()
    again = await connection.api.revive(run_id)
    narrate(f"Put back as {again.id}. If it needs approval, `mcp-workbench runs allow {again.id}` gives it.")
    return DONE


def _unmute(given: argparse.Namespace, paths: Paths) -> int:
    projects = find_running_projects(given.project, paths)
    if not projects:
        return report_no_core()
    for one in projects:
        muted = talk(one, lambda connection: connection.api.muted_agents(), start=False, role=ROLE)
        if sessions := [agent.session for agent in muted if agent.author == given.agent]:
            return answer(one, partial(_unmute_these, sessions))
    raise WorkbenchError(f"No agent named {given.agent!r:.60} is muted.", "Nothing was changed.")


async def _unmute_these(sessions: list[str], connection: CoreConnection, terminal: Terminal) -> int:
    if not await unlock(connection.api, terminal):
        return report_unanswered()
    for session in sessions:
        await connection.api.unmute_agent(session)
    narrate("You are asked about its requests again.")
    return DONE


def _answer(given: argparse.Namespace, paths: Paths, *, allow: bool) -> int:
    if not find_running_projects(given.project, paths):
        return report_no_core()
    project, request_id = locate(given.project, paths, given.id, given.kinds)
    return decide(project, request_id, allow=allow, reason="" if allow else given.reason)


def _edit(given: argparse.Namespace, paths: Paths) -> int:
    if not find_running_projects(given.project, paths):
        return report_no_core()
    project, request_id = locate(given.project, paths, given.id, (RequestKind.PROGRAM,))
    return answer(project, lambda connection, terminal: _change(connection, terminal, request_id, given.file))


async def _change(connection: CoreConnection, terminal: Terminal, run_id: str, source: str) -> int:
    """Assess the edited program and show it before anything changes in the core."""
    run = await connection.api.run(run_id)
    before = await connection.fetch_full_text(run.proposal.code)
    suffix = ".ts" if run.proposal.language == "typescript" else ".py"
    command = f"mcp-workbench runs edit {run_id}"
    return await _edit_text(
        "The program", before, suffix, source, command, partial(_settle_edit, connection, terminal, run, before)
    )


def _edit_call(given: argparse.Namespace, paths: Paths) -> int:
    if not find_running_projects(given.project, paths):
        return report_no_core()
    project, request_id = locate(given.project, paths, given.id, CALLS)
    return answer(project, lambda connection, terminal: _change_call(connection, terminal, request_id, given.file))


async def _change_call(connection: CoreConnection, terminal: Terminal, call_id: str, source: str) -> int:
    """Judge the changed arguments and show the call before anything changes in the core."""
    held_call = next((one for one in await connection.api.held_calls() if one.id == call_id), None)
    if held_call is None or not held_call.editable:
        raise WorkbenchError(
            "This request cannot be changed.", f"Answer it with `mcp-workbench calls allow {call_id}`."
        )
    before = await connection.fetch_full_text(held_call.arguments)
    command = f"mcp-workbench calls edit {call_id}"
    suffix = ".txt" if held_call.is_answer else ".json"
    settle_text = partial(_settle_call, connection, terminal, call_id, before)
    return await _edit_text("The call", before, suffix, source, command, settle_text)


async def _settle_call(connection: CoreConnection, terminal: Terminal, call_id: str, before: str, text: str) -> int:
    return await _show_and_allow(connection, terminal, await EditedCall.assess(connection, call_id, before, text))


async def _show_and_allow(connection: CoreConnection, terminal: Terminal, request: Request) -> int:
    """Show a changed request, and ask whether to allow it."""
    for line in await request.facts(connection, terminal.width):
        terminal.say(line)
    return await settle(connection, terminal, request, allow=True)


class EditedCall(CallRequest):
    """A held call with changed arguments, which are sent to the core together with the answer."""

    def __init__(self, held_call: HeldCall, before: str, text: str) -> None:
        super().__init__(held_call)
        self.text = text
        self._before = before

    @classmethod
    async def assess(cls, connection: CoreConnection, call_id: str, before: str, text: str) -> EditedCall:
        """Judge the changed arguments. Nothing changes in the core."""
        shown = await connection.api.assess_held_call_edit(call_id, text)
        return cls(replace(shown, arguments=await connection.fetch_full_text(shown.arguments)), before, text)

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        return [*await super().facts(connection, width), *_changes(self._before, self.held_call.arguments)]

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        if allow:
            changed = await api.edit_held_call(self.id, self.text)
            if (changed.arguments, changed.risk, changed.why) != _shown_of(self.held_call):
                raise WorkbenchError("The call is judged differently now.", "Review it again; it is still waiting.")
            self.id = changed.id
        await super().send(api, allow=allow, reason=reason, seconds=seconds, offer=offer)


def _shown_of(held_call: HeldCall) -> tuple[object, ...]:
    return held_call.arguments, held_call.risk, held_call.why


async def _edit_text(
    subject: str, before: str, suffix: str, source: str, command: str, settle_text: Callable[[str], Awaitable[int]]
) -> int:
    """Let the user change a text in an editor, or take it from a file. If the user does not decide, the changed text is
    stored in a draft."""
    draft = Path(source).expanduser() if source else write_draft(suffix, before)
    if not source:
        open_editor(draft)
    text = read_draft(draft)
    if text == before:
        if not source:
            remove_draft(draft)
        narrate(f"{subject} was not changed.")
        return report_unanswered()
    try:
        done = await settle_text(text)
    except WorkbenchError as fault:
        raise WorkbenchError(fault.message, f"{fault.hint} Your text is saved: {draft}".strip()) from fault
    if done == DONE and not source:
        remove_draft(draft)
    elif done != DONE:
        narrate(f"Your text is saved: {draft}. To continue: {command} --file {shlex.quote(str(draft))}")
    return done


def _changes(before: str, after: str) -> list[str]:
    names = ("as proposed", "as you changed it")
    return ["", "Your changes", *difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="")]


async def _settle_edit(connection: CoreConnection, terminal: Terminal, run: Run, before: str, code: str) -> int:
    return await _show_and_allow(connection, terminal, await EditedProgram.assess(connection, run, before, code))


class EditedProgram(ProgramRequest):
    """A waiting program with an edited text, which is sent to the core together with the answer."""

    def __init__(self, run: Run, before: str, text: str) -> None:
        super().__init__(run)
        self.text = text
        self._before = before

    @classmethod
    async def assess(cls, connection: CoreConnection, run: Run, before: str, text: str) -> EditedProgram:
        """Assess the edited program. Nothing changes in the core. The rules that the run offers are about the text
        before, so none is offered."""
        verdict = await connection.api.assess_edit(run.id, text)
        return cls(replace(run, verdict=verdict, like=None, offers=(), offers_limit=""), before, text)

    async def facts(self, connection: CoreConnection, width: int) -> list[str]:
        return [*program_facts(self.run, self.text, width), *_changes(self._before, self.text)]

    async def send(self, api: CoreApi, *, allow: bool, reason: str, seconds: float, offer: str) -> None:
        if allow:
            expected = self.run.verdict
            self.run = await api.edit(self.run.id, self.text, self.run.proposal.sha)
            now = self.run.verdict
            if _meaning(expected) != _meaning(now):
                raise WorkbenchError(
                    "The assessment of the program changed in the meantime.", "Review it again; it is still waiting."
                )
        await super().send(api, allow=allow, reason=reason, seconds=seconds, offer=offer)


def _meaning(verdict: Verdict | None) -> tuple[object, ...]:
    return (verdict.sha, verdict.risk, verdict.gate, verdict.effects) if verdict is not None else ()


def write_draft(suffix: str, text: str) -> Path:
    """Write a copy that only the user can read."""
    folder = Path(tempfile.mkdtemp(prefix="mcp-workbench-edit-"))
    draft = folder / f"request{suffix}"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    return draft


def remove_draft(draft: Path) -> None:
    """Delete the draft, its folder, and backup files of the editor."""
    shutil.rmtree(draft.parent, ignore_errors=True)


def open_editor(draft: Path) -> None:
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


def read_draft(draft: Path) -> str:
    try:
        return draft.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as fault:
        words = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
        raise WorkbenchError(f"{draft} cannot be read: {words}.", "Nothing was changed.") from fault
