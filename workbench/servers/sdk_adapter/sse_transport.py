"""Transport for HTTP with SSE (protocol 2024-11-05): events from the server, and a POST for each message to it.

WORKAROUND(the SDK's client limits an event to 1 MB without a way to change it, and a POST that is refused leaves its
caller waiting, python-sdk#2110; mcp > 2.3): see `tests/servers/test_plain_sdk.py`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from workbench.events import spawn
from workbench.servers.sdk_adapter import http_errors
from workbench.servers.sdk_adapter.streamable_http_transport import HttpTransportBase
from workbench.servers.sdk_adapter.surrogate_repair import whole
from workbench.servers.server_faults import ServerFault

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

    from workbench.servers.sdk_adapter.http_client import ServerHttpClient


class SseTransport(HttpTransportBase):
    """A server that is spoken to by HTTP with server-sent events."""

    kind = "sse"

    async def _speak(self, client: ServerHttpClient) -> None:
        import httpx2

        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        async with client.stream("GET", self._reach.url, headers=headers) as response:
            if self._watch is not None and response.status_code >= 400 and self._watch.fault is None:
                self._watch.status = response.status_code
                self._watch.challenge = response.headers.get("www-authenticate", "")[:4_000]
                self.fault = http_errors.status(response.status_code, self._reach.url).message
                return
            listening = spawn(
                f"server {self._name}: events", self._listen(httpx2.EventSource(response, max_event_size=self._limit))
            )
            leaving = spawn(f"server {self._name}: end", _wait(self._leaving))
            try:
                await asyncio.wait((listening, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                listening.cancel()
                leaving.cancel()
                await asyncio.gather(listening, leaving, return_exceptions=True)

    async def _listen(self, events: object) -> None:
        """The server's events; the first one says where to post to."""
        import httpx2

        posting: asyncio.Task[None] | None = None
        try:
            async for event in events:  # type: ignore[attr-defined]  # an EventSource, imported late
                if event.event == "endpoint" and posting is None:
                    endpoint = self._endpoint(event.data)
                    posting = spawn(f"server {self._name}: out", self._forth(endpoint))
                elif event.event == "message" and event.data:
                    await self._hear(event.data)
        except ServerFault as fault:
            self.fault = fault.message
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.SSEError) as fault:
            self.fault = self.fault or http_errors.broken(fault)
        finally:
            if posting is not None:
                posting.cancel()
                await asyncio.wait([posting])

    def _endpoint(self, data: str) -> str:
        """Where messages go; never to another origin than the one that a person allowed."""
        endpoint = urljoin(self._reach.url, data[:8_192])
        ours, theirs = urlsplit(self._reach.url), urlsplit(endpoint)
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            raise ServerFault("The server wants its messages sent to another origin; that is not done.")
        return endpoint

    async def _hear(self, data: str) -> None:
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        try:
            message = jsonrpc_message_adapter.validate_json(whole(data.encode("utf-8", "replace")), by_name=False)
        except ValueError:
            self._traffic.rubbish(data[:4_000].encode("utf-8", "replace"), len(data))
            return
        await self._give(SessionMessage(message))

    async def _forth(self, endpoint: str) -> None:
        async for message in self._outgoing:
            data = self._take(message)
            response = await self._client.post(endpoint, content=data, headers={"Content-Type": "application/json"})
            if response.status_code >= 400:
                await self._refuse(message, response.json())

    async def _refuse(self, message: SessionMessage, told: object) -> None:
        """Answer the waiting request in the server's place."""
        from mcp.shared.message import SessionMessage
        from mcp.types import ErrorData, JSONRPCError

        number = getattr(message.message, "id", None)
        error = told.get("error") if isinstance(told, dict) else None
        if number is not None and isinstance(error, dict):
            answer = JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData.model_validate(error))
            await self._give(SessionMessage(answer))


async def _wait(event: asyncio.Event) -> None:
    await event.wait()
