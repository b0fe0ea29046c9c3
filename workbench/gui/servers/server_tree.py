"""Servers and their tools as a tree of two levels that filters itself. Categories are headings between the servers.

A tool's index carries the stable number of its server, a server's index carries 0: no pointers, so nothing dangles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.kit.rows import Row, row_data
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.wording import duration, hint_words, state_word
from workbench.records import ChangeKind, ServerState, ServerStatus, ToolSummary

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
HEADING = "\0"
"""Stands before a category in the key of its heading; no server's name has it."""


class ServersModel(QAbstractItemModel):
    """The tree; keys are "server" and "server\\ntool", and a heading's is its category behind HEADING."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._states: dict[str, ServerState] = {}
        self._tools: dict[str, tuple[ToolSummary, ...]] = {}
        self._numbers: dict[str, int] = {}  # server → the number its tools' indexes carry
        self._names: dict[int, str] = {}
        self._said: dict[str, tuple[tuple[str, str], ...]] = {}  # name and what the filter looks at, folded once a tool
        self._needle = ""
        self._folded: set[str] = set()  # categories whose servers are not shown
        self._servers: list[str] = []  # shown, in order, headings among them
        self._shown: dict[str, Sequence[ToolSummary]] = {}  # shown tools of each shown server

    # what Qt asks

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
        """Qt asks it of every row that it lays out."""
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

    # what the pane asks

    def server_at(self, index: Index) -> ServerState | None:
        """The server of a row: its own, or the one its tool belongs to."""
        if not index.isValid():
            return None
        name = self._names[index.internalId()] if index.internalId() else self._servers[index.row()]
        return self._states.get(name)

    def tool_at(self, index: Index) -> ToolSummary | None:
        if not index.isValid() or not index.internalId():
            return None
        return self._shown[self._names[index.internalId()]][index.row()]

    def find(self, server: str, tool: str = "") -> QModelIndex:
        """The place of a server or tool; invalid while the filter hides it."""
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

    # what changes it

    def load(self, states: Iterable[ServerState], tools: Iterable[ToolSummary]) -> None:
        """Everything anew."""
        self.beginResetModel()
        self._states = {state.config.name: state for state in states}
        self._tools = {}
        grouped: dict[str, list[ToolSummary]] = {}
        for tool in tools:
            grouped.setdefault(tool.server, []).append(tool)
        self._tools = {server: tuple(group) for server, group in grouped.items()}
        self._said = {}
        self._sift()
        self.endResetModel()

    def filter(self, text: str) -> None:
        """Show what has all words of the text in its name, title or summary; a server that fits shows all of it."""
        self.beginResetModel()
        self._needle = text.strip().casefold()
        self._sift()
        self.endResetModel()

    def arrange(self, names: Sequence[str]) -> None:
        """The servers stand in another order."""
        self.beginResetModel()
        known = {name: self._states[name] for name in names if name in self._states}
        self._states = {**known, **self._states}
        self._sift()
        self.endResetModel()

    def fold(self, category: str) -> None:
        """Show the servers of a category, or no longer."""
        self.beginResetModel()
        self._folded ^= {category}
        self._sift()
        self.endResetModel()

    def category_at(self, index: Index) -> str:
        """The category of a heading; empty for every other row."""
        if not index.isValid() or index.internalId():
            return ""
        name = self._servers[index.row()]
        return name.removeprefix(HEADING) if name.startswith(HEADING) else ""

    def beside(self, name: str, step: int) -> str:
        """The server before (-1) or behind (1) it, among those it is listed with."""
        category = self._category(name)
        group = [other for other in self._order() if other == name or self._is_listed_with(other, category)]
        at = group.index(name) + step
        return group[at] if 0 <= at < len(group) else ""

    def put(self, state: ServerState) -> None:
        """A server changed or appeared."""
        name = state.config.name
        known = name in self._states
        moved = self._category(name) != state.config.category if known else bool(state.config.category)
        self._states[name] = state
        if moved:
            self.arrange(())
        elif known and name in self._servers:
            place = self.find(name)
            self.dataChanged.emit(place, place)
        elif not known:
            self._appear(name)

    def remove(self, name: str) -> None:
        if any(other.startswith(HEADING) for other in self._servers):
            self._forget(name)
            self.arrange(())
        elif name in self._servers:
            row = self._servers.index(name)
            self.beginRemoveRows(QModelIndex(), row, row)
            self._servers.pop(row)
            self._forget(name)
            self.endRemoveRows()
        else:
            self._forget(name)

    def put_tools(self, server: str, tools: Sequence[ToolSummary]) -> None:
        """The tools of one server are other ones now."""
        if self._tools.get(server, ()) == tuple(tools):
            return
        self._tools[server] = tuple(tools)
        self._said.pop(server, None)
        if server not in self._servers:
            return
        place = self.find(server)
        if self._shown[server]:
            self.beginRemoveRows(place, 0, len(self._shown[server]) - 1)
            self._shown[server] = ()
            self.endRemoveRows()
        shown = self._fitting(server)
        if shown:
            self.beginInsertRows(place, 0, len(shown) - 1)
            self._shown[server] = shown
            self.endInsertRows()

    # inside

    def _appear(self, name: str) -> None:
        self._number(name)
        shown = self._fitting(name)
        if self._needle and not shown and not self._fits(name, ""):
            return
        row = self._place_of(name)
        if row < 0:
            self.arrange(())
            return
        self.beginInsertRows(QModelIndex(), row, row)
        self._servers.insert(row, name)
        self._shown[name] = shown
        self.endInsertRows()

    def _place_of(self, name: str) -> int:
        """Among servers without categories; -1 where there are headings, because then all rows are laid anew."""
        if any(other.startswith(HEADING) for other in self._servers):
            return -1
        order = {other: place for place, other in enumerate(self._order())}
        return sum(1 for other in self._servers if order[other] < order[name])

    def _order(self) -> list[str]:
        """As the file has them, by category; without one first, and the built-in server last."""
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

    def _forget(self, name: str) -> None:
        self._states.pop(name, None)
        self._tools.pop(name, None)
        self._said.pop(name, None)
        self._shown.pop(name, None)

    def _number(self, name: str) -> None:
        if name not in self._numbers:
            self._numbers[name] = len(self._numbers) + 1
            self._names[self._numbers[name]] = name

    def _sift(self) -> None:
        self._servers, self._shown = [], {}
        heading = ""
        for name in self._order():
            self._number(name)
            tools = self._fitting(name)
            if not tools and self._needle and not self._fits(name, ""):
                continue
            category = "" if self._is_builtin(name) else self._category(name)
            if category and category != heading:
                self._number(HEADING + category)
                self._servers.append(HEADING + category)
                self._shown[HEADING + category] = ()
            heading = category
            if self._needle or category not in self._folded:
                self._servers.append(name)
                self._shown[name] = tools

    def _fitting(self, server: str) -> Sequence[ToolSummary]:
        tools = self._tools.get(server, ())
        if not self._needle or self._fits(server, ""):
            return tools
        if server not in self._said:
            texts = (f"{server} {_filtered_by(tool)}" for tool in tools)
            self._said[server] = tuple(
                (tool.name.casefold(), text.casefold()) for tool, text in zip(tools, texts, strict=True)
            )
        named: list[ToolSummary] = []  # what is called so is meant before what only speaks of it
        spoken: list[ToolSummary] = []
        words = self._needle.split()
        first, more = words[0], words[1:]
        for tool, (name, said) in zip(tools, self._said[server], strict=True):
            if first in said and all(word in said for word in more):
                (named if first in name and all(word in name for word in more) else spoken).append(tool)
        return (*named, *spoken)

    def _fits(self, server: str, words: str) -> bool:
        text = f"{server} {self._category(server)} {words}".casefold()
        return all(word in text for word in self._needle.split())

    def _server_row(self, name: str) -> Row:
        if name.startswith(HEADING):
            category = name.removeprefix(HEADING)
            number = sum(1 for other in self._states if self._is_listed_with(other, category))
            return heading_row(category, number, folded=category in self._folded and not self._needle)
        state = self._states[name]
        return server_row(state, sum(tool.mark != ChangeKind.REMOVED for tool in self._tools.get(name, ())))


def heading_row(category: str, number: int, *, folded: bool) -> Row:
    """A category: its name, and how many servers it has."""
    return Row(
        key=HEADING + category,
        title=one_line(category, 80),
        aside=str(number),
        icon="chevron-right" if folded else "chevron-down",
        faded=True,
        tip="Enter folds and unfolds these servers.",
    )


def _filtered_by(tool: ToolSummary) -> str:
    return f"{tool.name} {tool.title} {tool.summary}"


def server_row(state: ServerState, tools: int) -> Row:
    """A server: its state as icon and word, how many tools, how fast."""
    word = state_word(state)
    aside = word.text
    if state.status is ServerStatus.READY:
        count = tools or state.tool_count
        parts = ["1 tool" if count == 1 else f"{count:,} tools"]
        if state.latency_ms:
            parts.append(duration(state.latency_ms))
        aside = " · ".join(parts)
    badges: tuple[tuple[str, str], ...] = (("built-in", "info"),) if state.config.builtin else ()
    if state.warnings:
        badges += ((f"{len(state.warnings)} warnings", "warning"),)
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
        tip="\n".join((f"{visible(state.config.name)}: {word.text}", *_offered(state))),
    )


def _mark_words(tool: ToolSummary) -> tuple[tuple[str, str], ...]:
    """What is to be known first: that it is blocked, new, or odd."""
    words: list[tuple[str, str]] = []
    if tool.mark == ChangeKind.CHANGED:
        words.append(("changed, blocked", "danger"))
    elif tool.mark == ChangeKind.NEW:
        words.append(("new", "info"))
    elif tool.mark == ChangeKind.REMOVED:
        words.append(("removed", "muted"))
    if tool.warned:
        words.append(("odd", "warning"))
    return tuple(words)


def _offered(state: ServerState) -> tuple[str, ...]:
    """What it has besides tools, for the tip."""
    resources = f"{state.resource_count} resources" if state.resource_count else ""
    prompts = f"{state.prompt_count} prompts" if state.prompt_count else ""
    return tuple(words for words in (resources, prompts) if words)


def tool_row(tool: ToolSummary) -> Row:
    """A tool: its name and what the server claims about it."""
    if tool.mark == ChangeKind.REMOVED:
        return _gone_row(tool)
    return Row(
        key=f"{tool.server}\n{tool.name}",
        title=one_line(tool.name, 120),
        badges=(*_mark_words(tool), *hint_words(tool.hints)),
        icon="lock" if tool.mark == ChangeKind.CHANGED else "warning" if tool.warned else "tool",
        tone="danger" if tool.mark == ChangeKind.CHANGED else "warning" if tool.warned else "faint",
        tip=f"{visible(tool.title or tool.name)}\n{visible(tool.summary)}",
    )


def _gone_row(tool: ToolSummary) -> Row:
    """A tool that its server took back: there to be noticed, not to be called."""
    return Row(
        key=f"{tool.server}\n{tool.name}",
        title=one_line(tool.name, 120),
        badges=_mark_words(tool),
        icon="minus",
        tone="faint",
        faded=True,
        tip="The server took it back. Enter shows it among the changes, until Seen is pressed.",
    )
