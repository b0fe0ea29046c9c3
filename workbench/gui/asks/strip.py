"""The strip that says a server asks something. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.events import AskArrived, AskSettled, Event
from workbench.gui.asks.words import ask_word, waiting_words
from workbench.gui.context import Context
from workbench.gui.icons import pixmap
from workbench.gui.pane import Pane
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import label, tool_button
from workbench.gui.wishes import ShowAsk
from workbench.gui.words import countdown
from workbench.records import Ask


class AskStrip(Pane):
    """Shows the oldest open question, how long it waits, and how many more there are."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._asks: dict[str, Ask] = {}
        self._put_aside: set[str] = set()  # ids a person wants to see later
        self._frame = QFrame(self)
        mark(self._frame, kind="banner", tone="accent")
        self._picture = QLabel()
        self._words = ForeignLabel(elide=True)
        self._time = label("", "muted")
        self.answer = QPushButton(self.tr("Answer"))
        self.answer.setAccessibleName(self.tr("Answer the server's question"))
        mark(self.answer, kind="primary")
        self._later = tool_button("close", self.tr("Hide this message; the question stays open"), context.theme)
        for button in (self.answer, self._later):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._draw)
        self.answer.clicked.connect(self._answer)
        self._later.clicked.connect(self._hide)
        context.theme.changed.connect(self._draw)
        self._lay_out(context.theme.unit)
        self.hide()

    def hear(self, event: Event) -> None:
        if isinstance(event, AskArrived):
            self._asks[event.ask.id] = event.ask
        elif isinstance(event, AskSettled):
            self._asks.pop(event.ask.id, None)
            self._put_aside.discard(event.ask.id)
        else:
            return
        self._draw()

    def refresh(self) -> None:
        self.context.tasks.run("questions of servers", self.context.questions.asks(), self._load)

    def ask(self, ask_id: str) -> Ask | None:
        return self._asks.get(ask_id)

    def asks(self) -> tuple[Ask, ...]:
        """Oldest first, those put aside included."""
        return tuple(self._asks.values())

    def words(self) -> str:
        return "" if self.isHidden() else self._words.full_text()

    def aside(self) -> str:
        """What stands beside the words: the time that is left, and how many more questions there are."""
        return self._time.text()

    def _load(self, asks: tuple[Ask, ...]) -> None:
        self._asks = {ask.id: ask for ask in asks}
        self._draw()

    def _current(self) -> Ask | None:
        return next((ask for ask in self._asks.values() if ask.id not in self._put_aside), None)

    def _draw(self) -> None:
        ask = self._current()
        self.setVisible(ask is not None)
        if ask is None:
            self._tick.stop()
            return
        self._tick.start()
        word = ask_word(ask)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self.context.theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(f"{word.text}. {waiting_words(ask)}")
        left = self.tr("{} left").format(countdown(ask.deadline, time.time())) if ask.deadline else ""
        more = self.tr("{} more").format(len(self._asks) - 1) if len(self._asks) > 1 else ""
        self._time.setText(" · ".join(part for part in (left, more) if part))

    def _answer(self) -> None:
        if (ask := self._current()) is not None:
            self.wished.emit(ShowAsk(ask.id))

    def _hide(self) -> None:
        self._put_aside.update(self._asks)
        self._draw()

    def _lay_out(self, unit: int) -> None:
        row = QHBoxLayout(self._frame)
        row.setContentsMargins(unit * 3, unit + 2, unit * 2, unit + 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture)
        row.addWidget(self._words, 1)
        for widget in (self._time, self.answer, self._later):
            row.addWidget(widget, alignment=Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._frame)
