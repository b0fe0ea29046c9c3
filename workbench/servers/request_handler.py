"""The host of a real server: its questions go to the person, its wish for folders to its entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from workbench.records import JsonObject
from workbench.servers.elicitation.open_requests import Asks
from workbench.servers.elicitation.refusal import Refusal


class Attendant:
    """A `Host` for one server."""

    capabilities: ClassVar[JsonObject] = {
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}},
        "roots": {"listChanged": True},
    }

    def __init__(self, server: str, asks: Asks, roots: Callable[[str], JsonObject]) -> None:
        self._server = server
        self._asks = asks
        self._roots = roots

    async def asked(self, method: str, params: JsonObject) -> JsonObject:
        from mcp.shared.exceptions import MCPError

        if method == "roots/list":
            return self._roots(self._server)
        try:
            return await self._asks.asked(self._server, method, params)
        except Refusal as no:
            raise MCPError(no.code, no.message) from no

    def told(self, method: str, params: JsonObject) -> None:
        if method == "notifications/elicitation/complete":
            self._asks.completed(self._server, params)
