"""The strip that says a server asks something. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QWidget

from workbench.events import AskArrived, AskSettled, Event
from workbench.gui.asks.words import ask_word, waiting_words
from workbench.gui.context import Context
from workbench.gui.queue_strip import QueueStrip
from workbench.gui.wishes import ShowAsk, Wish
from workbench.gui.words import countdown
from workbench.records import Ask


class AskStrip(QueueStrip[Ask]):
    """Shows the oldest open question, how long it waits, and how many more there are."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, lambda ask: 0.0, parent)
        self.name(
            "Answer",
            "Answer the server's request",
            "Hide this message; the request stays open",
        )

    def hear(self, event: Event) -> None:
        if isinstance(event, AskArrived):
            self.pending.take(event.ask.id, event.ask)
        elif isinstance(event, AskSettled):
            self.pending.drop(event.ask.id)
        else:
            return
        self.draw()

    def refresh(self) -> None:
        self.context.tasks.run("requests of servers", self.context.api.asks(), self._load)

    def ask(self, ask_id: str) -> Ask | None:
        return self.pending.find(ask_id)

    def asks(self) -> tuple[Ask, ...]:
        """Oldest first, those put aside included."""
        return self.pending.every()

    def aside(self) -> str:
        """What stands beside the words: the time that is left, and how many more questions there are."""
        return self.banner.aside()

    def tell(self, item: Ask) -> None:
        left = f"{countdown(item.deadline, time.time())} left" if item.deadline else ""
        others = len(self.pending) - 1
        more = f"{others} more" if others else ""
        word = ask_word(item)
        words = f"{word.text}. {waiting_words(item)}"
        self.banner.tell(word, words, " · ".join(part for part in (left, more) if part))

    def wish(self, item: Ask) -> Wish:
        return ShowAsk(item.id)

    def _load(self, asks: tuple[Ask, ...]) -> None:
        self.pending.replace((ask.id, ask) for ask in asks)
        self.draw()
