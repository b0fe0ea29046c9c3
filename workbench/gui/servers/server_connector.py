"""Connects and restarts servers, and reloads `.mcp.json` after other programs changed it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.text import one_line
from workbench.gui.servers.consent import ask_consent, ask_consents, enter_missing
from workbench.gui.shell.context import Context
from workbench.records import ServerConfig, ServerState, ServerStatus

RUNNING = (ServerStatus.READY, ServerStatus.STARTING)
_NAMES_SHOWN = 5


class ServerConnector(QObject):
    """Asks for consent and missing secrets before a server starts; only one such question is open at a time."""

    connecting = Signal(str)
    """The core is asked to connect this server."""

    def __init__(self, context: Context, parent: QWidget, is_fault_shown: Callable[[str], bool]) -> None:
        super().__init__(parent)
        self._context = context
        self._parent = parent
        self._is_fault_shown = is_fault_shown  # whether the user already sees why this server failed
        self._under_way: set[str] = set()  # servers that the user is connecting now
        self._asking = asyncio.Lock()
        self._ran_before: tuple[str, ...] = ()  # servers that ran when the connection to the core was lost
        context.store.linked.connect(self._remember_running)
        context.store.servers_loaded.connect(self._start_again)

    async def connect_servers(self, names: Sequence[str], *, restart: bool = False, automatic: bool = False) -> None:
        """Connect these servers. Several that were never allowed are shown in one list with check boxes. `automatic`:
        no user asked for it."""
        states = [await self._state(name) for name in names if name not in self._under_way]
        unknown = [state for state in states if not (state.allowed or state.config.builtin)]
        agreed: dict[str, str] = {}
        if len(unknown) > 1:
            async with self._asking:
                agreed = await ask_consents(self._context, unknown, self._parent.window())
            states = [state for state in states if state not in unknown or state.config.name in agreed]
        for state in states:
            name = state.config.name
            if name not in self._under_way:
                self._under_way.add(name)
                connected = self._connect_or_restart(state, agreed.get(name, ""), restart, automatic)
                self._context.tasks.run(f"connect {name}", connected)

    def start(self, name: str, *, restart: bool = False) -> None:
        """Connect one server in a task of its own: a server that hangs does not delay others."""
        self._context.tasks.run(f"connect {name}", self.connect_servers((name,), restart=restart))

    async def _connect_or_restart(self, state: ServerState, sha: str, restart: bool, automatic: bool) -> None:
        try:
            if restart:
                await self._context.api.disconnect(state.config.name)
            await self._connect(state, sha, automatic)
        finally:
            self._under_way.discard(state.config.name)

    async def _connect(self, state: ServerState, sha: str = "", automatic: bool = False) -> None:
        name, window = state.config.name, self._parent.window()
        async with self._asking:
            if not (sha or state.allowed or state.config.builtin):
                sha = await ask_consent(self._context, state, window)
                if not sha:
                    return
            if not await enter_missing(self._context, state.config, window):
                return
        self.connecting.emit(name)
        try:
            await self._context.api.connect(name, sha, automatic)
        except WorkbenchError as fault:
            changed = await self._state_after_refusal(name, sha)
            if changed is not None:
                await self._connect(changed)
            elif not self._is_fault_shown(name):
                raise WorkbenchError(f"{name}: {fault.message}", fault.hint) from fault

    async def _state(self, name: str) -> ServerState:
        """From the store; the core is asked if the list has not arrived yet."""
        state = self._context.store.servers.get(name)
        if state is None:
            state = {state.config.name: state for state in await self._context.api.servers()}.get(name)
        if state is None:
            raise WorkbenchError(f"There is no server {name} in this project.", "Reload .mcp.json (F5).")
        return state

    async def _state_after_refusal(self, name: str, sha: str) -> ServerState | None:
        """The new state of a server that was allowed until its entry or executable file changed."""
        states = {state.config.name: state for state in await self._context.api.servers()}
        state = states.get(name)
        changed = state is not None and not state.allowed and not state.config.builtin and (state.doubt or not sha)
        return state if changed else None

    # after the core was lost

    def _remember_running(self) -> None:
        servers = self._context.store.servers.values()
        self._ran_before = tuple(state.config.name for state in servers if state.status in RUNNING)

    def _start_again(self) -> None:
        """A new core starts no server by itself: start those that ran with the lost one."""
        names, self._ran_before = self._ran_before, ()
        if not self._context.store.core_restarted:
            return
        servers = self._context.store.servers
        stopped = [
            name
            for name in names
            if name in servers
            and servers[name].status is ServerStatus.STOPPED
            and (servers[name].allowed or servers[name].config.builtin)
        ]
        if stopped:
            self._context.tasks.run("connect servers again", self.connect_servers(stopped, automatic=True))
            self._context.say(f"The core was restarted. Connecting again: {_list_names(stopped)}.")


class ServersFileWatcher(QObject):
    """Watches `.mcp.json` and reloads the servers after another program changed it."""

    _PAUSE_MS = 300  # an editor writes a file in several steps

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._file: Path = context.paths.servers_file
        self._signature = self._read_signature()
        self._reload_when_loaded = False
        self._watcher = QFileSystemWatcher(self)
        self._pause = QTimer(self, singleShot=True, interval=self._PAUSE_MS)
        self._pause.timeout.connect(self._reload_if_changed)
        self._watcher.directoryChanged.connect(self._schedule)  # also emitted when the file is replaced or deleted
        self._watcher.fileChanged.connect(self._schedule)
        context.store.linked.connect(self._note_linked)
        context.store.servers_loaded.connect(self._reload_after_linking)

    async def reload(self, *, always_say: bool = True) -> None:
        """Read `.mcp.json` again and say which servers changed."""
        store = self._context.store
        before = {name: state.config for name, state in store.servers.items()}
        try:
            states = await self._context.api.reload_servers()
        finally:
            store.reload_status()  # its notices say whether the file can be read
        changes = describe_changes(before, {state.config.name: state.config for state in states})
        if changes and not self._file.exists():
            self._context.say(f".mcp.json was deleted. Servers were reloaded: {changes}.")
        elif changes or always_say:
            self._context.say(f"Servers were reloaded: {changes or 'nothing changed'}.")

    def _note_linked(self) -> None:
        self._watch()
        self._reload_when_loaded = True

    def _reload_after_linking(self) -> None:
        """The file may have changed while the core ran without a window: then nobody watched it."""
        if self._reload_when_loaded:
            self._reload_when_loaded = False
            self._signature = self._read_signature()
            self._context.tasks.run("reload .mcp.json", self.reload(always_say=False))

    def _watch(self) -> None:
        folder, file = str(self._file.parent), str(self._file)
        watched = (*self._watcher.directories(), *self._watcher.files())
        for path in (folder, file):
            if path not in watched and Path(path).exists():
                self._watcher.addPath(path)

    def _schedule(self) -> None:
        """Not restarted while it runs: constant changes in the folder must not delay the check for ever."""
        if not self._pause.isActive():
            self._pause.start()

    def _reload_if_changed(self) -> None:
        self._watch()  # Qt stops watching a file that was replaced
        signature = self._read_signature()
        if signature != self._signature:
            self._signature = signature
            self._context.tasks.run("reload .mcp.json", self.reload(always_say=False))

    def _read_signature(self) -> tuple[int, int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def describe_changes(before: Mapping[str, ServerConfig], after: Mapping[str, ServerConfig]) -> str:
    """Which servers were added, removed and changed, as part of a sentence; empty if none."""
    groups = (
        ("added", [name for name in after if name not in before]),
        ("removed", [name for name in before if name not in after]),
        ("changed", [name for name in after if name in before and after[name] != before[name]]),
    )
    return "; ".join(f"{verb} {_list_names(names)}" for verb, names in groups if names)


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name, 40) for name in names[:_NAMES_SHOWN])
    return shown + (f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else "")
