"""The icon in the system tray, with the number of waiting requests, and the question before the window closes while
requests wait.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter
from PySide6.QtWidgets import QMainWindow, QMenu, QSystemTrayIcon

from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import countdown
from workbench.gui.shell.store import Store
from workbench.records import CoreStatus, RunState
from workbench.records.common_types import count_of

NO_TRAY = "This desktop has no system tray."
_SIZE = 64  # pixels of the icon
_MOST = 99  # a larger number is shown as 99+


def has_tray() -> bool:
    return QSystemTrayIcon.isSystemTrayAvailable()


class Tray(QObject):
    """The tray icon of one window. While it is shown, closing the window hides it."""

    def __init__(
        self, window: QMainWindow, review: Callable[[], None], leave: Callable[[], None], pause: Callable[[], None]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._count = 0
        self._paused = False
        self._announced = False  # the latest message of the icon says that something waits
        self._told = False  # where the window is after closing
        self._icon: QSystemTrayIcon | None = None
        self._menu = QMenu(window)
        self.review = self._menu.addAction("Review", review)
        self._menu.addAction("Open", self.open_window)
        self.pause = self._menu.addAction("Pause agents", pause)
        self.pause.setEnabled(False)
        self._review = review
        self._menu.addSeparator()
        self._menu.addAction("Quit", leave)

    @property
    def is_shown(self) -> bool:
        return self._icon is not None

    def turn(self, on: bool) -> None:
        """Show the icon, if this desktop has a tray, or remove it."""
        if on and self._icon is None and has_tray():
            self._icon = QSystemTrayIcon(self)
            self._icon.setContextMenu(self._menu)
            self._icon.activated.connect(self._activated)
            self._icon.messageClicked.connect(self._message_clicked)
            self.show_count(self._count)
            self._icon.show()
        elif not on and self._icon is not None:
            self._icon.hide()
            self._icon.deleteLater()
            self._icon = None
            if not self._window.isVisible():
                self.open_window()

    def show_count(self, waiting: int) -> None:
        self._count = waiting
        self.review.setEnabled(waiting > 0)
        self.review.setText(f"Review ({waiting} waiting)" if waiting else "Review")
        if self._icon is not None:
            self._icon.setIcon(_counted_icon(waiting))
            title = self._window.windowTitle() or "MCP Workbench"
            self._icon.setToolTip(f"{title} (agents are paused)" if self._paused else title)

    def show_status(self, status: CoreStatus | None) -> None:
        """Offer to pause agents, or to resume them."""
        self._paused = status is not None and status.paused
        self.pause.setEnabled(status is not None)
        self.pause.setText("Resume agents" if self._paused else "Pause agents")
        self.show_count(self._count)

    def announce(self, title: str, sentence: str) -> None:
        """Say that something waits, where the desktop has no notification service; a click on it opens the review."""
        if self._icon is not None:
            self._announced = True
            self._icon.showMessage(title, sentence, self._icon.icon())

    def _message_clicked(self) -> None:
        if self._announced:
            self._review()

    def hide_window(self) -> None:
        """Hide the window; the first time, say where it is."""
        self._window.hide()
        if not self._told and self._icon is not None:
            self._told, self._announced = True, False
            self._icon.showMessage(
                "MCP Workbench is in the tray", "Quit in the icon's menu closes it.", self._icon.icon()
            )

    def open_window(self) -> None:
        """Bring the window to the front."""
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.open_window()


def _counted_icon(waiting: int) -> QIcon:
    """The app's icon with a number in its corner."""
    picture = pixmap("app", "accent", _SIZE)
    if waiting:
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        corner = QRect(_SIZE // 3, _SIZE // 3, _SIZE * 2 // 3, _SIZE * 2 // 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor("#c62828"))
        painter.drawEllipse(corner)
        font = QFont()
        font.setBold(True)
        font.setPixelSize(_SIZE // 2 if waiting < 10 else _SIZE // 3)
        painter.setFont(font)
        painter.setPen(QColor("white"))
        painter.drawText(corner, Qt.AlignmentFlag.AlignCenter, str(waiting) if waiting <= _MOST else f"{_MOST}+")
        painter.end()
    return QIcon(picture)


class ClosingDialog(Dialog):
    """Says what waits before the window closes. Escape leaves the window open."""

    def __init__(
        self,
        theme: Theme,
        sentence: str,
        parent: QMainWindow,
        *,
        close: Callable[[], None],
        keep: Callable[[], None],
        review: Callable[[], None],
        tray: bool,
    ) -> None:
        super().__init__(theme, "Close while requests wait?", sentence, parent)
        self.setMinimumWidth(theme.unit * 120)
        self._then: Callable[[], None] | None = None
        self.add_button("Cancel", self.reject, left=True)
        self.add_button("Close", lambda: self._choose(close))
        hide = self.add_button("Keep in tray", lambda: self._choose(keep))
        hide.setEnabled(tray)
        hide.setToolTip("" if tray else NO_TRAY)
        self.add_button("Review", lambda: self._choose(review), "primary", default=True).setFocus()
        self.finished.connect(self._act)

    def _choose(self, then: Callable[[], None]) -> None:
        self._then = then
        self.accept()

    def _act(self) -> None:
        if self._then is not None:
            self._then()


def waiting_sentence(store: Store) -> str:
    """What waits, and when the first of it is denied; empty if nothing waits."""
    programs = [run for run in store.runs.values() if run.awaits_answer]
    held = [run for run in store.runs.values() if run.held and run.state is not RunState.WAITING]
    others = (*store.held_calls.values(), *store.elicitations.values())
    parts = [count_of(len(programs), "program")] * bool(programs)
    parts += [f"{count_of(len(others), 'request')} of running programs"] * bool(others)
    parts += [f"file changes of {count_of(len(held), 'run')}"] * bool(held)
    if not parts:
        return ""
    deadlines = [run.deadline for run in programs]
    deadlines += [held_call.deadline for held_call in store.held_calls.values()]
    deadlines += [ask.deadline for ask in store.elicitations.values()]
    first = min((deadline for deadline in deadlines if deadline), default=math.inf)
    verb = "waits" if len(programs) + len(others) == 1 and not held else "wait"
    end = f" Without an answer, the first is denied in {countdown(first)} minutes." if first < math.inf else ""
    return (
        f"{' and '.join(parts)} {verb} for you.{end} You can also answer later in the window, or in a terminal with"
        " mcp-workbench review."
    )
