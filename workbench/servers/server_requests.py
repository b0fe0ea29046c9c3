"""Handles requests and notifications that a server sends to the client: sampling, elicitation, roots, changes.

A connection passes them to a host. The default host declares no capability and refuses everything.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import ClassVar, Protocol

from workbench.errors import WorkbenchError
from workbench.records import JsonObject
from workbench.servers.call_timeout import CallTimeouts
from workbench.servers.elicitation.open_requests import OpenElicitations
from workbench.servers.elicitation.request_parsing import ElicitationRefusal

log = logging.getLogger(__name__)

_METHOD_NOT_FOUND, _INTERNAL, _BUSY = -32601, -32603, -32000
_WAITING = 32  # requests of one server that may wait at once; further ones are refused


class ServerHost(Protocol):
    """Handler of one server's requests and notifications."""

    @property
    def capabilities(self) -> JsonObject:
        """The client capabilities announced to the server when it connects."""

    async def answer_request(self, method: str, params: JsonObject) -> JsonObject:
        """Answer `sampling/createMessage`, `elicitation/create`, `roots/list` …; raises MCPError to refuse."""

    def handle_notification(self, method: str, params: JsonObject) -> None:
        """Receive a notification, in the order of the connection. Must not wait: it blocks the connection."""


class RefusingHost:
    """Default host: declares no capability and refuses every request."""

    capabilities: ClassVar[JsonObject] = {}

    async def answer_request(self, method: str, params: JsonObject) -> JsonObject:
        from mcp.shared.exceptions import MCPError

        raise MCPError(_METHOD_NOT_FOUND, f"This client does not support {method:.100}.")

    def handle_notification(self, method: str, params: JsonObject) -> None:
        """Ignore the notification; the message log shows it."""


Observer = Callable[[str, JsonObject], None]


class HostGateway:
    """Connects a host to one connection: pauses the timeouts of calls while it answers, refuses too many requests, and
    passes notifications to observers and then to the host."""

    def __init__(self, name: str, host: ServerHost, clocks: CallTimeouts, *observers: Observer) -> None:
        self._name = name
        self._host = host
        self._clocks = clocks
        self._observers = observers
        self._waiting = 0

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        """Pass a request to the host and return its answer. Raises only MCPError."""
        from mcp.shared.exceptions import MCPError

        if self._waiting >= _WAITING:
            raise MCPError(_BUSY, f"{_WAITING} requests are already waiting for an answer.")
        self._waiting += 1
        try:
            with self._clocks.paused():
                return await self._host.answer_request(method, params)
        except MCPError:
            raise
        except WorkbenchError as fault:
            raise MCPError(_INTERNAL, fault.message) from fault
        except Exception as fault:
            log.exception("answering %s of %s failed", method, self._name)
            raise MCPError(_INTERNAL, "The client failed to answer the request.") from fault
        finally:
            self._waiting -= 1

    def tell(self, method: str, params: JsonObject) -> None:
        try:
            for observe in self._observers:
                observe(method, params)
            self._host.handle_notification(method, params)
        except Exception:
            log.exception("handling %s of %s failed", method, self._name)


class ServerRequestHandler:
    """Host for one server: answers with the user's answers and the server's root folders."""

    capabilities: ClassVar[JsonObject] = {
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}},
        "roots": {"listChanged": True},
    }

    def __init__(self, server: str, asks: OpenElicitations, roots: Callable[[str], JsonObject]) -> None:
        self._server = server
        self._asks = asks
        self._roots = roots

    async def answer_request(self, method: str, params: JsonObject) -> JsonObject:
        from mcp.shared.exceptions import MCPError

        if method == "roots/list":
            return self._roots(self._server)
        try:
            return await self._asks.answer_request(self._server, method, params)
        except ElicitationRefusal as no:
            raise MCPError(no.code, no.message) from no

    def handle_notification(self, method: str, params: JsonObject) -> None:
        if method == "notifications/elicitation/complete":
            self._asks.completed(self._server, params)
