"""Keeps the centre roomy: in a narrow window the runs stand behind the panes below it, in a low one those are lower.

Only the first places are changed like this, and back; a pane that a person put elsewhere stays there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer

from workbench.gui.dock import Dock
from workbench.gui.layout import Layout

if TYPE_CHECKING:
    from workbench.gui.main_window import MainWindow

_NARROW, _LOW = 265, 180  # in units: below it, things move together
_SIDE, _SLIM_SIDE = 70, 64
_BELOW, _LOW_BELOW = 62, 44
_CALM = 60  # milliseconds without another size before something moves
_RIGHT, _BOTTOM = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea


class Narrow(QObject):
    """Belongs to one window, and follows its size."""

    def __init__(self, window: MainWindow, layout: Layout) -> None:
        super().__init__(window)
        self._window = window
        self._layout = layout
        self._unit = window.context.theme.unit
        self._low = False
        self._calm = QTimer(self, singleShot=True, interval=_CALM)
        self._calm.timeout.connect(self.fit)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._calm.start()
        return False

    def fit(self) -> None:
        """Look at the size, and move what has to move."""
        narrow, low = self._window.width() < self._unit * _NARROW, self._window.height() < self._unit * _LOW
        if narrow and not self._layout.runs_below:
            self._put_below()
        elif not narrow and self._layout.runs_below:
            self._put_beside()
        if low != self._low:
            self._low = low
            self._give("audit", _LOW_BELOW if low else _BELOW, Qt.Orientation.Vertical)

    def _put_below(self) -> None:
        runs, audit = self._window.docks["runs"], self._window.docks["audit"]
        if runs.isFloating() or runs.isHidden() or self._window.dockWidgetArea(runs) != _RIGHT:
            return
        front = next((dock for dock in self._below() if not dock.visibleRegion().isEmpty()), audit)
        self._window.tabifyDockWidget(audit, runs)
        front.raise_()
        self._layout.runs_below = True
        self._give("servers", _SLIM_SIDE, Qt.Orientation.Horizontal)

    def _put_beside(self) -> None:
        runs = self._window.docks["runs"]
        self._layout.runs_below = False
        if runs.isFloating() or self._window.dockWidgetArea(runs) != _BOTTOM:
            return  # a person put it somewhere
        self._window.addDockWidget(_RIGHT, runs)
        runs.show()
        for name in ("servers", "runs"):
            self._give(name, _SIDE, Qt.Orientation.Horizontal)

    def _below(self) -> list[Dock]:
        return [self._window.docks[name] for name in ("output", "audit") if name in self._window.docks]

    def _give(self, name: str, units: int, way: Qt.Orientation) -> None:
        self._window.resizeDocks([self._window.docks[name]], [self._unit * units], way)
