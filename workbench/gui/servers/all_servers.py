"""All servers side by side: state, speed, memory, calls and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QPushButton,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from workbench.events import Event, ServerChanged, ServerRemoved, ServersArranged
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState, Strip, action_button, label, lead_focus, search_box
from workbench.gui.kit.rows import plain_tip
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import clock, duration, state_word
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import ConnectServers, ShowServer
from workbench.records import ServerState, ServerStatus, Vitals

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
(NAME, CATEGORY, STATE, PROTOCOL, SPEED, MEMORY, PROCESS, RESTARTS, TOOLS, RESOURCES, PROMPTS, CALLS, ERRORS,
 LAST_ERROR) = range(14)  # fmt: skip
COLUMNS = LAST_ERROR + 1
_NUMBERS = frozenset({SPEED, MEMORY, PROCESS, RESTARTS, TOOLS, RESOURCES, PROMPTS, CALLS, ERRORS})
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_ORDER = (ServerStatus.FAILED, ServerStatus.STARTING, ServerStatus.READY, ServerStatus.STOPPED)


class Standing(Struct, frozen=True):
    """One server: what it is, and how it does."""

    state: ServerState
    vitals: Vitals

    @property
    def name(self) -> str:
        return self.state.config.name

    @property
    def runs(self) -> bool:
        return self.state.status is ServerStatus.READY


class AllServersModel(QAbstractTableModel):
    """In the project's own order, unless somebody sorts otherwise."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all: dict[str, Standing] = {}
        self._shown: list[Standing] = []
        self._needle = ""
        self._column, self._down = -1, False

    # what Qt asks

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else COLUMNS

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if way != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _NUMBERS:
            return _RIGHT
        return title(section) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        standing, column = self._shown[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _CELLS[column](standing)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{title(column)}: {_CELLS[column](standing) or '–'}"
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _NUMBERS:
            return _RIGHT
        if role == Qt.ItemDataRole.DecorationRole and column == STATE:
            word = state_word(standing.state)
            return icon(word.icon, word.tone)
        if role == Qt.ItemDataRole.ForegroundRole and (tone := _tone(standing, column)):
            return self._theme.colour(tone)
        if role == Qt.ItemDataRole.ToolTipRole and (tip := _tip(standing, column)):
            return plain_tip(tip)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._down = column, order == Qt.SortOrder.DescendingOrder
        self._show(self._fitting())

    # what the page asks

    def standing_at(self, index: Index) -> Standing | None:
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def standings(self) -> tuple[Standing, ...]:
        """Of all servers, shown or not."""
        return tuple(self._all.values())

    def find(self, name: str) -> QModelIndex:
        for row, standing in enumerate(self._shown):
            if standing.name == name:
                return self.index(row, 0)
        return QModelIndex()

    # what changes it

    def load(self, states: Sequence[ServerState], vitals: Sequence[Vitals]) -> None:
        """Everything anew; rows keep their place and stay chosen where they can."""
        found = {one.server: one for one in vitals}
        names = [state.config.name for state in states]
        self._all = {
            name: Standing(state, found.get(name, Vitals(name))) for name, state in zip(names, states, strict=True)
        }
        self._show(self._fitting())

    def put(self, state: ServerState) -> None:
        """A server is in another state now, or there is one more."""
        name = state.config.name
        known = self._all.get(name)
        self._all[name] = replace(known, state=state) if known else Standing(state, Vitals(name))
        self._show(self._fitting())

    def remove(self, name: str) -> None:
        if self._all.pop(name, None):
            self._show(self._fitting())

    def filter(self, text: str) -> None:
        """Show servers that have all words of the text in a cell."""
        self._needle = text.strip().casefold()
        self._show(self._fitting())

    # inside

    def _fitting(self) -> list[Standing]:
        words = self._needle.split()
        fitting = [one for one in self._all.values() if not words or _has(one, words)]
        if self._column >= 0:
            fitting.sort(key=lambda one: _key(one, self._column), reverse=self._down)
        return fitting

    def _show(self, rows: list[Standing]) -> None:
        before, after = [one.name for one in self._shown], [one.name for one in rows]
        if before == after:
            self._shown = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, COLUMNS - 1))
        elif sorted(before) == sorted(after):
            self._move(rows, {name: row for row, name in enumerate(after)})
        else:
            self.beginResetModel()
            self._shown = rows
            self.endResetModel()

    def _move(self, rows: list[Standing], places: Mapping[str, int]) -> None:
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        names = [self._shown[index.row()].name for index in old]
        self._shown = rows
        new = [self.index(places[name], index.column()) for name, index in zip(names, old, strict=True)]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()


