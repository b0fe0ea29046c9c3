"""Opens the rows of a tree a stretch at a time: laying out ten thousand rows at once would make every key wait."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QStackedLayout, QTreeView, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, ServerChanged, ServerRemoved, ServersArranged, ToolsChanged, ToolsWarned
from workbench.gui.kit.lists import (
    EmptyState,
    RowsTree,
    Strip,
    action_button,
    label,
    lead_focus,
    search_box,
    tool_button,
)
from workbench.gui.kit.theme import mark
from workbench.gui.servers.consent import ask_consent, ask_consents
from workbench.gui.servers.enter_secret import enter_missing
from workbench.gui.servers.server_card import ServerCard
from workbench.gui.servers.server_commands import ServerDeeds
from workbench.gui.servers.server_tree import HEADING, ServersModel
from workbench.gui.shell.actions import SERVER, SERVER_REMOVABLE, SERVER_RESTS, SERVER_RUNS
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import FindAnything, ShowServer, ShowTool
from workbench.gui.shell.window_state import Layout
from workbench.records import ChangeKind, Discovery, FoundServer, ImportConflict, ServerState, ServerStatus, ToolSummary

_STRETCH = 1_000  # rows that are laid out at once; what one sees is among the first
_PAUSE_MS = 4  # in which the window paints and hears keys


class Unfolding(QObject):
    """Belongs to one tree; what was asked for last counts."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree
        self._left: list[QPersistentModelIndex] = []
        self._next = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._next.timeout.connect(self._go_on)

    def open(self, rows: Iterable[QModelIndex]) -> None:
        """Open these, from the first to the last; the current row's own before all others."""
        self._left = [QPersistentModelIndex(row) for row in rows]
        own = self._tree.currentIndex().parent()
        self._left.sort(key=lambda row: row != own)
        self._stretch()

    def busy(self) -> bool:
        """Whether rows are still to be opened."""
        return bool(self._left)

    def _go_on(self) -> None:
        """What a person looks at stays where it is while rows come above it."""
        current = self._tree.currentIndex()
        before = self._tree.visualRect(current)
        self._stretch()
        seen = before.isValid() and self._tree.viewport().rect().intersects(before)
        if seen and (moved := self._tree.visualRect(current).top() - before.top()):
            bar = self._tree.verticalScrollBar()
            bar.setValue(bar.value() + moved)

    def _stretch(self) -> None:
        rows = 0
        while self._left and rows < _STRETCH:
            row = self._left.pop(0)
            if row.isValid() and not self._tree.isExpanded(row):
                rows += self._tree.model().rowCount(row)
                self._tree.expand(row)
        if self._left:
            self._next.start()


class FoundStrip(QFrame):
    """Hidden while there is nothing new, and after a person closed it until something new is found."""

    counted = Signal()
    """`new` is known, whether the line is shown or not."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._layout = Layout(context.paths)
        self._mark = ""
        self.new: list[FoundServer] = []
        mark(self, kind="foot")
        self._words = label("", "muted")
        self._words.setWordWrap(True)
        self.look = QPushButton("Look at them")
        self.look.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.look.clicked.connect(commands["servers.import"].trigger)
        mark(self.look, kind="link")
        close = tool_button("close", "Do not show this again", context.theme)
        close.clicked.connect(self._close)
        unit = context.theme.unit
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 3, unit, unit * 2, unit)
        row.setSpacing(unit * 2)
        row.addWidget(self._words, 1)
        row.addWidget(self.look)
        row.addWidget(close)
        self.hide()

    def refresh(self) -> None:
        self._context.tasks.run("servers in other apps", self._context.api.found_servers(), self._show)

    def _show(self, discovery: Discovery) -> None:
        self.new = new = [found for found in discovery.servers if found.standing is not ImportConflict.HERE]
        self._mark = hashlib.sha256("\n".join(sorted(found.key for found in new)).encode()).hexdigest()[:16]
        self._words.setText(said(len(new)))
        self.setVisible(bool(new) and self._layout.found_seen != self._mark)
        self.counted.emit()

    def _close(self) -> None:
        self._layout.found_seen = self._mark
        self.hide()


def said(number: int) -> str:
    one = "1 server found in another app"
    return one if number == 1 else f"{number} servers found in other apps"


def apps_of(found: list[FoundServer]) -> str:
    """The apps' names as one would say them."""
    names = list(dict.fromkeys(one.client for one in found))
    first, last = ", ".join(names[:-1]), names[-1] if names else ""
    return f"{first} and {last}" if first else last


DEMO = "demo"
"""The name of the built-in demo server."""
_GATHER_MS = 60  # changes of many servers at once are read together
_WALK_MS = 220  # how long one stands still on a tool before it is opened
_RUNNING = (ServerStatus.READY, ServerStatus.STARTING)


