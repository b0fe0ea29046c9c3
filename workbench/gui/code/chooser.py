"""A short list to choose from by a few letters: symbols, lines, runs, schemes, texts to compare with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget

from workbench.gui.kit.lists import RowsView, label
from workbench.gui.kit.rows import KEY, Row, RowsModel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.palette_matches import score

_SHOWN = 200


class Chooser(QDialog):
    """Enter takes the chosen row, Escape none; `looked_at` tells which one is chosen meanwhile."""

    chosen = Signal(str)
    looked_at = Signal(str)

    def __init__(self, theme: Theme, title: str, rows: Sequence[Row], parent: QWidget, empty: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._theme = theme
        self._owner = parent
        self._all = list(rows)
        self._extra: Callable[[str], list[Row]] = lambda words: []
        self.field = QLineEdit()
        self.field.setPlaceholderText(title)
        self.field.setAccessibleName(title)
        mark(self.field, kind="palette")
        self.field.installEventFilter(self)
        self.model = RowsModel(self)
        self.list = RowsView(theme, title, self)
        self.list.setModel(self.model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._nothing = label(empty or "Nothing fits.", "muted")
        self._nothing.setWordWrap(True)
        self._nothing.setContentsMargins(*(theme.unit * 3,) * 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self.field)
        column.addWidget(self._nothing)
        column.addWidget(self.list, 1)
        self.field.textChanged.connect(self._draw)
        self.list.clicked.connect(self._clicked)
        self.list.selectionModel().currentChanged.connect(self._looked)
        self._draw()

    def add(self, extra: Callable[[str], list[Row]]) -> None:
        """Rows that are made of what is typed; they come first."""
        self._extra = extra
        self._draw()

    def choose(self, key: str) -> None:
        """Begin with this row."""
        index = self.model.find(key)
        if index.isValid():
            self.list.setCurrentIndex(index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.key())
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        window, unit = self._owner.window(), self._theme.unit
        width = min(unit * 130, window.width() - unit * 8)
        self.resize(width, self._height())
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - width) // 2, corner.y() + unit * 14)
        self.field.setFocus()

    def _draw(self) -> None:
        words = self.field.text()
        scored = ((score(words, f"{row.title} {row.aside}"), row) for row in self._all)
        ranked = [(points, row) for points, row in scored if points is not None]
        if words.strip():
            ranked.sort(key=lambda one: -one[0])
        rows = [*self._extra(words), *(row for _, row in ranked)][:_SHOWN]
        self.model.show_rows(rows)
        self.list.setVisible(bool(rows))
        self._nothing.setVisible(not rows)
        if rows:
            self.list.setCurrentIndex(self.model.index(0))
        if self.isVisible():
            self.resize(self.width(), self._height())

    def _height(self) -> int:
        """As high as its rows, up to two thirds of the window."""
        row = max(1, self.list.sizeHintForRow(0), self._theme.unit * 6)
        rows = row * max(2, self.model.rowCount()) + self.field.sizeHint().height() + self._theme.unit * 6
        return min(rows, self._owner.window().height() * 2 // 3)

    def _looked(self, index: QModelIndex) -> None:
        if index.isValid():
            self.looked_at.emit(str(index.data(KEY)))

    def _clicked(self, index: QModelIndex) -> None:
        self._take(str(index.data(KEY)))

    def _take(self, key: str) -> None:
        if key:
            self.chosen.emit(key)
            self.accept()