def title(column: int) -> str:
    """What stands above a column."""
    return (
        "Server",
        "Category",
        "State",
        "Protocol",
        "Typical call",
        "Memory",
        "Process",
        "Restarts",
        "Tools",
        "Resources",
        "Prompts",
        "Calls",
        "Errors",
        "Last error",
    )[column]


def last_error(standing: Standing) -> str:
    """What keeps it from running, or what went wrong last."""
    fault = standing.state.fault
    return fault.message if fault else standing.vitals.last_error


def _state(standing: Standing) -> str:
    return state_word(standing.state).text


def _protocol(standing: Standing) -> str:
    return one_line(standing.state.protocol, 40)


def _counted(number: int) -> str:
    return f"{number:,}" if number else ""


_CELLS: Final[Mapping[int, Callable[[Standing], str]]] = {
    NAME: lambda one: one_line(one.name, 80),
    CATEGORY: lambda one: one_line(one.state.config.category, 60),
    STATE: _state,
    PROTOCOL: _protocol,
    SPEED: lambda one: duration(one.vitals.typical_ms) if one.vitals.calls else "",
    MEMORY: lambda one: f"{one.vitals.memory_mb:,.0f} MB" if one.vitals.memory_mb else "",
    PROCESS: lambda one: str(one.state.pid or ""),
    RESTARTS: lambda one: _counted(one.state.restarts),
    TOOLS: lambda one: _counted(one.state.tool_count),
    RESOURCES: lambda one: _counted(one.state.resource_count),
    PROMPTS: lambda one: _counted(one.state.prompt_count),
    CALLS: lambda one: _counted(one.vitals.calls),
    ERRORS: lambda one: _counted(one.vitals.errors),
    LAST_ERROR: lambda one: one_line(last_error(one), 200),
}

_AMOUNTS: Final[Mapping[int, Callable[[Standing], float]]] = {
    STATE: lambda one: _ORDER.index(one.state.status),
    SPEED: lambda one: one.vitals.typical_ms if one.vitals.calls else -1.0,
    MEMORY: lambda one: one.vitals.memory_mb,
    PROCESS: lambda one: one.state.pid,
    RESTARTS: lambda one: one.state.restarts,
    TOOLS: lambda one: one.state.tool_count,
    RESOURCES: lambda one: one.state.resource_count,
    PROMPTS: lambda one: one.state.prompt_count,
    CALLS: lambda one: one.vitals.calls,
    ERRORS: lambda one: one.vitals.errors,
}


def _key(standing: Standing, column: int) -> tuple[float, str]:
    """Numbers by their size, words by the alphabet, what is equal by the server's name."""
    if column in _AMOUNTS:
        return _AMOUNTS[column](standing), ""
    return 0.0, _CELLS[column](standing).casefold()


def _has(standing: Standing, words: Sequence[str]) -> bool:
    text = " ".join(cell(standing) for cell in _CELLS.values()).casefold()
    return all(word in text for word in words)


def _tone(standing: Standing, column: int) -> str:
    if column == LAST_ERROR:
        return "danger" if standing.state.fault else "muted"
    if column == NAME or (column == STATE and standing.runs):
        return ""
    return "danger" if column == STATE and standing.state.status is ServerStatus.FAILED else "muted"


def _about(standing: Standing) -> str:
    """What it calls itself, and what a person says of it."""
    state = standing.state
    parts = (state.title or standing.name, state.version, state.config.description)
    return " · ".join(one_line(part, 200) for part in parts if part)


def _tip(standing: Standing, column: int) -> str:
    if column == NAME:
        cells = ((title(other), _CELLS[other](standing)) for other in range(CATEGORY, COLUMNS))
        return "\n".join((_about(standing), *(f"{name}: {words}" for name, words in cells if words)))
    if column == SPEED and standing.vitals.calls:
        return f"The middle one of the last calls; the slowest took {duration(standing.vitals.slowest_ms)}."
    if column == LAST_ERROR and (words := last_error(standing)):
        at = standing.vitals.last_error_at
        return f"{clock(at)}  {visible(words)}" if at else visible(words)
    return ""


