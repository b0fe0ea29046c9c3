"""Two parts beside each other, one above the other where the window is too narrow for both."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget


class FoldingRow(QWidget):
    """The first part takes the room that is left."""

    def __init__(self, letters: int, first: QLayout, second: QLayout, spacing: int) -> None:
        super().__init__()
        self._letters = letters  # of width that both need beside each other
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(spacing)
        self._row.addLayout(first, 1)
        self._row.addLayout(second)
        self._parts = (first, second)

    def minimumSizeHint(self) -> QSize:
        """As narrow as the wider part: else a window that shrinks at once stops while they are beside each other."""
        hint = super().minimumSizeHint()
        return QSize(max(part.minimumSize().width() for part in self._parts), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self.fontMetrics().averageCharWidth() * self._letters
        below, beside = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._row.setDirection(below if narrow else beside)
