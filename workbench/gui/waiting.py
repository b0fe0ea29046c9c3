"""The strip that says a program waits for a decision. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import math
import time

from PySide6.QtWidgets import QWidget

from workbench.events import Event, RunChanged
from workbench.gui.context import Context
from workbench.gui.models.changes import HELD
from workbench.gui.models.runs import held_words, run_title
from workbench.gui.queue_strip import QueueStrip
from workbench.gui.text import one_line
from workbench.gui.wishes import ShowChanges, ShowRun, Wish
from workbench.gui.words import Word, countdown, risk_word
from workbench.records import Origin, Run, RunState


class WaitingStrip(QueueStrip[Run]):
    """Shows the most urgent waiting run, how long it will wait, and how many more there are."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, lambda run: run.deadline if run.state is RunState.WAITING else math.inf, parent)
        self.name(
            "Review",
            "Review the waiting program",
            "Hide this message; the program goes on waiting",
        )

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged):
            self._take(event.run)
            self.draw()

    def refresh(self) -> None:
        self.context.tasks.run("waiting runs", self.context.api.runs(), self._load)

    def current(self) -> Run | None:
        return self.pending.first()

    def tell(self, item: Run) -> None:
        waits = item.state is RunState.WAITING
        own = item.proposal.origin is Origin.PERSON
        who = "You want to run this" if own else f"{item.proposal.author} asks"
        words = f"{who}: {one_line(run_title(item), 200)}" if waits else held_words(item)
        more = len(self.pending) - 1
        words = f"{words} (and {more} more)" if more else words
        left = f"{countdown(item.deadline, time.time())} left" if waits else ""
        risk = risk_word(item.verdict.risk) if waits and item.verdict is not None else None
        self.banner.tell(Word("", "hourglass" if waits else "file", "accent"), words, left, risk)

    def wish(self, item: Run) -> Wish:
        return ShowRun(item.id) if item.state is RunState.WAITING else ShowChanges(HELD + item.id)

    def _load(self, runs: tuple[Run, ...]) -> None:
        self.pending.replace((run.id, run) for run in runs if _waits(run))
        self.draw()

    def _take(self, run: Run) -> None:
        if _waits(run):
            self.pending.take(run.id, run)
        else:
            self.pending.drop(run.id)


def _waits(run: Run) -> bool:
    """For a decision, or for one about the files that it wants to change."""
    return run.state is RunState.WAITING or bool(run.held)
