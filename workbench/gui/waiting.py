"""The strip that says a program waits for a decision. It never takes the keyboard: a person may be typing."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.events import Event, RunChanged
from workbench.gui.context import Context
from workbench.gui.icons import pixmap
from workbench.gui.models.runs import run_title
from workbench.gui.pane import Pane
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import mark
from workbench.gui.views import label, tool_button
from workbench.gui.wishes import ShowRun
from workbench.gui.words import countdown, risk_word
from workbench.records import Origin, Run, RunState


class WaitingStrip(Pane):
    """Shows the most urgent waiting run, how long it will wait, and how many more there are."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._waiting: dict[str, Run] = {}
        self._put_aside: set[str] = set()  # ids a person wants to see later
        self._frame = QFrame(self)
        mark(self._frame, kind="banner", tone="accent")
        self._picture = QLabel()
        self._words = ForeignLabel(elide=True)
        self._risk = label("", "badge")
        self._time = label("", "muted")
        self.review = QPushButton(self.tr("Review"))
        self.review.setAccessibleName(self.tr("Review the waiting program"))
        mark(self.review, kind="primary")
        self._later = tool_button("close", self.tr("Hide this message; the program goes on waiting"), context.theme)
        for button in (self.review, self._later):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self._draw)
        self.review.clicked.connect(self._review)
        self._later.clicked.connect(self._hide)
        context.theme.changed.connect(self._draw)
        self._lay_out(context.theme.unit)
        self.hide()

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged):
            self._take(event.run)
            self._draw()

    def refresh(self) -> None:
        self.context.tasks.run("waiting runs", self.context.questions.runs(), self._load)

    def current(self) -> Run | None:
        waiting = [run for run in self._waiting.values() if run.id not in self._put_aside]
        return min(waiting, key=lambda run: run.deadline, default=None)

    def _load(self, runs: tuple[Run, ...]) -> None:
        self._waiting.clear()
        for run in runs:
            self._take(run)
        self._draw()

    def _take(self, run: Run) -> None:
        if run.state is RunState.WAITING:
            self._waiting[run.id] = run
        else:
            self._waiting.pop(run.id, None)
            self._put_aside.discard(run.id)

    def _lay_out(self, unit: int) -> None:
        row = QHBoxLayout(self._frame)
        row.setContentsMargins(unit * 3, unit + 2, unit * 2, unit + 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture)
        row.addWidget(self._words, 1)
        for widget in (self._risk, self._time, self.review, self._later):
            row.addWidget(widget, alignment=Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._frame)

    def _draw(self) -> None:
        run = self.current()
        self.setVisible(run is not None)
        if run is None:
            self._tick.stop()
            return
        self._tick.start()
        self._picture.setPixmap(pixmap("hourglass", "accent", self.context.theme.unit * 4, self.devicePixelRatioF()))
        more = len(self._waiting) - 1
        own = run.proposal.origin is Origin.PERSON
        who = self.tr("You want to run this") if own else self.tr("{} asks").format(run.proposal.author)
        words = f"{who}: {one_line(run_title(run), 200)}"
        self._words.setText(self.tr("{} (and {} more)").format(words, more) if more else words)
        self._time.setText(self.tr("{} left").format(countdown(run.deadline, time.time())))
        if run.verdict is not None:
            risk = risk_word(run.verdict.risk)
            self._risk.setText(risk.text)
            mark(self._risk, tone=risk.tone)
        self._risk.setVisible(run.verdict is not None)

    def _review(self) -> None:
        run = self.current()
        if run is not None:
            self.wished.emit(ShowRun(run.id))

    def _hide(self) -> None:
        self._put_aside.update(self._waiting)
        self._draw()
