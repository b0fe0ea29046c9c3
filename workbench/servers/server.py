"""Lifecycle of one server: starts it, keeps its tools, detects its exit, restarts it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import Event, OffersChanged, ServerChanged, ToolsChanged, spawn
from workbench.records import Fault, JsonObject, ServerConfig, ServerState, ServerStatus, Tool
from workbench.servers import server_faults
from workbench.servers.call_timeout import CallTimeouts
from workbench.servers.configuration import plain_text_secrets
from workbench.servers.connection import ProgressListener, ServerConnection, SessionExpired
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.monitoring.server_statistics import CallStatistics
from workbench.servers.paged_lists import list_tools
from workbench.servers.resources_and_prompts.resource_updates import ServerResources
from workbench.servers.sdk_adapter import protocol_negotiation
from workbench.servers.sdk_adapter.protocol_negotiation import MODERN, Greeting
from workbench.servers.sdk_adapter.transport_selection import another_may_do
from workbench.servers.server_cache import CachedResources, CachedServer
from workbench.servers.server_context import ServerContext
from workbench.servers.server_faults import ServerFault, masked, not_running
from workbench.servers.tool_definitions import definition_parsing
from workbench.servers.tool_definitions.definition_history import DefinitionHistory
from workbench.servers.tool_definitions.definition_pins import DefinitionPins
from workbench.servers.tool_definitions.server_tools import ServerTools
from workbench.servers.tool_definitions.tool_error_messages import server_not_allowed

log = logging.getLogger(__name__)

_CALM = 0.1  # seconds between two reads of a list that keeps changing


class McpServer:
    """One server of the project: its configuration, state, tools, and its connection while it runs."""

    def __init__(self, config: ServerConfig, allowed: bool, context: ServerContext) -> None:
        self._context = context
        self._connection: ServerConnection | None = None
        self._starting: asyncio.Task[None] | None = None
        self._relisting: asyncio.Task[None] | None = None
        self._stale = False  # the server reported a changed tool list
        self._backoff = RestartBackoff(time.monotonic)
        self._reviving: asyncio.Task[None] | None = None
        self._was_lost = False  # the server exited unexpectedly since it was last ready
        self._retired = False  # its entry was changed or removed; the server must not start again
        self._era = ""
        self._way = ""  # transport of the last connection: stdio, http or sse
        self.clocks = CallTimeouts()  # timeouts of the waiting calls; paused while the user is asked
        self.own = ServerTools(
            config, context.paths.definition_pins, context.tell, lambda: context.tool_annotator(self.state.config)
        )
        self.definition_history = DefinitionHistory(config.name, context.paths.definition_history)
        self._rubbish_told = 0
        self.traffic = MessageLog(config.name, context.masks)
        self.begun_tasks: dict[str, str] = {}  # task → tool of the call that started it
        self.offering = ServerResources(config.name, self._hear_offers, context, self._remember_offers)
        self.counts = CallStatistics()
        self.since = 0.0  # when the server last became ready
        self.state = ServerState(config, allowed=allowed, plain_secrets=plain_text_secrets.hide(config, context.masks))

    @property
    def name(self) -> str:
        return self.state.config.name

    @property
    def tools(self) -> Mapping[str, Tool]:
        return self.own.approved

    @property
    def functions(self) -> Mapping[str, str]:
        return self.own.functions

    @property
    def pins(self) -> DefinitionPins:
        return self.own.pins

    @property
    def running(self) -> ServerConnection | None:
        connection = self._connection
        return connection if connection is not None and connection.alive else None

    def recall(self, facts: CachedServer) -> None:
        """Use the cached facts of an earlier start."""
        self._era, self._way = facts.era, facts.way
        if facts.tools:
            self.own.keep(facts.tools, facts.warnings)
        self.offering.recall(facts.offers)
        self.state = replace(
            self.state,
            title=facts.title,
            version=facts.version,
            protocol=facts.protocol,
            instructions=facts.instructions,
            tool_count=len(facts.tools),
            resource_count=self.offering.readable,
            prompt_count=len(self.offering.prompts),
        )

    def allow(self) -> None:
        self.state = replace(self.state, allowed=True, doubt="")

    def unused(self) -> float:
        """Seconds without use; 0 while the server is used, or while it does not run."""
        busy = self._starting is not None or (self._relisting is not None and not self._relisting.done())
        return 0.0 if busy or (running := self.running) is None else running.unused()

    async def rest(self) -> None:
        """Stop an unused server. The connection is detached before the first await, so that a call that arrives
        meanwhile starts a new one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self.offering.leave()
            self._change(status=ServerStatus.STOPPED, fault=None, pid=0, rests=True)
            await connection.close()

    async def start(self, *, at_once: bool = False) -> ServerConnection:
        """Return the running connection; start the server if necessary. Raises ServerFault. `at_once`: the user
        requested it, so the restart back-off is reset."""
        if self._retired:
            raise server_faults.retired(self.name)
        if at_once:
            self._backoff.forget()
        if (running := self.running) is not None and self._starting is None:
            return running
        if self._starting is None:
            self._check_pause()
            self._starting = spawn(f"server {self.name}: start", self._start())
        await asyncio.shield(self._starting)
        if (running := self.running) is not None:
            return running
        raise not_running(self.state.fault)

    async def stop(self) -> None:
        """End the process or session. The tools stay known, and only the user or a call starts the server again."""
        if self._reviving is not None and not self._reviving.done():
            self._reviving.cancel()
            await asyncio.wait([self._reviving])
        if self._relisting is not None and not self._relisting.done():
            self._relisting.cancel()
            await asyncio.wait([self._relisting])
        await self._hang_up()
        if self._starting is not None:
            await asyncio.wait([self._starting])
            await self._hang_up()  # ends a connection that the start created in the meantime
        self._backoff.forget()
        self._was_lost = False
        if self.state.status is not ServerStatus.STOPPED:
            self._change(status=ServerStatus.STOPPED, fault=None, pid=0)

    async def retire(self) -> None:
        """Stop the server for good because its entry was replaced or removed. Calls that still hold this object cannot
        start it."""
        self._retired = True
        await self.stop()

    async def ready(self) -> ServerConnection:
        """Return the running connection; a stopped server is started if the user has allowed it."""
        if (running := self.running) is not None and not self._retired:
            return running
        if self.state.config.disabled:
            raise WorkbenchError(f"{self.name} is disabled in .mcp.json.", "The user can enable it there.")
        if not self.state.allowed:
            raise server_not_allowed(self.name)
        return await self.start()

    async def request(self, method: str, params: JsonObject, progress: ProgressListener | None = None) -> JsonObject:
        """Send a request to the server, in a new session if the server has forgotten the old one. Raises MCPError or
        ServerFault."""
        connection = await self.ready()
        try:
            return await connection.request(method, params, progress, self._mirrored(connection, method, params))
        except SessionExpired:
            log.info("%s has ended the session; starting a new one", self.name)
        if connection is self._connection:
            await self._hang_up()
        connection = await self.ready()
        return await connection.request(method, params, progress, self._mirrored(connection, method, params))

    def _mirrored(self, connection: ServerConnection, method: str, params: JsonObject) -> dict[str, str]:
        plain = self._era != MODERN or connection.transport.kind == "stdio"
        return {} if plain else protocol_negotiation.request_argument_headers(self.own.approved, method, params)

    def note_sign_in(self, word: str) -> None:
        """Set the sign-in status: `needed` when only the user can sign in, `done` when the token was accepted."""
        if word != self.state.sign_in:
            self._change(sign_in=word)

    def warn(self) -> None:
        """Update the warnings when new invalid lines arrived. Called after every call, so it must be cheap."""
        if self._rubbish_told != self.traffic.invalid_line_count:
            self._change(warnings=self._warnings())

    async def _start(self) -> None:
        self._change(status=ServerStatus.STARTING, fault=None, warnings=())
        try:
            await self._connect()
        except ServerFault as fault:
            await self._fail(fault.fault)
        except WorkbenchError as fault:
            await self._fail(Fault(fault.message, fault.hint))
        except Exception as fault:
            log.exception("starting %s failed", self.name)
            words = f"The workbench failed to start the server: {fault}."
            await self._fail(Fault(words, "Look at the log of the workbench for the cause."))
        finally:
            self._starting = None
        if (connection := self._connection) is not None and not connection.alive:
            self._died(connection)  # the server exited after its list was read

    async def _connect(self) -> None:
        connection, greeting = await self._open_connection()
        started = time.perf_counter()
        self._era, self._way = greeting.era, greeting.transport
        found = await self._list(connection)
        await self._settle(connection, greeting, found, (time.perf_counter() - started) * 1000)

    async def _open_connection(self) -> tuple[ServerConnection, Greeting]:
        """Connect with the first transport that works. When none works, the first one's fault is raised."""
        config, settings, transports = self.state.config, self._context.settings(), self._context.transports
        await self._vouch()
        first: ServerFault | None = None
        for kind in transports.kinds_for(config, self._way):
            transport = await asyncio.to_thread(
                transports.build, kind, config, settings.server_frame_mb << 20, self.traffic
            )
            connection = self._connection = ServerConnection(
                config.name,
                transport,
                self.traffic,
                self._context.host(config.name),
                self._list_changed,
                self._died,
                self.clocks,
                (self.offering.handle_notification,),
            )
            try:
                return connection, await connection.open(settings.server_start_seconds, self._era)
            except ServerFault as fault:
                self._refused(connection)
                first = first or fault
                if connection is not self._connection or not another_may_do(transport):
                    break
                await self._hang_up()
        assert first is not None
        raise first

    async def _vouch(self) -> None:
        """Refuse to start a command whose files differ from those that the user allowed."""
        if doubt := await self._context.vouch(self.state.config):
            self.state = replace(self.state, allowed=False, doubt=doubt)
            hint = "Press Connect, check the file, and allow the server again."
            raise ServerFault(f"The server was not started: {doubt}.", hint)

    def _refused(self, connection: ServerConnection) -> None:
        needed = connection.transport.status == 401
        self.state = replace(self.state, sign_in="needed" if needed else "")

    async def _settle(
        self,
        connection: ServerConnection,
        greeting: Greeting,
        found: definition_parsing.ParsedDefinitions,
        latency: float,
    ) -> None:
        self._backoff.ready()
        lost, self._was_lost = self._was_lost, False
        self.own.keep(found.tools, found.warnings)
        self._change(
            status=ServerStatus.READY,
            fault=None,
            title=greeting.title,
            version=greeting.version,
            protocol=greeting.protocol,
            instructions=greeting.instructions,
            tool_count=len(found.tools),
            pid=connection.pid,
            latency_ms=latency,
            era=greeting.era,
            capabilities=greeting.capabilities,
            restarts=self.state.restarts + lost,
            warnings=self._warnings(),
        )
        self._context.tell(ToolsChanged(self.name))
        self.offering.begin(connection)
        await self._remember()

    def _hear_offers(self, event: Event) -> None:
        if isinstance(event, OffersChanged):
            self._change(resource_count=self.offering.readable, prompt_count=len(self.offering.prompts))
        self._context.tell(event)

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        await self.offering.rest()
        if connection is not None:
            await connection.close()

    async def _fail(self, fault: Fault) -> None:
        await self._hang_up()
        self._fall(fault)

    def _died(self, connection: ServerConnection) -> None:
        """Handle an unexpected end of the connection. A failed start is reported by `_start` instead."""
        if connection is not self._connection or self._starting is not None:
            return
        self._connection, self._was_lost = None, True
        self._fall(connection.fault.fault if connection.fault else Fault("The connection to the server was lost."))

    def _fall(self, fault: Fault) -> None:
        """Report a failure; schedule a restart if the server has been ready before."""
        self._backoff.died()
        told = replace(fault, hint=self._backoff.hint() or fault.hint)
        self._change(status=ServerStatus.FAILED, fault=told, pid=0, warnings=self._warnings())
        if (
            self._backoff.again is not None
            and not self.state.doubt
            and not self._retired
            and (self._reviving is None or self._reviving.done())
        ):
            self._reviving = spawn(f"server {self.name}: again", self._revive())

    async def _revive(self) -> None:
        """Restart the server until it runs or the attempts are used up."""
        while (seconds := self._backoff.again) is not None and self.state.status is ServerStatus.FAILED:
            await asyncio.sleep(seconds)
            if self._backoff.wait or self.state.status is not ServerStatus.FAILED:
                continue  # a call tried to start it in the meantime
            with contextlib.suppress(ServerFault):  # the server's state reports the failure
                await self.start()

    def _check_pause(self) -> None:
        wait = self._backoff.wait
        if wait > 0 and self.state.fault is not None:
            raise server_faults.left_alone(self.state.fault, self._backoff.deaths, wait)

    def _list_changed(self) -> None:
        self._stale = True
        if self._relisting is None or self._relisting.done():
            self._relisting = spawn(f"server {self.name}: list", self._relist())

    async def _relist(self) -> None:
        """Read the tool list until no further change is reported."""
        while self._stale and (connection := self._connection) is not None:
            await asyncio.sleep(_CALM)
            if self._starting is not None:
                continue  # the start reads the list anyway
            self._stale = False
            with contextlib.suppress(ServerFault):  # an exit of the server is reported separately
                found = await self._list(connection)
                if connection is not self._connection:
                    return
                self.own.keep(found.tools, found.warnings)
                self._change(tool_count=len(found.tools), warnings=self._warnings())
                self._context.tell(ToolsChanged(self.name))
                await self._remember()

    async def _list(self, connection: ServerConnection) -> definition_parsing.ParsedDefinitions:
        found = await list_tools(self.name, connection, self._context.settings().server_start_seconds)
        mirrored = self._era == MODERN and connection.transport.kind != "stdio"
        return protocol_negotiation.without_invalid_headers(found) if mirrored else found

    def _warnings(self) -> tuple[str, ...]:
        self._rubbish_told = self.traffic.invalid_line_count
        return (*self.own.warnings, *self.traffic.warnings())

    async def _remember_offers(self, kept: CachedResources) -> None:
        await asyncio.to_thread(self._context.memory.keep_resources, self.state.config, kept)
        await self.definition_history.keep_offers(kept.templates, kept.prompts)

    async def _remember(self) -> None:
        state = self.state
        facts = CachedServer(
            state.title, state.version, state.protocol, state.instructions, self._era, self.own.listed, way=self._way
        )
        await asyncio.to_thread(self._context.memory.keep, state.config, facts)
        await self.own.save()
        await self.definition_history.keep(state, self.own.listed)

    def _change(self, **changes: object) -> None:
        before = self.state.status
        changes.setdefault("rests", False)
        if isinstance(fault := changes.get("fault"), Fault):
            changes["fault"] = masked(fault, self._context.masks.mask)
        self.state = replace(self.state, **changes)  # the names are fields of ServerState, checked by replace
        if self.state.status is not before:
            self._entered()
        self._context.tell(ServerChanged(self.state))

    def _entered(self) -> None:
        """Log a change of status among the messages, and count a failure."""
        self.traffic.mark(status_text(self.state))
        if self.state.status is ServerStatus.READY:
            self.since = time.time()
        elif self.state.status is ServerStatus.FAILED and self.state.fault is not None:
            self.counts.note(self.state.fault.message)


