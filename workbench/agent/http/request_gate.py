"""Authorises requests to the HTTP endpoint: refuses web pages in a local browser, host names rebound to this machine
(DNS rebinding), and requests without the access token. The body of a refused request is never read."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from typing import Final

from starlette.types import Message, Scope, Send

from workbench.loopback_http import LOCAL_NAMES
from workbench.records import JsonValue

PATH: Final = "/mcp"


@dataclass(frozen=True, slots=True)
class RequestRefusal:
    """The reason why a request is refused."""

    status: int
    message: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


class RequestGate:
    """Checks requests for one port and one access token."""

    def __init__(self, port: int, token: str) -> None:
        self._hosts = frozenset(f"{name}:{port}" for name in LOCAL_NAMES)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._token = token.encode()

    def refusal(self, scope: Scope) -> RequestRefusal | None:
        """Return why a request is refused; None if it is allowed."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        hosts = [host.decode("latin-1").lower() for host in headers.get(b"host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return RequestRefusal(421, "The endpoint accepts requests to 127.0.0.1 or localhost only.")
        origins = headers.get(b"origin", [])
        if any(origin.decode("latin-1").lower() not in self._origins for origin in origins):
            return RequestRefusal(403, "Web pages may not use this endpoint.")
        if not self._knows(headers.get(b"authorization", [])):
            hint = "`mcp-workbench serve --http` shows it to the user."
            return RequestRefusal(
                401, f"The header Authorization: Bearer … with the endpoint's access token is missing or wrong. {hint}",
                ((b"www-authenticate", b'Bearer realm="mcp-workbench"'),),
            )  # fmt: skip
        if scope["path"] != PATH:
            return RequestRefusal(404, f"Not found. The endpoint is {PATH}.")
        if scope["method"] not in ("GET", "POST", "DELETE"):
            return RequestRefusal(405, "Only GET, POST and DELETE are supported.", ((b"allow", b"GET, POST, DELETE"),))
        return None

    def _knows(self, given: list[bytes]) -> bool:
        if len(given) != 1:
            return False
        kind, _, word = given[0].partition(b" ")
        return kind.lower() == b"bearer" and hmac.compare_digest(word.strip(), self._token)


async def refuse(send: Send, refusal: RequestRefusal, code: int = -32600, request: JsonValue = None) -> None:
    """Send a refusal as a JSON-RPC error, and close the connection: an unread body must not be taken for the next
    request."""
    error = {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": refusal.message}}
    body = json.dumps(error, ensure_ascii=False).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    start: Message = {
        "type": "http.response.start",
        "status": refusal.status,
        "headers": [*head, (b"connection", b"close"), *refusal.headers],
    }
    await send(start)
    await send({"type": "http.response.body", "body": body})
