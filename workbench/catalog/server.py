"""One server of the bench through all its lives: starts it, keeps its tools, notices its death, starts it again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from workbench.catalog import definitions, launch, plain_secrets, steps
from workbench.catalog.connection import Connection
from workbench.catalog.counts import Counts
from workbench.catalog.faults import ServerFault
from workbench.catalog.groups import Groups
from workbench.catalog.handshake import Greeting
from workbench.catalog.host import Host, Nobody
from workbench.catalog.memory import Memory, Remembered
from workbench.catalog.paging import read_pages
from workbench.catalog.pins import Pins
from workbench.catalog.traffic import Traffic
from workbench.catalog.transport import StdioTransport
from workbench.errors import WorkbenchError
from workbench.events import DefinitionsBlocked, Event, ServerChanged, ToolsChanged, spawn
from workbench.paths import Paths
from workbench.records import Fault, ServerConfig, ServerState, ServerStatus, Tool
from workbench.secrets.masks import Masks
from workbench.settings import Settings
from workbench.wrappers.names import python_names

log = logging.getLogger(__name__)

_SMALL_LIST = 50  # tools that may be read on the loop; longer lists go to a thread
_CALM = 0.1  # seconds between two readings of a list that keeps changing
_STEADY = 60.0  # seconds of life after which earlier deaths are forgotten
_LONGEST_PAUSE = 60.0  # seconds between two attempts at a server that keeps dying
_METHOD_NOT_FOUND = -32601


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every server of a bench shares."""

    paths: Paths
    settings: Callable[[], Settings]
    tell: Callable[[Event], None]
    groups: Groups
    memory: Memory
    host: Callable[[str], Host] = lambda server: Nobody()  # who answers and hears a server, by its name
    secret: launch.Secret = launch.no_secret  # what stands for ${keyring:name}; may block
    masks: Masks = field(default_factory=Masks)


