"""Keeps one server's lists of resources, templates and prompts up to date, and its subscriptions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from workbench import offload
from workbench.errors import WorkbenchError
from workbench.events import Event, OffersChanged, ResourcesUpdated, spawn
from workbench.records import JsonObject, Offers, Prompt, Resource, ResourceTemplate
from workbench.servers.connection import ServerConnection
from workbench.servers.monitoring.protocol_log import ProtocolLog
from workbench.servers.paged_lists import PagedList, read_pages
from workbench.servers.resources_and_prompts import resource_parsing
from workbench.servers.resources_and_prompts.resource_parsing import ParsedList
from workbench.servers.sdk_adapter.protocol_negotiation import MODERN
from workbench.servers.server_cache import CachedResources
from workbench.servers.server_context import ServerContext
from workbench.servers.server_faults import ServerFault

MOST = 200  # subscriptions of one server
_WAITING = 1_000  # changed URIs in one event; the protocol lets a server report parts of a subscribed resource
_ADDRESS = 8_192
_PAUSE = 0.1  # seconds between two events


class ResourceSubscriptions:
    """Subscriptions of one server. They outlive its process and are requested again after a restart."""

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
        """Add or remove a subscription. Raises MCPError when the server refuses, WorkbenchError when there are too
        many."""
        if on is (uri in self._uris):
            return
        if on and len(self._uris) >= MOST:
            raise WorkbenchError(f"{self._server} already has {MOST} subscriptions.", "End one of them first.")
        if not modern(connection):
            await connection.request("resources/subscribe" if on else "resources/unsubscribe", {"uri": uri})
        if on:
            self._uris[uri] = None
        else:
            self._uris.pop(uri, None)
        if modern(connection):
            connection.watch(self.uris)

    async def resume(self, connection: ServerConnection) -> None:
        """Request all subscriptions again after a restart; refused ones are dropped."""
        from mcp.shared.exceptions import MCPError

        if modern(connection):
            connection.watch(self.uris)
            return
        for uri in self.uris:
            try:
                await connection.request("resources/subscribe", {"uri": uri})
            except MCPError:
                self._uris.pop(uri, None)

    def note_change(self, params: JsonObject) -> None:
        """Note a changed resource. Called where the server's messages are read, so it never waits."""
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
    """Whether the server uses the modern era of the protocol, which has no handshake."""
    return connection.greeting is not None and connection.greeting.era == MODERN


_SMALL = 200  # entries that are parsed on the event loop; longer lists go to a thread
_CALM = 0.25  # seconds between two reads of lists that keep changing
_METHOD_NOT_FOUND = -32601
RESOURCES, TEMPLATES, PROMPTS = "resources", "templates", "prompts"
_ALL = (RESOURCES, TEMPLATES, PROMPTS)
_LISTS = {
    RESOURCES: ("resources/list", "resources", "list of resources"),
    TEMPLATES: ("resources/templates/list", "resourceTemplates", "list of templates"),
    PROMPTS: ("prompts/list", "prompts", "list of prompts"),
}
_CHANGES = {
    "notifications/resources/list_changed": (RESOURCES, TEMPLATES),
    "notifications/prompts/list_changed": (PROMPTS,),
}
Entry = TypeVar("Entry")
Remember = Callable[[CachedResources], Awaitable[None]]


