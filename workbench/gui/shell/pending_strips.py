"""What waits for a person, one after the other, without those the person wants to see later."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label, tool_button
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import Word
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import Request

Item = TypeVar("Item")


class Pending(Generic[Item]):
    """Items by their id, in the order in which they came unless `urgency` says otherwise."""

    def __init__(self, urgency: Callable[[Item], float] = lambda item: 0.0) -> None:
        self._urgency = urgency
        self._items: dict[str, Item] = {}
        self._put_aside: set[str] = set()

    def __len__(self) -> int:
        return len(self._items)

    def take(self, key: str, item: Item) -> None:
        self._items[key] = item

    def drop(self, key: str) -> None:
        self._items.pop(key, None)
        self._put_aside.discard(key)

    def replace(self, items: Iterable[tuple[str, Item]]) -> None:
        """These and no others; what was put aside stays so."""
        self._items = dict(items)

    def put_aside(self) -> None:
        """All that wait now, until something new comes."""
        self._put_aside.update(self._items)

    def find(self, key: str) -> Item | None:
        return self._items.get(key)

    def every(self) -> tuple[Item, ...]:
        """Those put aside included."""
        return tuple(self._items.values())

    def first(self) -> Item | None:
        """The most urgent of those that a person has not put aside."""
        left = (item for key, item in self._items.items() if key not in self._put_aside)
        return min(left, key=self._urgency, default=None)


class WaitingBanner(QFrame):
    """Shows one thing that waits; while it can be seen it asks every second to be drawn anew."""

    outdated = Signal()
    put_aside = Signal()

    def __init__(self, theme: Theme, act: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._picture = QLabel()
        self._words = ForeignLabel(elide=True)
        self._risk = label("", "badge")
        self._time = label("", "muted")
        self.later = tool_button("close", "", theme)
        self.later.clicked.connect(self.put_aside)
        mark(act, kind="primary")
        for button in (act, self.later):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self.outdated)
        theme.changed.connect(self.outdated)
        self._lay_out(act)

    def tell(self, picture: Word, words: str, aside: str, risk: Word | None = None) -> None:
        """Icon and tone of the picture, the sentence, what stands beside it, and how risky it is."""
        mark(self, kind="banner", tone=picture.tone)
        self._picture.setPixmap(pixmap(picture.icon, picture.tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(words)
        self._time.setText(aside)
        self._risk.setVisible(risk is not None)
        if risk is not None:
            self._risk.setText(risk.text)
            mark(self._risk, tone=risk.tone)
        self._tick.start()

    def rest(self) -> None:
        """Nothing waits."""
        self._tick.stop()

    def words(self) -> str:
        return self._words.full_text()

    def aside(self) -> str:
        """The time that is left, and how many more wait."""
        return self._time.text()

    def _lay_out(self, act: QPushButton) -> None:
        unit = self._theme.unit
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 3, unit + 2, unit * 2, unit + 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture)
        row.addWidget(self._words, 1)
        for widget in (self._risk, self._time, act, self.later):
            row.addWidget(widget, alignment=Qt.AlignmentFlag.AlignVCenter)


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
    def wish(self, item: Item) -> Request:
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
            self.context.go(self.wish(item))
