"""MCP's newline-delimited JSON over one socket, as the pair of message streams the SDK's server reads and writes.

What goes out is made into bytes by whoever opened the stream (`Leave`): nothing else is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import anyio
import mcp.types as T
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from workbench.records import JsonObject

MAX_FRAME = 16 << 20  # bytes of one message from an agent; a program is at most 400 kB
CHUNK = 1 << 18

Incoming: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing: TypeAlias = MemoryObjectSendStream[SessionMessage]
Leave: TypeAlias = Callable[[JsonObject], Awaitable[bytes]]  # a message as the line that may be written


@asynccontextmanager
async def messages(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, leave: Leave
) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Streams over this connection; they end when either side closes or a frame is too large."""
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_read, reader, to_server)
        group.start_soon(_write, writer, from_server, leave)
        try:
            yield incoming, outgoing
        finally:
            group.cancel_scope.cancel()
            incoming.close()
            outgoing.close()
            writer.close()


async def _read(reader: asyncio.StreamReader, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    buffer, scanned = bytearray(), 0
    async with to_server:
        try:
            while chunk := await reader.read(CHUNK):
                buffer += chunk
                while (end := buffer.find(b"\n", scanned)) >= 0:
                    line = bytes(buffer[:end])
                    del buffer[: end + 1]
                    scanned = 0
                    if line.strip():
                        await to_server.send(_message(line))
                scanned = len(buffer)
                if scanned > MAX_FRAME:
                    return  # nothing sensible is this long; hanging up is the answer
        except (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(T.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as fault:
        return fault


async def _write(
    writer: asyncio.StreamWriter, from_server: MemoryObjectReceiveStream[SessionMessage], leave: Leave
) -> None:
    async with from_server:
        try:
            async for message in from_server:
                writer.write(await leave(message.message.model_dump(mode="json", by_alias=True, exclude_unset=True)))
                await writer.drain()
        except (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return