_SAMPLES = {
    NAME: "a-rather-long-name", CATEGORY: "Category one", STATE: "□ Starting…  ",
    PROTOCOL: "2025-11-25 · modern", SPEED: "888.8 s", MEMORY: "8,888 MB",
    PROCESS: "8888888", RESTARTS: "888", TOOLS: "88,888", RESOURCES: "88,888",
    PROMPTS: "8,888", CALLS: "888,888", ERRORS: "8,888", LAST_ERROR: "x" * 22,
}  # fmt: skip
"""What a column must have room for, besides its title."""
_LEAST_TELLING = (
    PROCESS, RESTARTS, PROMPTS, RESOURCES, PROTOCOL, CATEGORY,
    CALLS, SPEED, TOOLS, ERRORS, MEMORY,
)  # fmt: skip


class ServersTable(QTableView):
    """Enter or a double click opens a server; what is typed is meant for the filter."""

    chosen = Signal()
    typed = Signal(str)

    def __init__(self, context: Context, model: AllServersModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model = model
        self._widths: dict[int, int] = {}
        self.setModel(model)
        self.setAccessibleName("All servers")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(LAST_ERROR, QHeaderView.ResizeMode.Stretch)
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(self.chosen)
        self.installEventFilter(self)
        self._dress()
        context.theme.changed.connect(self._dress)

    def standings(self) -> tuple[Standing, ...]:
        """The servers that are chosen."""
        found = (self._model.standing_at(index) for index in self.selectionModel().selectedRows())
        return tuple(standing for standing in found if standing is not None)

    def fit_columns(self) -> None:
        """Where it is narrow the least telling columns go first; a server's name tells what they said."""
        named = any(one.state.config.category for one in self._model.standings())
        widths = {column: wide for column, wide in self._widths.items() if named or column != CATEGORY}
        self.setColumnHidden(CATEGORY, not named)
        wanted = sum(widths.values())
        room = self.width() - self.verticalScrollBar().sizeHint().width()
        for column in _LEAST_TELLING:
            if column in widths:
                hidden = wanted > room
                self.setColumnHidden(column, hidden)
                wanted -= widths[column] if hidden else 0

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.chosen.emit()
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """A filter finds more than Qt's search for the first letters, and shows it."""
        self.typed.emit(search)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self and event.type() == QEvent.Type.Resize:
            self.fit_columns()
        return super().eventFilter(watched, event)

    def _dress(self) -> None:
        unit = self._context.theme.unit
        self.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit * 3)
        for column, sample in _SAMPLES.items():
            words = max(self.fontMetrics().horizontalAdvance(text) for text in (title(column), sample))
            self._widths[column] = words + unit * 6
            self.setColumnWidth(column, self._widths[column])


_BEAT = 2000  # milliseconds between two looks while the page is seen
_PAUSE = 150  # milliseconds without a key before the list is sifted
_RUNNING = (ServerStatus.READY, ServerStatus.STARTING)


