"""Subscriptions to changes of one server's resources, and the changes, collected over a moment.

Up to protocol 2025-11-25 each address is subscribed by a request; since 2026-07-28 one long request lists them all, and
the connection keeps it open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from workbench.errors import WorkbenchError
from workbench.events import Event, ResourcesUpdated
from workbench.records import JsonObject
from workbench.servers.connection import ServerConnection
from workbench.servers.sdk_adapter.protocol_negotiation import MODERN

MOST = 200  # addresses of one server
_WAITING = 1_000  # changed addresses in one telling; the protocol lets a server name parts of what was subscribed
_ADDRESS = 8_192
_PAUSE = 0.1  # seconds between two tellings


class ResourceSubscriptions:
    """Kept beyond the server's death: its next life is asked for the same."""

    def __init__(self, server: str, tell: Callable[[Event], None]) -> None:
        self._server = server
        self._tell = tell
        self._uris: dict[str, None] = {}
        self._updated: dict[str, None] = {}
        self._telling: asyncio.TimerHandle | None = None

    @property
    def uris(self) -> tuple[str, ...]:
        return tuple(self._uris)

    async def change(self, connection: ServerConnection, uri: str, *, on: bool) -> None:
        """Add an address or take it out. Raises MCPError when the server refuses, WorkbenchError when there are too
        many."""
        if on is (uri in self._uris):
            return
        if on and len(self._uris) >= MOST:
            raise WorkbenchError(f"{self._server} has {MOST} subscriptions already.", "End one of them first.")
        if not modern(connection):
            await connection.request("resources/subscribe" if on else "resources/unsubscribe", {"uri": uri})
        if on:
            self._uris[uri] = None
        else:
            self._uris.pop(uri, None)
        if modern(connection):
            connection.watch(self.uris)

    async def resume(self, connection: ServerConnection) -> None:
        """Ask a new life of the server for everything again; what it refuses is no subscription any more."""
        from mcp.shared.exceptions import MCPError

        if modern(connection):
            connection.watch(self.uris)
            return
        for uri in self.uris:
            try:
                await connection.request("resources/subscribe", {"uri": uri})
            except MCPError:
                self._uris.pop(uri, None)

    def heard(self, params: JsonObject) -> None:
        """A resource changed; called where the server's messages are read, so it never waits."""
        uri = params.get("uri")
        if not isinstance(uri, str) or len(uri) > _ADDRESS or not self._uris or len(self._updated) >= _WAITING:
            return
        self._updated[uri] = None
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(_PAUSE, self._say)

    def rest(self) -> None:
        self._updated = {}
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None

    def _say(self) -> None:
        self._telling = None
        uris, self._updated = tuple(self._updated), {}
        self._tell(ResourcesUpdated(self._server, uris))


def modern(connection: ServerConnection) -> bool:
    """Whether the server speaks the protocol without a handshake."""
    return connection.greeting is not None and connection.greeting.era == MODERN
