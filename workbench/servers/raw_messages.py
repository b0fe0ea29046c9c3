"""Raw messages that the user writes by hand: parsed, distinguished from tool calls, and sent."""

from __future__ import annotations

import asyncio
import json
import time
import unicodedata
from collections.abc import Mapping

from msgspec import Struct, field

from workbench.errors import WorkbenchError
from workbench.records import Fault, JsonObject, JsonValue, RawAnswer
from workbench.servers.server import McpServer
from workbench.servers.server_faults import ServerFault

CALL = "tools/call"
# Fields of a tool call that are sent; id, progress token and others are generated.
_CARRIED = {"name", "arguments", "_meta"}
_LONGEST = 4 << 20  # characters


class RawMessage(Struct, frozen=True):
    """A message to send. Its id is assigned when it is sent, so an old message can be sent again."""

    method: str
    params: JsonObject = field(default_factory=dict)
    wants_answer: bool = True
    tool: str = ""  # set for a tool call
    arguments: JsonObject = field(default_factory=dict)


def read(text: str) -> RawMessage:
    """Parse a message. Raises WorkbenchError when it is not a message that a client may send."""
    message = _parsed(text)
    if not isinstance(message, Mapping):
        raise WorkbenchError("The message is not a JSON object.", 'Write one object, for example {"method": "ping"}.')
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str) or not method.strip():
        raise WorkbenchError("The message has no method.", 'Only requests and notifications can be sent: add "method".')
    if not isinstance(params, Mapping):
        raise WorkbenchError('The "params" of the message are not a JSON object.', 'Write {"params": {…}}.')
    if _plain(method) == CALL:  # recognises a tool call in any spelling, with or without an id
        return _call(params)
    return RawMessage(method, _without_token(params), "id" in message)


def _plain(method: str) -> str:
    """Normalise a method name as the most lenient server might: drop invisible characters, fold compatibility forms."""
    letters = unicodedata.normalize("NFKC", method).casefold()
    parts = "".join(c for c in letters if c.isprintable() and not c.isspace()).split("/")
    return "/".join(part for part in parts if part)


def _parsed(text: str) -> JsonValue:
    if len(text) > _LONGEST:
        raise WorkbenchError("The message is longer than 4 MB.", "Shorten it.")
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise WorkbenchError("The message is nested too deeply.", "Flatten it.") from None
    except ValueError as fault:
        raise WorkbenchError(
            f"The message is not valid JSON: {fault}.", "Correct the message, then send it."
        ) from fault


def _no_number(word: str) -> JsonValue:
    raise ValueError(f"{word} is not a JSON number")


def _call(params: JsonObject) -> RawMessage:
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not name:
        raise WorkbenchError("The tool call does not name a tool.", 'Add "name" to its params.')
    if not isinstance(arguments, Mapping):
        raise WorkbenchError("The arguments of the call are not a JSON object.", 'Write {"arguments": {…}}.')
    if more := sorted(set(params) - _CARRIED):
        raise WorkbenchError(
            f"A tool call is sent with its name and arguments only; {', '.join(more)[:200]} would be lost.",
            "Remove every other parameter.",
        )
    return RawMessage(CALL, params, True, name, arguments)


def _without_token(params: JsonObject) -> JsonObject:
    """Return the params without the progress token, because no listener exists for an old request."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping) or "progressToken" not in meta:
        return params
    kept = {key: value for key, value in meta.items() if key != "progressToken"}
    rest = {key: value for key, value in params.items() if key != "_meta"}
    return {**rest, "_meta": kept} if kept else rest


async def send(server: McpServer, raw: RawMessage, seconds: float) -> RawAnswer:
    """Send a message that is not a tool call; tool calls must go through the broker."""
    assert not raw.tool, "a tool call must go through the broker"
    at, started = time.time(), time.perf_counter()
    fault = await _sent(server, raw, seconds)
    return RawAnswer(raw.method, fault is None, at, fault, ms=(time.perf_counter() - started) * 1000)


async def _sent(server: McpServer, raw: RawMessage, seconds: float) -> Fault | None:
    from mcp.shared.exceptions import MCPError

    if (connection := server.running) is None:
        raise WorkbenchError(f"{server.name} is not running.", "Connect it, then send the message again.")
    try:
        async with asyncio.timeout(seconds):
            if raw.wants_answer:
                await connection.request(raw.method, raw.params)
            else:
                await connection.notify(raw.method, raw.params)
    except TimeoutError:
        words = f"{raw.method} was not answered within {seconds:g} seconds."
        return Fault(words, "To wait longer, raise the setting server.call_seconds.")
    except MCPError as refusal:
        return Fault(f"{server.name} answered with error {refusal.code}: {refusal.message:.2000}")
    except ServerFault as fault:
        return fault.fault
    return None
