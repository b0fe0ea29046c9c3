"""The one button that lets a program run: no reflex can press it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeyEvent, Qt
from PySide6.QtWidgets import QPushButton, QWidget

SETTLE_MS: Final = 700  # how long it is dead after the dialog appeared or came back to the front


class AllowButton(QPushButton):
    """Dead until things settled, and while a reason stands against it. A key that is held down does not count."""

    allowed = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAutoDefault(False)
        self._obstacle = ""
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.setTimerType(Qt.TimerType.PreciseTimer)  # a coarse one may end five per cent early
        self._settle.timeout.connect(self._show_state)
        self._pressed = False
        self.clicked.connect(self._clicked)
        self._show_state()

    def unsettle(self) -> None:
        """The dialog appeared or was come back to: wait once more."""
        self._settle.start()
        self._pressed = False
        self._show_state()

    def settled(self) -> bool:
        return not self._settle.isActive()

    def obstruct(self, reason: str) -> None:
        """Say why it cannot be pressed; "" lifts that."""
        self._obstacle = reason
        self._show_state()

    def obstacle(self) -> str:
        return self._obstacle

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Space press on release only, and only where the press itself began here, after things settled."""
        if event.key() in _KEYS:
            self._pressed = not event.isAutoRepeat() and self._open()
            event.accept()
            return
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _KEYS:
            super().keyReleaseEvent(event)
            return
        event.accept()
        if event.isAutoRepeat():
            return
        pressed, self._pressed = self._pressed, False
        if pressed and self._open():
            self.allowed.emit()

    def _clicked(self) -> None:
        if self._open():
            self.allowed.emit()

    def _open(self) -> bool:
        return self.settled() and not self._obstacle and self.isEnabled()

    def _show_state(self) -> None:
        self.setEnabled(self.settled() and not self._obstacle)
        self.setToolTip(self._obstacle)
        self.setAccessibleDescription(self._obstacle)


_KEYS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
