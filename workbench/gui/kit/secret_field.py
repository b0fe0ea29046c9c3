"""A line for a secret: dots unless the user wants to see it. What is typed is sent only to the core."""

from __future__ import annotations

from PySide6.QtCore import QKeyCombination, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.gui.kit.icons import icon

_SHOW = QKeyCombination(Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_H)


class SecretField(QLineEdit):
    """Line for a secret: no undo history, no input method learns from it. Ctrl+Shift+H shows and hides it."""

    entered = Signal()
    """Enter was pressed; it presses no button of the dialog besides."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self._eye = QAction(icon("eye", "muted"), "Show what is typed", self)
        self._eye.setCheckable(True)
        self._eye.setToolTip("Show what is typed (Ctrl+Shift+H)")
        self._eye.toggled.connect(self._reveal)
        self.addAction(self._eye, QLineEdit.ActionPosition.TrailingPosition)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.entered.emit()
            return
        if event.keyCombination() == _SHOW:
            self._eye.toggle()
            return
        super().keyPressEvent(event)

    def take(self) -> str:
        """Return what was typed, and clear and hide the field."""
        text = self.text()
        self.clear()
        self._eye.setChecked(False)
        return text

    def _reveal(self, shown: bool) -> None:
        self.setEchoMode(QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password)
        self._eye.setIcon(icon("eye-off" if shown else "eye", "muted"))
