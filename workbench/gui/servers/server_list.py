"""The pane with the tree of servers and tools, its filter, and a card about the selected server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QStackedWidget, QWidget

from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import (
    EmptyState,
    RowsTree,
    Strip,
    action_button,
    lead_focus,
    paragraph,
    search_box,
    tool_button,
)
from workbench.gui.kit.theme import mark
from workbench.gui.servers.server_card import ServerCard
from workbench.gui.servers.server_commands import ServerCommands
from workbench.gui.servers.server_connector import RUNNING, ServerConnector, ServersFileWatcher
from workbench.gui.servers.server_tree import HEADING, ServerTreeModel, StagedExpansion
from workbench.gui.shell.actions import SERVER, SERVER_REMOVABLE, SERVER_RESTS, SERVER_RUNS
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import Request, Search, ShowServer, ShowTool
from workbench.gui.shell.window_state import Layout
from workbench.records import ChangeKind, Discovery, FoundServer, ImportConflict, ServerState
from workbench.records.common_types import count_of

DEMO = "demo"
"""The name of the built-in demo server."""
_FILTER_MS = 80  # after the last key
_FOLLOW_MS = 220  # how long a tool must stay selected before it opens by itself


class FoundServersStrip(QFrame):
    """Says that other clients have servers which can be imported. Once closed, it returns only for new ones."""

    counted = Signal()
    """`new` is known, whether the strip is shown or not."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._layout = Layout(context.paths)
        self._digest = ""
        self.new: list[FoundServer] = []
        mark(self, kind="foot")
        self._sentence = paragraph("", "muted")
        show = QPushButton("Show")
        show.setAccessibleName("Show the servers found in other clients")
        show.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        show.clicked.connect(context.commands["servers.import"].trigger)
        mark(show, kind="link")
        close = tool_button("close", "Do not show this again", context.theme)
        close.clicked.connect(self._close)
        unit = context.theme.unit
        margins = (unit * 3, unit, unit * 2, unit)
        row(self, self._sentence, show, close, margins=margins, spacing=unit * 2, grows=self._sentence)
        self.hide()
        context.store.linked.connect(self.load)

    def load(self) -> None:
        self._context.tasks.run("servers in other clients", self._context.api.found_servers(), self._show)

    def _show(self, discovery: Discovery) -> None:
        self.new = [found for found in discovery.servers if found.standing is not ImportConflict.HERE]
        keys = "\n".join(sorted(found.key for found in self.new))
        self._digest = hashlib.sha256(keys.encode()).hexdigest()[:16]
        self._sentence.setText(found_sentence(len(self.new)))
        self.setVisible(bool(self.new) and self._layout.found_seen != self._digest)
        self.counted.emit()

    def _close(self) -> None:
        self._layout.found_seen = self._digest
        self.hide()


def found_sentence(number: int) -> str:
    return f"{count_of(number, 'server')} found in other clients"


def client_names(found: Sequence[FoundServer]) -> str:
    """The names of the clients as a list in a sentence."""
    names = list(dict.fromkeys(server.client for server in found))
    first, last = ", ".join(names[:-1]), names[-1] if names else ""
    return f"{first} and {last}" if first else last


