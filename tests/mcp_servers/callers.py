"""A listening port for tests that lets go of every caller at its end.

`asyncio.start_server` forgets a caller whose coroutine is cancelled, in its first step above all: the connection stays
open without an owner, and a later test is blamed for it. Here the callers are known before any coroutine runs.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[Any]]


class Callers:
    """`async with Callers(serve) as callers:` serves at `callers.port`; whoever is left is hung up on."""

    def __init__(self, serve: Serve, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self._serve = serve
        self._host = host
        self._tls = tls
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._over = False
        self.port = 0

    async def __aenter__(self) -> Callers:
        self._over = False
        self._server = await asyncio.start_server(self._greet, self._host, self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._over = True
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        await asyncio.sleep(0)  # the transports close in the loop's next turn

    def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._over:
            writer.transport.abort()
            return
        self._writers.add(writer)
        task = asyncio.get_running_loop().create_task(self._attend(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError):  # a caller that hung up in the middle
            writer.transport.abort()
