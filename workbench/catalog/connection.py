"""One live connection: a single owner task enters and leaves the SDK's session; everybody else only calls."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from workbench import __version__
from workbench.catalog import faults
from workbench.catalog.faults import ServerFault
from workbench.catalog.groups import Groups
from workbench.catalog.launch import Launch
from workbench.catalog.traffic import Traffic
from workbench.catalog.transport import StdioTransport
from workbench.events import spawn
from workbench.records import JsonObject

if TYPE_CHECKING:
    import anyio
    from mcp.client.session import ClientSession, IncomingMessage
    from mcp.shared.dispatcher import CallOptions
    from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

LEGACY, MODERN = "legacy", "modern"  # the protocol's two eras
_CLOSED = -32000
_PROBE_SECONDS = 4.0  # for a server of the new era to say so; one that wakes up later is asked again


class Progress(Protocol):
    """Hears how far a request is."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a server said of itself."""

    title: str
    version: str
    protocol: str
    instructions: str
    era: str


class Connection:
    """A server process and the session with it. Single use: a new start is a new connection."""

    def __init__(
        self,
        name: str,
        launch: Launch,
        frame_limit: int,
        traffic: Traffic,
        groups: Groups,
        changed: Callable[[], None],
        lost: Callable[[Connection], None],
    ) -> None:
        self._name = name
        self._launch = launch
        self._traffic = traffic
        self._transport = StdioTransport(name, launch, frame_limit, traffic, groups)
        self._changed = changed
        self._lost = lost
        self._settled = asyncio.Event()  # ready, or ended without having been
        self._owner: asyncio.Task[None] | None = None
        self._scope: anyio.CancelScope | None = None
        self._closing = False
        self._meta: JsonObject = {}
        self.greeting: Greeting | None = None  # set when ready
        self.fault: ServerFault | None = None  # set when it ended unasked

    async def open(self, seconds: float, era: str) -> Greeting:
        """Start the server and shake hands; raises ServerFault."""
        self._owner = spawn(f"server {self._name}", self._own(seconds, era))
        await self._settled.wait()
        if self.greeting is None:
            raise self.fault or ServerFault("The server was stopped while it started.")
        return self.greeting

    async def close(self) -> None:
        """End the server and everything it started. Safe to call twice, and from any task."""
        self._closing = True
        if self._scope is not None:
            self._scope.cancel()
        if self._owner is not None:
            await asyncio.wait([self._owner])

    async def request(self, method: str, params: JsonObject, progress: Progress | None = None) -> JsonObject:
        """The server's raw answer. Raises MCPError, or ServerFault when the server is gone."""
        from mcp.shared.exceptions import MCPError

        sent = {**params, "_meta": dict(self._meta)} if self._meta else params
        options: CallOptions = {"on_progress": progress} if progress else {}
        try:
            return await self._dispatcher.send_raw_request(method, sent, options)
        except MCPError as fault:
            if fault.code == _CLOSED and (ended := await self._ending()):
                raise ended from fault
            raise

    async def notify(self, method: str, params: JsonObject) -> None:
        """Nothing comes back; what is sent to a server that is just going is lost."""
        if not self.alive:
            raise ServerFault("The server was stopped.", "Connect it again.")
        await self._dispatcher.notify(method, params or None)

    @property
    def pid(self) -> int:
        return self._transport.pid

    @property
    def alive(self) -> bool:
        return self.greeting is not None and not self._transport.ended.is_set() and not self._closing

    async def _ending(self) -> ServerFault | None:
        """The fault of an ended connection, once it is known; None when the server only answered with that code."""
        if not self._transport.ended.is_set() and not self._closing:
            return None
        if self._owner is not None:
            await asyncio.wait([self._owner])
        return self.fault or ServerFault("The server was stopped.", "Connect it again.")

    async def _own(self, seconds: float, era: str) -> None:
        """The whole life of the connection, in one task, as the SDK's cancel scopes demand."""
        try:
            await self._live(seconds, era)
        except ServerFault as fault:
            self.fault = fault
        except Exception as fault:
            self.fault = self._explain(fault, seconds)
        finally:
            self._settled.set()
            if not self._closing:
                self._lost(self)

    async def _live(self, seconds: float, era: str) -> None:
        await asyncio.to_thread(_import_sdk)
        import anyio
        from mcp.client.session import ClientSession
        from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
        from mcp.types import Implementation

        if self._closing:
            return
        me = Implementation(name="mcp-workbench", title="MCP Workbench", version=__version__)
        async with self._transport as (incoming, outgoing):
            self._dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(incoming, outgoing)
            async with ClientSession(
                dispatcher=self._dispatcher, message_handler=self._hear, client_info=me
            ) as self._session:
                with anyio.CancelScope() as self._scope:
                    if self._closing:
                        return
                    with anyio.fail_after(seconds):
                        await _negotiate(self._session, era)
                    self.greeting = self._greet(me)
                    self._settled.set()
                    await self._last()
        if not self._closing:
            self.fault = faults.died(self._transport.returncode, self._transport.fault, self._traffic)

    async def _last(self) -> None:
        """Until the server is gone; a modern server is asked to say when its tools change."""
        listener = spawn(f"server {self._name}: changes", self._listen()) if self._meta else None
        try:
            await self._transport.ended.wait()
        finally:
            if listener is not None:
                listener.cancel()
                await asyncio.wait([listener])

    async def _listen(self) -> None:
        from mcp.client.subscriptions import SubscriptionLost, listen
        from mcp.shared.exceptions import MCPError

        tools = getattr(self._session.server_capabilities, "tools", None)
        if tools is None or not tools.list_changed:
            return
        with contextlib.suppress(MCPError, SubscriptionLost):  # refused or over: the list is read at the next start
            async with listen(self._session, tools_list_changed=True) as changes:
                async for _ in changes:
                    self._changed()

    async def _hear(self, message: IncomingMessage) -> None:
        """Never waits: the SDK's read loop stands behind it."""
        from mcp.types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification) and not self._meta:
            self._changed()

    def _greet(self, me: Any) -> Greeting:  # Any: the SDK's Implementation, imported late
        from mcp.types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

        session = self._session
        version = session.protocol_version or ""
        modern = session.discover_result is not None
        if modern:
            self._meta = {
                PROTOCOL_VERSION_META_KEY: version,
                CLIENT_INFO_META_KEY: me.model_dump(by_alias=True, mode="json", exclude_none=True),
                CLIENT_CAPABILITIES_META_KEY: {},
            }
        info = session.server_info
        title, number = (info.title or info.name, info.version) if info else ("", "")
        return Greeting(title, number, version, session.instructions or "", MODERN if modern else LEGACY)

    def _explain(self, fault: BaseException, seconds: float) -> ServerFault:
        """Why it did not start; the exit code says more than the SDK's exception."""
        from mcp.shared.exceptions import MCPError

        found = list(faults.leaves(fault))
        for leaf in found:
            if isinstance(leaf, ServerFault):
                return leaf
        if not self._transport.pid:
            for leaf in found:
                if isinstance(leaf, (OSError, ValueError)):
                    return faults.not_started(self._launch, leaf)
        if self._transport.fault:
            return ServerFault(self._transport.fault, "", self._traffic.tail())
        if self._transport.returncode is not None:
            return faults.left_at_start(self._transport.returncode, self._traffic)
        if any(isinstance(leaf, TimeoutError) for leaf in found):
            return faults.silent(seconds, self._traffic)
        for leaf in found:
            if isinstance(leaf, MCPError):
                return faults.refused(leaf.message, self._traffic)
        return faults.protocol(fault, self._traffic)


async def _negotiate(session: ClientSession, era: str) -> None:
    """Find the era. A server known to be of the old one is not probed: some never answer what they do not know."""
    import anyio
    from mcp.shared.exceptions import MCPError
    from pydantic import ValidationError

    if era != LEGACY:
        try:
            with anyio.fail_after(_PROBE_SECONDS):
                await session.discover()
            return
        except (MCPError, RuntimeError, ValidationError, TimeoutError):
            pass  # not a modern server, or not one whose version we share, or a slow one
    try:
        await session.initialize()
    except MCPError as refusal:
        if refusal.code == _CLOSED:
            raise
        try:
            await session.discover()  # it was updated since we learned its era, or woke up after the probe
        except (MCPError, RuntimeError, ValidationError):
            raise refusal from None


def _import_sdk() -> None:
    """On a thread: it takes half a second, and the core has other callers."""
    started = time.monotonic()
    import mcp.client.session
    import mcp.client.subscriptions  # noqa: F401

    # The SDK warns in its log, with a traceback, of each malformed notification; a hostile server sends thousands.
    for name in ("client", "mcp"):
        logging.getLogger(name).setLevel(logging.ERROR)
    logging.getLogger(__name__).debug("the MCP SDK took %.2f s to import", time.monotonic() - started)
