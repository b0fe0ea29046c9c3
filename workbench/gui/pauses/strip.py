"""The strip that says a call waits in the middle of a run. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from workbench.events import Event, PauseSettled, RunPaused
from workbench.gui.context import Context
from workbench.gui.queue_strip import QueueStrip
from workbench.gui.text import one_line
from workbench.gui.wishes import ShowPause, Wish
from workbench.gui.words import Word, countdown, risk_word
from workbench.records import Pause


class PauseStrip(QueueStrip[Pause]):
    """Shows the pause whose time ends first, and how many more there are."""

    counted = Signal(int)
    """How many pauses are open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, lambda pause: pause.deadline, parent)
        self.name(
            self.tr("Decide"),
            self.tr("Decide on the call that waits"),
            self.tr("Hide this message; the call goes on waiting"),
        )

    def hear(self, event: Event) -> None:
        if isinstance(event, RunPaused):
            self._take(event)
        elif isinstance(event, PauseSettled):
            self.pending.drop(event.pause.id)
        else:
            return
        self.draw()

    def refresh(self) -> None:
        self.context.tasks.run("calls that wait", self.context.api.pauses(), self._load)

    def pause(self, pause_id: str = "") -> Pause | None:
        """The one of this id, or of the call of this id; of none, the one whose time ends first."""
        pauses = self.pending.every()
        named = self.pending.find(pause_id) or next((one for one in pauses if one.call_id == pause_id), None)
        return named or min(pauses, key=lambda one: one.deadline, default=None)

    def draw(self) -> None:
        super().draw()
        self.counted.emit(len(self.pending))

    def tell(self, item: Pause) -> None:
        left = self.tr("{} left").format(countdown(item.deadline, time.time()))
        picture = Word("", "hourglass", "warning")
        self.banner.tell(picture, self._sentence(item, len(self.pending) - 1), left, risk_word(item.risk))

    def wish(self, item: Pause) -> Wish:
        return ShowPause(item.id)

    def _take(self, event: RunPaused) -> None:
        if event.before:
            self.pending.drop(event.before)
        else:
            QApplication.alert(self.window())
        self.pending.take(event.pause.id, event.pause)

    def _load(self, pauses: tuple[Pause, ...]) -> None:
        self.pending.replace((pause.id, pause) for pause in pauses)
        self.draw()

    def _sentence(self, pause: Pause, others: int) -> str:
        name = one_line(f"{pause.server}.{pause.tool}", 80)
        many = self.tr("{0} calls of {1} wait").format(pause.more + 1, name)
        words = many if pause.more else self.tr("A call of {} waits").format(name)
        why = one_line(pause.why[0], 160) if pause.why else ""
        more = self.tr(" (and {} more questions)").format(others) if others > 0 else ""
        return f"{words}: {why}{more}"
