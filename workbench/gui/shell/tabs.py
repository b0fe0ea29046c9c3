"""Panes with tabs of their own, such as open tools or programs."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QTabBar

from workbench.gui.kit.lists import tool_button
from workbench.gui.kit.theme import Theme
from workbench.gui.shell.context import Pane


class TabbedPane(Pane):
    """The actions about tabs apply to its tabs while it is in front. A tab is closed by `tabCloseRequested`."""

    front_wanted = Signal()
    """The pane has to be shown: an action for it was chosen elsewhere in the window."""
    tab_closed = Signal()
    """The user closed a tab; `reopen` brings it back."""
    tab_bar: QTabBar

    def reopen(self) -> None:
        """Open the tab again that was closed last."""
        raise NotImplementedError


def add_close_button(bar: QTabBar, number: int, title: str, theme: Theme) -> None:
    """Give a tab a close button in the theme's colours, which emits `tabCloseRequested`."""
    side = QTabBar.ButtonPosition.RightSide
    close = tool_button("close", f"Close {title}", theme)
    close.setIconSize(QSize(theme.unit * 3, theme.unit * 3))

    def request() -> None:
        place = next((place for place in range(bar.count()) if bar.tabButton(place, side) is close), -1)
        bar.tabCloseRequested.emit(place)

    close.clicked.connect(request)
    bar.setTabButton(number, side, close)
