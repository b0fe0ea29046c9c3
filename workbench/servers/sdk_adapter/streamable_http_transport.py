"""Streamable HTTP through the SDK: each message is a POST, its answer a JSON body or a stream of events."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from workbench.events import spawn
from workbench.servers.sdk_adapter.http_transport_base import HttpLine

if TYPE_CHECKING:
    from workbench.servers.sdk_adapter.http_client import Client


class HttpTransport(HttpLine):
    """A server that is spoken to by streamable HTTP."""

    kind = "http"

    async def _speak(self, client: Client) -> None:
        from mcp.client.streamable_http import streamable_http_client

        way = streamable_http_client(self._reach.url, http_client=client, max_sse_event_size=self._limit)
        async with way as (read, write):
            forth = spawn(f"server {self._name}: out", self._forth(write))
            back = spawn(f"server {self._name}: in", self._back(read))
            leaving = spawn(f"server {self._name}: end", _wait(self._leaving))
            try:
                await asyncio.wait((back, leaving), return_when=asyncio.FIRST_COMPLETED)
                await asyncio.wait((forth,), timeout=1.0)
            finally:
                for task in (forth, back, leaving):
                    task.cancel()
                await asyncio.gather(forth, back, leaving, return_exceptions=True)

    async def _forth(self, write: Any) -> None:  # Any: the SDK's stream, which also carries the sender's context
        async for message in self._outgoing:
            self._take(message)
            await write.send(message)

    async def _back(self, read: Any) -> None:
        async for item in read:
            await self._give(item)


async def _wait(event: asyncio.Event) -> None:
    await event.wait()
