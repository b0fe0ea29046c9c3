"""The HTTP server of the review page: static files, pairing, the signed list of requests, and signed answers.

It listens on the local machine only; a tunnel of the user's brings the page to a phone. Requests under another host
name than the local ones and the one in `review.page_address` are refused, and so are requests that other pages make.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
import uvicorn
from starlette.types import Message, Receive, Scope, Send

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.loopback_http import LOCAL_NAMES, SignalFreeServer, open_listener
from workbench.paths import resources
from workbench.records import ReviewDevice
from workbench.review_page.paired_devices import PairedDevices
from workbench.review_page.review_requests import ListRequest, ReviewRequests, SignedAnswer

log = logging.getLogger(__name__)

LARGEST: Final = 16_384  # bytes of a request
CONNECTIONS: Final = 40
BODY_SECONDS: Final = 10.0
KEEP_SECONDS: Final = 20
CLOSE_SECONDS: Final = 2
_FILES: Final = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_Body = TypeVar("_Body")


class PairingRequest(msgspec.Struct, frozen=True):
    """A device asks to be paired."""

    code: str
    name: str
    public_key: str


class PageServer:
    """The server of one core, open from its creation; a closed one is not opened again."""

    def __init__(
        self,
        port: int,
        address: Callable[[], str],
        devices: PairedDevices,
        requests: ReviewRequests,
        paired: Callable[[ReviewDevice], None],
    ) -> None:
        """`port`: 0 selects a free port. `address`: where the user's tunnel makes the page available. `paired` is
        called with each new device."""
        self._listener = open_listener(port, "The review page")
        self.port = int(self._listener.getsockname()[1])
        self._address = address
        self._devices = devices
        self._requests = requests
        self._paired = paired
        folder = resources() / "review_page"
        self._files = {path: (folder / name, kind) for path, (name, kind) in _FILES.items()}
        self._server = SignalFreeServer(
            uvicorn.Config(
                self._answer, interface="asgi3", http="h11", proxy_headers=False, ws="none", lifespan="off",
                log_config=None, access_log=False, server_header=False, limit_concurrency=CONNECTIONS,
                timeout_keep_alive=KEEP_SECONDS, timeout_graceful_shutdown=CLOSE_SECONDS,
            )
        )  # fmt: skip
        self._serving = spawn("review page", self._server.serve(sockets=[self._listener]))

    @property
    def url(self) -> str:
        return self._address().rstrip("/") or f"http://localhost:{self.port}"

    async def close(self) -> None:
        self._server.should_exit = True
        await asyncio.wait([self._serving])
        self._listener.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            if not self._is_allowed(scope):
                await _send(send, 421, {"error": "This host name is not allowed here."})
            elif scope["method"] == "GET" and scope["path"] in self._files:
                await self._send_file(send, *self._files[scope["path"]])
            elif scope["method"] == "POST":
                await self._answer_call(scope["path"], receive, send)
            else:
                await _send(send, 404, {"error": "Not found."})
        except WorkbenchError as fault:
            await _send(send, 403, {"error": fault.message, "hint": fault.hint})

    def _is_allowed(self, scope: Scope) -> bool:
        """Whether the host is one of the page's own, and a page that makes the request is the page itself."""
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value.decode("latin-1").lower())
        own = {f"{name}:{self.port}": "http" for name in LOCAL_NAMES}
        tunnel = urlsplit(self._address())
        if tunnel.netloc:
            own[tunnel.netloc.lower()] = tunnel.scheme
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or hosts[0] not in own:
            return False
        origins = {f"{scheme}://{host}" for host, scheme in own.items()}
        return all(origin in origins for origin in headers.get(b"origin", []))

    async def _answer_call(self, path: str, receive: Receive, send: Send) -> None:
        body = await _read_body(receive)
        if body is None:
            await _send(send, 413, {"error": "The request is too large or did not arrive."})
        elif path == "/pair":
            asked = _parse(body, PairingRequest)
            device = self._devices.pair(asked.code, asked.name, asked.public_key)
            self._paired(device)
            await _send(send, 200, {"device": device.id, "name": device.name})
        elif path == "/requests":
            await _send(send, 200, self._requests.list(_parse(body, ListRequest)))
        elif path == "/answer":
            await _send(send, 200, {"message": self._requests.answer(_parse(body, SignedAnswer))})
        else:
            await _send(send, 404, {"error": "Not found."})

    async def _send_file(self, send: Send, file: Path, kind: str) -> None:
        await _send_bytes(send, 200, await asyncio.to_thread(file.read_bytes), kind)


async def _read_body(receive: Receive) -> bytes | None:
    body = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while len(body) <= LARGEST:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    return body if len(body) <= LARGEST else None
    except TimeoutError:
        return None
    return None


def _parse(body: bytes, kind: type[_Body]) -> _Body:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError) as fault:
        raise WorkbenchError("The request is not valid.", "Load the page again.") from fault


async def _send(send: Send, status: int, answer: Any) -> None:  # Any: JSON
    await _send_bytes(send, status, json.dumps(answer).encode(), "application/json")


async def _send_bytes(send: Send, status: int, body: bytes, kind: str) -> None:
    head = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()), *_HEADERS]
    start: Message = {"type": "http.response.start", "status": status, "headers": head}
    await send(start)
    await send({"type": "http.response.body", "body": body})
