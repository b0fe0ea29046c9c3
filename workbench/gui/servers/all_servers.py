"""The table of all servers: state, speed, memory, calls and errors side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState, Strip, action_button, label, lead_focus, search_box
from workbench.gui.kit.table import Column, Table, TableModel
from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import clock, duration, state_word
from workbench.gui.servers.server_card import push_button
from workbench.gui.servers.server_connector import RUNNING
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import ConnectServers, ShowServer
from workbench.records import ServerState, ServerStatus, Vitals
from workbench.records.common_types import count_of

_ORDER = (ServerStatus.FAILED, ServerStatus.STARTING, ServerStatus.READY, ServerStatus.STOPPED)
_POLL_MS = 2_000  # between two readings of memory and calls, while the table is seen


class ServerRow(Struct, frozen=True):
    """A server with its measured values."""

    state: ServerState
    vitals: Vitals

    @property
    def name(self) -> str:
        return self.state.config.name

    @property
    def can_connect(self) -> bool:
        return self.state.status not in RUNNING and not self.state.config.disabled

    @property
    def last_error(self) -> str:
        """Why the server failed, or what its last call reported."""
        return self.state.fault.message if self.state.fault else self.vitals.last_error


def _muted(_row: ServerRow) -> str:
    return "muted"


def _text(title: str, text: Callable[[ServerRow], str], rank: int, letters: int) -> Column[ServerRow]:
    return Column(title, lambda row: one_line(text(row), 60), rank=rank, letters=letters, tone=_muted)


def _number(
    title: str,
    value: Callable[[ServerRow], float],
    rank: int,
    letters: int,
    text: Callable[[float], str] = "{:,.0f}".format,
    tip: Callable[[ServerRow], str] | None = None,
) -> Column[ServerRow]:
    """A column of numbers; zero is an empty cell."""
    return Column(
        title,
        lambda row: text(value(row)) if value(row) > 0 else "",
        sort=value,
        tip=tip,
        right=True,
        rank=rank,
        letters=letters,
        tone=_muted,
    )


def _state_icon(row: ServerRow) -> tuple[str, str]:
    word = state_word(row.state)
    return word.icon, word.tone


def _state_tone(row: ServerRow) -> str:
    return {ServerStatus.FAILED: "danger", ServerStatus.READY: ""}.get(row.state.status, "muted")


def _name_tip(row: ServerRow) -> str:
    """Everything about the server, because narrow tables hide columns."""
    about = (row.state.title or row.name, row.state.version, row.state.config.description)
    cells = ((column.title, column.text(row)) for column in COLUMNS[1:])
    lines = [" · ".join(one_line(part, 200) for part in about if part)]
    return "\n".join((*lines, *(f"{title}: {text}" for title, text in cells if text)))


def _speed_tip(row: ServerRow) -> str:
    slowest = duration(row.vitals.slowest_ms)
    return f"Median of the recent calls. The slowest took {slowest}." if row.vitals.calls else ""


def _error_tip(row: ServerRow) -> str:
    at = row.vitals.last_error_at
    return f"{clock(at)}  {row.last_error}" if at and row.last_error else row.last_error


COLUMNS: tuple[Column[ServerRow], ...] = (
    Column("Server", lambda row: one_line(row.name, 80), tip=_name_tip, letters=18),
    _text("Category", lambda row: row.state.config.category, 12, 12),
    Column(
        "State",
        lambda row: state_word(row.state).text,
        sort=lambda row: _ORDER.index(row.state.status),
        icon=_state_icon,
        tone=_state_tone,
        letters=13,
    ),
    _text("Protocol", lambda row: row.state.protocol, 7, 14),
    _number("Median call", lambda row: row.vitals.typical_ms if row.vitals.calls else -1, 4, 13, duration, _speed_tip),
    _number("Memory", lambda row: row.vitals.memory_mb, 1, 10, "{:,.0f} MB".format),
    _number("Process", lambda row: row.state.pid, 11, 9, "{:.0f}".format),
    _number("Restarts", lambda row: row.state.restarts, 10, 9),
    _number("Tools", lambda row: row.state.tool_count, 3, 7),
    _number("Resources", lambda row: row.state.resource_count, 8, 11),
    _number("Prompts", lambda row: row.state.prompt_count, 9, 9),
    _number("Calls", lambda row: row.vitals.calls, 5, 8),
    _number("Errors", lambda row: row.vitals.errors, 2, 8),
    Column(
        "Last error",
        lambda row: one_line(row.last_error, 200),
        tip=_error_tip,
        tone=lambda row: "danger" if row.state.fault else "muted",
        letters=22,
    ),
)


def servers_model(theme: Theme, parent: QObject | None = None) -> TableModel[ServerRow]:
    """In the order of `.mcp.json` until the user sorts by a column."""
    return TableModel(COLUMNS, lambda row: row.name, parent=parent, theme=theme)


def matches(row: ServerRow, words: list[str]) -> bool:
    """Whether every word occurs in a cell of the row."""
    text = " ".join(column.text(row) for column in COLUMNS).casefold()
    return all(word in text for word in words)


class ServersTable(Table[ServerRow]):
    """Letters that the user types go into the filter."""

    typed = Signal(str)

    def __init__(self, theme: Theme, model: TableModel[ServerRow], parent: QWidget | None = None) -> None:
        super().__init__(theme, "All servers", model, parent)
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        self.horizontalHeader().setSortIndicatorClearable(True)

    def keyboardSearch(self, search: str) -> None:
        self.typed.emit(search)


class AllServers(Pane):
    """A filter and buttons, the table, and the totals of all servers."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._vitals: dict[str, Vitals] = {}
        self.model = servers_model(context.theme, self)
        self.table = ServersTable(context.theme, self.model)
        self.finder = search_box("Filter servers", "Filter servers by any text in the table")
        self.totals = label("", "muted")
        self.empty = EmptyState(context.theme, "server", "", "")
        self._open_action = QAction(icon("server"), "Open", self)
        self.connect_action = QAction(icon("plug"), "Connect", self)
        self.disconnect_action = QAction(icon("unplug"), "Disconnect", self)
        self._sort_menu = QMenu("Sort by", self)
        self._sort_menu.addAction("Order of .mcp.json", partial(self._sort, -1))
        for number, entry in enumerate(COLUMNS):
            self._sort_menu.addAction(entry.title, partial(self._sort, number))
        self.poll = QTimer(self, interval=_POLL_MS)
        self._lay_out()
        self._connect_signals()
        self._show_servers()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._read_vitals()
        self.poll.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.poll.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down in the filter goes to the table."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Down:
            self._go_to_table()
            return True
        return super().eventFilter(watched, event)

    # content

    def _read_vitals(self) -> None:
        self.context.tasks.run("read memory and calls", self.context.api.all_vitals(), self._show_vitals)

    def _show_vitals(self, vitals: tuple[Vitals, ...]) -> None:
        self._vitals = {one.server: one for one in vitals}
        self._show_servers()

    def _show_servers(self) -> None:
        servers = self.context.store.servers
        self.model.replace(ServerRow(state, self._vitals.get(name, Vitals(name))) for name, state in servers.items())
        self._draw()

    def _apply_filter(self) -> None:
        words = self.finder.text().casefold().split()
        self.model.keep(partial(matches, words=words) if words else None)
        self._draw()

    # what the user does

    def selected_rows(self) -> tuple[ServerRow, ...]:
        rows = (self.model.record(index) for index in self.table.selectionModel().selectedRows())
        return tuple(row for row in rows if row is not None)

    def _open(self, name: str) -> None:
        self.context.go(ShowServer(name))

    def _open_selected(self) -> None:
        if name := self.table.key():
            self._open(name)

    def _connect(self) -> None:
        if names := tuple(row.name for row in self.selected_rows() if row.can_connect):
            self.context.go(ConnectServers(names))

    def _disconnect(self) -> None:
        for row in self.selected_rows():
            if row.state.status in RUNNING:
                self.context.tasks.run(f"disconnect {row.name}", self.context.api.disconnect(row.name))

    def _menu_actions(self, _row: ServerRow) -> list[QAction | None]:
        """For the selected servers. Sorting is listed too, so that it is possible by keyboard."""
        actions = (self._open_action, self.connect_action, self.disconnect_action)
        return [*actions, None, self._sort_menu.menuAction()]

    def _sort(self, column: int) -> None:
        """A second time by the same column reverses the order."""
        head = self.table.horizontalHeader()
        again = head.sortIndicatorSection() == column and head.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder if again else Qt.SortOrder.AscendingOrder)

    def _start_filter(self, letters: str) -> None:
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.finder.setText(letters)

    def _go_to_table(self) -> None:
        if self.model.rowCount():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            if not self.table.currentIndex().isValid():
                self.table.setCurrentIndex(self.model.index(0, 0))

    # display

    def _draw(self) -> None:
        selected, servers = self.selected_rows(), self.context.store.servers
        self.connect_action.setEnabled(any(row.can_connect for row in selected))
        self.disconnect_action.setEnabled(any(row.state.status in RUNNING for row in selected))
        self.totals.setText(self._total_text())
        if servers:
            self.empty.say("No matches", "Clear the filter to see all servers.")
        else:
            self.empty.say("No servers yet", "Add a server, or import servers from other clients.")
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self.empty)

    def _total_text(self) -> str:
        states = self.context.store.servers.values()
        running = [state for state in states if state.status is ServerStatus.READY]
        failed = sum(state.status is ServerStatus.FAILED for state in states)
        memory = sum(vitals.memory_mb for vitals in self._vitals.values())
        tools = sum(state.tool_count for state in running)
        calls = sum(vitals.calls for vitals in self._vitals.values())
        errors = sum(vitals.errors for vitals in self._vitals.values())
        parts = [f"{len(running):,} of {len(states):,} ready"]
        parts += [f"{failed:,} failed"] if failed else []
        parts += [f"{memory:,.0f} MB"] if memory else []
        parts += [count_of(tools, "tool")] if tools else []
        parts += [f"{count_of(calls, 'call')}, {count_of(errors, 'error')}"] if calls else []
        return "  ·  ".join(parts)

    def _lay_out(self) -> None:
        theme = self.context.theme
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 1)
        for action in (self.connect_action, self.disconnect_action):
            button = push_button(action, action.text(), "quiet")
            button.setIcon(action.icon())
            strip.row.addWidget(button)
        strip.row.addWidget(action_button(self.context.commands["server.add"], theme))
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.table)
        foot = Strip(theme)
        mark(foot, kind="foot")
        foot.row.addWidget(self.totals, 1)
        column(self, strip, self._stack, foot, grows=self._stack)
        lead_focus(self, self._stack)

    def _connect_signals(self) -> None:
        store = self.context.store
        store.servers_loaded.connect(self._show_servers)
        store.server_changed.connect(self._show_servers)
        store.server_removed.connect(self._show_servers)
        self.poll.timeout.connect(self._read_vitals)
        self.finder.textChanged.connect(self._apply_filter)
        self.finder.returnPressed.connect(self._go_to_table)
        self.finder.installEventFilter(self)
        self.table.chosen.connect(self._open)
        self.table.typed.connect(self._start_filter)
        self.table.selection_changed.connect(self._draw)
        self.table.set_menu(self._menu_actions)
        self._open_action.triggered.connect(self._open_selected)
        self.connect_action.triggered.connect(self._connect)
        self.disconnect_action.triggered.connect(self._disconnect)
