"""The button beside the menus that opens the search box; it says less where the menus need the room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenuBar, QPushButton, QToolButton

from workbench.gui.kit.icons import icon
from workbench.gui.kit.theme import mark
from workbench.gui.shell.actions import action_named
from workbench.gui.shell.commands import Commands, keys_text, tip

_MENU_LETTERS = 4  # of room around the name of a menu


class SearchButton(QPushButton):
    """Stands in the corner of the menus; it is called the same, however much of it is shown."""

    def __init__(self, commands: Commands, bar: QMenuBar) -> None:
        super().__init__(bar)
        entry = action_named("palette.open")
        self._bar = bar
        self._words = f"Search or run anything   {keys_text(entry.keys)}"
        self._short = f"Search   {keys_text(entry.keys)}"
        self.setText(self._words)
        self.setAccessibleName(self._words)
        self.setToolTip(tip(entry))
        self.setIcon(icon("search"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(commands["palette.open"].trigger)
        mark(self, kind="command")
        bar.installEventFilter(self)
        self._name_the_rest()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def _fit(self) -> None:
        letters = QFontMetrics(self._bar.font())
        names = sum(letters.horizontalAdvance(action.text()) for action in self._bar.actions())
        menus = names + len(self._bar.actions()) * letters.averageCharWidth() * _MENU_LETTERS
        room = self._bar.width() - menus - letters.horizontalAdvance(self._words) - letters.averageCharWidth() * 8
        words = self._words if room >= 0 else self._short
        if words != self.text():
            self.setText(words)
            self._bar.setCornerWidget(self)  # the bar asks for the size once

    def _name_the_rest(self) -> None:
        """Name the small button of Qt that opens the menus for which there is no room."""
        more = self._bar.findChild(QToolButton, "qt_menubar_ext_button")
        if isinstance(more, QToolButton):
            more.setIcon(icon("chevron-down"))
            more.setAccessibleName("More menus")
            more.setToolTip("More menus")
