"""Transports for remote servers: streamable HTTP, and HTTP with SSE (protocol 2024-11-05).

WORKAROUND(the SDK's SSE client limits an event to 1 MB without a way to change it, and a refused POST leaves its caller
waiting, python-sdk#2110; mcp > 2.3): see `tests/servers/test_plain_sdk.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from msgspec import Struct, field

from workbench.events import spawn
from workbench.servers import server_faults
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.sdk_adapter import http_errors
from workbench.servers.sdk_adapter.untrusted_json import replace_lone_surrogates
from workbench.servers.server_faults import ServerFault

if TYPE_CHECKING:
    import httpx2
    from mcp.shared.message import SessionMessage

    from workbench.servers.sdk_adapter.http_client import RemoteServerWatch, ServerHttpClient
    from workbench.servers.sdk_adapter.transport_selection import Streams


_QUEUE = 256  # messages queued for a server that reads slowly
_GRACE = 2.0  # seconds for the last messages to be sent, and for a cancelled request to end by itself


class HttpTarget(Struct, frozen=True):
    """URL, headers and sign-in of a server, with all variables expanded."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)
    auth: httpx2.Auth | None = None


class HttpTransportBase:
    """Shared part of both HTTP transports: everything except how messages become requests."""

    kind = "http"
    pid = 0
    returncode: int | None = None
    direct: None = None  # no pipe: each message is its own HTTP request

    def __init__(self, name: str, reach: HttpTarget, frame_limit: int, traffic: MessageLog) -> None:
        self._name = name
        self._target = reach
        self._limit = frame_limit
        self._traffic = traffic
        self._watch: RemoteServerWatch | None = None
        self._leaving = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.ended = asyncio.Event()
        self.fault = ""

    @property
    def status(self) -> int:
        return self._watch.status if self._watch else 0

    @property
    def challenge(self) -> str:
        return self._watch.challenge if self._watch else ""

    @property
    def expired(self) -> bool:
        return self._watch is not None and self._watch.expired

    async def __aenter__(self) -> Streams:
        import anyio

        self._traffic.begin()
        context = await asyncio.to_thread(_prepare)
        from workbench.servers.sdk_adapter.http_client import RemoteServerWatch, ServerHttpClient

        self._watch = RemoteServerWatch(self._target.url)
        self._client = ServerHttpClient(self._watch, self._target.headers, self._limit, self._target.auth, context)
        self._incoming, incoming = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
        outgoing, self._outgoing = anyio.create_memory_object_stream["SessionMessage"](_QUEUE)
        self._streams = (self._incoming, incoming, outgoing, self._outgoing)
        self._carrying = spawn(f"server {self._name}: http", self._carry())
        self._tasks.append(spawn(f"server {self._name}: reach", self._notice()))
        return incoming, outgoing

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._streams[2].close()  # queued messages are still sent
            self._leaving.set()
            await asyncio.wait([self._carrying], timeout=_GRACE)
        finally:
            for task in (self._carrying, *self._tasks):
                task.cancel()
            for stream in self._streams:
                stream.close()
            await asyncio.gather(self._carrying, *self._tasks, return_exceptions=True)

    def unstarted(self, leaves: Sequence[BaseException]) -> ServerFault | None:
        watch = self._watch
        if watch is not None and watch.fault is not None:
            return ServerFault(watch.fault.message, watch.fault.hint)
        if self.fault:
            return ServerFault(self.fault, "Look at the server's first messages.")
        return http_errors.status(watch.status, watch.url) if watch is not None and watch.status else None

    def gone(self) -> ServerFault:
        known = self.unstarted(())
        if known is not None:
            return ServerFault(f"The connection was lost. {known.message}", known.hint)
        return server_faults.died(None, "The server closed it.", self._traffic)

    async def _carry(self) -> None:
        """Run the connection in one task, as the SDK's cancel scopes demand."""
        try:
            async with self._client:
                await self._speak(self._client)
        except Exception as fault:
            first = next(server_faults.leaves(fault))
            self.fault = self.fault or " ".join(str(first).split())[:300] or type(first).__name__
        finally:
            self.ended.set()
            self._incoming.close()

    async def _speak(self, client: ServerHttpClient) -> None:
        """Carry messages in both directions until `_leaving` is set or the connection fails."""
        raise NotImplementedError

    async def _notice(self) -> None:
        """End the connection when a request finds that the server is unreachable."""
        assert self._watch is not None
        await self._watch.unreachable.wait()
        await asyncio.sleep(0)  # lets the request that found out deliver its answer first
        self._leaving.set()
        self.ended.set()
        self._incoming.close()

    async def _give(self, item: SessionMessage | Exception) -> None:
        """Log an incoming message and pass it to the session."""
        if isinstance(item, Exception):
            self._traffic.add_invalid_line(str(item).encode("utf-8", "replace")[:4_000])
            return
        self._traffic.received(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode())
        self._client.done(getattr(item.message, "id", None) if not hasattr(item.message, "method") else None)
        with contextlib.suppress(*_session_gone()):
            await self._incoming.send(item)

    def _take(self, message: SessionMessage) -> bytes:
        """Log an outgoing message and return its bytes."""
        data: bytes = message.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        self._traffic.sent(data)
        plain: Any = message.message
        if getattr(plain, "method", "") == "notifications/cancelled" and isinstance(plain.params, dict):
            # Many servers end a cancelled request by themselves; the others would keep it open for ever.
            number = plain.params.get("requestId")
            asyncio.get_running_loop().call_later(_GRACE, self._client.give_up, number)
        return data


