"""Tree model of servers and their tools, with categories as headings between the servers. It filters its own rows.

The internal id of a tool's index is the stable number of its server; that of a server's index is 0. No index holds a
pointer, so none can dangle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer
from PySide6.QtWidgets import QTreeView

from workbench.gui.kit.rows import Row, row_data
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import StateText, duration, hint_words, state_word
from workbench.records import ChangeKind, ServerState, ServerStatus, ToolSummary
from workbench.records.common_types import count_of

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
HEADING = "\0"
"""Prefix of a heading's key; the name of a server cannot contain it."""


class ServerTreeModel(QAbstractItemModel):
    """Keys of rows: "server", "server\\ntool", and HEADING plus the category for a heading."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._states: dict[str, ServerState] = {}
        self._tools: dict[str, tuple[ToolSummary, ...]] = {}
        self._numbers: dict[str, int] = {}  # server → internal id of the indexes of its tools
        self._names: dict[int, str] = {}
        self._search_texts: dict[str, tuple[tuple[str, str], ...]] = {}  # name and text of each tool, case-folded
        self._filter = ""
        self._collapsed: set[str] = set()  # categories whose servers are hidden
        self._servers: list[str] = []  # shown rows in order: servers and headings
        self._shown: dict[str, Sequence[ToolSummary]] = {}  # shown tools of each shown server

    # QAbstractItemModel

    def rowCount(self, parent: Index = _ROOT) -> int:
        if not parent.isValid():
            return len(self._servers)
        return 0 if parent.internalId() else len(self._shown[self._servers[parent.row()]])

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 1

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        if column != 0:
            return QModelIndex()
        if not parent.isValid():
            return self.createIndex(row, 0, 0) if 0 <= row < len(self._servers) else QModelIndex()
        name = "" if parent.internalId() else self._servers[parent.row()]
        if not name or not 0 <= row < len(self._shown[name]):
            return QModelIndex()
        return self.createIndex(row, 0, self._numbers[name])

    def hasChildren(self, parent: Index = _ROOT) -> bool:
        """Qt calls this for every row that it lays out."""
        if not parent.isValid():
            return bool(self._servers)
        return not parent.internalId() and bool(self._shown[self._servers[parent.row()]])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # QObject.parent() is another method
        name = self._names.get(index.internalId()) if index.isValid() else None
        return self.createIndex(self._servers.index(name), 0, 0) if name in self._servers else QModelIndex()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        tool = self.tool_at(index)
        return row_data(tool_row(tool) if tool else self._server_row(self._servers[index.row()]), role)

    # lookups

    def server_at(self, index: Index) -> ServerState | None:
        """The server of a row, or the server that the row's tool belongs to."""
        if not index.isValid():
            return None
        name = self._names[index.internalId()] if index.internalId() else self._servers[index.row()]
        return self._states.get(name)

    def tool_at(self, index: Index) -> ToolSummary | None:
        if not index.isValid() or not index.internalId():
            return None
        return self._shown[self._names[index.internalId()]][index.row()]

    def find(self, server: str, tool: str = "") -> QModelIndex:
        """The index of a server or tool; invalid while the filter hides it."""
        if server not in self._servers:
            return QModelIndex()
        place = self.index(self._servers.index(server), 0)
        if not tool:
            return place
        for row, summary in enumerate(self._shown[server]):
            if summary.name == tool:
                return self.index(row, 0, place)
        return QModelIndex()

    def state(self, server: str) -> ServerState | None:
        return self._states.get(server)

    def states(self) -> tuple[ServerState, ...]:
        return tuple(self._states.values())

    # changes

    def load(self, states: Iterable[ServerState], tools: Mapping[str, Sequence[ToolSummary]]) -> None:
        """Replace all servers and tools."""
        self._states = {state.config.name: state for state in states}
        self._tools = {server: tuple(listed) for server, listed in tools.items()}
        self._search_texts = {}
        self._rebuild()

    def filter(self, text: str) -> None:
        """Show tools with all words of the text in name, title or summary; a matching server shows all of its tools."""
        self._filter = text.strip().casefold()
        self._rebuild()

    def toggle_category(self, category: str) -> None:
        """Collapse or expand the servers of a category."""
        self._collapsed ^= {category}
        self._rebuild()

    def category_at(self, index: Index) -> str:
        """The category of a heading; empty for every other row."""
        if not index.isValid() or index.internalId():
            return ""
        name = self._servers[index.row()]
        return name.removeprefix(HEADING) if name.startswith(HEADING) else ""

    def neighbour(self, name: str, step: int) -> str:
        """The server before (-1) or after (1) this one in the same category; empty at the ends."""
        category = self._category(name)
        group = [other for other in self._order() if other == name or self._is_listed_with(other, category)]
        at = group.index(name) + step
        return group[at] if 0 <= at < len(group) else ""

    def update_server(self, state: ServerState) -> None:
        """Add a server or update its row."""
        name = state.config.name
        known = name in self._states
        moved = known and self._category(name) != state.config.category
        self._states[name] = state
        if moved or not known:
            self._rebuild()
        elif name in self._servers:
            place = self.find(name)
            self.dataChanged.emit(place, place)

    def remove(self, name: str) -> None:
        for known in (self._states, self._tools, self._search_texts):
            known.pop(name, None)
        self._rebuild()

    def put_tools(self, server: str, tools: Sequence[ToolSummary]) -> None:
        """Replace the tools of one server. The same names in the same order keep their rows, and so the selection."""
        if self._tools.get(server, ()) == tuple(tools):
            return
        self._tools[server] = tuple(tools)
        self._search_texts.pop(server, None)
        if server not in self._servers:
            return
        place, before, shown = self.find(server), self._shown[server], self._matching_tools(server)
        if [tool.name for tool in before] == [tool.name for tool in shown]:
            self._shown[server] = shown
            if shown:
                self.dataChanged.emit(self.index(0, 0, place), self.index(len(shown) - 1, 0, place))
            self.dataChanged.emit(place, place)
            return
        if before:
            self.beginRemoveRows(place, 0, len(before) - 1)
            self._shown[server] = ()
            self.endRemoveRows()
        if shown:
            self.beginInsertRows(place, 0, len(shown) - 1)
            self._shown[server] = shown
            self.endInsertRows()

    # internals

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._servers, self._shown = [], {}
        heading = ""
        for name in self._order():
            self._number(name)
            tools = self._matching_tools(name)
            if not tools and self._filter and not self._server_matches(name):
                continue
            category = "" if self._is_builtin(name) else self._category(name)
            if category and category != heading:
                self._number(HEADING + category)
                self._servers.append(HEADING + category)
                self._shown[HEADING + category] = ()
            heading = category
            if self._filter or category not in self._collapsed:
                self._servers.append(name)
                self._shown[name] = tools
        self.endResetModel()

    def _order(self) -> list[str]:
        """In the order of the file, by category: first those without one, last the built-in server."""
        places = {"": -1}
        for state in self._states.values():
            places.setdefault(state.config.category, len(places))
        return sorted(self._states, key=lambda name: (self._is_builtin(name), places[self._category(name)]))

    def _category(self, name: str) -> str:
        return self._states[name].config.category

    def _is_builtin(self, name: str) -> bool:
        return self._states[name].config.builtin

    def _is_listed_with(self, name: str, category: str) -> bool:
        return self._category(name) == category and not self._is_builtin(name)

    def _number(self, name: str) -> None:
        if name not in self._numbers:
            self._numbers[name] = len(self._numbers) + 1
            self._names[self._numbers[name]] = name

    def _matching_tools(self, server: str) -> Sequence[ToolSummary]:
        tools = self._tools.get(server, ())
        if not self._filter or self._server_matches(server):
            return tools
        if server not in self._search_texts:
            self._search_texts[server] = tuple(
                (tool.name.casefold(), f"{server} {tool.name} {tool.title} {tool.summary}".casefold()) for tool in tools
            )
        by_name: list[ToolSummary] = []  # listed before those where only the title or summary matches
        by_text: list[ToolSummary] = []
        words = self._filter.split()
        first, more = words[0], words[1:]
        for tool, (name, text) in zip(tools, self._search_texts[server], strict=True):
            if first in text and all(word in text for word in more):
                (by_name if first in name and all(word in name for word in more) else by_text).append(tool)
        return (*by_name, *by_text)

    def _server_matches(self, server: str) -> bool:
        text = f"{server} {self._category(server)}".casefold()
        return all(word in text for word in self._filter.split())

    def _server_row(self, name: str) -> Row:
        if name.startswith(HEADING):
            category = name.removeprefix(HEADING)
            number = sum(1 for other in self._states if self._is_listed_with(other, category))
            return heading_row(category, number, collapsed=category in self._collapsed and not self._filter)
        state = self._states[name]
        return server_row(state, sum(tool.mark != ChangeKind.REMOVED for tool in self._tools.get(name, ())))


