"""Every server of the project as one line of a table that filters and sorts itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.icons import icon
from workbench.gui.rows import plain_tip
from workbench.gui.text import one_line, visible
from workbench.gui.theme import Theme
from workbench.gui.words import clock, duration, state_word
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
