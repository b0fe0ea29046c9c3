"""The wire without a second process, for tests: the same frames, codec, server and client over a pair of sockets."""

from __future__ import annotations

import asyncio
import socket

from workbench.events import Bus
from workbench.wire.client import Connection, greet
from workbench.wire.protocol import READ_AHEAD
from workbench.wire.questions import Questions
from workbench.wire.server import Server


async def in_memory(questions: Questions, bus: Bus) -> Connection:
    """A connection to these very questions; closing it closes the server behind it too."""
    server = Server(questions, bus)
    near, far = socket.socketpair()
    server.admit(*await asyncio.open_connection(sock=far, limit=READ_AHEAD))
    reader, writer = await asyncio.open_connection(sock=near, limit=READ_AHEAD)
    await greet(reader, writer, "", "test")
    connection = Connection(reader, writer)
    connection.on_close(server.close)
    return connection
