"""`servers`, `tools`, `read` and `prompt`: lists what the servers of a project have, allows servers to start, adds
known servers, reads resources and fills prompts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.cli.common_options import DONE, FAULT, UNANSWERED, USAGE, Parser, add_common, ask, talk
from workbench.cli.consents import NotAllowed, command_line, connect_server, find_server
from workbench.cli.terminal_output import narrate, narrate_fault, print_data, print_json, print_record, print_table
from workbench.cli.tool_calls import fetch_full_outcome, print_outcome
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import (
    Depth,
    Outcome,
    Permissions,
    PromptAnswer,
    ServerState,
    ServerStatus,
    ToolGroup,
    ToolSummary,
    TrustQuestion,
)
from workbench.records.common_types import count_of

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.cli.terminal_answers import Terminal

MOST = 200  # maximum results of a search


SERVERS_EPILOG = """--add writes a known server to .mcp.json. Secrets that it needs are asked for when it is connected.

`servers allow NAME` shows everything that a server would run or receive, asks at an interactive terminal, and starts
the server. From then on, agents find its tools. Without --project, your projects with a running core are searched
too.

`servers trust NAME` shows what each tool of a server does, as it says and as far as we know, and asks which groups
(reads, adds, changes, destroys, outside) programs may use without asking. It asks at an interactive terminal. With
--yes-to only the server's name has to be typed there. Agents cannot answer."""


def arrange_servers(parser: Parser) -> None:
    add_common(parser, _servers)
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "allow", "trust"),
        default="list",
        help="list the servers (default), allow one, or decide what its annotations are worth",
    )
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the server")
    parser.add_argument(
        "--yes-to", metavar="GROUPS", help="with trust: the groups that run without asking, such as reads,adds"
    )
    parser.add_argument("--known", action="store_true", help="list known servers that can be added")
    parser.add_argument("--add", default="", metavar="TITLE", help="add a known server; it starts when you allow it")
    parser.epilog = SERVERS_EPILOG


def arrange_tools(parser: Parser) -> None:
    add_common(parser, _tools)
    parser.add_argument("--server", default="", metavar="NAME", help="only this server's tools")
    parser.add_argument("--search", default="", metavar="WORDS", help="search as an agent does, best match first")
    parser.epilog = (
        "A server's tools are known once it has been connected. In text output, each line is a server, a tool and a\n"
        "description."
    )


def _known(given: argparse.Namespace, paths: Paths) -> int:
    known = ask(paths, lambda api: api.known_servers())
    if given.output == "json":
        print_record(known)
        return DONE
    print_table([(one.title, one.maker, one.licence, command_line(one.config)) for one in known])
    for one in known:
        narrate(f"{one.title}: {one.needs} See {one.page}.")
    return DONE


def _add(given: argparse.Namespace, paths: Paths) -> int:
    async def add(connection: CoreConnection) -> ServerState:
        known = await connection.api.known_servers()
        wanted = given.add.casefold()
        found = [one for one in known if one.title.casefold().startswith(wanted)]
        if len(found) != 1:
            titles = ", ".join(repr(one.title) for one in found or known)
            raise WorkbenchError(
                f"{given.add!r:.100} matches {len(found)} of the known servers.", f"Choose one of {titles}."
            )
        narrate(f"{found[0].title}: {found[0].needs}")
        return await connection.api.edit_server("", found[0].config, True)

    print_table([_server_row(talk(paths, add))])
    return DONE


