"""A frameless dialog at the top of the window: a text field, a list that follows what is typed, and a line below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget

from workbench.gui.kit.lists import RowsView, label
from workbench.gui.kit.rows import KEY, Row, RowsModel
from workbench.gui.kit.theme import Theme, mark

MAX_ROWS = 200
_MOVE_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
RowsFor = Callable[[str], Sequence[Row]]
"""The rows to show for what is typed, best match first."""


class Picker(QDialog):
    """Enter or a click picks a row, Escape closes. The keyboard stays in the field; arrows move in the list.

    Without `rows_for`, the owner calls `show_rows` itself.
    """

    WIDTH = 130
    """In units of the theme."""

    picked = Signal(str)
    """Carries the key of the row."""
    highlighted = Signal(str)
    """Carries the key of the current row, also before it is picked."""

    def __init__(
        self,
        theme: Theme,
        title: str,
        rows_for: RowsFor | None,
        parent: QWidget,
        empty: str = "No matches.",
        foot: str = "",
    ) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setObjectName("palette")  # the stylesheet's name for such boxes
        self._theme = theme
        self._owner = parent
        self._rows_for = rows_for
        self._closing = False
        self.moved = False
        """Whether a key has chosen another row than the first since this was last set to False."""
        self.field = QLineEdit()
        self.field.setPlaceholderText(title)
        self.field.setAccessibleName(title)
        mark(self.field, kind="palette")
        self.field.installEventFilter(self)
        self.model = RowsModel(self)
        self.list = RowsView(theme, title, self)
        self.list.setModel(self.model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._empty = label(empty, "muted")
        self._empty.setWordWrap(True)
        self._empty.setContentsMargins(*(theme.unit * 3,) * 4)
        self._foot = label("", "palette-foot")
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        for part in (self.field, self._empty):
            column.addWidget(part)
        column.addWidget(self.list, 1)
        column.addWidget(self._foot)
        self.list.clicked.connect(self._click)
        self.list.selectionModel().currentChanged.connect(self._highlight)
        self.set_foot(foot)
        if rows_for is not None:
            self.field.textChanged.connect(self.update_rows)
            self.update_rows()

    def set_foot(self, text: str) -> None:
        """Show a line below the list; no text hides it."""
        self._foot.setText(text)
        self._foot.setVisible(bool(text))

    def foot(self) -> str:
        """The line below the list."""
        return self._foot.text()

    def select(self, key: str) -> None:
        """Make the row with this key the current one, if there is one."""
        index = self.model.find(key)
        if index.isValid():
            self.list.setCurrentIndex(index)

    def update_rows(self) -> None:
        """Ask for the rows again."""
        if self._rows_for is not None:
            self.show_rows(self._rows_for(self.field.text()))

    def show_rows(self, rows: Sequence[Row], keep: str = "") -> None:
        """Show these rows. The row with the key `keep` becomes the current one, or else the first one."""
        rows = rows[:MAX_ROWS]
        self.model.show_rows(rows)
        self.list.setVisible(bool(rows))
        self._empty.setVisible(not rows)
        first = next((place for place, row in enumerate(rows) if not row.section), -1)
        kept = self.model.find(keep) if keep else self.model.index(-1)
        self.list.setCurrentIndex(kept if kept.isValid() else self.model.index(first))
        if not kept.isValid():
            self.list.scrollToTop()
        if self.isVisible():
            self.resize(self.width(), self.fitting_height())

    def enter(self) -> None:
        """Enter was pressed."""
        self.pick(self.list.key())

    def pick(self, key: str) -> None:
        """Close with the row of this key, if there is one."""
        if key:
            self._closing = True
            self.hide()
            self.picked.emit(key)
            self.accept()

    def done(self, result: int) -> None:
        """Hiding the picker takes its activation away: rejecting it again then would leave the window blocked."""
        self._closing = True
        super().done(result)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _MOVE_KEYS:
                self.list.keyPressEvent(event)
                self.moved = True
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.enter()
                return True
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        window, unit = self._owner.window(), self._theme.unit
        width = min(unit * self.WIDTH, window.width() - unit * 8)
        self.resize(width, self.fitting_height())
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - width) // 2, corner.y() + unit * 14)
        self.field.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        """A click anywhere else closes the picker."""
        super().changeEvent(event)
        lost = event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        if lost and self.isVisible() and not self._closing:
            self.reject()

    def fitting_height(self) -> int:
        """The height of its rows, up to two thirds of the window."""
        row = max(1, self.list.sizeHintForRow(0), self._theme.unit * 6)
        height = row * max(2, self.model.rowCount()) + self.field.sizeHint().height() + self._theme.unit * 6
        height += 0 if self._foot.isHidden() else self._foot.sizeHint().height()
        return min(height, self._owner.window().height() * 2 // 3)

    def _highlight(self, index: QModelIndex) -> None:
        if index.isValid():
            self.highlighted.emit(str(index.data(KEY)))

    def _click(self, index: QModelIndex) -> None:
        self.pick(str(index.data(KEY)))
