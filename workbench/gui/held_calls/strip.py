"""The strip that says a call waits in the middle of a run. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from workbench.events import CallHeld, Event, HeldCallSettled
from workbench.gui.context import Context
from workbench.gui.queue_strip import QueueStrip
from workbench.gui.text import one_line
from workbench.gui.wishes import ShowHeldCall, Wish
from workbench.gui.words import Word, countdown, risk_word
from workbench.records import HeldCall


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

    def wish(self, item: HeldCall) -> Wish:
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