def heading_row(category: str, number: int, *, collapsed: bool) -> Row:
    """A category: its name and its number of servers."""
    return Row(
        key=HEADING + category,
        title=one_line(category, 80),
        aside=str(number),
        icon="chevron-right" if collapsed else "chevron-down",
        faded=True,
        tip="Press Enter to collapse or expand this category.",
    )


def server_row(state: ServerState, tools: int) -> Row:
    """A server: its state as icon and word; if it runs, its number of tools and latency."""
    word = state_word(state)
    aside = word.text
    if state.status is ServerStatus.READY:
        parts = [count_of(tools or state.tool_count, "tool")]
        if state.latency_ms:
            parts.append(duration(state.latency_ms))
        aside = " · ".join(parts)
    badges: tuple[tuple[str, str], ...] = (("built-in", "info"),) if state.config.builtin else ()
    if state.warnings:
        badges += ((count_of(len(state.warnings), "warning"), "warning"),)
    return Row(
        key=state.config.name,
        title=visible(state.config.name),
        aside=aside,
        aside_tone="danger" if state.status is ServerStatus.FAILED else "muted",
        icon=word.icon,
        tone=word.tone,
        badges=badges,
        strong=True,
        faded=state.config.disabled,
        tip="\n".join((f"{visible(state.config.name)}: {word.text}", *_other_counts(state))),
    )


