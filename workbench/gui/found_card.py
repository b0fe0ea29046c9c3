"""What the welcome page says when other apps have servers and this project has none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.gui.docks.found_strip import apps_of, said
from workbench.gui.icons import pixmap
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label
from workbench.records import FoundServer, ServerState


class FoundCard(QFrame):
    """One row: what was found, and the button that shows it."""

    def __init__(self, theme: Theme, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="card")
        self._picture = QLabel()
        self._title = label("", "heading")
        self._words = label("", "muted")
        self.button = QPushButton("Look at them…")
        self.button.setToolTip(action.toolTip())
        self.button.clicked.connect(action.trigger)
        unit = theme.unit
        row = QHBoxLayout(self)
        row.setContentsMargins(*(unit * 4,) * 4)
        row.setSpacing(unit * 4)
        words = QVBoxLayout()
        words.setSpacing(unit)
        for text in (self._title, self._words):
            text.setWordWrap(True)
            words.addWidget(text)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        words.addSpacing(unit)
        words.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        row.addLayout(words, 1)
        theme.changed.connect(self._draw)
        self._draw()
        self.hide()

    def show_found(self, found: list[FoundServer], states: tuple[ServerState, ...]) -> None:
        """An empty project need not stay empty; one with servers needs no advice."""
        empty = bool(states) and all(state.config.builtin for state in states)
        self._title.setText(said(len(found)))
        words = "{}. They stay off until you tick them; their full commands are shown first."
        self._words.setText(visible(words.format(apps_of(found))))
        self.setVisible(bool(found) and empty)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("download", "accent", self._theme.unit * 6, self.devicePixelRatioF()))