def _prepare() -> Any:  # Any: an SSL context. Call it on a thread: the import and the system's certificates are slow
    import httpx2

    import workbench.servers.sdk_adapter.http_client  # noqa: F401

    return httpx2.create_ssl_context()


def _session_gone() -> tuple[type[Exception], ...]:
    import anyio

    return (anyio.ClosedResourceError, anyio.BrokenResourceError)


class StreamableHttpTransport(HttpTransportBase):
    """Transport for streamable HTTP."""

    kind = "http"

    async def _speak(self, client: ServerHttpClient) -> None:
        from mcp.client.streamable_http import streamable_http_client

        way = streamable_http_client(self._target.url, http_client=client, max_sse_event_size=self._limit)
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


class SseTransport(HttpTransportBase):
    """Transport for HTTP with server-sent events."""

    kind = "sse"

    async def _speak(self, client: ServerHttpClient) -> None:
        import httpx2

        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        async with client.stream("GET", self._target.url, headers=headers) as response:
            if self._watch is not None and response.status_code >= 400 and self._watch.fault is None:
                self._watch.status = response.status_code
                self._watch.challenge = response.headers.get("www-authenticate", "")[:4_000]
                self.fault = http_errors.status(response.status_code, self._target.url).message
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
        """Read the server's events; the first one contains the URL for messages."""
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
        """Return the URL for messages. Raises ServerFault for another origin than the one that the user allowed."""
        endpoint = urljoin(self._target.url, data[:8_192])
        ours, theirs = urlsplit(self._target.url), urlsplit(endpoint)
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            raise ServerFault("The server requests that messages be sent to a different origin, which is not allowed.")
        return endpoint

    async def _hear(self, data: str) -> None:
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        try:
            message = jsonrpc_message_adapter.validate_json(
                replace_lone_surrogates(data.encode("utf-8", "replace")), by_name=False
            )
        except ValueError:
            self._traffic.add_invalid_line(data[:4_000].encode("utf-8", "replace"), len(data))
            return
        await self._give(SessionMessage(message))

    async def _forth(self, endpoint: str) -> None:
        async for message in self._outgoing:
            data = self._take(message)
            response = await self._client.post(endpoint, content=data, headers={"Content-Type": "application/json"})
            if response.status_code >= 400:
                await self._refuse(message, response.json())

    async def _refuse(self, message: SessionMessage, told: object) -> None:
        """Answer the waiting request on behalf of the server."""
        from mcp.shared.message import SessionMessage
        from mcp.types import ErrorData, JSONRPCError

        number = getattr(message.message, "id", None)
        error = told.get("error") if isinstance(told, dict) else None
        if number is not None and isinstance(error, dict):
            answer = JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData.model_validate(error))
            await self._give(SessionMessage(answer))
