"""A dialog that asks for a decision: Escape and the window's × mean later, never an answer."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QWidget


class LaterDialog(QDialog):
    """Put away, it is hidden with everything that was typed into it, and `come_back` shows it again. What it asks
    keeps waiting; its owner tells it when nobody waits for an answer any more, and it goes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._over = False  # nothing can be decided here any more
        self._away = False
        self._place = QPoint()

    @property
    def away(self) -> bool:
        return self._away

    def put_away(self) -> None:
        self._away = True
        self._place = self.pos()
        self.hide()

    def come_back(self) -> None:
        if self._away:
            self.move(self._place)  # else it comes back lower, by the height of its title
        self._away = False
        self.show()
        self.raise_()
        self.activateWindow()

    def reject(self) -> None:
        if self._over:
            super().reject()
        else:
            self.put_away()

    def closeEvent(self, event: QCloseEvent) -> None:
        """A window that the user closes is put away; one that the application closes goes, and answers nothing."""
        if event.spontaneous() and not self._over:
            event.ignore()
            self.put_away()
        else:
            self._over = True
            super().closeEvent(event)

    def _finish(self) -> None:
        """It is over; nobody sees it while it is away, so there is nothing to read in it."""
        self._over = True
        if self._away:
            self.done(QDialog.DialogCode.Rejected)