def _allow(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.cli.terminal_answers import answer, find_running_projects

    async def knows(connection: CoreConnection) -> bool:
        states = await connection.api.servers()
        return any(one.config.name == given.name and not one.allowed for one in states)

    there = [one for one in find_running_projects(given.project, paths) if talk(one, knows, start=False)]
    if len(there) > 1:
        names = ", ".join(str(one.project) for one in there)
        raise WorkbenchError(
            f"Several projects have a server {given.name!r:.100}.", f"Choose one with --project: {names}."
        )
    return answer(there[0] if there else paths, lambda it, terminal: _consent(it, terminal, given.name), start=True)


async def _consent(connection: CoreConnection, terminal: Terminal, name: str) -> int:
    """Show everything that the window's dialog shows, and ask for the server's name as consent."""
    from workbench.cli.terminal_answers import report_unanswered, unlock

    api = connection.api
    await api.reload_servers()  # the user may have edited .mcp.json
    state = await find_server(api, name)
    if state.config.disabled:
        raise WorkbenchError(f"{name} is disabled in .mcp.json.", 'Remove "disabled" from its entry first.')
    if state.allowed or state.config.builtin:
        if state.status is not ServerStatus.FAILED:
            narrate(f"{name} is already allowed.")
            return DONE
        narrate(f"{name} is already allowed, but has failed. Starting it again …")
        after = await api.connect(name, "")
        narrate(f"{name} is running, with {count_of(after.tool_count, 'tool')}.")
        return DONE
    consent = await api.consent(name)
    terminal.say(
        f"Everything that you and your agents send to {name} goes to this address, with these headers:"
        if consent.remote
        else f"To start {name}, this command runs on your computer, with your rights, outside the sandbox:"
    )
    terminal.say("\n".join(f"  {line}" for line in consent.told.splitlines()))
    for words in (*consent.notes, *(f"Warning: {warning}" for warning in consent.warnings)):
        terminal.say(words)
    if state.doubt:
        terminal.say(f"You allowed it before, but {state.doubt}.")
    terminal.say("You are asked again if any of this changes.")
    if await terminal.read_line(f"Type {name} to allow it; Enter leaves it as it is: ") != name:
        return report_unanswered()
    if not await unlock(api, terminal):
        return report_unanswered()
    after = await api.connect(name, consent.sha)
    narrate(f"{name} is allowed and running, with {count_of(after.tool_count, 'tool')}.")
    return DONE


def _trust(given: argparse.Namespace, paths: Paths) -> int:
    from workbench.cli.terminal_answers import answer

    chosen = None if given.yes_to is None else _groups(given.yes_to)
    return answer(paths, lambda connection, terminal: _decide(connection, terminal, given.name, chosen), start=True)


async def _decide(
    connection: CoreConnection, terminal: Terminal, name: str, chosen: tuple[ToolGroup, ...] | None
) -> int:
    """Show the question about a server, and ask which groups run without asking."""
    from workbench.cli.terminal_answers import report_unanswered, unlock

    api = connection.api
    state = await find_server(api, name)
    if state.config.builtin:
        narrate(f"{name} is built in and always trusted.")
        return DONE
    if not state.tool_count:
        await connect_server(api, name, False)
    question = await api.trust_question(name)
    _show_question(terminal, question)
    if chosen is None:
        proposal = f"yes to let {_list(question.groups)} run without asking, or " if question.groups else ""
        words = f"Type {proposal}the groups that run without asking, or none. Enter or Ctrl+D decides nothing: "
        typed = await terminal.read_line(words)
        if typed:
            chosen = question.groups if question.groups and typed.lower() == "yes" else _groups(typed)
    elif await terminal.read_line(f"Type {name} to let {_list(chosen)} run without asking: ") != name:
        chosen = None
    if chosen is None:
        return report_unanswered()
    if not await unlock(api, terminal):
        return report_unanswered()
    await api.decide_trust(name, question.sha, chosen)
    running = sum(row.group in chosen for row in question.tools)
    narrate(f"Decided: {running} of {count_of(len(question.tools), 'tool')} of {name} run without asking.")
    return DONE


def _show_question(terminal: Terminal, question: TrustQuestion) -> None:
    terminal.say(f"What may programs do with {question.server} without asking?")
    if question.decided and question.undecided:
        terminal.say(f"New or changed since you decided: {', '.join(question.undecided)}.")
    width = max((len(row.tool) for row in question.tools), default=0)
    for group in ToolGroup:
        rows = [row for row in question.tools if row.group is group]
        if rows:
            ticked = "proposed" if not question.decided else "runs without asking"
            terminal.say(
                f"\n{group}: tools that {group.description}{f' ({ticked})' if group in question.groups else ''}"
            )
        for row in rows:
            says = f"; the server says: {row.says}" if row.says else "; the server says nothing"
            terminal.say(f"  {row.tool:{width}}  {row.found}{says}")
            if row.doubt:
                terminal.say(f"  {'':{width}}  {row.doubt}")
    terminal.say(
        "\nPrograms that only use tools of the groups you name run without asking. A call still waits for you if "
        "outsiders' text decides where it goes, or if it could send private data outside. New and changed tools ask "
        "until you decide again."
    )


def _list(groups: tuple[ToolGroup, ...]) -> str:
    return ", ".join(groups) or "nothing"


def _groups(text: str) -> tuple[ToolGroup, ...]:
    """Read group names. Raises a `WorkbenchError` for an unknown one."""
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    if names in (["none"], []):
        return ()
    known = {str(group) for group in ToolGroup}
    if wrong := [name for name in names if name not in known]:
        raise WorkbenchError(f"There is no group {wrong[0]!r:.60}.", f"Choose from {', '.join(known)}, or none.")
    return tuple(ToolGroup(name) for name in dict.fromkeys(names))


def _servers(given: argparse.Namespace, paths: Paths) -> int:
    if given.action != "list":
        if not given.name:
            raise WorkbenchError("No server is named.", "Add the name of a server. `mcp-workbench servers` lists them.")
        return _allow(given, paths) if given.action == "allow" else _trust(given, paths)
    if given.add:
        return _add(given, paths)
    if given.known:
        return _known(given, paths)

    async def read(connection: CoreConnection) -> tuple[tuple[ServerState, ...], Permissions]:
        return await connection.api.servers(), await connection.api.permissions()

    states, permissions = talk(paths, read)
    if given.output == "json":
        print_record(states)
    else:
        print_table([_server_row(state) for state in states])
    for state in states:
        name = state.config.name
        if state.fault:
            narrate(f"{name}: {state.fault.message} {state.fault.hint}".rstrip())
        if state.allowed and (tools := permissions.undecided.get(name)):
            words = f"{name}: programs that use {count_of(len(tools), 'tool')} of it ask until you decide"
            narrate(f"{words}: mcp-workbench servers trust {name}")
    return DONE


def _server_row(state: ServerState) -> tuple[str, ...]:
    config = state.config
    word = "disabled" if config.disabled else state.status.value
    if not (config.disabled or state.allowed or config.builtin):
        word = "not allowed yet"
    known = state.tool_count or state.status is ServerStatus.READY
    tools = ("1 tool" if state.tool_count == 1 else f"{state.tool_count} tools") if known else ""
    return config.name, word, tools, command_line(config)


def _tools(given: argparse.Namespace, paths: Paths) -> int:
    async def find(connection: CoreConnection) -> tuple[ToolSummary, ...]:
        api = connection.api
        if given.server:
            await find_server(api, given.server)
        if given.search:
            found = (await api.search(given.search, Depth.NAME, MOST)).matches
        else:
            found = await api.tools()
        return tuple(tool for tool in found if given.server in ("", tool.server))

    tools = talk(paths, find)
    if given.output == "json":
        print_record(tools)
    else:
        print_table([(tool.server, tool.name, tool.summary) for tool in tools])
    if not tools:
        narrate("No tool matches. A server's tools are known once it has been connected.")
    return DONE


ALLOW = "allow a server to start for the first time; stderr shows its command"


def arrange_read(parser: Parser) -> None:
    """Add the arguments of `read`: a server and the URI of a resource."""
    parser.add_argument("server", metavar="SERVER")
    parser.add_argument("uri", metavar="URI", help="URI of the resource, as the server lists it")
    parser.add_argument("--allow", action="store_true", help=ALLOW)
    add_common(parser, _read)


def arrange_prompt(parser: Parser) -> None:
    """Add the arguments of `prompt`: a server, a prompt and its arguments."""
    parser.add_argument("server", metavar="SERVER")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument(
        "-a", "--arg", action="append", default=[], metavar="K=V", help="one argument; its value is always text"
    )
    parser.add_argument("--allow", action="store_true", help=ALLOW)
    add_common(parser, _prompt)


def _read(given: argparse.Namespace, paths: Paths) -> int:
    async def read(connection: CoreConnection) -> Outcome:
        await connect_server(connection.api, given.server, given.allow)
        return await fetch_full_outcome(connection, await connection.api.read_resource(given.server, given.uri))

    try:
        return print_outcome(talk(paths, read), given.output)
    except NotAllowed as fault:
        narrate_fault(fault)
        return UNANSWERED


def _prompt(given: argparse.Namespace, paths: Paths) -> int:
    arguments = _texts(given.arg)
    if arguments is None:
        return USAGE

    async def get(connection: CoreConnection) -> tuple[PromptAnswer, str]:
        await connect_server(connection.api, given.server, given.allow)
        answer = await connection.api.get_prompt(given.server, given.name, arguments)
        return answer, await connection.fetch_full_text(answer.raw)

    try:
        answer, raw = talk(paths, get)
    except NotAllowed as fault:
        narrate_fault(fault)
        return UNANSWERED
    if answer.fault is not None:
        narrate(f"mcp-workbench: {answer.fault.message} {answer.fault.hint}".rstrip())
        return FAULT
    if given.output == "json":
        print_json(json.loads(raw))
    else:
        for message in answer.messages:
            content = message.content
            print_data(f"{message.role}: {content.text or f'[{content.kind} {content.mime} {content.uri}]'}")
    return DONE


def _texts(pairs: Sequence[str]) -> dict[str, str] | None:
    """Parse `name=value` pairs. The arguments of a prompt are texts. Returns `None` if a pair has no `=`."""
    found = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not key or not sign:
            narrate(f"mcp-workbench: {pair!r:.200} is not an argument.\nWrite --arg name=value.")
            return None
        found[key] = value
    return found
