"""A JSON value as a tree that creates its rows when they are shown, so that a megabyte appears at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QTreeView

from workbench.gui.kit.json_text import dump
from workbench.gui.kit.lists import Strip, label, tool_button
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.page import Page
from workbench.records import JsonValue
from workbench.records.common_types import count_of

Index: TypeAlias = QModelIndex | QPersistentModelIndex

_BATCH = 250  # children created at once
_SHOWN = 400  # characters of a value in its row
_ROOT = QModelIndex()


@dataclass(slots=True)
class _Node:
    """One value in the tree; `children` are the numbers of those that have rows."""

    key: str
    value: JsonValue
    parent: int
    row: int
    children: list[int]


class JsonTree(QAbstractItemModel):
    """Two columns, name and value. Indexes hold numbers: Qt would not keep Python objects alive."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._nodes: list[_Node] = [_Node("", None, -1, 0, [])]

    def show_value(self, value: JsonValue) -> None:
        self.beginResetModel()
        self._nodes = [_Node("", value, -1, 0, [])]
        self.endResetModel()

    def value_at(self, index: Index) -> JsonValue:
        return self._node(index).value

    def path_at(self, index: Index) -> str:
        """The path of a row: `items[2].name`."""
        steps: list[str] = []
        number = index.internalId() if index.isValid() else 0
        while number > 0:
            node = self._nodes[number]
            listed = isinstance(self._nodes[node.parent].value, list)
            steps.append(f"[{node.key}]" if listed else f".{node.key}")
            number = node.parent
        return "".join(reversed(steps)).removeprefix(".")

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        node = self._node(parent)
        if not 0 <= row < len(node.children) or not 0 <= column < 2:
            return QModelIndex()
        return self.createIndex(row, column, node.children[row])

    def parent(self, index: Index = _ROOT) -> QModelIndex:  # type: ignore[override]  # QObject.parent() has no argument
        if not index.isValid():
            return QModelIndex()
        number = self._node(index).parent
        return self.createIndex(self._nodes[number].row, 0, number) if number > 0 else QModelIndex()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() and parent.column() > 0 else len(self._node(parent).children)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 2

    def hasChildren(self, parent: Index = _ROOT) -> bool:
        if parent.isValid() and parent.column() > 0:
            return False
        value = self._node(parent).value
        return isinstance(value, Mapping | list) and len(value) > 0

    def canFetchMore(self, parent: Index) -> bool:
        node = self._node(parent)
        return isinstance(node.value, Mapping | list) and len(node.children) < len(node.value)

    def fetchMore(self, parent: Index) -> None:
        number = parent.internalId() if parent.isValid() else 0
        node = self._nodes[number]
        start = len(node.children)
        fresh = _children(node.value, start, start + _BATCH)
        if fresh:
            self.beginInsertRows(_plain(parent), start, start + len(fresh) - 1)
            for row, (key, value) in enumerate(fresh, start):
                node.children.append(len(self._nodes))
                self._nodes.append(_Node(key, value, number, row, []))
            self.endInsertRows()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return ("Name", "Value")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        node = self._node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(node.key, 200) if index.column() == 0 else value_text(node.value)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._theme.colour("code_key" if index.column() == 0 else _role(node.value))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{one_line(node.key, 200)}: {value_text(node.value)}"
        return None

    def _node(self, index: Index) -> _Node:
        return self._nodes[index.internalId() if index.isValid() else 0]


def value_text(value: JsonValue) -> str:
    """A value in one row; objects and lists by their size."""
    if isinstance(value, Mapping):
        return f"{{ {count_of(len(value), 'field')} }}" if value else "{}"
    if isinstance(value, list):
        return f"[ {count_of(len(value), 'item')} ]" if value else "[]"
    if isinstance(value, str):
        return f"“{one_line(value, _SHOWN)}”"
    return json.dumps(value)


def _plain(index: Index) -> QModelIndex:
    """A QModelIndex: Qt passes both kinds of index, but accepts only this one."""
    if isinstance(index, QModelIndex):
        return index
    return index.model().index(index.row(), index.column(), index.parent())


def _children(value: JsonValue, start: int, end: int) -> list[tuple[str, JsonValue]]:
    if isinstance(value, list):
        return [(str(number), item) for number, item in enumerate(value[start:end], start)]
    if isinstance(value, Mapping):
        return [(key, value[key]) for key in list(value)[start:end]]
    return []


def _role(value: JsonValue) -> str:
    if isinstance(value, str):
        return "code_string"
    if isinstance(value, bool) or value is None:
        return "code_keyword"
    return "code_number" if isinstance(value, int | float) else "muted"


Place: TypeAlias = tuple[int, ...]
"""The path to a value as row numbers from the root."""
_MOST_PLACES = 10_000
_MOST_SEARCHED = 2_000_000  # values


def find_places(value: JsonValue, text: str) -> list[Place]:
    """The places that contain the text, from top to bottom. Without recursion, so that depth does not matter."""
    needle = text.casefold()
    found: list[Place] = []
    stack: list[tuple[Place, str, JsonValue]] = [((), "", value)]
    left = _MOST_SEARCHED
    while stack and left > 0 and len(found) < _MOST_PLACES:
        place, name, part = stack.pop()
        left -= 1
        if place and (needle in name.casefold() or needle in _searched_text(part)):
            found.append(place)
        children = list(part.items()) if isinstance(part, Mapping) else part if isinstance(part, list) else ()
        for row in range(len(children) - 1, -1, -1):  # a stack reverses them again
            child = children[row]
            stack.append(((*place, row), *child) if isinstance(part, Mapping) else ((*place, row), "", child))
    return found


