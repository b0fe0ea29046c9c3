"""A dock: a pane with a plain title, which is hidden where the tab above says the same."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from workbench.gui.kit.lists import label
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Pane


class Dock(QDockWidget):
    """A pane with a plain title, which is hidden where a tab says the same."""

    pane: Pane

    def __init__(self, name: str, unit: int, window: QMainWindow) -> None:
        self._title = name.capitalize()
        super().__init__(self._title, window)
        self.setObjectName(f"dock.{name}")
        self._bar = label(self._title, "dock", self)
        self._bar.setContentsMargins(unit * 3, unit * 2 + 1, unit * 3, unit * 2 + 1)
        mark(self._bar, kind="dock-title")
        self._none = QWidget(self)
        self._none.setFixedHeight(0)
        self.setTitleBarWidget(self._bar)

    def set_pane(self, pane: Pane) -> None:
        self.pane = pane
        pane.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWidget(pane)

    def count(self, number: int) -> None:
        """Show a number beside the title: how many things wait in this pane."""
        title = f"{self._title} · {number}" if number else self._title
        self.setWindowTitle(title)
        self._bar.setText(title)

    def settle(self) -> None:
        """Show the title only where no tab shows it."""
        window = self.parent()
        tabbed = isinstance(window, QMainWindow) and bool(window.tabifiedDockWidgets(self)) and not self.isFloating()
        wanted = self._none if tabbed else self._bar
        if self.titleBarWidget() is not wanted:
            self.titleBarWidget().hide()
            self.setTitleBarWidget(wanted)
            wanted.show()

    def come(self) -> None:
        """Bring the pane to the front and give it the focus."""
        self.show()
        self.raise_()
        self.pane.setFocus(Qt.FocusReason.ShortcutFocusReason)
