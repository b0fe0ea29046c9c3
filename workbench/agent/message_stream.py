"""The messages of an agent's connection, one line of JSON each, and error answers to malformed requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple, TypeAlias

import anyio
import mcp.types as T
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from workbench.records import JsonObject, JsonValue

MAX_FRAME = 16 << 20  # bytes of one message from an agent; a program is at most 400 kB
MOST_OPEN = 32  # requests of one agent that are answered concurrently; more than its limit of open programs
CHUNK = 1 << 18
_TOO_LONG = f"A message may have at most {MAX_FRAME >> 20} MiB; the connection is closed."

Incoming: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing: TypeAlias = MemoryObjectSendStream[SessionMessage]
Encode: TypeAlias = Callable[[JsonObject], Awaitable[bytes]]  # returns the masked line of a message


class _OpenRequests:
    """Counts unanswered requests: above the limit, nothing more is read from the client."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._ids: set[T.RequestId] = set()
        self._room = anyio.Event()

    async def enter(self, request: T.RequestId) -> None:
        while len(self._ids) >= self._most:
            self._room = anyio.Event()
            await self._room.wait()
        self._ids.add(request)

    def leave(self, request: object) -> None:
        if isinstance(request, str | int):
            self._ids.discard(request)
        self._room.set()


@asynccontextmanager
async def messages(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    encode: Encode,
    *,
    answers: bool = False,
    preface: Callable[[bytes], bool] | None = None,
) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Open message streams over this connection; they end when either side closes or a frame is too large.
    `answers`: this side is the server, so it reports unreadable messages, and reads no faster than it answers.
    `preface` handles the first line, if that does not come from the agent."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    copier = _MessageCopier(reader, writer, encode, answers, preface)
    async with anyio.create_task_group() as group:
        group.start_soon(copier.read, to_server)
        group.start_soon(copier.write, from_server)
        try:
            yield incoming, outgoing
        finally:
            group.cancel_scope.cancel()
            incoming.close()
            outgoing.close()
            writer.close()


class _MessageCopier:
    """Copies messages in both directions of one connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        encode: Encode,
        answers: bool,
        preface: Callable[[bytes], bool] | None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._encode = encode
        self._answers = answers
        self._open = _OpenRequests(MOST_OPEN)
        self._preface = preface

    async def read(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        buffer, scanned = bytearray(), 0
        async with to_server:
            try:
                while chunk := await self._reader.read(CHUNK):
                    buffer += chunk
                    while (end := buffer.find(b"\n", scanned)) >= 0:
                        line = bytes(buffer[:end])
                        del buffer[: end + 1]
                        scanned = 0
                        if line.strip() and not self._is_preface(line):
                            await self._deliver(line, to_server)
                    scanned = len(buffer)
                    if scanned > MAX_FRAME:
                        await self._report(MalformedRequest(_TOO_LONG, INVALID))
                        return  # no valid message is this long; the connection is closed
            except (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    def _is_preface(self, line: bytes) -> bool:
        preface, self._preface = self._preface, None
        return preface is not None and preface(line)

    async def _deliver(self, line: bytes, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        item = _message(line)
        if isinstance(item, Exception):
            await self._report(parse_error(line))
        elif isinstance(item.message, T.JSONRPCNotification) and (error := notification_error(line)) is not None:
            await self._report(error)
            return
        elif self._answers and isinstance(item.message, T.JSONRPCRequest):
            await self._open.enter(item.message.id)
        elif isinstance(item.message, T.JSONRPCNotification) and item.message.method == "notifications/cancelled":
            self._open.leave((item.message.params or {}).get("requestId"))
        await to_server.send(item)

    async def _report(self, fault: MalformedRequest) -> None:
        if self._answers:
            error = {"code": fault.code, "message": fault.message}
            answer: JsonObject = {"jsonrpc": "2.0", "id": fault.request, "error": error}
            await _send(self._writer, self._encode, answer)

    async def write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            try:
                async for one in from_server:
                    message = one.message
                    plain = message.model_dump(mode="json", by_alias=True, exclude_unset=True)
                    await _send(self._writer, self._encode, plain)
                    if isinstance(message, T.JSONRPCResponse | T.JSONRPCError):
                        self._open.leave(message.id)
            except (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return


async def _send(writer: asyncio.StreamWriter, encode: Encode, message: JsonObject) -> None:
    """Write a message to an agent's connection. This is the only place that does so."""
    writer.write(await encode(message))
    await writer.drain()


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(T.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as fault:
        return fault


PARSE: Final = -32700
INVALID: Final = -32600
_LONGEST_ID: Final = 1_000  # characters of an id that an error answer repeats
_NO_JSON: Final = "Parse error: this is not JSON."
_NO_MESSAGE: Final = "This is not a JSON-RPC message."
_ID: Final = "The id of a request must be a string or an integer. This request was not executed."
_HALF: Final = (
    "The message contains half a character (a lone surrogate such as \\ud83d), which is not valid text. Send the"
    " complete character, or leave it out."
)


class MalformedRequest(NamedTuple):
    """The error that answers a malformed message."""

    message: str
    code: int
    request: JsonValue = None  # id of the request, if it could be read


def parse_error(data: bytes) -> MalformedRequest:
    """Return the error for a message that the SDK refused to parse."""
    message = parse_json(data)
    if message is None:
        return MalformedRequest(_NO_JSON, PARSE)
    known = _request_id(message)
    if _has_surrogate(data, message):
        return MalformedRequest(_HALF, INVALID, known)
    return request_id_error(message) or MalformedRequest(_NO_MESSAGE, PARSE, known)


def notification_error(data: bytes) -> MalformedRequest | None:
    """Return the error for a message that was parsed as a notification, but is a request with an id of an invalid
    type."""
    return request_id_error(parse_json(data)) if b'"id"' in data or b"\\u" in data else None


def request_id_error(message: Any) -> MalformedRequest | None:  # Any: JSON
    """Return the error for a request with an invalid id."""
    if not isinstance(message, dict) or "method" not in message or "id" not in message:
        return None
    found = message["id"]
    if isinstance(found, str) or type(found) is int:
        return None
    return MalformedRequest(_ID, INVALID, _request_id(message))


def surrogate_error(data: bytes, message: Any) -> MalformedRequest | None:  # Any: JSON
    """Return the error for a message with a lone surrogate, which strict parsers refuse."""
    return MalformedRequest(_HALF, INVALID, _request_id(message)) if _has_surrogate(data, message) else None


def parse_json(data: bytes) -> Any:  # Any: JSON
    """Return a message of a client; None for what is not JSON, or nested too deeply."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _request_id(message: Any) -> JsonValue:  # Any: JSON
    found = message.get("id") if isinstance(message, dict) and "method" in message else None
    if isinstance(found, str):
        return found if len(found) <= _LONGEST_ID and found.isprintable() else None
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return found if abs(found) < 1e15 else None


def _has_surrogate(data: bytes, message: Any) -> bool:  # Any: JSON
    if b"\\ud" not in data and b"\\uD" not in data:
        return False
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