class ServersPane(Pane):
    """Shows what `context.store` holds about servers and tools."""

    loaded = Signal()
    """The list of servers is on screen."""
    expanded = Signal(object)
    """Carries the names of the servers whose tools are shown."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.model = ServerTreeModel(self)
        self.tree = RowsTree(context.theme, "Servers and tools", self)
        self.tree.setModel(self.model)
        self.finder = search_box("Find a tool", "Filter servers and tools")
        self.card = ServerCard(context)
        self.found = FoundServersStrip(context, self)
        self.connector = ServerConnector(context, self, self._is_fault_shown)
        self.file_watcher = ServersFileWatcher(context, self)
        self.server_commands = ServerCommands(context, self)
        self._open: set[str] = set()  # servers whose tools are shown, remembered while a filter is set
        self._expansion = StagedExpansion(self.tree)
        self._pause = QTimer(self, singleShot=True, interval=_FILTER_MS)
        self.follow_timer = QTimer(self, singleShot=True, interval=_FOLLOW_MS)
        self._empty = self._make_empty()
        self.setMinimumWidth(context.theme.unit * 64)  # of the card: Qt resizes a dock whose minimum width changes
        self._lay_out()
        self._connect_signals()

    # for other parts of the window

    def selected_server(self) -> ServerState | None:
        """The server of the selected row or of the selected tool."""
        return self.model.server_at(self.tree.currentIndex())

    def show_tool(self, server: str, tool: str = "") -> None:
        """Select a server or tool and scroll to it, whatever the filter is."""
        if not self.model.find(server, tool).isValid():
            self.finder.clear()
            self._apply_filter()
        index = self.model.find(server, tool)
        if index.isValid():
            self.tree.expand(index.parent())
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)

    def expand(self, names: Iterable[str]) -> None:
        """Show the tools of these servers, also of servers that are not listed yet."""
        self._open.update(names)
        self._expand_open()

    # what the store says

    def _show_all(self) -> None:
        store = self.context.store
        self._keep_selection(lambda: self.model.load(store.servers.values(), store.tools))
        self._update_stack()
        self.loaded.emit()

    def _show_state(self, state: ServerState) -> None:
        self._keep_selection(lambda: self.model.update_server(state))
        self._show_selection()
        self._update_stack()

    def _remove(self, name: str) -> None:
        self._keep_selection(lambda: self.model.remove(name))
        self._show_selection()
        self._update_stack()

    def _show_tools(self, servers: frozenset[str]) -> None:
        for server in servers:
            tools = self.context.store.tools.get(server, ())
            self._keep_selection(partial(self.model.put_tools, server, tools))
            index = self.model.find(server)
            if index.isValid() and (server in self._open or len(self.model.states()) == 1):
                self.tree.expand(index)

    def _keep_selection(self, change: Callable[[], None]) -> None:
        """Change the model; the same server or tool stays selected, or the server of a tool that is gone."""
        selected = self._selected_names()
        change()
        if selected[0] and self._selected_names() != selected:
            place = self.model.find(*selected)
            self.tree.setCurrentIndex(place if place.isValid() else self.model.find(selected[0]))

    def _selected_names(self) -> tuple[str, str]:
        index = self.tree.currentIndex()
        server, tool = self.model.server_at(index), self.model.tool_at(index)
        return server.config.name if server else "", tool.name if tool else ""

    # opening

    def _open_row(self, key: str) -> None:
        """Enter or a double click: collapse a category, open a tool, connect or expand a server."""
        if key.startswith(HEADING):
            self._toggle_category(key.removeprefix(HEADING))
            return
        server, _, tool = key.partition("\n")
        if tool:
            self.open_tool(self.model.find(server, tool), enter=True)
            return
        state = self.model.state(server)
        if state and state.status not in RUNNING and not self.model.rowCount(self.model.find(server)):
            self.context.commands.do("server.connect")
            return
        index = self.model.find(server)
        self.tree.setExpanded(index, not self.tree.isExpanded(index))

    def _toggle_category(self, category: str) -> None:
        place = self.tree.currentIndex().row()
        self.model.toggle_category(category)
        self.tree.setCurrentIndex(self.model.index(place, 0))

    def open_tool(self, index: QModelIndex, *, enter: bool = False, then: str = "") -> None:
        """Open the tool of a row. A removed tool is shown on its server's page of changes."""
        tool = self.model.tool_at(index)
        if tool is not None and tool.mark == ChangeKind.REMOVED:
            self.context.go(ShowServer(tool.server, "changes"))
        elif tool is not None:
            self.context.go(ShowTool(tool.server, tool.name, enter=enter, then=then))

    def _selection_moved(self) -> None:
        if self.tree.hasFocus():
            self.follow_timer.start()

    def _follow_selection(self) -> None:
        """The open tool follows the selection once it has stayed on a tool for a moment."""
        tool = self.model.tool_at(self.tree.currentIndex())
        if tool is not None and tool.mark != ChangeKind.REMOVED and self.tree.hasFocus():
            self.context.go(ShowTool(tool.server, tool.name, follow=True))

    def _follow_request(self, request: Request) -> None:
        """Select the server whose sheet opens, so that list and sheet show the same one."""
        if isinstance(request, ShowServer):
            selected = self.selected_server()
            if selected is None or selected.config.name != request.server:
                self.show_tool(request.server)

    async def _connect_demo(self) -> None:
        await self.connector.connect_servers((DEMO,))
        self.show_tool(DEMO)

    def _expand_connecting(self, name: str) -> None:
        self._open.add(name)
        self.tree.expand(self.model.find(name))

    def _is_fault_shown(self, name: str) -> bool:
        """Whether the card below the tree already says why this server failed."""
        selected = self.selected_server()
        shown = selected is not None and selected.config.name == name and selected.fault is not None
        return shown and not self.visibleRegion().isEmpty()  # Qt calls a dock visible that lies behind another tab

    # filter

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.finder.text():
            self.finder.clear()
        elif event.key() == Qt.Key.Key_Down and self.finder.hasFocus():
            self._go_to_first(opened=False)
        else:
            super().keyPressEvent(event)

    def _start_filter(self, letters: str) -> None:
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.finder.setText(letters)

    def _apply_filter(self) -> None:
        self._pause.stop()
        self._keep_selection(lambda: self.model.filter(self.finder.text()))
        self._update_stack()

    def _go_to_first(self, *, opened: bool = True) -> None:
        """Select the first matching tool, and open it with Enter."""
        self._apply_filter()
        for place in range(self.model.rowCount()):
            server = self.model.index(place, 0)
            if self.model.rowCount(server):
                self.tree.expand(server)
                self.tree.setFocus()
                self.tree.setCurrentIndex(self.model.index(0, 0, server))
                if opened:
                    self.open_tool(self.tree.currentIndex())
                return

    def _search_by_meaning(self) -> None:
        self.context.go(Search("palette", self.finder.text()))

    # what is expanded

    def _expand_open(self) -> None:
        servers = [self.model.index(place, 0) for place in range(self.model.rowCount())]
        opened = [self.model.find(name) for name in self._open]
        self._expansion.expand(server for server in servers if self.finder.text() or server in opened)

    def _note_expanded(self, index: QModelIndex) -> None:
        state = self.model.server_at(index)
        if state and not self.finder.text():
            (self._open.add if self.tree.isExpanded(index) else self._open.discard)(state.config.name)
            self.expanded.emit(frozenset(self._open))

    # display

    def _show_selection(self) -> None:
        state = self.selected_server()
        self.card.show_state(state)
        runs = state is not None and state.status in RUNNING
        self.context.commands.set_condition(SERVER, state is not None)
        self.context.commands.set_condition(SERVER_RUNS, runs)
        self.context.commands.set_condition(SERVER_RESTS, state is not None and not runs)
        self.context.commands.set_condition(SERVER_REMOVABLE, state is not None and not state.config.builtin)

    def _update_stack(self) -> None:
        nothing_matches = bool(self.finder.text()) and not self.model.rowCount()
        self._stack.setCurrentWidget(self._empty if nothing_matches else self.tree)

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("server.add", "servers.reload"):
            strip.row.addWidget(action_button(self.context.commands[name], self.context.theme))
        self._stack = QStackedWidget()
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._empty)
        column(self, strip, self._stack, self.found, self.card, grows=self._stack)
        lead_focus(self, self._stack)

    def _make_empty(self) -> EmptyState:
        sentence = "The filter looks at names, titles and summaries of all tools, also of stopped servers."
        empty = EmptyState(self.context.theme, "search", "No matches", sentence)
        empty.offer(text="Clear the filter").clicked.connect(self.finder.clear)
        empty.offer(text="Search by meaning").clicked.connect(self._search_by_meaning)
        return empty

    def _connect_signals(self) -> None:
        store = self.context.store
        store.servers_loaded.connect(self._show_all)
        store.server_changed.connect(self._show_state)
        store.server_removed.connect(self._remove)
        store.tools_changed.connect(self._show_tools)
        self.context.messages.requested.connect(self._follow_request)
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._go_to_first)
        self._pause.timeout.connect(self._apply_filter)
        self.follow_timer.timeout.connect(self._follow_selection)
        self.tree.typed.connect(self._start_filter)
        self.tree.chosen.connect(self._open_row)
        self.tree.clicked.connect(self.open_tool)
        self.tree.expanded.connect(self._note_expanded)
        self.tree.collapsed.connect(self._note_expanded)
        self.tree.selectionModel().currentChanged.connect(self._show_selection)
        self.tree.selectionModel().currentChanged.connect(self._selection_moved)
        self.model.modelReset.connect(self._expand_open)
        self.model.modelReset.connect(self._show_selection)
        self.connector.connecting.connect(self._expand_connecting)
        self.context.commands.bind("servers.reload", self.file_watcher.reload)
        self.context.commands.bind("demo.connect", self._connect_demo)
        if store.servers:
            self._show_all()
