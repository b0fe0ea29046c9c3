"""`call`: calls one tool from a script, through the same broker as the window."""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.cli.common_options import (
    DONE,
    FAULT,
    TOOL_ERROR,
    UNANSWERED,
    USAGE,
    Parser,
    add_common,
    add_consents,
    talk,
)
from workbench.cli.consents import Line, NotAllowed, connect_server, terminal_reader
from workbench.cli.terminal_output import narrate, narrate_fault, print_data, print_json, visible
from workbench.cli.tool_arguments import add_pairs, parse_arguments
from workbench.errors import WorkbenchError
from workbench.paths import Paths
from workbench.records import CallDecision, Content, Fault, JsonValue, Origin, Outcome, Permission, Tool, ToolCall

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi
    from workbench.events import Event

EPILOG = """arguments:
  --arg limit=3           typed by the tool's schema, here as a number
  --arg tag=a --arg tag=b a list, if the schema wants one
  --arg 'filter:={"a":1}' a JSON value
  --json '{"limit": 3}'   all arguments as one JSON object; --arg overrides it
  --json @file.json       the same from a file
  --json -                the same from stdin

The answer goes to stdout, everything else to stderr. Exit codes: 0 answered, 1 the call failed, 2 wrong usage or
arguments, 5 the tool reported an error, 6 approval is needed first: at a terminal, or by --yes or --allow, 130
interrupted (the call is cancelled at the server)."""


class WrongArguments(WorkbenchError):
    """The given values cannot be arguments of this tool."""


def arrange_call(parser: Parser) -> None:
    """Add the arguments of `call`: server, tool, tool arguments, and consents."""
    parser.epilog = EPILOG
    parser.add_argument("server", metavar="SERVER")
    parser.add_argument("tool", metavar="TOOL", help="name of the tool, or its name in Python")
    parser.add_argument("-a", "--arg", action="append", default=[], metavar="K=V", help="one argument; may be repeated")
    parser.add_argument("--json", default="", metavar="JSON", help="all arguments: JSON, @file, or - for stdin")
    add_consents(parser)
    add_common(parser, _call, json_is_output=False)


def _call(given: argparse.Namespace, paths: Paths) -> int:
    try:
        arguments = _read_arguments(given.json)
        outcome = talk(paths, lambda connection: _make_call(connection, given, arguments))
    except NotAllowed as fault:
        narrate_fault(fault)
        return UNANSWERED
    except WrongArguments as fault:
        narrate_fault(fault)
        return USAGE
    return print_outcome(outcome, given.output)


async def _make_call(connection: CoreConnection, given: argparse.Namespace, arguments: dict[str, JsonValue]) -> Outcome:
    api = connection.api
    await connect_server(api, given.server, given.allow)
    tool = await api.tool(given.server, given.tool)
    _add_typed(arguments, given.arg, tool)
    line = terminal_reader(busy=given.json == "-")
    call = ToolCall(
        uuid.uuid4().hex,
        tool.server,
        tool.name,
        arguments,
        Origin.PERSON,
        "person",
        confirmed=given.yes,
        unattended=not (sys.stdin.isatty() or sys.stderr.isatty()),
    )
    forget = connection.listen(_Progress(call.id))
    try:
        outcome = await api.call(call)
        if outcome.needs_confirmation and line is not None:
            if await _confirm_call(api, tool, outcome, line):
                outcome = await api.call(replace(call, confirmed=True))
            else:
                outcome = replace(outcome, fault=Fault("You did not confirm the call."))
        return await fetch_full_outcome(connection, outcome)
    finally:
        forget()


async def _confirm_call(api: CoreApi, tool: Tool, outcome: Outcome, line: Line) -> bool:
    """Ask the user at the terminal to confirm the call. "Always" and "trust" are stored as rules for calls by hand."""
    narrate(visible(outcome.fault.message if outcome.fault else f"{tool.name} may change or send something."))
    lasting = " [a]lways call this tool, [t]rust this server," if outcome.asks else ""
    word = (await line(f"Call it? [y]es, once,{lasting} [N]o: ")).strip().lower()
    if outcome.asks and word in ("a", "always", "t", "trust"):
        name = tool.name if word.startswith("a") else ""
        kept = await api.set_permission(Permission("", "own", CallDecision.ALLOW, tool.server, name))
        narrate(visible(f"{kept.label} Revoke it in the window under Agents > What you allowed."))
        return True
    return word in ("y", "yes")


