"""The line to search a result with: Enter goes on, Shift+Enter back, Escape closes it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.views import Strip, search_box, tool_button


class FindBar(Strip):
    """Hidden until it is asked for."""

    wanted = Signal(str, int)
    """Carries the words and which way to look: 1 or -1."""
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.box = search_box("Find in the result", "Find in the result")
        self._words = ForeignLabel()
        self._words.setWordWrap(False)
        mark(self._words, role="muted")
        self.row.addWidget(self.box, 1)
        self.row.addWidget(self._words)
        for symbol, words, step in (
            ("chevron-up", "The place before (Shift+Enter)", -1),
            ("chevron-down", "The next place (Enter)", 1),
        ):
            button = tool_button(symbol, words, theme)
            button.clicked.connect(self._back if step < 0 else self._on)
            self.row.addWidget(button)
        close = tool_button("x", "Close the search (Escape)", theme)
        close.clicked.connect(self.close_bar)
        self.row.addWidget(close)
        self._pause = QTimer(self, singleShot=True, interval=150)
        self._pause.timeout.connect(self._on)
        self.box.textChanged.connect(self._pause.start)
        self.hide()

    def open_bar(self) -> None:
        self.show()
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def close_bar(self) -> None:
        self._pause.stop()
        self.hide()
        self.closed.emit()

    def say(self, words: str) -> None:
        self._words.setText(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            (self._back if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else self._on)()
        else:
            super().keyPressEvent(event)

    def _on(self) -> None:
        self._pause.stop()
        self.wanted.emit(self.box.text(), 1)

    def _back(self) -> None:
        self._pause.stop()
        self.wanted.emit(self.box.text(), -1)
