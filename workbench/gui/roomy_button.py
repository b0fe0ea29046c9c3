"""A button with icon and words that gives up its words where there is no room for them."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from workbench.gui.theme import Theme


class RoomyButton(QPushButton):
    """Its name stays for whoever listens, and its tooltip for whoever looks."""

    def __init__(self, theme: Theme, symbol: QIcon, words: str, parent: QWidget | None = None) -> None:
        super().__init__(symbol, words, parent)
        self._theme = theme
        self._words = words
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """As wide as its words want, also while they are not shown."""
        hint = super().sizeHint()
        missing = 0 if self.text() else self.fontMetrics().horizontalAdvance(self._words) + self._theme.unit * 2
        return QSize(hint.width() + missing, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * (11 if self.menu() else 8), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        words = self._words if self.width() >= self.sizeHint().width() - self._theme.unit else ""
        if words != self.text():
            self.setText(words)
