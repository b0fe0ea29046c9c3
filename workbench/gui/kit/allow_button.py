"""The button that lets a program or call go ahead, protected against accidental presses."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QKeyEvent, Qt
from PySide6.QtWidgets import QPushButton, QWidget

SETTLE_MS: Final = 700  # disabled for so long after the dialog appeared or got the focus again
_PRESS_KEYS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class AllowButton(QPushButton):
    """Disabled while its dialog settles and while there is an obstacle. A key that is held down does not press it."""

    allowed = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAutoDefault(False)
        self._obstacle = ""
        self._settling = QTimer(self, singleShot=True)
        self._settling.setTimerType(Qt.TimerType.PreciseTimer)  # a coarse timer may end five per cent early
        self._settling.timeout.connect(self._update_state)
        self._pressed = False
        self.clicked.connect(self._clicked)
        self._update_state()

    def restart_settling(self) -> None:
        """The dialog appeared, got the focus again or shows something else: wait again."""
        self._settling.start(SETTLE_MS)
        self._pressed = False
        self._update_state()

    def settled(self) -> bool:
        return not self._settling.isActive()

    def set_obstacle(self, reason: str) -> None:
        """Say why it cannot be pressed; an empty reason lifts the obstacle."""
        self._obstacle = reason
        self._update_state()

    def obstacle(self) -> str:
        return self._obstacle

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Space act on release, and only if the press itself began on this button after it had settled."""
        if event.key() in _PRESS_KEYS:
            self._pressed = not event.isAutoRepeat() and self._can_be_pressed()
            event.accept()
            return
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _PRESS_KEYS:
            super().keyReleaseEvent(event)
            return
        event.accept()
        if event.isAutoRepeat():
            return
        pressed, self._pressed = self._pressed, False
        if pressed and self._can_be_pressed():
            self.allowed.emit()

    def _clicked(self) -> None:
        if self._can_be_pressed():
            self.allowed.emit()

    def _can_be_pressed(self) -> bool:
        return self.settled() and not self._obstacle and self.isEnabled()

    def _update_state(self) -> None:
        self.setEnabled(self.settled() and not self._obstacle)
        self.setToolTip(self._obstacle)
        self.setAccessibleDescription(self._obstacle)
