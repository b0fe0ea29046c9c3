"""Makes Return press the button that has the keyboard, wherever it stands.

Qt does so for push buttons of dialogs only. In a strip or banner of a window Return does nothing, and on a tool button
of a dialog it presses the dialog's default button instead.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget

_BUTTONS = (QPushButton, QToolButton)
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)


class ButtonKeys(QObject):
    """Hands Return to the focused button as Space, which presses on release and ignores a key that is held down."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._move)
        self._move(None, app.focusWidget())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in _KEYS or not isinstance(event, QKeyEvent) or event.key() not in _RETURN:
            return False
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        none = Qt.KeyboardModifier.NoModifier
        space = QKeyEvent(event.type(), Qt.Key.Key_Space, none, " ", event.isAutoRepeat())
        QCoreApplication.sendEvent(watched, space)
        return True

    def _move(self, before: QWidget | None, now: QWidget | None) -> None:
        if isinstance(before, _BUTTONS):
            before.removeEventFilter(self)
        if isinstance(now, _BUTTONS):
            now.installEventFilter(self)
