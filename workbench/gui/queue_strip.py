"""What strips of waiting programs, calls and questions have in common: one banner over a list of what is pending."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.pane import Pane
from workbench.gui.pending import Pending
from workbench.gui.waiting_banner import WaitingBanner
from workbench.gui.wishes import Wish

Item = TypeVar("Item")


class QueueStrip(Pane, Generic[Item]):
    """Hidden while nothing waits, or only what a person put aside."""

    def __init__(self, context: Context, urgency: Callable[[Item], float], parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.pending: Pending[Item] = Pending(urgency)
        self.act = QPushButton()
        self.banner = WaitingBanner(context.theme, self.act)
        self.act.clicked.connect(self._wish)
        self.banner.outdated.connect(self.draw)
        self.banner.put_aside.connect(self.put_aside)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.banner)
        self.hide()

    def name(self, act: str, spoken: str, later: str) -> None:
        """The button's word, what a screen reader says of it, and what hiding the strip means."""
        self.act.setText(act)
        self.act.setAccessibleName(spoken)
        self.banner.later.setToolTip(later)
        self.banner.later.setAccessibleName(later)

    @abstractmethod
    def tell(self, item: Item) -> None:
        """Show this in the banner."""

    @abstractmethod
    def wish(self, item: Item) -> Wish:
        """What its button opens."""

    def words(self) -> str:
        return "" if self.isHidden() else self.banner.words()

    def put_aside(self) -> None:
        self.pending.put_aside()
        self.draw()

    def draw(self) -> None:
        item = self.pending.first()
        self.setVisible(item is not None)
        if item is None:
            self.banner.rest()
        else:
            self.tell(item)

    def _wish(self) -> None:
        if (item := self.pending.first()) is not None:
            self.wished.emit(self.wish(item))