class Server:
    """One entry of the bench: its configuration, its state, its tools, and its connection while there is one."""

    def __init__(self, config: ServerConfig, allowed: bool, surroundings: Surroundings) -> None:
        self._around = surroundings
        self._connection: Connection | None = None
        self._starting: asyncio.Task[None] | None = None
        self._relisting: asyncio.Task[None] | None = None
        self._stale = False  # the server said that its list changed
        self._deaths = 0
        self._not_before = 0.0  # loop time; a server that keeps dying is left alone until then
        self._ready_at = 0.0
        self._era = ""
        self._listed: tuple[Tool, ...] = ()  # as the server says
        self._tools: dict[str, Tool] = {}  # as a person stands behind them
        self._saving = asyncio.Lock()
        self.pins = Pins(config.name, surroundings.paths.pins, trusted=config.builtin)
        self._functions: dict[str, str] = {}  # raw name → Python name
        self._list_warnings: tuple[str, ...] = ()
        self._rubbish_told = 0
        self.traffic = Traffic(config.name, surroundings.masks)
        self.counts = Counts()
        self.since = 0.0  # when it became ready last
        self.state = ServerState(config, allowed=allowed, plain_secrets=self._hide_plain(config))

    @property
    def name(self) -> str:
        return self.state.config.name

    @property
    def tools(self) -> Mapping[str, Tool]:
        return self._tools

    @property
    def functions(self) -> Mapping[str, str]:
        return self._functions

    @property
    def running(self) -> Connection | None:
        connection = self._connection
        return connection if connection is not None and connection.alive else None

    def recall(self, facts: Remembered) -> None:
        """Take over what is known from its last life."""
        self._era = facts.era
        if facts.tools:
            self._keep_tools(facts.tools, facts.warnings)
        self.state = replace(
            self.state,
            title=facts.title,
            version=facts.version,
            protocol=facts.protocol,
            instructions=facts.instructions,
            tool_count=len(facts.tools),
        )

    def allow(self) -> None:
        self.state = replace(self.state, allowed=True)

    async def start(self, *, at_once: bool = False) -> Connection:
        """The running connection, started if need be. Raises ServerFault. `at_once`: a person asks, no pause."""
        if at_once:
            self._deaths, self._not_before = 0, 0.0
        if (running := self.running) is not None and self._starting is None:
            return running
        if self._starting is None:
            self._check_pause()
            self._starting = spawn(f"server {self.name}: start", self._start())
        await asyncio.shield(self._starting)
        if (running := self.running) is not None:
            return running
        raise _server_fault(self.state.fault)

    async def stop(self) -> None:
        """End the process; its tools stay known."""
        if self._relisting is not None and not self._relisting.done():
            self._relisting.cancel()
            await asyncio.wait([self._relisting])
        await self._hang_up()
        if self._starting is not None:
            await asyncio.wait([self._starting])
            await self._hang_up()  # what the start made after the first time
        self._deaths, self._not_before = 0, 0.0
        if self.state.status is not ServerStatus.STOPPED:
            self._change(status=ServerStatus.STOPPED, fault=None, pid=0)

    def blocked(self, tool: str) -> Fault | None:
        """Why nobody may call this tool now."""
        if not self.pins.blocked(tool):
            return None
        return Fault(
            f"{self.name}.{tool} is blocked: its definition changed after a person approved it.",
            "A person can compare both and approve the change in the workbench, on the server's page Changes.",
        )

    async def approve(self, wanted: Mapping[str, str]) -> None:
        """A person stands behind these definitions, by tool and hash."""
        self.pins.approve(wanted)
        self._keep_tools(self._listed, self._list_warnings)
        self._around.tell(ToolsChanged(self.name))
        await self._save_pins()

    async def look(self) -> None:
        """A person has seen what is new and what is gone."""
        self.pins.look()
        self._around.tell(ToolsChanged(self.name))
        await self._save_pins()

    def warn(self) -> None:
        """Bring the warnings up to date when rubbish came since; cheap, because every call ends here."""
        if self._rubbish_told != self.traffic.rubbish_count:
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
            await self._fail(Fault(f"The app failed to start it: {fault}.", "This is a fault of the app; see its log."))
        finally:
            self._starting = None
        if (connection := self._connection) is not None and not connection.alive:
            self._died(connection)  # it went between its list and now

    async def _connect(self) -> None:
        config, settings = self.state.config, self._around.settings()
        if config.remote:
            raise ServerFault(
                f"{self.name} is a remote server; this version connects servers that run on this machine (stdio).",
                "Give its entry a command, for example npx mcp-remote with the address.",
            )
        prepared = await asyncio.to_thread(launch.prepare, config, self._around.paths.bench, None, self._around.secret)
        limit = settings.server_frame_mb << 20
        connection = self._connection = Connection(
            config.name,
            StdioTransport(config.name, prepared, limit, self.traffic, self._around.groups),
            self.traffic,
            self._around.host(config.name),
            self._list_changed,
            self._died,
        )
        greeting = await connection.open(settings.server_start_seconds, self._era)
        started = time.perf_counter()
        found = await self._list(connection)
        await self._settle(connection, greeting, found, (time.perf_counter() - started) * 1000)

    async def _settle(
        self, connection: Connection, greeting: Greeting, found: definitions.Definitions, latency: float
    ) -> None:
        self._ready_at = asyncio.get_running_loop().time()
        self._era = greeting.era
        self._keep_tools(found.tools, found.warnings)
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
            warnings=self._warnings(),
        )
        self._around.tell(ToolsChanged(self.name))
        await self._remember()

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _fail(self, fault: Fault) -> None:
        await self._hang_up()
        self._pause()
        self._change(status=ServerStatus.FAILED, fault=fault, pid=0, warnings=self._warnings())

    def _died(self, connection: Connection) -> None:
        """Called by the connection when it ended unasked. A failed start is told by `_start`."""
        if connection is not self._connection or self._starting is not None:
            return
        self._connection = None
        if asyncio.get_running_loop().time() - self._ready_at > _STEADY:
            self._deaths = 0
        self._pause()
        fault = connection.fault.fault if connection.fault else Fault("The server is gone.")
        self._change(status=ServerStatus.FAILED, fault=fault, pid=0, warnings=self._warnings())

    def _pause(self) -> None:
        """The first death is forgiven at once, the next ones cost 1, 2, 4 … seconds."""
        self._deaths += 1
        pause = 0.0 if self._deaths < 2 else min(_LONGEST_PAUSE, 2.0 ** (self._deaths - 2))
        self._not_before = asyncio.get_running_loop().time() + pause

    def _check_pause(self) -> None:
        wait = self._not_before - asyncio.get_running_loop().time()
        if wait > 0 and self.state.fault is not None:
            fault = self.state.fault
            raise ServerFault(
                f"{fault.message} It failed {self._deaths} times in a row.",
                f"It is tried again in {wait:.0f} s, or at once when a person presses Connect.",
                fault.detail,
            )

    def _list_changed(self) -> None:
        self._stale = True
        if self._relisting is None or self._relisting.done():
            self._relisting = spawn(f"server {self.name}: list", self._relist())

    async def _relist(self) -> None:
        """Until the list stays as it was read."""
        while self._stale and (connection := self._connection) is not None:
            await asyncio.sleep(_CALM)
            if self._starting is not None:
                continue  # the start reads the list anyway
            self._stale = False
            with contextlib.suppress(ServerFault):  # a server that dies meanwhile says so by itself
                found = await self._list(connection)
                if connection is not self._connection:
                    return
                self._keep_tools(found.tools, found.warnings)
                self._change(tool_count=len(found.tools), warnings=self._warnings())
                self._around.tell(ToolsChanged(self.name))
                await self._remember()

    async def _list(self, connection: Connection) -> definitions.Definitions:
        """The whole tool list, page by page, raw: the SDK's typed list fails as a whole for one wrong tool."""
        from mcp.shared.exceptions import MCPError

        seconds = self._around.settings().server_start_seconds
        try:
            async with asyncio.timeout(seconds):
                listed = await read_pages(connection, "tools/list", "tools", "tool list")
        except TimeoutError as fault:
            raise ServerFault(f"The server did not list its tools within {seconds} seconds.") from fault
        except MCPError as fault:
            if fault.code == _METHOD_NOT_FOUND:
                return definitions.Definitions()
            raise ServerFault(f"The server refused to list its tools: {fault.message:.300}") from fault
        if len(listed.entries) <= _SMALL_LIST:
            found = definitions.read(self.name, listed.entries)
        else:
            found = await asyncio.to_thread(definitions.read, self.name, listed.entries)
        return replace(found, warnings=(*listed.warnings, *found.warnings))

    def _keep_tools(self, tools: tuple[Tool, ...], warnings: tuple[str, ...]) -> None:
        self._listed = tools
        self._tools = {tool.name: tool for tool in self.pins.take(tools)}
        self._functions = python_names(tuple(self._tools))
        self._list_warnings = warnings
        if blocked := self.pins.tell():
            self._around.tell(DefinitionsBlocked(self.name, blocked))

    def _warnings(self) -> tuple[str, ...]:
        self._rubbish_told = self.traffic.rubbish_count
        return (*self._list_warnings, *self.traffic.warnings())

    async def _remember(self) -> None:
        state = self.state
        facts = Remembered(state.title, state.version, state.protocol, state.instructions, self._era, self._listed)
        await asyncio.to_thread(self._around.memory.keep, state.config, facts)
        await self._save_pins()

    async def _save_pins(self) -> None:
        async with self._saving:  # a later state is never overtaken by an earlier one
            if (value := self.pins.dump()) is not None:
                await asyncio.to_thread(self.pins.save, value)

    def _change(self, **changes: object) -> None:
        before = self.state.status
        if isinstance(fault := changes.get("fault"), Fault):
            changes["fault"] = self._masked(fault)
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]  # the names are ServerState's, checked by replace
        if self.state.status is not before:
            self._entered()
        self._around.tell(ServerChanged(self.state))

    def _entered(self) -> None:
        """A step of its life, noted among its messages; a fall is remembered."""
        self.traffic.mark(steps.words(self.state))
        if self.state.status is ServerStatus.READY:
            self.since = time.time()
        elif self.state.status is ServerStatus.FAILED and self.state.fault is not None:
            self.counts.note(self.state.fault.message)

    def _hide_plain(self, config: ServerConfig) -> tuple[str, ...]:
        """Where secrets stand in the entry as they are; those are masked like stored ones."""
        found = plain_secrets.find(config)
        for plain in found:
            if not plain.value.isalpha():  # "postgres" is a password too, but half of what its server says
                self._around.masks.hide(plain.value)
        return tuple(dict.fromkeys(plain.place for plain in found))

    def _masked(self, fault: Fault) -> Fault:
        mask = self._around.masks.mask
        return Fault(mask(fault.message), mask(fault.hint), mask(fault.detail))


def _server_fault(fault: Fault | None) -> ServerFault:
    if fault is None:
        return ServerFault("The server was stopped.", "Connect it again.")
    return ServerFault(fault.message, fault.hint, fault.detail)
