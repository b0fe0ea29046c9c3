"""Shows that decisions wait while the user looks elsewhere: in the window's title, the task bar and the tray icon.

It never takes the keyboard and never comes to the front: the user may be typing. The core, which shows the desktop
notification, is told while the user looks at this window.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow
from shiboken6 import isValid

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.gui.shell.bridge import Bridge, Link, LinkState

_VIEW_EVENTS = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.WindowStateChange)


class Attention(QObject):
    """Shows in the window's title and task bar how many requests wait, and tells the core whether the user sees it."""

    def __init__(self, window: QMainWindow, bridge: Bridge) -> None:
        super().__init__(window)
        self._window = window
        self._bridge = bridge
        self._title = window.windowTitle()
        self._waiting = 0
        self._watch: asyncio.Task[None] | None = None
        window.installEventFilter(self)
        bridge.linked.connect(self._linked)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._tell_core)

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

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _VIEW_EVENTS and isValid(self._window):  # a window that is being deleted is hidden
            self._tell_core()
        return False

    def _linked(self, link: Link) -> None:
        self._end_watch()
        if link.state is LinkState.LINKED:
            self._tell_core()

    def _tell_core(self) -> None:
        active = QGuiApplication.applicationState() is Qt.ApplicationState.ApplicationActive
        seen = active and self._window.isVisible() and not self._window.isMinimized()
        if not seen or self._bridge.link.state is not LinkState.LINKED:
            self._end_watch()
        elif self._watch is None or self._watch.done():
            self._watch = spawn("watch requests", self._say_watching())

    def _end_watch(self) -> None:
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()

    async def _say_watching(self) -> None:
        with suppress(WorkbenchError):  # the core is gone
            await self._bridge.api.watch_requests()
