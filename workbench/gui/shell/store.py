"""What the window knows of the core: loaded once when the core is reached, kept up to date by its events.

Panes read from here instead of asking the core again. Signals report changes, and `on` passes events of any kind on.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from workbench.api.client_stub import CoreApi
from workbench.events import (
    AgentsChanged,
    ApprovalClocksChanged,
    AskArrived,
    AskSettled,
    CallHeld,
    Event,
    HeldCallSettled,
    LedgerChanged,
    MutedAgentsChanged,
    NetworkChanged,
    Noticed,
    PermissionsChanged,
    RunChanged,
    SecretsChanged,
    ServerChanged,
    ServerRemoved,
    ServersArranged,
    SettingsChanged,
    SkillsChanged,
    StatesChanged,
    ToolsChanged,
    ToolsWarned,
)
from workbench.gui.shell.tasks import Tasks
from workbench.records import (
    Ask,
    CoreStatus,
    HeldCall,
    MutedAgent,
    NetworkRules,
    Permissions,
    RequestClock,
    Run,
    SecretStore,
    ServerState,
    Skill,
    ToolSummary,
)
from workbench.records.runs import ENDS

E = TypeVar("E")
MOST_RUNS = 1_000
"""So many runs are held; of the ended ones the oldest are dropped."""
_RUNS_SLACK = 100  # they are dropped together
_DECISIONS = (RunChanged, CallHeld, HeldCallSettled, AskArrived, AskSettled)  # what `waiting_count` counts
_STATUS_MS = 200  # changes of many things at once are one question for the core's status
_TOOLS_MS = 60  # tools of many servers that change at once are read together
_SKILLS_MS = 80


class Store(QObject):
    """One per window. Only `handle` and the loads change what it holds."""

    linked = Signal()
    """The core was reached (again). Panes with state of their own load it."""
    servers_loaded = Signal()
    """`servers` and `tools` were read anew, or the order of the servers changed."""
    server_changed = Signal(object)
    """Carries a ServerState."""
    server_removed = Signal(str)
    tools_changed = Signal(object)
    """Carries the frozenset of servers whose entries in `tools` are new."""
    runs_loaded = Signal()
    run_changed = Signal(object)
    """Carries a Run."""
    held_calls_changed = Signal()
    elicitations_changed = Signal()
    clocks_changed = Signal()
    """The time that waiting requests have left was stopped or goes on."""
    requests_changed = Signal()
    """Something else may wait for the user: runs, held calls, elicitations or the time they have left changed."""
    muted_changed = Signal()
    waiting_changed = Signal(int)
    """Carries `waiting_count`, when it is a different number."""
    skills_changed = Signal()
    permissions_changed = Signal()
    network_changed = Signal()
    secrets_changed = Signal()
    status_changed = Signal()
    status_loaded = Signal()
    """`status` was read for the first time since the core was reached: its notices are new."""

    def __init__(self, api: CoreApi, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._api = api
        self._tasks = tasks
        self._handlers: dict[type[Any], list[Callable[[], Callable[[Any], object] | None]]] = {}  # Any: the event
        self.status: CoreStatus | None = None
        self.servers: dict[str, ServerState] = {}
        self.tools: dict[str, tuple[ToolSummary, ...]] = {}  # by server, removed tools included
        self.runs: dict[str, Run] = {}
        self.held_calls: dict[str, HeldCall] = {}
        self.elicitations: dict[str, Ask] = {}
        self.muted: tuple[MutedAgent, ...] = ()
        self.skills: tuple[Skill, ...] = ()
        self.permissions: Permissions | None = None
        self.network: NetworkRules | None = None
        self.secrets: SecretStore | None = None
        self._changed_tools: set[str] = set()
        self._last_waiting_count = 0
        self._status_is_new = False
        self.core_restarted = False
        self._status_soon = self._soon(_STATUS_MS, self._load_status)
        self._tools_soon = self._soon(_TOOLS_MS, self._load_changed_tools)
        self._permissions_soon = self._soon(_SKILLS_MS, self.load_permissions)
        self._skills_soon = self._soon(_SKILLS_MS, self._load_skills)
        for changed in (
            self.runs_loaded,
            self.run_changed,
            self.held_calls_changed,
            self.elicitations_changed,
            self.clocks_changed,
        ):
            changed.connect(self.requests_changed)

    @property
    def waiting_count(self) -> int:
        """How many decisions wait for the user: programs, changes of files, held calls and elicitations."""
        runs = sum(run.awaits_answer or bool(run.held) for run in self.runs.values())
        return runs + len(self.held_calls) + len(self.elicitations)

    def on(self, kind: type[E], handler: Callable[[E], object]) -> None:
        """Call a bound method with each event of this kind, for as long as its object lives."""
        self._handlers.setdefault(kind, []).append(weakref.WeakMethod(handler))

    def load(self, *, restarted: bool = False) -> None:
        """The core was reached: read everything that is held here. `restarted`: it is another core than before."""
        self.core_restarted = restarted
        self.linked.emit()
        self._tasks.run("servers", self._load_servers())
        self._tasks.run("runs", self._load_runs())
        self._status_is_new = True
        self._load_status()
        self._load_skills()
        self._tasks.run("rules", self._load_rules())

    def reload_status(self) -> None:
        """Read the core's status again soon, after something that no event announces."""
        self._status_soon.start()

    def handle(self, event: Event) -> None:
        """Update what is held from an event of the core, then call the handlers of its kind."""
        self._update(event)
        if isinstance(event, _DECISIONS):
            self._tell_waiting()
        handlers = self._handlers.get(type(event))
        if not handlers:
            return
        for reference in tuple(handlers):
            handler = reference()
            owner = getattr(handler, "__self__", None)
            if handler is None or (isinstance(owner, QObject) and not isValid(owner)):
                handlers.remove(reference)
            else:
                handler(event)

    # what is held

    def _update(self, event: Event) -> None:
        match event:
            case RunChanged(run):
                self.runs[run.id] = run
                self._forget_old_runs()
                self.run_changed.emit(run)
                self._status_soon.start()
            case ServerChanged(state):
                self.servers[state.config.name] = state
                self.server_changed.emit(state)
                self._status_soon.start()
            case ServerRemoved(name):
                self.servers.pop(name, None)
                self.tools.pop(name, None)
                self.server_removed.emit(name)
                self._status_soon.start()
            case ServersArranged(names):
                order = {name: place for place, name in enumerate(names)}
                self.servers = dict(sorted(self.servers.items(), key=lambda item: order.get(item[0], len(order))))
                self.servers_loaded.emit()
            case ToolsChanged(server) | ToolsWarned(server):
                self._changed_tools.add(server)
                self._tools_soon.start()
                self._skills_soon.start()  # which of their tools are missing
                self._permissions_soon.start()  # about which tools the user has not decided
                self._status_soon.start()
            case SkillsChanged():
                self._skills_soon.start()
                self._status_soon.start()
            case AgentsChanged() | StatesChanged() | LedgerChanged() | SettingsChanged() | Noticed():
                self._status_soon.start()
            case PermissionsChanged(permissions):
                self.permissions = permissions
                self.permissions_changed.emit()
            case NetworkChanged(rules):
                self.network = rules
                self.network_changed.emit()
            case SecretsChanged(secrets):
                self.secrets = secrets
                self.secrets_changed.emit()
            case CallHeld(held_call, before):
                self.held_calls.pop(before, None)
                self.held_calls[held_call.id] = held_call
                self.held_calls_changed.emit()
            case HeldCallSettled(held_call, _):
                self.held_calls.pop(held_call.id, None)
                self.held_calls_changed.emit()
            case ApprovalClocksChanged(clocks):
                self._set_clocks(clocks)
            case MutedAgentsChanged(muted):
                self.muted = muted
                self.muted_changed.emit()
            case AskArrived(ask):
                self.elicitations[ask.id] = ask
                self.elicitations_changed.emit()
            case AskSettled(ask, _):
                self.elicitations.pop(ask.id, None)
                self.elicitations_changed.emit()

    def _set_clocks(self, clocks: tuple[RequestClock, ...]) -> None:
        for clock in clocks:
            name, fields = clock.request_id, {"deadline": clock.deadline, "clock_left": clock.left}
            if name in self.runs:
                self.runs[name] = replace(self.runs[name], **fields)
            if name in self.held_calls:
                self.held_calls[name] = replace(self.held_calls[name], **fields)
        self.clocks_changed.emit()

    def _tell_waiting(self) -> None:
        if (count := self.waiting_count) != self._last_waiting_count:
            self._last_waiting_count = count
            self.waiting_changed.emit(count)

    # loading

    def _soon(self, pause_ms: int, load: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=pause_ms)
        timer.timeout.connect(load)
        return timer

    async def _load_servers(self) -> None:
        tools = (*await self._api.tools(), *await self._api.removed_tools())
        self.tools = _by_server(tools)
        states = await self._api.servers()  # last, so that no event comes between its answer and its use
        self.servers = {state.config.name: state for state in states}
        self.servers_loaded.emit()

    def _load_changed_tools(self) -> None:
        self._tasks.run("tools", self._load_tools())

    async def _load_tools(self) -> None:
        """Once for all servers that changed in the last moment: the list may be long."""
        changed, self._changed_tools = frozenset(self._changed_tools), set()
        found = _by_server((*await self._api.tools(), *await self._api.removed_tools()))
        for server in changed:
            self.tools[server] = found.get(server, ())
        self.tools_changed.emit(changed)

    async def _load_runs(self) -> None:
        """Each answer is taken at once: an event that comes after it must not be overwritten."""
        runs = await self._api.runs()
        self.runs = {run.id: run for run in reversed(runs)}
        self._forget_old_runs()
        self.runs_loaded.emit()
        held_calls = await self._api.held_calls()
        self.held_calls = {held_call.id: held_call for held_call in held_calls}
        self.held_calls_changed.emit()
        elicitations = await self._api.asks()
        self.elicitations = {ask.id: ask for ask in elicitations}
        self.elicitations_changed.emit()
        self.muted = await self._api.muted_agents()
        self.muted_changed.emit()
        self._tell_waiting()

    def _forget_old_runs(self) -> None:
        """Keep a window that is open for days small: the audit has all runs."""
        if len(self.runs) > MOST_RUNS + _RUNS_SLACK:
            ended = [run for run in self.runs.values() if run.state in ENDS and not run.held]
            ended.sort(key=_last_activity)
            for run in ended[: len(self.runs) - MOST_RUNS]:
                del self.runs[run.id]

    def _load_status(self) -> None:
        self._tasks.run("status", self._api.status(), self._show_status)

    def _show_status(self, status: CoreStatus) -> None:
        self.status = status
        self.status_changed.emit()
        if self._status_is_new:
            self._status_is_new = False
            self.status_loaded.emit()

    def _load_skills(self) -> None:
        self._tasks.run("skills", self._api.skills(), self._show_skills)

    def _show_skills(self, skills: tuple[Skill, ...]) -> None:
        self.skills = skills
        self.skills_changed.emit()

    def load_permissions(self) -> None:
        """Load the rules again: how often they were used changes without an event."""
        self._tasks.run("permissions", self._api.permissions(), self._show_permissions)

    def _show_permissions(self, permissions: Permissions) -> None:
        if permissions != self.permissions:
            self.permissions = permissions
            self.permissions_changed.emit()

    async def _load_rules(self) -> None:
        self.permissions = await self._api.permissions()
        self.permissions_changed.emit()
        self.network = await self._api.network()
        self.network_changed.emit()
        self.secrets = await self._api.secrets()
        self.secrets_changed.emit()


def _last_activity(run: Run) -> float:
    return max(run.ended, run.proposal.at)


def _by_server(tools: tuple[ToolSummary, ...]) -> dict[str, tuple[ToolSummary, ...]]:
    found: dict[str, list[ToolSummary]] = {}
    for tool in tools:
        found.setdefault(tool.server, []).append(tool)
    return {server: tuple(listed) for server, listed in found.items()}
