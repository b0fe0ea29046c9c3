"""The strip that says a program waits for a decision. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from workbench.events import AskArrived, AskSettled, CallHeld, Event, HeldCallSettled, RunChanged
from workbench.gui.kit.text import one_line
from workbench.gui.kit.wording import Word, countdown, risk_word
from workbench.gui.runs.run_list import held_words, run_title
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import HELD, Request, ShowAsk, ShowChanges, ShowHeldCall, ShowRun
from workbench.gui.shell.pending_strips import QueueStrip
from workbench.records import Ask, HeldCall, Origin, Run, RunState


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

    def wish(self, item: Run) -> Request:
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


class HeldCallStrip(QueueStrip[HeldCall]):
    """Shows the held call whose time ends first, and how many more there are."""

    counted = Signal(int)
    """How many held calls are open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, lambda held_call: held_call.deadline, parent)
        self.name(
            "Decide",
            "Decide on the call that waits",
            "Hide this message; the call goes on waiting",
        )

    def hear(self, event: Event) -> None:
        if isinstance(event, CallHeld):
            self._take(event)
        elif isinstance(event, HeldCallSettled):
            self.pending.drop(event.held_call.id)
        else:
            return
        self.draw()

    def refresh(self) -> None:
        self.context.tasks.run("calls that wait", self.context.api.held_calls(), self._load)

    def held_call(self, held_call_id: str = "") -> HeldCall | None:
        """The one of this id, or of the call of this id; of none, the one whose time ends first."""
        held_calls = self.pending.every()
        named = self.pending.find(held_call_id) or next(
            (one for one in held_calls if one.call_id == held_call_id), None
        )
        return named or min(held_calls, key=lambda one: one.deadline, default=None)

    def draw(self) -> None:
        super().draw()
        self.counted.emit(len(self.pending))

    def tell(self, item: HeldCall) -> None:
        left = f"{countdown(item.deadline, time.time())} left"
        picture = Word("", "hourglass", "warning")
        self.banner.tell(picture, self._sentence(item, len(self.pending) - 1), left, risk_word(item.risk))

    def wish(self, item: HeldCall) -> Request:
        return ShowHeldCall(item.id)

    def _take(self, event: CallHeld) -> None:
        if event.before:
            self.pending.drop(event.before)
        else:
            QApplication.alert(self.window())
        self.pending.take(event.held_call.id, event.held_call)

    def _load(self, held_calls: tuple[HeldCall, ...]) -> None:
        self.pending.replace((held_call.id, held_call) for held_call in held_calls)
        self.draw()

    def _sentence(self, held_call: HeldCall, others: int) -> str:
        name = one_line(f"{held_call.server}.{held_call.tool}", 80)
        many = f"{held_call.more + 1} calls of {name} wait"
        words = many if held_call.more else f"A call of {name} waits"
        why = one_line(held_call.why[0], 160) if held_call.why else ""
        more = f" (and {others} more requests)" if others > 0 else ""
        return f"{words}: {why}{more}"


_NAME = 60  # characters of a server's or tool's name


def ask_word(ask: Ask) -> Word:
    """What is wanted, with its icon; never the server's own words."""
    server = one_line(ask.server, _NAME)
    match ask.kind:
        case "url":
            return Word(f"{server} asks you to visit a page", "globe", "accent")
        case "sampling":
            return Word(f"{server} requests a completion (sampling)", "robot", "accent")
        case _:
            return Word(f"{server} asks you to fill in a form", "message", "accent")


def waiting_words(ask: Ask) -> str:
    """Which call waits, on whose behalf."""
    tool = one_line(ask.tool, _NAME)
    if not tool:
        return "It does not say for which call."
    if ask.run_id:
        return f"In a call of {tool} by a program of {one_line(ask.by, _NAME)}."
    if ask.by == "you":
        return f"In your call of {tool}, which waits for it."
    return f"In a call of {tool} for {one_line(ask.by, _NAME)}."


def own_call(ask: Ask) -> bool:
    """Whether the person who sits here made the call by hand."""
    return ask.by == "you" and not ask.run_id


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

    def wish(self, item: Ask) -> Request:
        return ShowAsk(item.id)

    def _load(self, asks: tuple[Ask, ...]) -> None:
        self.pending.replace((ask.id, ask) for ask in asks)
        self.draw()
