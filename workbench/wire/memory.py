"""The wire without a second process, for tests: the same frames, codec, server and client over a pair of sockets."""

from __future__ import annotations

import asyncio
import socket

from workbench.events import Bus
from workbench.wire.client import Connection, greet
from workbench.wire.marker import mark_of
from workbench.wire.methods import ApiMethods
from workbench.wire.protocol import READ_AHEAD
from workbench.wire.registry import ApiMethod, Registry
from workbench.wire.server import Server


class StandIn(Registry):
    """The methods of an object that a test puts in the core's place; what travels is what `ApiMethods` declares."""

    def __init__(self, answers: object) -> None:
        super().__init__()
        self._answers = answers

    def get(self, name: str) -> ApiMethod | None:
        declared = getattr(ApiMethods, name, None)
        mark, bound = mark_of(declared), getattr(self._answers, name, None)
        return None if mark is None or declared is None or bound is None else ApiMethod(declared, bound, mark)


async def in_memory(methods: object, bus: Bus) -> Connection:
    """A connection to a core's registry, or to a test's stand-in; closing it closes the server behind it too."""
    server = Server(methods if isinstance(methods, Registry) else StandIn(methods), bus)
    near, far = socket.socketpair()
    server.admit(*await asyncio.open_connection(sock=far, limit=READ_AHEAD))
    reader, writer = await asyncio.open_connection(sock=near, limit=READ_AHEAD)
    await greet(reader, writer, "", "test")
    connection = Connection(reader, writer)
    connection.on_close(server.close)
    return connection
