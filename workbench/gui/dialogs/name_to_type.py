"""The row where a person types the name of what makes a program critical, before it can be allowed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import Theme


class NameToType(QWidget):
    """Hidden while nothing has to be typed."""

    typed = Signal()

    def __init__(self, theme: Theme, spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        self._words = ForeignLabel()
        self._words.setWordWrap(False)
        self.line = QLineEdit()
        self.line.setAccessibleName(spoken)
        self.line.textChanged.connect(self.typed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.unit * 2)
        row.addWidget(self._words)
        row.addWidget(self.line, 1)
        self.hide()

    @property
    def name(self) -> str:
        """What must be typed; empty: nothing."""
        return self._name

    def ask(self, name: str, words: str) -> None:
        """Ask for this name, in words with a place for it; what was typed for another one is gone."""
        if name != self._name:
            self.line.clear()
        self._name = name
        self._words.setText(words.format(visible(name)))
        self.line.setPlaceholderText(visible(name))
        self.setVisible(bool(name))

    def right(self) -> bool:
        return not self._name or self.line.text().strip() == self._name

    def type(self, text: str) -> None:
        """As a person would."""
        self.line.setText(text)
