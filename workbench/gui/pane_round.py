"""Leads the keyboard from pane to pane, in the order in which they stand in the window."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from workbench.gui.main_window import MainWindow

BEFORE = ("servers", "skills", "calls", "files")  # left of the centre
AFTER = ("runs", "output", "audit")  # right of it and below


class PaneRound(QObject):
    """Belongs to one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        bind = window.commands.bind
        for name in (*BEFORE, *AFTER):
            bind(f"pane.{name}", partial(self._go_to, name))
        bind("pane.centre", window.centre.take_keyboard)
        bind("pane.next", partial(self._cycle, 1))
        bind("pane.previous", partial(self._cycle, -1))
        bind("servers.find", partial(self.search, "servers"))
        bind("audit.find", partial(self.search, "audit"))

    def search(self, name: str) -> None:
        """Put the keyboard into the search of a pane."""
        self._window.docks[name].come()
        pane = self._window.servers if name == "servers" else self._window.audit
        pane.finder.setFocus(Qt.FocusReason.ShortcutFocusReason)
        pane.finder.selectAll()

    def _go_to(self, name: str) -> None:
        self._window.docks[name].come()

    def _cycle(self, step: int) -> None:
        """From pane to pane; hidden ones are passed over."""
        places = [*self._seen(BEFORE), self._window.centre, *self._seen(AFTER)]
        focus = QApplication.focusWidget()
        here = next((at for at, place in enumerate(places) if focus and place.isAncestorOf(focus)), -step)
        target = places[(here + step) % len(places)]
        if target is self._window.centre:
            self._window.centre.take_keyboard()
        else:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _seen(self, names: tuple[str, ...]) -> list[QWidget]:
        docks = self._window.docks
        return [docks[name].pane for name in names if not docks[name].visibleRegion().isEmpty()]
