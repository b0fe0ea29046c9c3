"""Connection to one server. One owner task enters and leaves the SDK's session; other tasks only send requests.

The SDK's cancel scopes must be left in the task that entered them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from workbench import __version__
from workbench.events import spawn
from workbench.records import JsonObject
from workbench.servers import server_faults
from workbench.servers.call_timeout import CallTimeouts
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.sdk_adapter import input_rounds, protocol_negotiation
from workbench.servers.sdk_adapter.change_subscription import ChangeSubscription
from workbench.servers.sdk_adapter.fast_tool_calls import UnwritableRequest
from workbench.servers.sdk_adapter.http_errors import BROKE
from workbench.servers.sdk_adapter.lazy_sdk_import import load_sdk
from workbench.servers.sdk_adapter.protocol_negotiation import CLOSED, Greeting
from workbench.servers.sdk_adapter.transport_selection import Transport
from workbench.servers.server_faults import ServerFault
from workbench.servers.server_requests import HostGateway, Observer, ServerHost

if TYPE_CHECKING:
    import anyio
    from mcp.client.session import ClientSession
    from mcp.shared.dispatcher import CallOptions

    from workbench.servers.sdk_adapter.raw_dispatcher import RawDispatcher

log = logging.getLogger(__name__)


class ProgressListener(Protocol):
    """Receives the progress of a request."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


class SessionExpired(ServerFault):
    """The remote server has forgotten the session; it did not carry out the request."""


