"""The list of names below the cursor; the editor keeps the keyboard and leads the list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.gui.models.rows import RowsModel
from workbench.gui.rows import Row
from workbench.gui.theme import Theme, mark
from workbench.gui.views import RowsView
from workbench.records import Candidate

_ROWS = 9  # names one sees without scrolling
_LETTERS = 46
_ICONS = {"function": "tool", "class": "layers", "module": "book", "param": "pencil", "keyword": "code"}


class CompletionList(QFrame):
    """Lies over the window like a menu, without its own keyboard."""

    taken = Signal(str)
    """Carries the name that was clicked."""

    def __init__(self, theme: Theme, editor: QWidget) -> None:
        super().__init__(editor)
        self._theme = theme
        self._editor = editor
        self._names: list[str] = []
        mark(self, kind="card")
        self.model = RowsModel(self)
        self.list = RowsView(theme, "Names that fit", self)
        self.list.setModel(self.model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(self._clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(self.list)
        self.hide()

    def show_names(self, found: Sequence[Candidate], place: QPoint, line_height: int) -> None:
        """Below the line of the cursor, or above it where there is no room; `place` is the window's."""
        self._names = [one.name for one in found]
        icons = [_ICONS.get(one.kind, "dot") for one in found]
        rows = [Row(str(at), one.name, aside=one.kind, icon=icons[at], mono=True) for at, one in enumerate(found)]
        self.model.show_rows(rows)
        self.list.setCurrentIndex(self.model.index(0))
        window = self._editor.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        row = max(1, self.list.sizeHintForRow(0))
        width = min(self.fontMetrics().averageCharWidth() * _LETTERS, window.width())
        height = row * min(len(found), _ROWS) + self._theme.unit * 3
        below = place.y() + line_height
        top = below if below + height <= window.height() else max(0, place.y() - height)
        self.setGeometry(max(0, min(place.x(), window.width() - width)), top, width, height)
        self.show()
        self.raise_()
        self._announce()

    def name(self) -> str:
        """The chosen name."""
        row = self.list.currentIndex().row()
        return self._names[row] if self.isVisible() and 0 <= row < len(self._names) else ""

    def names(self) -> list[str]:
        return self._names if self.isVisible() else []

    def move_by(self, step: int) -> None:
        row = max(0, min(self.list.currentIndex().row() + step, len(self._names) - 1))
        self.list.setCurrentIndex(self.model.index(row))
        self._announce()

    def _announce(self) -> None:
        """Who hears the window learns which name is chosen: the list never has the keyboard."""
        words = f"{self.name()}, {self.list.currentIndex().row() + 1} of {len(self._names)}"
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, words))

    def _clicked(self) -> None:
        self.taken.emit(self.name())
