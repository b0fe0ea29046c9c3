"""HTTP client for the SDK's transports: bounds answers, keeps the status, and turns every failure into an answer.

WORKAROUND(a connection that breaks off ends the SDK's whole transport, python-sdk#3522; the status and text of a
refusal are lost, python-sdk#2110; a JSON answer of any size is read, python-sdk#3330; a cancelled request keeps its
connection; mcp > 2.3): see `tests/servers/test_plain_sdk.py`. Each becomes a JSON-RPC error that answers only that
request. Imports httpx2: import it late.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx2

from workbench.errors import WorkbenchError
from workbench.servers.sdk_adapter import http_errors
from workbench.servers.sdk_adapter.http_errors import BROKE
from workbench.servers.sdk_adapter.untrusted_json import MessageWeight, SurrogateRepair

_CONNECT = 30.0  # seconds to connect, and to send a request
_SHOWN = 64 * 1024  # bytes read of an error answer
_SESSION = "mcp-session-id"
_EVENT_ENDS = (b"\r\n\r\n", b"\n\n", b"\r\r")  # for each line ending; the Python SDK's servers send the first
_LONGEST_END = 4
_ID = re.compile(rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")')
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|\[?::1\]?")
Answer = TypeVar("Answer")


@dataclass
class RemoteServerWatch:
    """State of a remote server that is visible only in HTTP."""

    url: str
    status: int = 0  # status of the last refused message; 0 when the last one was accepted
    challenge: str = ""  # the www-authenticate header of that refusal
    expired: bool = False  # the server has forgotten the session
    fault: WorkbenchError | None = None  # why the sign-in or the connection failed
    unreachable: asyncio.Event = field(default_factory=asyncio.Event)


class _Patience:
    """A running request that another task can abort."""

    def __init__(self) -> None:
        self._given_up = False
        self._timeout: asyncio.Timeout | None = None

    async def wait(self, step: Awaitable[Answer]) -> Answer:
        try:
            async with asyncio.timeout(0 if self._given_up else None) as self._timeout:
                return await step
        except TimeoutError as fault:
            raise httpx2.ReadTimeout("The request was cancelled.") from fault
        finally:
            self._timeout = None

    def give_up(self) -> None:
        self._given_up = True
        if self._timeout is not None and not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time())


def _end_of_events(data: bytes) -> int:
    """Return the end of the last complete event; 0 when none is complete."""
    return max(at + len(end) if (at := data.rfind(end)) >= 0 else 0 for end in _EVENT_ENDS)


class _Body(httpx2.AsyncByteStream):
    """Body of an answer. It can be aborted, and unless it is an event stream it ends at the limit."""

    def __init__(self, inner: Any, limit: int, patience: _Patience) -> None:  # Any: httpx2 types it for sync and async
        self._inner = inner
        self._limit = limit
        self._patience = patience

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, chunks, pieces, scale, before = 0, aiter(self._inner), SurrogateRepair(), MessageWeight(), b""
        while (chunk := await self._next(chunks)) is not None:
            size += len(chunk)
            if self._limit and size > self._limit:
                raise httpx2.StreamError(f"The answer is longer than the limit of {self._limit:,} bytes.")
            if not self._limit and (end := _end_of_events(before + chunk) - len(before)) > 0:  # a new event begins
                scale = MessageWeight()
                words = scale.add(chunk[end:])
            else:
                words = scale.add(chunk)
            before = (before + chunk)[1 - _LONGEST_END :]
            if words:
                raise httpx2.StreamError(f"The answer is too large to be read. {words}")
            if mended := pieces.feed(chunk):
                yield mended
        if rest := pieces.rest():
            yield rest

    async def _next(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        """Read the next chunk. A broken connection raises StreamError, which fails only its request; another exception
        type would end the SDK's whole transport."""
        try:
            return await self._patience.wait(anext(chunks, None))
        except httpx2.TransportError as fault:
            raise httpx2.StreamError(http_errors.broken(fault)) from fault

    async def aclose(self) -> None:
        await self._inner.aclose()