class ServerConnection:
    """Transport and session of one server. Single use: each start creates a new connection."""

    def __init__(
        self,
        name: str,
        transport: Transport,
        traffic: MessageLog,
        host: ServerHost,
        changed: Callable[[], None],
        lost: Callable[[ServerConnection], None],
        clocks: CallTimeouts | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        """`observers` receive each notification of the server before the host does."""
        self._name = name
        self._traffic = traffic
        self._transport = transport
        self._host = host
        self._changed = changed  # called when the tool list changed
        self._lost = lost
        self._settled = asyncio.Event()  # set when the connection is ready or failed to become ready
        self._owner: asyncio.Task[None] | None = None
        self._scope: anyio.CancelScope | None = None
        self._closing = False
        self._meta: JsonObject = {}  # empty in the legacy era
        self.clocks = clocks or CallTimeouts()  # timeouts of the waiting calls; paused while the host answers
        self._gateway = HostGateway(name, host, self.clocks, self._observe, *observers)
        self.greeting: Greeting | None = None  # set when ready
        self.fault: ServerFault | None = None  # set when the connection ended unexpectedly
        self._under_way = 0  # requests that wait for their answer
        self._subscribed: set[str] = set()  # subscribed resources
        self._used = time.monotonic()
        self.log_level = ""  # log level sent with each request to a modern server; empty: none

    async def open(self, seconds: float, era: str) -> Greeting:
        """Start the server and perform the handshake. Raises ServerFault."""
        self._owner = spawn(f"server {self._name}", self._own(seconds, era))
        await self._settled.wait()
        if self.greeting is None:
            raise self.fault or ServerFault("The server was stopped while it was starting.")
        return self.greeting

    async def close(self) -> None:
        """Stop the server and everything it started. Safe to call twice, and from any task."""
        self._closing = True
        if self._scope is not None:
            self._scope.cancel()
        if self._owner is not None:
            await asyncio.wait([self._owner])

    async def request(
        self,
        method: str,
        params: JsonObject,
        progress: ProgressListener | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> JsonObject:
        """Send a request and return the raw answer. Raises MCPError, or ServerFault when the server is gone.

        A server of the modern era may first request input; the host answers, and the request is repeated.
        """

        async def send(added: JsonObject) -> JsonObject:
            return await self._send(method, {**params, **added}, progress, headers or {})

        self._under_way += 1
        try:
            answer = await input_rounds.settle(await send({}), self._gateway.ask, send)
        finally:
            self._under_way -= 1
            self._used = time.monotonic()
        self._note_subscription(method, str(params.get("uri", "")))
        return answer

    def unused(self) -> float:
        """Seconds without a waiting request or a subscription."""
        busy = self._under_way or self._subscribed
        return 0.0 if busy else time.monotonic() - self._used

    def _note_subscription(self, method: str, uri: str) -> None:
        if method == "resources/subscribe":
            self._subscribed.add(uri)
        elif method == "resources/unsubscribe":
            self._subscribed.discard(uri)

    async def notify(self, method: str, params: JsonObject | None = None) -> None:
        """Send a notification. It is lost when the server is just stopping."""
        if not self.alive:
            raise ServerFault("The server was stopped.", "Connect it again.")
        sent = self._signed(params or {}) or None
        await self._dispatch.notify(method, sent, {"headers": self._headers(method, params or {})})

    def watch(self, resources: Collection[str]) -> None:
        """Subscribe to changes of these resources (protocol 2026-07-28). Older servers need `resources/subscribe`
        requests instead."""
        if self._meta:
            self._subscribed = set(resources)
            self._changes.watch(resources)

    @property
    def pid(self) -> int:
        return self._transport.pid

    @property
    def transport(self) -> Transport:
        return self._transport

    @property
    def alive(self) -> bool:
        return self.greeting is not None and not self._transport.ended.is_set() and not self._closing

    async def _send(
        self, method: str, params: JsonObject, progress: ProgressListener | None, headers: Mapping[str, str]
    ) -> JsonObject:
        from mcp.shared.exceptions import MCPError

        signed = self._signed(params)
        try:
            if method == "tools/call" and (direct := self._transport.direct) is not None:
                try:
                    return await direct.request(method, signed, progress)
                except UnwritableRequest:
                    log.debug("%s is sent by the SDK because it is not plain JSON", method)
            options: CallOptions = {"headers": {**self._headers(method, params), **headers}}
            if progress is not None:
                options["on_progress"] = progress
            return await self._dispatch.send_raw_request(method, signed, options)
        except MCPError as fault:
            if self._transport.expired:
                raise SessionExpired("The server has ended the session.", "Connect the server again.") from fault
            if fault.code == CLOSED and (ended := await self._ending()):
                raise ended from fault
            if fault.code == BROKE:
                raise ServerFault(fault.message) from fault
            raise

    def _signed(self, params: JsonObject) -> JsonObject:
        """Add the client metadata that each request of the modern era carries."""
        if not self._meta:
            return params
        from mcp.types import LOG_LEVEL_META_KEY

        level = {LOG_LEVEL_META_KEY: self.log_level} if self.log_level else {}
        return {**params, "_meta": {**level, **(params.get("_meta") or {}), **self._meta}}

    def _headers(self, method: str, params: JsonObject) -> dict[str, str]:
        version = self._session.protocol_version
        return protocol_negotiation.headers(version, bool(self._meta), method, params) if version else {}

    def _observe(self, method: str, params: JsonObject) -> None:
        if method == "notifications/tools/list_changed":
            self._changed()

    async def _ending(self) -> ServerFault | None:
        """Wait for the fault of an ended connection; None when the connection is alive and the error code came from the
        server."""
        if not self._transport.ended.is_set() and not self._closing:
            return None
        if self._owner is not None:
            await asyncio.wait([self._owner])
        return self.fault or ServerFault("The server was stopped.", "Connect it again.")

    async def _own(self, seconds: float, era: str) -> None:
        """Run the connection from start to end in one task, as the SDK's cancel scopes demand."""
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
        from mcp.types import Implementation

        from workbench.servers.sdk_adapter.raw_dispatcher import RawDispatcher

        if self._closing:
            return
        me = Implementation(name="mcp-workbench", title="MCP Workbench", version=__version__)
        async with self._transport as (incoming, outgoing):
            self._dispatch: RawDispatcher = RawDispatcher(incoming, outgoing, self._gateway)
            if (direct := self._transport.direct) is not None:
                direct.on_log = self._gateway.tell
            async with _session(self._dispatch, me, self._host.capabilities) as self._session:
                with anyio.CancelScope() as self._scope:
                    if self._closing:
                        return
                    with anyio.fail_after(seconds):
                        await protocol_negotiation.negotiate(self._session, era)
                    self._meta = protocol_negotiation.meta(self._session, me, self._host.capabilities)
                    self._changes = ChangeSubscription(self._session, self._changed)
                    self.greeting = protocol_negotiation.greeting(self._session, self._transport.kind)
                    self._settled.set()
                    await self._last()
        if not self._closing:
            self.fault = self._transport.gone()

    async def _last(self) -> None:
        """Wait until the server is gone; subscribe to list changes of a modern server."""
        listener = spawn(f"server {self._name}: changes", self._changes.run()) if self._meta else None
        try:
            await self._transport.ended.wait()
        finally:
            if listener is not None:
                listener.cancel()
                await asyncio.wait([listener])

    def _explain(self, fault: BaseException, seconds: float) -> ServerFault:
        """Explain why the server did not start; an exit code or an HTTP status says more than the SDK's exception."""
        from mcp.shared.exceptions import MCPError

        found = list(server_faults.leaves(fault))
        for leaf in found:
            if isinstance(leaf, ServerFault):
                return leaf
        if (known := self._transport.unstarted(found)) is not None:
            return known
        if any(isinstance(leaf, TimeoutError) for leaf in found):
            return server_faults.silent(seconds, self._traffic)
        for leaf in found:
            if isinstance(leaf, MCPError):
                return server_faults.refused(leaf.message, self._traffic)
        return server_faults.protocol(fault, self._traffic)


def _session(
    dispatch: RawDispatcher, client: Any, capabilities: JsonObject
) -> ClientSession:  # Any: the SDK's Implementation
    """Create the SDK's session. The SDK derives the announced capabilities from callbacks. They are never called: the
    dispatcher answers the requests."""
    from mcp.client.session import ClientSession
    from mcp.types import SamplingCapability

    async def answered_by_the_dispatcher(*_: Any) -> Any:
        raise NotImplementedError

    callbacks = {"sampling": "sampling_callback", "elicitation": "elicitation_callback", "roots": "list_roots_callback"}
    announced: dict[str, Any] = {
        parameter: answered_by_the_dispatcher for name, parameter in callbacks.items() if name in capabilities
    }
    if "sampling" in capabilities:
        announced["sampling_capabilities"] = SamplingCapability.model_validate(capabilities["sampling"], by_name=False)
    return ClientSession(dispatcher=dispatch, client_info=client, **announced)


def _import_sdk() -> None:
    """Import the SDK on a thread: it takes half a second, and the core has other callers."""
    started = time.monotonic()
    load_sdk()

    import workbench.servers.sdk_adapter.raw_dispatcher  # noqa: F401

    # The SDK logs a warning with a traceback for each malformed message; a hostile server sends thousands.
    for name in ("client", "mcp"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger(__name__).debug("the MCP SDK took %.2f s to import", time.monotonic() - started)
