"""Shows that decisions wait while the user looks elsewhere: in the window's title, the task bar and the icon.

It never takes the keyboard and never comes to the front: the user may be typing.
"""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow


class Attention(QObject):
    """Shows in the window's title and task bar how many requests wait for the user."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._title = window.windowTitle()
        self._waiting = 0

    def count(self, waiting: int) -> None:
        """Show the number of waiting requests; alert when it grows."""
        more, self._waiting = waiting > self._waiting, waiting
        title = f"({waiting} waiting) {self._title}" if waiting else self._title
        self._window.setWindowTitle(title)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.setBadgeNumber(waiting)
        if more and not self._window.isActiveWindow():
            QApplication.alert(self._window)
