"""The base of the pages about what a server offers: loads when seen and when it changed, says why there is nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, OffersChanged
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.fault_card import FaultCard
from workbench.gui.server.page import ServerPage
from workbench.gui.views import EmptyState
from workbench.gui.wishes import Say, ShowServer
from workbench.records import Fault, Offers, ServerState, ServerStatus

_PAUSE_MS = 150  # changes of a moment are loaded once
_WIDE = 90  # letters of width from which list and detail stand beside each other


class OfferPage(ServerPage):
    """Subclasses say what they load (`load`), how they show it, and what they call it."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._stale = True
        self._seen = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._load_if_seen)
        self._trouble = FaultCard(context.theme)
        self.empty = EmptyState(context.theme, "server", "", "")
        self._overview = self.empty.offer(text="Go to the overview")
        self._overview.clicked.connect(self._to_overview)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._trouble)
        column.addWidget(stacked, 1)

    async def load(self) -> Offers:
        """Fetch what the page shows, and show it."""
        raise NotImplementedError

    def count(self, offers: Offers) -> int:
        """How many of the page's things there are."""
        raise NotImplementedError

    def nothing(self) -> tuple[str, str]:
        """Title and sentence where a running server offers none."""
        raise NotImplementedError

    def say(self, words: str) -> None:
        self.wished.emit(Say(words))

    def hear(self, event: Event) -> None:
        if isinstance(event, OffersChanged) and event.server == self.server:
            self.refresh()

    def refresh(self) -> None:
        self._stale = True
        self._pause.start()

    def look(self, *, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._load_if_seen()

    def show_state(self, state: ServerState) -> None:
        before = self.state.status
        super().show_state(state)
        if state.status is not before:
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        self.split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    def _load_if_seen(self) -> None:
        if self._stale and self._seen:
            self._stale = False
            self.context.tasks.run("read what a server offers", self._load())

    async def _load(self) -> None:
        try:
            offers = await self.load()
        except WorkbenchError as fault:
            self._trouble.show_fault(Fault(fault.message, fault.hint))
            return
        left_out = Fault("Some of it was left out.", "", "\n".join(offers.warnings))
        self._trouble.show_fault(left_out if offers.warnings else None, tone="warning")
        if self.count(offers):
            self._show(self.split)
        else:
            self._show(self.empty)
            self._say(offers)

    def _say(self, offers: Offers) -> None:
        """Why there is nothing to see, and what to do about it."""
        status = self.state.status
        self._overview.setVisible(not offers.known and status is not ServerStatus.STARTING)
        if offers.known:
            self.empty.say(*self.nothing())
        elif status in (ServerStatus.STARTING, ServerStatus.READY):
            self.empty.say("Reading what it offers…", "It appears here by itself.")
        else:
            words = "Connect it in the list of servers on the left: what it offers appears here."
            self.empty.say("This server has not run yet", words)

    def _show(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)

    def _to_overview(self) -> None:
        self.wished.emit(ShowServer(self.server, "overview"))