def _read_arguments(source: str) -> dict[str, JsonValue]:
    try:
        return parse_arguments(source) if source else {}
    except WorkbenchError as fault:
        raise WrongArguments(fault.message, fault.hint) from fault


def _add_typed(arguments: dict[str, JsonValue], pairs: list[str], tool: Tool) -> None:
    try:
        unknown = add_pairs(arguments, pairs, tool.input_schema)
    except WorkbenchError as fault:
        raise WrongArguments(fault.message, fault.hint) from fault
    if unknown:
        known = ", ".join(tool.input_schema.get("properties", {}))
        narrate(f"The schema of {tool.name} does not name {', '.join(unknown)}; it has: {known}.")


class _Progress:
    """Prints the progress of the call on a terminal."""

    def __init__(self, call_id: str) -> None:
        self._call_id = call_id
        self._shown = sys.stderr.isatty()

    def __call__(self, event: Event) -> None:
        from workbench.events import AskArrived, CallProgress  # imports asyncio, which `--help` must not load

        if isinstance(event, AskArrived) and event.ask.call_id == self._call_id:
            asked = event.ask.message or event.ask.url or event.ask.kind
            narrate(visible(f"{event.ask.server} asks: {asked:.500} You can answer in the window."))
        if self._shown and isinstance(event, CallProgress) and event.call_id == self._call_id:
            total = f" of {event.total:g}" if event.total else ""
            narrate(visible(f"{event.progress:g}{total} {event.message}"))


async def fetch_full_outcome(connection: CoreConnection, outcome: Outcome) -> Outcome:
    """The outcome with its long texts fetched from the core."""
    content = [
        replace(
            block, text=await connection.fetch_full_text(block.text), data=await connection.fetch_full_text(block.data)
        )
        for block in outcome.content
    ]
    return replace(outcome, content=tuple(content), structured=await connection.fetch_full_text(outcome.structured))


def print_outcome(outcome: Outcome, output: str) -> int:
    """Print data to stdout and messages to stderr, and return the exit code."""
    if outcome.needs_confirmation:
        reason = outcome.fault.message if outcome.fault else "This call may change or send something."
        narrate(f"mcp-workbench: {reason}\nNothing was sent. Run the command again with --yes to call the tool anyway.")
        return UNANSWERED
    if output == "json":
        print_json(plain_outcome(outcome))
    else:
        _print_text(outcome)
    if outcome.schema_fault:
        narrate(f"The answer does not match the tool's output schema. {outcome.schema_fault}")
    if outcome.ok:
        return DONE
    if not outcome.tool_error or output == "json" or not outcome.content:
        fault = outcome.fault
        narrate(f"mcp-workbench: {fault.message} {fault.hint}".rstrip() if fault else "mcp-workbench: The call failed.")
    elif outcome.fault and outcome.fault.hint:
        narrate(outcome.fault.hint)
    return TOOL_ERROR if outcome.tool_error else FAULT


def plain_outcome(outcome: Outcome) -> dict[str, object]:
    """The JSON form for scripts: the field names of MCP where they exist, and the workbench's own figures."""
    fault = outcome.fault
    return {
        "ok": outcome.ok,
        "isError": outcome.tool_error,
        "content": [_plain_block(block) for block in outcome.content],
        "structuredContent": json.loads(outcome.structured) if outcome.structured else None,
        "fault": {"message": fault.message, "hint": fault.hint, "detail": fault.detail} if fault else None,
        "schemaFault": outcome.schema_fault,
        "ms": round(outcome.ms, 3),
        "bytes": outcome.bytes,
        "tokens": outcome.tokens,
    }


def _plain_block(block: Content) -> dict[str, str]:
    parts = {"type": block.kind, "text": block.text, "mimeType": block.mime, "data": block.data, "uri": block.uri}
    return {name: value for name, value in parts.items() if value or (name == "text" and block.kind == "text")}


def _print_text(outcome: Outcome) -> None:
    if not any(block.kind == "text" for block in outcome.content) and outcome.structured:
        print_data(json.dumps(json.loads(outcome.structured), indent=2, ensure_ascii=False))
    for block in outcome.content:
        print_data(block.text if block.kind == "text" else _described(block))


def _described(block: Content) -> str:
    """A picture or link as one line of text; `--output json` contains its bytes."""
    size = f"{len(block.data) * 3 // 4} bytes" if block.data else ""
    words = " ".join(word for word in (block.kind, block.mime, block.uri, size) if word)
    return f"[{words}]\n{block.text}" if block.text else f"[{words}]"