def _other_counts(state: ServerState) -> tuple[str, ...]:
    """Resources and prompts, for the tooltip."""
    counts = ((state.resource_count, "resource"), (state.prompt_count, "prompt"))
    return tuple(count_of(number, noun) for number, noun in counts if number)


CHANGE_WORDS: dict[str, StateText] = {
    ChangeKind.CHANGED: StateText("blocked", "lock", "danger"),
    ChangeKind.NEW: StateText("new", "plus", "info"),
    ChangeKind.REMOVED: StateText("removed", "minus", "muted"),
}


def tool_row(tool: ToolSummary) -> Row:
    """A tool: what changed in its definition and the hints of its server, dangers first. A tool that its server no
    longer offers is listed until the user has seen the removal.
    """
    changed, removed = tool.mark == ChangeKind.CHANGED, tool.mark == ChangeKind.REMOVED
    badges = [(CHANGE_WORDS[tool.mark].text, CHANGE_WORDS[tool.mark].tone)] if tool.mark in CHANGE_WORDS else []
    badges += [("suspicious", "warning")] if tool.warned else []
    badges += () if removed else hint_words(tool.hints)
    icon, tone = ("warning", "warning") if tool.warned else ("tool", "faint")
    if changed or removed:
        icon, tone = CHANGE_WORDS[tool.mark].icon, "danger" if changed else "faint"
    about = f"{visible(tool.title or tool.name)}\n{visible(tool.summary)}"
    return Row(
        key=f"{tool.server}\n{tool.name}",
        title=one_line(tool.name, 120),
        badges=tuple(sorted(badges, key=lambda badge: badge[1] != "danger")),
        icon=icon,
        tone=tone,
        faded=removed,
        tip="The server no longer offers this tool. Press Enter to see the change." if removed else about,
    )


_ROWS_AT_ONCE = 1_000  # rows laid out in one step; 10,000 at once would delay every key
_PAUSE_MS = 4  # between two steps, for painting and keys


class StagedExpansion(QObject):
    """Expands rows of a tree in steps. A later call replaces an earlier one."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree
        self._left: list[QPersistentModelIndex] = []
        self._next = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._next.timeout.connect(self._continue)

    def expand(self, rows: Iterable[QModelIndex]) -> None:
        """Expand these rows from first to last, but the parent of the current row before all others."""
        self._left = [QPersistentModelIndex(row) for row in rows]
        current_parent = self._tree.currentIndex().parent()
        self._left.sort(key=lambda row: row != current_parent)
        self._expand_some()

    def is_busy(self) -> bool:
        """Whether rows are left to expand."""
        return bool(self._left)

    def _continue(self) -> None:
        """Keep the current row at its place on screen while rows are inserted above it."""
        current = self._tree.currentIndex()
        before = self._tree.visualRect(current)
        self._expand_some()
        seen = before.isValid() and self._tree.viewport().rect().intersects(before)
        if seen and (moved := self._tree.visualRect(current).top() - before.top()):
            bar = self._tree.verticalScrollBar()
            bar.setValue(bar.value() + moved)

    def _expand_some(self) -> None:
        rows = 0
        while self._left and rows < _ROWS_AT_ONCE:
            row = self._left.pop(0)
            if row.isValid() and not self._tree.isExpanded(row):
                rows += self._tree.model().rowCount(row)
                self._tree.expand(row)
        if self._left:
            self._next.start()
