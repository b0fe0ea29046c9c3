"""The strip that says a call waits in the middle of a run. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.events import Event, PauseSettled, RunPaused
from workbench.gui.context import Context
from workbench.gui.icons import pixmap
from workbench.gui.pane import Pane
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import mark
from workbench.gui.views import label, tool_button
from workbench.gui.wishes import ShowPause
from workbench.gui.words import countdown, risk_word
from workbench.records import Pause


class PauseStrip(Pane):
    """Shows the pause whose time ends first, and how many more there are."""

    counted = Signal(int)
    """How many pauses are open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._pauses: dict[str, Pause] = {}
        self._put_aside: set[str] = set()  # ids a person wants to see later
        self._frame = QFrame(self)
        mark(self._frame, kind="banner", tone="warning")
        self._picture = QLabel()
        self._words = ForeignLabel(elide=True)
        self._risk = label("", "badge")
        self._time = label("", "muted")
        self.decide = QPushButton(self.tr("Decide"))
        self.decide.setAccessibleName(self.tr("Decide on the call that waits"))
        mark(self.decide, kind="primary")
        self._later = tool_button("close", self.tr("Hide this message; the call goes on waiting"), context.theme)
        for button in (self.decide, self._later):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._draw)
        self.decide.clicked.connect(self._decide)
        self._later.clicked.connect(self._hide)
        context.theme.changed.connect(self._draw)
        self._lay_out(context.theme.unit)
        self.hide()

    def hear(self, event: Event) -> None:
        if isinstance(event, RunPaused):
            self._pauses.pop(event.before, None)
            self._pauses[event.pause.id] = event.pause
            if not event.before:
                QApplication.alert(self.window())
        elif isinstance(event, PauseSettled):
            self._pauses.pop(event.pause.id, None)
            self._put_aside.discard(event.pause.id)
        else:
            return
        self._draw()

    def refresh(self) -> None:
        self.context.tasks.run("calls that wait", self.context.questions.pauses(), self._load)

    def pause(self, pause_id: str = "") -> Pause | None:
        """The one of this id, or of the call of this id; of none, the one whose time ends first."""
        pauses = self._pauses.values()
        named = self._pauses.get(pause_id) or next((one for one in pauses if one.call_id == pause_id), None)
        return named or min(pauses, key=lambda one: one.deadline, default=None)

    def words(self) -> str:
        return "" if self.isHidden() else self._words.full_text()

    def _load(self, pauses: tuple[Pause, ...]) -> None:
        self._pauses = {pause.id: pause for pause in pauses}
        self._draw()

    def _draw(self) -> None:
        open_ones = [pause for pause in self._pauses.values() if pause.id not in self._put_aside]
        pause = min(open_ones, key=lambda one: one.deadline, default=None)
        self.setVisible(pause is not None)
        self.counted.emit(len(self._pauses))
        if pause is None:
            self._tick.stop()
            return
        self._tick.start()
        risk = risk_word(pause.risk)
        self._picture.setPixmap(pixmap("hourglass", "warning", self.context.theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(self._sentence(pause, len(self._pauses) - 1))
        self._risk.setText(risk.text)
        mark(self._risk, tone=risk.tone)
        self._time.setText(self.tr("{} left").format(countdown(pause.deadline, time.time())))

    def _sentence(self, pause: Pause, others: int) -> str:
        name = one_line(f"{pause.server}.{pause.tool}", 80)
        many = self.tr("{0} calls of {1} wait").format(pause.more + 1, name)
        words = many if pause.more else self.tr("A call of {} waits").format(name)
        why = one_line(pause.why[0], 160) if pause.why else ""
        more = self.tr(" (and {} more questions)").format(others) if others > 0 else ""
        return f"{words}: {why}{more}"

    def _decide(self) -> None:
        open_ones = [pause for pause in self._pauses.values() if pause.id not in self._put_aside]
        if open_ones:
            self.wished.emit(ShowPause(min(open_ones, key=lambda one: one.deadline).id))

    def _hide(self) -> None:
        self._put_aside.update(self._pauses)
        self._draw()

    def _lay_out(self, unit: int) -> None:
        row = QHBoxLayout(self._frame)
        row.setContentsMargins(unit * 3, unit + 2, unit * 2, unit + 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture)
        row.addWidget(self._words, 1)
        for widget in (self._risk, self._time, self.decide, self._later):
            row.addWidget(widget, alignment=Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._frame)
