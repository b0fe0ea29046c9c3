"""Knows whether a person is typing right now, so that nothing opens under their fingers."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

PAUSE = 1.5  # seconds without a letter after which nobody is typing
_TYPED_INTO = (QLineEdit, QPlainTextEdit, QTextEdit, QComboBox)
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class Keystrokes(QObject):
    """Watches the one widget that has the keyboard, not the whole application."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last = 0.0
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._move)
        self._move(None, app.focusWidget())

    def typing(self) -> bool:
        return time.monotonic() - self._last < PAUSE

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            command = bool(event.modifiers() & _COMMANDS)
            self._last = 0.0 if command else time.monotonic()  # Ctrl+Enter sends: what was typed is done
        return False

    def _move(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None:
            before.removeEventFilter(self)
        if isinstance(now, _TYPED_INTO):
            now.installEventFilter(self)
