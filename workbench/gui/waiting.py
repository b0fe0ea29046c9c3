"""The strip that says a program waits for a decision. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QWidget

from workbench.events import Event, RunChanged
from workbench.gui.context import Context
from workbench.gui.models.runs import run_title
from workbench.gui.queue_strip import QueueStrip
from workbench.gui.text import one_line
from workbench.gui.wishes import ShowRun, Wish
from workbench.gui.words import Word, countdown, risk_word
from workbench.records import Origin, Run, RunState


class WaitingStrip(QueueStrip[Run]):
    """Shows the most urgent waiting run, how long it will wait, and how many more there are."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, lambda run: run.deadline, parent)
        self.name(
            self.tr("Review"),
            self.tr("Review the waiting program"),
            self.tr("Hide this message; the program goes on waiting"),
        )

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged):
            self._take(event.run)
            self.draw()

    def refresh(self) -> None:
        self.context.tasks.run("waiting runs", self.context.questions.runs(), self._load)

    def current(self) -> Run | None:
        return self.pending.first()

    def tell(self, item: Run) -> None:
        more = len(self.pending) - 1
        own = item.proposal.origin is Origin.PERSON
        who = self.tr("You want to run this") if own else self.tr("{} asks").format(item.proposal.author)
        words = f"{who}: {one_line(run_title(item), 200)}"
        words = self.tr("{} (and {} more)").format(words, more) if more else words
        left = self.tr("{} left").format(countdown(item.deadline, time.time()))
        risk = risk_word(item.verdict.risk) if item.verdict is not None else None
        self.banner.tell(Word("", "hourglass", "accent"), words, left, risk)

    def wish(self, item: Run) -> Wish:
        return ShowRun(item.id)

    def _load(self, runs: tuple[Run, ...]) -> None:
        self.pending.replace((run.id, run) for run in runs if run.state is RunState.WAITING)
        self.draw()

    def _take(self, run: Run) -> None:
        if run.state is RunState.WAITING:
            self.pending.take(run.id, run)
        else:
            self.pending.drop(run.id)