def status_text(state: ServerState) -> str:
    """Describe the new status of a server as a sentence for its message log."""
    match state.status:
        case ServerStatus.STARTING:
            return "The server is starting."
        case ServerStatus.READY:
            process = f", process {state.pid}" if state.pid else ""
            return f"The server is ready: protocol {state.protocol or 'unknown'}{process}."
        case ServerStatus.FAILED:
            return f"The server failed: {state.fault.message}" if state.fault else "The server failed."
    return "The server was stopped."


ATTEMPTS = 5  # automatic restarts in a row
_STEADY = 60.0  # seconds of running after which earlier exits are forgotten
_LONGEST = 60.0  # seconds between two attempts
_FIRST = 1.0  # seconds before the first automatic restart; a call may start it at once


class RestartBackoff:
    """Back-off for restarts after unexpected exits. A call may start the server again after 0, 1, 2, 4 … seconds, an
    automatic restart a little later."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.deaths = 0
        self._not_before = 0.0
        self._ready_at: float | None = None  # None: not ready since the user last started it

    def forget(self) -> None:
        """Reset the back-off because the user starts the server."""
        self.deaths, self._not_before, self._ready_at = 0, 0.0, None

    def ready(self) -> None:
        self._ready_at = self._now()

    def died(self) -> None:
        if self._ready_at is not None and self._now() - self._ready_at > _STEADY:
            self.deaths = 0
        self.deaths += 1
        pause = 0.0 if self.deaths < 2 else min(_LONGEST, 2.0 ** (self.deaths - 2))
        self._not_before = self._now() + pause

    @property
    def wait(self) -> float:
        """Seconds until a call may start the server again."""
        return max(0.0, self._not_before - self._now())

    @property
    def again(self) -> float | None:
        """Seconds until the next automatic restart; None: no restart. A server that was never ready is
        not restarted."""
        if self._ready_at is None or self.deaths > ATTEMPTS:
            return None
        return max(self.wait, _FIRST)

    def hint(self) -> str:
        """Describe what happens next, as the hint of the fault."""
        if self._ready_at is None:
            return ""
        if (seconds := self.again) is None:
            return f"The server was restarted {ATTEMPTS} times and is not restarted again. Press Connect to start it."
        return f"The server restarts in {seconds:.0f} s (attempt {self.deaths} of {ATTEMPTS}), or with the next call."