class ServersPane(Pane):
    """The tree with its filter above and the chosen server's card below."""

    loaded = Signal()
    """The catalogue is on screen."""
    expanded = Signal(object)
    """Carries the names of the servers whose tools are shown."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.model = ServersModel(self)
        self.tree = RowsTree(context.theme, "Servers and tools", self)
        self.tree.setModel(self.model)
        self.finder = search_box("Find a tool", "Filter servers and tools")
        self.card = ServerCard(context, commands, self)
        self.found = FoundStrip(context, commands, self)
        self.deeds = ServerDeeds(context, commands, self)
        self._starting: set[str] = set()  # servers that a person just asked for
        self._asking = asyncio.Lock()  # a person is asked about one server at a time
        self._open: set[str] = set()  # servers whose tools are shown, also across a filter
        self._unfolding = Unfolding(self.tree)
        self._pause = QTimer(self, singleShot=True, interval=80)
        self._changed: set[str] = set()  # servers whose tools are other ones now
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._walk = QTimer(self, singleShot=True, interval=_WALK_MS)
        self._empty = self._make_empty()
        self._lay_out()
        self._bind()

    # events

    def hear(self, event: Event) -> None:
        match event:
            case ServerChanged(state):
                self._keep_chosen(lambda: self.model.put(state))
                self._selected()
                self._fill()
            case ServerRemoved(name):
                self._keep_chosen(lambda: self.model.remove(name))
                self._selected()
                self._fill()
            case ServersArranged(names):
                self._keep_chosen(lambda: self.model.arrange(names))
            case ToolsChanged(server) | ToolsWarned(server):
                self._changed.add(server)
                self._gather.start()

    def refresh(self) -> None:
        self.context.tasks.run("servers", self._load())
        self.found.refresh()

    # what a person does

    def chosen(self) -> ServerState | None:
        return self.model.server_at(self.tree.currentIndex())

    async def connect_server(self, name: str) -> None:
        """Start a server; before a first start its full command is shown and asked about."""
        if self.model.state(name) is None:  # pressed before the list has arrived
            await self._load()
        state = self.model.state(name)
        if state is None:
            raise WorkbenchError(f"There is no server {name} in this project.", "Read .mcp.json again.")
        async with self._asking:
            asked = not (state.allowed or state.config.builtin)
            sha = await ask_consent(self.context, state, self.window()) if asked else ""
            if asked and not sha:
                return
            if not await enter_missing(self.context, state.config, self.window()):
                return
        self._open.add(name)
        try:
            await self.context.api.connect(name, sha)
        except WorkbenchError as fault:
            if await self._doubted(name):
                await self.connect_server(name)  # which asks, because it is not allowed any more
            elif not self._card_tells(name):
                raise WorkbenchError(f"{name}: {fault.message}", fault.hint) from fault

    async def connect_servers(self, names: Sequence[str]) -> None:
        """Start several; those that were not allowed yet are asked about in one list."""
        if any(self.model.state(name) is None for name in names):
            await self._load()
        states = [state for name in names if (state := self.model.state(name)) is not None]
        unknown = [state for state in states if not (state.allowed or state.config.builtin)]
        if len(unknown) < 2:
            for state in states:
                self._connect_soon(state.config.name)
            return
        async with self._asking:
            agreed = await ask_consents(self.context, unknown, self.window())
            wanted = [state for state in states if state not in unknown or state.config.name in agreed]
            ready = [one for one in wanted if await enter_missing(self.context, one.config, self.window())]
        for state in ready:
            name = state.config.name
            self._open.add(name)
            self.context.tasks.run(f"connect {name}", self._started(name, agreed.get(name, "")))

    async def _started(self, name: str, sha: str) -> None:
        try:
            await self.context.api.connect(name, sha)
        except WorkbenchError as fault:
            if not self._card_tells(name):
                raise WorkbenchError(f"{name}: {fault.message}", fault.hint) from fault

    async def _doubted(self, name: str) -> bool:
        """Whether it was not started because the file behind its command is another one."""
        state = next((state for state in await self.context.api.servers() if state.config.name == name), None)
        if state is None or state.allowed or not state.doubt:
            return False
        self.model.put(state)
        return True

    def _card_tells(self, name: str) -> bool:
        """Whether the card below the tree says already why this server failed."""
        chosen = self.chosen()
        told = chosen is not None and chosen.config.name == name and chosen.fault is not None
        return told and not self.visibleRegion().isEmpty()  # a dock behind another one counts as visible to Qt

    def show_tool(self, server: str, tool: str = "") -> None:
        """Select a row, whatever the filter says."""
        if not self.model.find(server, tool).isValid():
            self.finder.clear()
            self._sift()
        index = self.model.find(server, tool)
        if index.isValid():
            self.tree.expand(index.parent())
            self.tree.setCurrentIndex(index)

    def fold(self, category: str) -> None:
        """Show the servers of a category, or no longer; its heading stays chosen."""
        row = self.tree.currentIndex().row()
        self.model.fold(category)
        self._unfold()
        self.tree.setCurrentIndex(self.model.index(row, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.finder.text():
            self.finder.clear()
            return
        if event.key() == Qt.Key.Key_Down and self.finder.hasFocus():
            self._to_first(choose=False)
            return
        super().keyPressEvent(event)

    # inside

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("server.add", "servers.reload"):
            strip.row.addWidget(action_button(self._commands[name], self.context.theme))
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(stacked, 1)
        column.addWidget(self.found)
        column.addWidget(self.card)
        lead_focus(self, self._stack)

    def _make_empty(self) -> EmptyState:
        empty = EmptyState(
            self.context.theme,
            "search",
            "Nothing has these words",
            "Tools are found by name, title and first sentence, also those of servers that do not run.",
        )
        empty.offer(text="Clear the filter").clicked.connect(self.finder.clear)
        empty.offer(text="Look for it by meaning").clicked.connect(self._ask_widely)
        return empty

    def _ask_widely(self) -> None:
        self.context.go(FindAnything(self.finder.text()))

    def _bind(self) -> None:
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._to_first)
        self._pause.timeout.connect(self._sift)
        self._gather.timeout.connect(self._load_changed)
        self._walk.timeout.connect(self._follow)
        self.tree.typed.connect(self._typed)
        self.tree.chosen.connect(self._choose)
        self.tree.clicked.connect(self._clicked)
        self.tree.expanded.connect(self._expanded)
        self.tree.collapsed.connect(self._collapsed)
        self.tree.selectionModel().currentChanged.connect(self._selected)
        self.tree.selectionModel().currentChanged.connect(self._walked)
        self.model.modelReset.connect(self._selected)
        self.deeds.imported.connect(self.found.refresh)
        bind = self._commands.bind
        bind("server.connect", self._connect_chosen)
        bind("server.disconnect", self._disconnect_chosen)
        bind("server.restart", self._restart_chosen)
        bind("server.doctor", self._examine_chosen)
        bind("server.open", self._open_chosen)
        bind("server.sign_in", self._sign_in_chosen)
        bind("servers.reload", self._reload)
        bind("demo.connect", self._connect_demo)

    async def _load(self) -> None:
        api = self.context.api
        states, tools = await api.servers(), await api.tools()
        gone = await api.removed_tools()
        self._keep_chosen(lambda: self.model.load(states, (*tools, *gone)))
        self._fill()
        self.loaded.emit()

    def _keep_chosen(self, change: Callable[[], None]) -> None:
        """What was chosen and open stays so when the rows are laid anew."""
        index = self.tree.currentIndex()
        server, tool = self.model.server_at(index), self.model.tool_at(index)
        laid = list[bool]()
        connection = self.model.modelReset.connect(lambda: laid.append(True))
        change()
        self.model.modelReset.disconnect(connection)
        if laid:
            self._unfold()
        if laid and server is not None:
            self.tree.setCurrentIndex(self.model.find(server.config.name, tool.name if tool else ""))

    def _load_changed(self) -> None:
        self.context.tasks.run("tools", self._load_tools())

    async def _load_tools(self) -> None:
        """Once for all servers that changed in the last moment: the list may be long."""
        changed, self._changed = self._changed, set()
        grouped: dict[str, list[ToolSummary]] = {server: [] for server in changed}
        api = self.context.api
        for tool in (*await api.tools(), *await api.removed_tools()):
            if tool.server in grouped:
                grouped[tool.server].append(tool)
        for server, tools in grouped.items():
            self._put_tools(server, tools)

    def _put_tools(self, server: str, tools: list[ToolSummary]) -> None:
        self.model.put_tools(server, tools)
        state = self.model.state(server)
        if state is not None and (server in self._open or len(self.model.states()) == 1):
            self.tree.expand(self.model.find(server))

    def _connect_chosen(self) -> None:
        """In a task of its own: while one server hangs at its start, others can be connected."""
        if (state := self.chosen()) is not None:
            self._connect_soon(state.config.name)

    def _connect_soon(self, name: str) -> None:
        if name not in self._starting:
            self._starting.add(name)
            self.context.tasks.run(f"connect {name}", self._connect(name))

    async def _connect(self, name: str) -> None:
        try:
            await self.connect_server(name)
        finally:
            self._starting.discard(name)

    def _sign_in_chosen(self) -> None:
        """Its page shows how it goes; it may take minutes, and another one may be begun meanwhile."""
        state = self.chosen()
        if state is not None:
            self.context.go(ShowServer(state.config.name, "sign_in"))
            self.context.tasks.run("sign in", self.context.api.sign_in(state.config.name))

    def _open_chosen(self) -> None:
        if (state := self.chosen()) is not None:
            self.context.go(ShowServer(state.config.name))

    def _examine_chosen(self) -> None:
        if (state := self.chosen()) is not None:
            self.context.go(ShowServer(state.config.name, "doctor"))

    async def _disconnect_chosen(self) -> None:
        state = self.chosen()
        if state is not None:
            await self.context.api.disconnect(state.config.name)

    def _restart_chosen(self) -> None:
        state = self.chosen()
        if state is not None and state.config.name not in self._starting:
            self._starting.add(state.config.name)
            self.context.tasks.run(f"restart {state.config.name}", self._restart(state.config.name))

    async def _restart(self, name: str) -> None:
        try:
            await self.context.api.disconnect(name)
            await self.connect_server(name)
        finally:
            self._starting.discard(name)

    async def _connect_demo(self) -> None:
        await self.connect_server(DEMO)
        self.show_tool(DEMO)
        self.tree.expand(self.model.find(DEMO))

    async def _reload(self) -> None:
        await self.context.api.reload_servers()
        await self._load()

    def _choose(self, key: str) -> None:
        if key.startswith(HEADING):
            self.fold(key.removeprefix(HEADING))
            return
        server, _, tool = key.partition("\n")
        if tool:
            self._open_tool(self.model.find(server, tool), enter=True)
            return
        state = self.model.state(server)
        if state and state.status not in _RUNNING and not self.model.rowCount(self.model.find(server)):
            self._commands.do("server.connect")
            return
        index = self.model.find(server)
        self.tree.setExpanded(index, not self.tree.isExpanded(index))

    def _clicked(self, index: QModelIndex) -> None:
        self._open_tool(index)

    def _open_tool(self, index: QModelIndex, *, enter: bool = False) -> None:
        """A tool that its server took back is shown among the changes."""
        tool = self.model.tool_at(index)
        if tool is not None and tool.mark == ChangeKind.REMOVED:
            self.context.go(ShowServer(tool.server, "changes"))
        elif tool is not None:
            self.context.go(ShowTool(tool.server, tool.name, enter=enter))

    def _to_first(self, *, choose: bool = True) -> None:
        """Enter in the filter opens the first tool that is found; Down only goes there."""
        self._sift()
        for row in range(self.model.rowCount()):
            server = self.model.index(row, 0)
            if self.model.rowCount(server):
                self.tree.expand(server)
                self.tree.setFocus()
                self.tree.setCurrentIndex(self.model.index(0, 0, server))
                if choose:
                    self._clicked(self.tree.currentIndex())
                return

    def _walked(self) -> None:
        """The tool in the centre follows whoever walks through the list, once they stand still."""
        if self.tree.hasFocus():
            self._walk.start()

    def _follow(self) -> None:
        tool = self.model.tool_at(self.tree.currentIndex())
        if tool is not None and tool.mark != ChangeKind.REMOVED and self.tree.hasFocus():
            self.context.go(ShowTool(tool.server, tool.name, follow=True))

    def _typed(self, letters: str) -> None:
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.finder.setText(letters)

    def _sift(self) -> None:
        self._pause.stop()
        index = self.tree.currentIndex()
        server, tool = self.model.server_at(index), self.model.tool_at(index)
        self.model.filter(self.finder.text())
        self._unfold()
        if server is not None:
            self.tree.setCurrentIndex(self.model.find(server.config.name, tool.name if tool else ""))
        self._fill()

    def _unfold(self) -> None:
        rows = [self.model.index(row, 0) for row in range(self.model.rowCount())]
        kept = [self.model.find(name) for name in self._open]
        self._unfolding.open(row for row in rows if self.finder.text() or row in kept)

    def expand(self, names: Iterable[str]) -> None:
        """Show the tools of these servers, also of those that are not listed yet."""
        self._open.update(names)
        self._unfold()

    def _expanded(self, index: QModelIndex) -> None:
        state = self.model.server_at(index)
        if state and not self.finder.text():
            self._open.add(state.config.name)
            self.expanded.emit(frozenset(self._open))

    def _collapsed(self, index: QModelIndex) -> None:
        state = self.model.server_at(index)
        if state and not self.finder.text():
            self._open.discard(state.config.name)
            self.expanded.emit(frozenset(self._open))

    def _selected(self) -> None:
        state = self.chosen()
        self.card.show_state(state)
        runs = state is not None and state.status in _RUNNING
        self._commands.hold(SERVER, state is not None)
        self._commands.hold(SERVER_RUNS, runs)
        self._commands.hold(SERVER_RESTS, state is not None and not runs)
        self._commands.hold(SERVER_REMOVABLE, state is not None and not state.config.builtin)

    def _fill(self) -> None:
        self._stack.setCurrentWidget(self.tree if self.model.rowCount() or not self.finder.text() else self._empty)
