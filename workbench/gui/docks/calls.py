"""Calls that stay: those that were saved, and those that were made."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from workbench.events import Event
from workbench.gui.call_actions import CALL, REMOVED_CALL, SAVED_CALL
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.docks.calls_history import HistoryList
from workbench.gui.docks.calls_saved import SavedList
from workbench.gui.pane import Pane

SAVED, HISTORY = range(2)


class CallsPane(Pane):
    """Two lists in one place; what the actions do, they do in the one that is seen."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.saved = SavedList(context, commands, self)
        self.history = HistoryList(context, commands, self)
        self.tabs = QTabBar()
        self._pages = QStackedWidget()
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        self.saved.hear(event)
        self.history.hear(event)

    def refresh(self) -> None:
        self.saved.refresh()
        self.history.refresh()

    def look(self, tab: int) -> None:
        """Bring one of the two lists to the front."""
        self.tabs.setCurrentIndex(tab)

    def _lay_out(self) -> None:
        for words, page in (("Saved", self.saved), ("History", self.history)):
            self.tabs.addTab(words)
            self._pages.addWidget(page)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Saved calls or history")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(self._pages, 1)
        self.setFocusProxy(self.saved)

    def _bind(self) -> None:
        self.tabs.currentChanged.connect(self._turned)
        for page in (self.saved, self.history):
            page.wished.connect(self.wished)
            page.changed.connect(self._selected)
        bind = self._commands.bind
        bind("calls.open", self._open)
        bind("calls.again", self._again)
        bind("calls.keep", self._keep)
        bind("calls.remove", self._remove)
        bind("calls.undo", self.saved.bring_back)
        bind("calls.check", self.saved.check_all)
        bind("history.clear", self.history.clear)

    def _turned(self, tab: int) -> None:
        self._pages.setCurrentIndex(tab)
        self.setFocusProxy(self._front())
        self._selected()

    def _front(self) -> SavedList | HistoryList:
        return self.saved if self.tabs.currentIndex() == SAVED else self.history

    def _selected(self) -> None:
        front = self._front()
        self._commands.hold(CALL, bool(front.chosen_key()))
        self._commands.hold(SAVED_CALL, bool(self.saved.calls.calls))
        self._commands.hold(REMOVED_CALL, self.saved.removed is not None)

    def _open(self) -> None:
        self._front().open_chosen()

    def _again(self) -> None:
        self._front().again()

    def _keep(self) -> None:
        self._front().keep()

    def _remove(self) -> None:
        self._front().remove()