class ServerHttpClient(httpx2.AsyncClient):
    """HTTP client that the SDK's transports use."""

    def __init__(
        self,
        watch: RemoteServerWatch,
        headers: dict[str, str],
        limit: int,
        auth: httpx2.Auth | None,
        context: ssl.SSLContext,
    ) -> None:
        self._watch = watch
        self._limit = limit
        self._under_way: dict[bytes, _Patience] = {}
        super().__init__(
            headers={**headers, "Accept-Encoding": "identity"},  # a small answer must not decompress into a huge one
            auth=auth,
            verify=context,
            timeout=httpx2.Timeout(_CONNECT, read=None, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            trust_env=not _LOOPBACK.fullmatch(httpx2.URL(watch.url).host),  # a proxy cannot reach our own loopback
        )

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # Any: as in httpx2
        """Send a request. Network failures are returned as an answer, never raised."""
        patience, key = _Patience(), _request_id(request)
        if key:
            self._under_way[key] = patience
        try:
            response = await patience.wait(super().send(request, **options))
            self._bound(response, patience)
            return await self._looked_at(request, response) if request.method == "POST" else response
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.UnsupportedProtocol) as fault:
            self._watch.fault = http_errors.unreachable(self._watch.url, fault)
            self._watch.unreachable.set()
            return _instead(request, 503, self._watch.fault.message)
        except WorkbenchError as fault:  # raised by the sign-in
            self._watch.fault, self._watch.status = fault, 401
            return _instead(request, 401, fault.message)
        except httpx2.HTTPError as fault:
            return _instead(request, 502, http_errors.broken(fault))

    def give_up(self, request_id: object) -> None:
        """Abort a cancelled request: a server may keep it open for ever."""
        if (patience := self._under_way.pop(json.dumps(request_id).encode(), None)) is not None:
            patience.give_up()

    def done(self, request_id: object) -> None:
        """Remove a request whose answer has arrived."""
        self._under_way.pop(json.dumps(request_id).encode(), None)

    def _bound(self, response: httpx2.Response, patience: _Patience) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.RemoteProtocolError("the server sent a compressed answer although it was asked not to")
        events = response.headers.get("content-type", "").lower().startswith("text/event-stream")
        response.stream = _Body(response.stream, 0 if events else self._limit, patience)

    async def _looked_at(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        watch = self._watch
        watch.status = response.status_code if response.status_code >= 400 else 0
        if response.status_code < 400:
            return response
        watch.challenge = response.headers.get("www-authenticate", "")[:4_000]
        body = await _beginning(response)
        await response.aclose()
        told = http_errors.error_text(body)
        if _SESSION in request.headers:
            watch.expired |= response.status_code == 404 or (response.status_code == 400 and "session" in told.lower())
        if http_errors.is_error(body):
            return httpx2.Response(
                response.status_code, content=body, headers={"content-type": "application/json"}, request=request
            )
        return _instead(
            request, response.status_code, http_errors.status(response.status_code, watch.url, told).message
        )


async def _beginning(response: httpx2.Response) -> bytes:
    found = b""
    try:
        async for chunk in response.aiter_raw():
            found += chunk
            if len(found) > _SHOWN:
                break
    except (httpx2.HTTPError, httpx2.StreamError):
        pass  # the part received so far is enough to explain the error
    return found[:_SHOWN]


def _instead(request: httpx2.Request, status: int, sentence: str) -> httpx2.Response:
    """Build a substitute answer in the form that the SDK passes to the waiting request."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": BROKE, "message": sentence, "data": {"status": status}}}
    return httpx2.Response(status, json=error, request=request)


def _request_id(request: httpx2.Request) -> bytes:
    try:
        found = _ID.match(request.content[:300]) if request.method == "POST" else None
    except httpx2.RequestNotRead:
        return b""
    return found[1] if found else b""
