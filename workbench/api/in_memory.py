"""A client and a server in one process, for tests: the same frames and codec over a pair of sockets."""

from __future__ import annotations

import asyncio
import socket

from workbench.api.client import CoreConnection, greet
from workbench.api.client_stub import CoreApi
from workbench.api.frames import READ_AHEAD
from workbench.api.marker import mark_of
from workbench.api.registry import ApiMethod, Registry
from workbench.api.server import ApiServer
from workbench.events import Bus


class StandIn(Registry):
    """Registry for an object that a test uses in place of the core; types come from the declarations in `CoreApi`."""

    def __init__(self, answers: object) -> None:
        super().__init__()
        self._answers = answers

    def get(self, name: str) -> ApiMethod | None:
        declared = getattr(CoreApi, name, None)
        mark, bound = mark_of(declared), getattr(self._answers, name, None)
        return None if mark is None or declared is None or bound is None else ApiMethod(declared, bound, mark)


async def connect_in_memory(methods: object, bus: Bus, role: str = "test") -> CoreConnection:
    """Connect to a core's registry, or to a test's stand-in; closing the connection closes its server too."""
    server = ApiServer(methods if isinstance(methods, Registry) else StandIn(methods), bus)
    near, far = socket.socketpair()
    server.admit(*await asyncio.open_connection(sock=far, limit=READ_AHEAD))
    reader, writer = await asyncio.open_connection(sock=near, limit=READ_AHEAD)
    await greet(reader, writer, "", role)
    connection = CoreConnection(reader, writer)
    connection.on_close(server.close)
    return connection