def _searched_text(value: JsonValue) -> str:
    if isinstance(value, str):
        return value.casefold()
    return "" if isinstance(value, Mapping | list) else json.dumps(value)


_OPENED = 12  # a tree with no more top rows than this is expanded by one level
_MOST_OPENED = 3_000  # rows that expanding a level may add


def _copies_path(event: QKeyEvent) -> bool:
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    return event.key() == Qt.Key.Key_C and event.modifiers() == control | shift


class TreePage(Page):
    """Ctrl+C copies the value of the selected row, Ctrl+Shift+C its path."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._value: JsonValue = None
        self._found: tuple[str, list[Place]] = ("", [])
        self._at = -1
        self.tree = QTreeView(self)
        self.tree.setUniformRowHeights(True)
        self.tree.setAccessibleName("Result as a tree")
        self._theme = theme
        self._apply_font()
        theme.changed.connect(self._apply_font)
        self.model = JsonTree(theme, self.tree)
        self.tree.setModel(self.model)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.setHeaderHidden(True)
        mark(self.tree, kind="code")
        self._path = ForeignLabel(elide=True)
        mark(self._path, role="muted")
        self._empty = label("", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._empty.hide()
        self.strip = self._make_strip(theme)
        self.set_content(self.tree, above=self._empty, below=self.strip)
        self.tree.selectionModel().currentChanged.connect(self._moved)

    def _apply_font(self) -> None:
        self.tree.setFont(self._theme.mono())

    def show_value(self, value: JsonValue) -> None:
        self._value, self._found, self._at = value, ("", []), -1
        self.model.show_value(value)
        self.model.fetchMore(QModelIndex())
        self.tree.setColumnWidth(0, max(self.tree.fontMetrics().averageCharWidth() * 28, self.tree.width() // 3))
        if self.model.rowCount() <= _OPENED:
            self.tree.expandToDepth(0)
        self._path.setText("")
        empty = value in ({}, [])
        self._empty.setText("Empty object" if isinstance(value, Mapping) else "Empty list")
        self._empty.setVisible(empty)
        self.tree.setVisible(not empty)

    def seek(self, text: str, step: int) -> str:
        if not text:
            return ""
        if self._found[0] != text:
            self._found, self._at = (text, find_places(self._value, text)), -1 if step > 0 else 0
        places = self._found[1]
        if not places:
            return "Not found."
        self._at = (self._at + step) % len(places)
        self._show(places[self._at])
        return f"{self._at + 1:,} of {len(places):,}"

    def open_level(self) -> None:
        """Expand all visible rows by one level, up to a limit."""
        closed = [index for index in self._visible_parents() if not self.tree.isExpanded(index)]
        brought = 0
        for index in closed:
            if brought > _MOST_OPENED:
                break
            if self.model.canFetchMore(index):
                self.model.fetchMore(index)
            self.tree.expand(index)
            brought += self.model.rowCount(index)

    def copy_value(self) -> None:
        """Copy the value of the selected row as JSON; a string without quotes."""
        value = self.model.value_at(self.tree.currentIndex())
        QGuiApplication.clipboard().setText(value if isinstance(value, str) else dump(value))
        self.said.emit("Value copied.")

    def copy_path(self) -> None:
        QGuiApplication.clipboard().setText(self.model.path_at(self.tree.currentIndex()))
        self.said.emit("Path copied.")

    def event(self, event: QEvent) -> bool:
        """In the tree, Ctrl+Shift+C is not the shortcut of an action of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _copies_path(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_value()
        elif _copies_path(event):
            self.copy_path()
        else:
            super().keyPressEvent(event)

    def _make_strip(self, theme: Theme) -> Strip:
        """The buttons below the tree; its context menu has the same actions."""
        strip = Strip(theme)
        strip.row.addWidget(self._path, 1)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for symbol, text, key, act in (
            ("chevron-down", "Expand one level", "", self.open_level),
            ("chevron-up", "Collapse all", "", self.tree.collapseAll),
            ("link", "Copy path", " (Ctrl+Shift+C)", self.copy_path),
            ("copy", "Copy value", " (Ctrl+C)", self.copy_value),
        ):
            strip.row.addWidget(tool_button(symbol, text + key, theme, act))
            action = QAction(text, self.tree)
            action.triggered.connect(act)
            self.tree.addAction(action)
        return strip

    def _visible_parents(self) -> list[QModelIndex]:
        """Visible rows that have children, as many as may be expanded at once."""
        found: list[QModelIndex] = []
        stack = [QModelIndex()]
        while stack and len(found) < _MOST_OPENED:
            parent = stack.pop()
            for row in range(self.model.rowCount(parent)):
                index = self.model.index(row, 0, parent)
                if self.model.hasChildren(index):
                    found.append(index)
                    if self.tree.isExpanded(index):
                        stack.append(index)
        return found

    def _show(self, place: Place) -> None:
        index = QModelIndex()
        for row in place:
            while self.model.rowCount(index) <= row and self.model.canFetchMore(index):
                self.model.fetchMore(index)
            if index.isValid():
                self.tree.expand(index)
            index = self.model.index(row, 0, index)
        self.tree.setCurrentIndex(index)
        self.tree.scrollTo(index)

    def _moved(self, index: QModelIndex) -> None:
        self._path.setText(self.model.path_at(index))
