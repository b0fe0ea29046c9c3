"""The answer side of a call: what it cost, whether it fits its schema, what went wrong, and the result itself."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QStackedWidget, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.counted import cost
from workbench.gui.fault_card import FaultCard
from workbench.gui.icons import pixmap
from workbench.gui.result import ResultView
from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, Strip
from workbench.gui.whole import size_words
from workbench.gui.words import duration
from workbench.records import Fault, Outcome

_TICK = 1000  # milliseconds between two looks at how long a call has run


class CallAnswer(QWidget):
    """Empty, running, or showing an Outcome."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme = context.theme
        self._strip = Strip(theme)
        self._sign = QLabel()
        self._words = ForeignLabel(elide=True)
        self._schema = ForeignLabel()
        self._schema.setWordWrap(False)
        self._strip.row.addWidget(self._sign)
        self._strip.row.addWidget(self._words, 1)
        self._strip.row.addWidget(self._schema)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the call")
        self.fault = FaultCard(theme)
        self._schema_fault = FaultCard(theme)
        self.result = ResultView(context, compares=True)
        self._empty = EmptyState(theme, "play", *self._none())
        self._build()
        self._began = 0.0
        self._told = ""  # what the server last said of its progress
        self._tick = QTimer(self, interval=_TICK)
        self._tick.timeout.connect(self._say_running)
        self.clear()

    def clear(self) -> None:
        self._strip.hide()
        self._bar.hide()
        self._show_none()
        self._pages.setCurrentWidget(self._empty)

    def begin(self) -> None:
        """A call is under way; the last result stays readable until the next one is there."""
        self._began, self._told = time.monotonic(), ""
        self._say_running()
        self._tick.start()
        self._empty.say("Waiting for the answer", "It appears here as soon as the server sent it.")
        self._schema.hide()
        self.fault.show_fault(None)
        self._bar.setRange(0, 0)
        self._bar.show()

    def end(self) -> None:
        self._tick.stop()
        self._bar.hide()

    def show_asked(self) -> None:
        """Nothing reached the server; the form asks now."""
        self._say("hourglass", "warning", "Nothing was sent yet: please confirm.")
        self._show_none()

    def show_not_sent(self) -> None:
        """The question was taken back."""
        self._say("ban", "muted", "Nothing was sent.")

    def show_progress(self, progress: float, total: float, message: str) -> None:
        self._bar.setRange(0, 1000 if total > 0 else 0)
        if total > 0:
            self._bar.setValue(round(1000 * min(1.0, progress / total)))
        share = min(1.0, max(0.0, progress / total)) if total > 0 else 0.0
        steps = f"{progress:g} / {total:g} ({share:.0%})" if total > 0 else f"{progress:g}"
        self._told = " · ".join(part for part in (steps, message) if part)
        self._say_running()

    def _say_running(self) -> None:
        self._say("loader", "info", " · ".join(part for part in (self._running(), self._told) if part))

    def _running(self) -> str:
        """With the time since the call began, as soon as there is some to tell."""
        seconds = time.monotonic() - self._began
        return f"Running for {duration(seconds * 1000)}" if seconds >= 1 else "Running…"

    def show_outcome(self, outcome: Outcome, *, has_schema: bool) -> None:
        self._summarize(outcome)
        self._show_schema(outcome, has_schema)
        self.fault.show_fault(outcome.fault)
        fault = Fault(outcome.schema_fault) if outcome.schema_fault else None
        self._schema_fault.show_fault(fault, tone="warning")
        if outcome.content or outcome.structured or outcome.ok:
            self.result.show_outcome(outcome)
            self._pages.setCurrentWidget(self.result)
        else:
            self._empty.say("No result", "The call did not give one; the reason stands above.")
            self._pages.setCurrentWidget(self._empty)

    def _show_none(self) -> None:
        self._empty.say(*self._none())

    def _none(self) -> tuple[str, str]:
        words = "Run the tool: what it answers appears here, with its time, size and token cost."
        return "No result yet", words

    def sentence(self) -> str:
        """The summary line."""
        return self._words.full_text()

    def _summarize(self, outcome: Outcome) -> None:
        figures = [
            duration(outcome.ms),
            size_words(outcome.bytes),
            cost(outcome.tokens),
        ]
        if outcome.refused:
            self._say("ban", "danger", "Refused, nothing was sent")
        elif outcome.ok:
            self._say("check", "success", " · ".join(["Done", *figures]))
        else:
            self._say("alert", "danger", " · ".join(["Failed", *figures]))

    def _show_schema(self, outcome: Outcome, has_schema: bool) -> None:
        self._schema.setVisible(outcome.ok)
        if not has_schema:
            self._schema.setText("no output schema")
            mark(self._schema, role="muted", tone="")
        elif outcome.schema_fault:
            self._schema.setText("departs from its schema")
            mark(self._schema, role="", tone="warning")
        else:
            self._schema.setText("matches schema")
            mark(self._schema, role="", tone="success")

    def _say(self, symbol: str, tone: str, words: str) -> None:
        self._strip.show()
        self._sign.setPixmap(pixmap(symbol, tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(visible(words))

    def _build(self) -> None:
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.result)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self._strip, self._bar, self.fault, self._schema_fault):
            layout.addWidget(part)
        layout.addWidget(self._pages, 1)
