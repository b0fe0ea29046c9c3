"""A result as a tree: searched with names and values, copied as path or value, opened level by level."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QVBoxLayout, QWidget

from workbench.gui.forms.json_text import dump
from workbench.gui.models.json_tree import JsonTree
from workbench.gui.results.page import Page
from workbench.gui.results.search import Place, places_of
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.views import Strip, tool_button
from workbench.records import JsonValue

_OPENED = 12  # a tree with no more top rows than this opens its first level
_MOST_OPENED = 3_000  # rows that opening a level may bring


class TreePage(Page):
    """Ctrl+C copies the value of the chosen row, Ctrl+Shift+C its path."""

    said = Signal(str)
    """A short word of what was copied."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: JsonValue = None
        self._found: tuple[str, list[Place]] = ("", [])
        self._at = -1
        self.tree = QTreeView(self)
        self.tree.setUniformRowHeights(True)
        self.tree.setAccessibleName("Result as a tree")
        self.model = JsonTree(theme, self.tree)
        self.tree.setModel(self.model)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.setHeaderHidden(True)
        mark(self.tree, kind="code")
        self._path = ForeignLabel(elide=True)
        mark(self._path, role="muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.tree, 1)
        self.strip = self._foot(theme)
        layout.addWidget(self.strip)
        self.setFocusProxy(self.tree)
        self.tree.selectionModel().currentChanged.connect(self._moved)

    def show_value(self, value: JsonValue) -> None:
        self._value, self._found, self._at = value, ("", []), -1
        self.model.show_value(value)
        self.model.fetchMore(QModelIndex())
        self.tree.setColumnWidth(0, max(self.tree.fontMetrics().averageCharWidth() * 28, self.tree.width() // 3))
        if self.model.rowCount() <= _OPENED:
            self.tree.expandToDepth(0)
        self._path.setText("")

    def seek(self, words: str, step: int) -> str:
        if not words:
            return ""
        if self._found[0] != words:
            self._found, self._at = (words, places_of(self._value, words)), -1 if step > 0 else 0
        places = self._found[1]
        if not places:
            return "not found"
        self._at = (self._at + step) % len(places)
        self._show(places[self._at])
        return f"{self._at + 1} of {len(places):,}"

    def open_level(self) -> None:
        """Open every row that is seen closed, as far as that stays readable."""
        closed = [index for index in self._seen() if not self.tree.isExpanded(index)]
        brought = 0
        for index in closed:
            if brought > _MOST_OPENED:
                break
            if self.model.canFetchMore(index):
                self.model.fetchMore(index)
            self.tree.expand(index)
            brought += self.model.rowCount(index)

    def close_all(self) -> None:
        self.tree.collapseAll()

    def copy_value(self) -> None:
        """The JSON below the chosen row; of a text its letters."""
        value = self.model.value_at(self.tree.currentIndex())
        QGuiApplication.clipboard().setText(value if isinstance(value, str) else dump(value))
        self.said.emit("The value was copied.")

    def copy_path(self) -> None:
        QGuiApplication.clipboard().setText(self.model.path_at(self.tree.currentIndex()))
        self.said.emit("The path was copied.")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_C and event.modifiers() == control:
            self.copy_value()
        elif event.key() == Qt.Key.Key_C and event.modifiers() == control | shift:
            self.copy_path()
        else:
            super().keyPressEvent(event)

    def _foot(self, theme: Theme) -> Strip:
        foot = Strip(theme)
        foot.row.addWidget(self._path, 1)
        for symbol, words, act in (
            ("chevron-down", "Open one more level", self.open_level),
            ("chevron-up", "Close all levels", self.close_all),
            ("link", "Copy the path (Ctrl+Shift+C)", self.copy_path),
            ("copy", "Copy the value (Ctrl+C)", self.copy_value),
        ):
            button = tool_button(symbol, words, theme)
            button.clicked.connect(act)
            foot.row.addWidget(button)
        return foot

    def _seen(self) -> list[QModelIndex]:
        """Rows with something inside whose parents are all open, so many as one may open at a time."""
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