class AllServers(Pane):
    """The filter above, the table, and what they are together below."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.model = AllServersModel(context.theme, self)
        self.table = ServersTable(context, self.model)
        self.finder = search_box("Filter servers", "Filter servers by any words about them")
        self.start = QPushButton(icon("plug"), "Connect")
        self.stop = QPushButton(icon("unplug"), "Disconnect")
        self.totals = label("", "muted")
        self._empty = EmptyState(context.theme, "server", "", "")
        self._beat = QTimer(self, interval=_BEAT)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._lay_out(commands)
        self._bind()
        self._fill()

    def hear(self, event: Event) -> None:
        match event:
            case ServerChanged(state):
                self._keep_chosen(partial(self.model.put, state))
            case ServerRemoved(name):
                self._keep_chosen(partial(self.model.remove, name))
            case ServersArranged():
                self.refresh()

    def refresh(self) -> None:
        if self.isVisible():
            self.context.tasks.run("look at all servers", self._read())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        self._beat.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._beat.stop()

    async def _read(self) -> None:
        states, vitals = await self.context.api.servers(), await self.context.api.all_vitals()
        self._keep_chosen(lambda: self.model.load(states, vitals))

    # what a person does

    def _open(self) -> None:
        standing = self.model.standing_at(self.table.currentIndex())
        if standing is not None:
            self.context.go(ShowServer(standing.name))

    def _connect(self) -> None:
        chosen = (one for one in self.table.standings() if one.state.status not in _RUNNING)
        if names := tuple(one.name for one in chosen if not one.state.config.disabled):
            self.context.go(ConnectServers(names))

    def _disconnect(self) -> None:
        for standing in self.table.standings():
            if standing.state.status in _RUNNING:
                self.context.tasks.run(f"disconnect {standing.name}", self.context.api.disconnect(standing.name))

    def _ask(self, place: QPoint) -> None:
        """What can be done with the chosen servers, and the order: all of it by keyboard too."""
        menu = QMenu(self.table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("server"), "Open", self._open).setEnabled(bool(self.table.standings()))
        menu.addAction(self.start.icon(), "Connect", self._connect).setEnabled(self.start.isEnabled())
        menu.addAction(self.stop.icon(), "Disconnect", self._disconnect).setEnabled(self.stop.isEnabled())
        order = menu.addMenu("Sort by")
        order.addAction("The project's own order", partial(self._sort, -1))
        for column in range(COLUMNS):
            order.addAction(title(column), partial(self._sort, column))
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _sort(self, column: int) -> None:
        """Once more by the same column turns the order round."""
        head = self.table.horizontalHeader()
        again = head.sortIndicatorSection() == column and head.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        self.table.sortByColumn(column, Qt.SortOrder.DescendingOrder if again else Qt.SortOrder.AscendingOrder)

    def _typed(self, letters: str) -> None:
        self.finder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.finder.setText(letters)

    def _sift(self) -> None:
        self._pause.stop()
        self._keep_chosen(lambda: self.model.filter(self.finder.text()))

    def _to_table(self) -> None:
        self._sift()
        if self.model.rowCount():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
            if not self.table.currentIndex().isValid():
                self.table.setCurrentIndex(self.model.index(0, 0))

    # looks

    def _keep_chosen(self, change: Callable[[], None]) -> None:
        """What was chosen stays so, also where the rows are laid anew."""
        chosen = [standing.name for standing in self.table.standings()]
        current = self.model.standing_at(self.table.currentIndex())
        change()
        if current is not None and not self.table.currentIndex().isValid():
            self._choose(chosen, current.name)
        self.table.fit_columns()
        self._fill()

    def _choose(self, names: list[str], current: str) -> None:
        selection = self.table.selectionModel()
        flags = QItemSelectionModel.SelectionFlag
        for name in names:
            selection.select(self.model.find(name), flags.Select | flags.Rows)
        selection.setCurrentIndex(self.model.find(current), flags.NoUpdate)

    def _fill(self) -> None:
        chosen, everyone = self.table.standings(), self.model.standings()
        self.start.setEnabled(any(one.state.status not in _RUNNING and not one.state.config.disabled for one in chosen))
        self.stop.setEnabled(any(one.state.status in _RUNNING for one in chosen))
        self.totals.setText(self._sum(everyone))
        if everyone:
            self._empty.say("No server fits", "Clear the filter to see all of them.")
        else:
            self._empty.say("No servers yet", "Add a server, or import those of other apps.")
        self._stack.setCurrentWidget(self.table if self.model.rowCount() else self._empty)

    def _sum(self, everyone: tuple[Standing, ...]) -> str:
        """All of them together; what nobody does or has is left out."""
        running = [one for one in everyone if one.runs]
        memory = sum(one.vitals.memory_mb for one in running)
        failed = sum(one.state.status is ServerStatus.FAILED for one in everyone)
        tools = sum(one.state.tool_count for one in running)
        calls, errors = (sum(getattr(one.vitals, name) for one in everyone) for name in ("calls", "errors"))
        parts = [f"{len(running)} of {len(everyone)} run"]
        parts += [f"{failed} failed"] if failed else []
        parts += [f"{memory:,.0f} MB"] if memory else []
        parts += [f"{tools:,} tools"] if tools else []
        parts += [f"{calls:,} calls, {errors:,} errors"] if calls else []
        return "  ·  ".join(parts)

    def _lay_out(self, commands: Commands) -> None:
        theme = self.context.theme
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 1)
        for button in (self.start, self.stop):
            mark(button, kind="quiet")
            strip.row.addWidget(button)
        strip.row.addWidget(action_button(commands["server.add"], theme))
        table = QWidget()
        self._stack = QStackedLayout(table)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        foot = Strip(theme)
        mark(foot, kind="foot")
        foot.row.addWidget(self.totals, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(table, 1)
        column.addWidget(foot)
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        self._beat.timeout.connect(self.refresh)
        self._pause.timeout.connect(self._sift)
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._to_table)
        self.start.clicked.connect(self._connect)
        self.stop.clicked.connect(self._disconnect)
        self.table.chosen.connect(self._open)
        self.table.typed.connect(self._typed)
        self.table.selectionModel().selectionChanged.connect(self._fill)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._ask)