class ServerResources:
    """Resources, templates, prompts, subscriptions and log of one server. It reads the lists at each start of the
    server and keeps them while the server is stopped."""

    def __init__(self, server: str, tell: Callable[[Event], None], around: ServerContext, remember: Remember) -> None:
        self._server = server
        self._remember = remember
        self._tell = tell
        self._context = around
        self._connection: ServerConnection | None = None
        self._stale: set[str] = set()
        self._reading: asyncio.Task[None] | None = None
        self._warnings: dict[str, tuple[str, ...]] = {}
        self._unread: set[str] = set()  # lists that could not be read completely
        self._known = False
        self._log_level = ""
        self.log = ProtocolLog(server, tell, around.masks)
        self.subscriptions = ResourceSubscriptions(server, tell)
        self.resources: tuple[Resource, ...] = ()
        self.templates: tuple[ResourceTemplate, ...] = ()
        self.prompts: tuple[Prompt, ...] = ()

    def offers(self) -> Offers:
        """Return everything in one record, except the resources themselves."""
        has = capabilities(self._connection) if self._connection else frozenset[str]()
        return Offers(
            self._server,
            self._known,
            self.templates,
            self.prompts,
            len(self.resources),
            self.subscriptions.uris,
            "resources.subscribe" in has,
            "completions" in has,
            "logging" in has,
            self._log_level,
            tuple(warning for kind in _ALL for warning in self._warnings.get(kind, ())),
        )

    @property
    def readable(self) -> int:
        return len(self.resources) + len(self.templates)

    def recall(self, kept: CachedResources) -> None:
        """Use the cached lists of an earlier start."""
        self.resources, self.templates, self.prompts = kept.resources, kept.templates, kept.prompts

    def begin(self, connection: ServerConnection) -> None:
        """Read the lists of a server that is ready, and restore subscriptions and log level."""
        self._connection = connection
        self._stale = set(_ALL)
        self._read_soon(at_once=True)

    def handle_notification(self, method: str, params: JsonObject) -> None:
        """Handle a notification of the server. Called where its messages are read, so it never waits."""
        if method == "notifications/message":
            self.log.heard(params)
        elif method == "notifications/resources/updated":
            self.subscriptions.note_change(params)
        elif method in _CHANGES and self._connection is not None:
            self._stale.update(_CHANGES[method])
            self._read_soon()

    def leave(self) -> None:
        """Detach from a server that has stopped; its lists stay known."""
        self._connection = None
        self.subscriptions.rest()
        self.log.close()

    async def rest(self) -> None:
        """Do the same as `leave`, and cancel a running read."""
        self.leave()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])
            self._reading = None

    async def subscribe(self, connection: ServerConnection, uri: str, *, on: bool) -> None:
        """Start or end the subscription to one resource. Raises MCPError, ServerFault."""
        await self.subscriptions.change(connection, uri, on=on)
        self._tell(OffersChanged(self._server))

    async def set_log_level(self, connection: ServerConnection, level: str) -> None:
        """Set the server's log level. Raises MCPError, ServerFault."""
        await _ask_level(connection, level)
        self._log_level = level
        self._tell(OffersChanged(self._server))

    def _seconds(self) -> float:
        """Return the time limit for reading one list, from the settings."""
        return self._context.settings().server_start_seconds

    def _read_soon(self, *, at_once: bool = False) -> None:
        if self._reading is None or self._reading.done():
            self._reading = spawn(f"server {self._server}: offers", self._read(at_once))

    async def _read(self, at_once: bool) -> None:
        """Read changed lists until no further change is reported."""
        if at_once and self._connection is not None:
            await self._resume(self._connection)
        while self._stale and (connection := self._connection) is not None:
            if not at_once:
                await asyncio.sleep(_CALM)
            at_once = False
            stale, self._stale = self._stale, set()
            for kind in _ALL:
                if kind in stale:
                    await self._read_list(connection, kind)
            self._known = True
            self._tell(OffersChanged(self._server))
            if not self._unread:  # a list that could not be read must not replace the cached one
                await self._remember(CachedResources(self.resources, self.templates, self.prompts))

    async def _resume(self, connection: ServerConnection) -> None:
        from mcp.shared.exceptions import MCPError

        try:
            async with asyncio.timeout(self._seconds()):
                if self._log_level:
                    await _ask_level(connection, self._log_level)
                await self.subscriptions.resume(connection)
        except (MCPError, ServerFault, TimeoutError):
            self._log_level = ""  # the server may have changed; if it failed, its own state reports that

    async def _read_list(self, connection: ServerConnection, kind: str) -> None:
        found = await self._listed(connection, kind)
        match kind:
            case "resources":
                self.resources = await self._usable(kind, resource_parsing.resources, found)
            case "templates":
                self.templates = await self._usable(kind, resource_parsing.templates, found)
            case _:
                self.prompts = await self._usable(kind, resource_parsing.prompts, found)

    async def _usable(
        self, kind: str, read: Callable[[str, tuple[object, ...]], ParsedList[Entry]], listed: PagedList
    ) -> tuple[Entry, ...]:
        found = await offload.LIST_PARSING.run(len(listed.entries), read, self._server, listed.entries)
        self._warnings[kind] = (*listed.warnings, *found.warnings)
        (self._unread.add if listed.warnings else self._unread.discard)(kind)
        return found.entries

    async def _listed(self, connection: ServerConnection, kind: str) -> PagedList:
        """Read one list. A failure is a warning, because the server's tools still work."""
        from mcp.shared.exceptions import MCPError

        if (PROMPTS if kind == PROMPTS else RESOURCES) not in capabilities(connection):
            return PagedList()
        method, key, what = _LISTS[kind]
        try:
            async with asyncio.timeout(self._seconds()):
                return await read_pages(connection, method, key, what)
        except TimeoutError:
            return PagedList((), (f"The server did not send its {what} within {self._seconds():g} seconds.",))
        except MCPError as fault:
            if fault.code == _METHOD_NOT_FOUND:
                return PagedList()
            return PagedList((), (f"The server refused to send its {what}: {fault.message:.300}",))
        except ServerFault:
            return PagedList()  # the server is gone; its state reports why


def capabilities(connection: ServerConnection) -> frozenset[str]:
    """Return the server's capabilities as texts; a feature follows its capability after a dot."""
    return frozenset(connection.greeting.capabilities if connection.greeting else ())


async def _ask_level(connection: ServerConnection, level: str) -> None:
    if modern(connection):
        connection.log_level = level  # sent with each later request
    else:
        await connection.request("logging/setLevel", {"level": level})
