"""The page about a server's request to the user: a form (elicitation), a page to visit, or a completion (sampling).

It is not modal, because the user may want to look something up first.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.events import AskArrived, AskSettled
from workbench.gui.kit.controls import SETTLE_MS
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.runs.decision_dialog import DecisionDialog, scrolled
from workbench.gui.runs.elicitation_bodies import ElicitationBody, FormBody, SamplingBody, VisitBody
from workbench.gui.runs.pending_strip import elicitation_source, elicitation_title
from workbench.gui.shell.context import Context
from workbench.records import Ask, Fault

_BODIES: Final = {"form": FormBody, "url": VisitBody, "sampling": SamplingBody}
_HEIGHTS: Final = {"form": 130, "url": 120, "sampling": 170}
_ENDINGS: Final = {
    "withdrawn": "{} no longer waits for your answer.",
    "timed out": "Time is up: the request of {} was closed.",
}


class ElicitationPage(DecisionDialog):
    """Later leaves the request open, Decline says no, and Cancel closes the request without an answer."""

    is_elicitation = True

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        title = elicitation_title(ask)
        super().__init__(context, ask.id, title.text, "the request", parent)
        self.ask = ask
        self.body: ElicitationBody = _BODIES[ask.kind](context, ask)
        self.deny_button.setText("Decline")
        self.deny_button.setToolTip("Say no; the server is told that you declined")
        self.cancel_button = self.make_button("Cancel", "minus", self._cancel, "Close the request without an answer")
        for button in (self.deny_button, self.cancel_button, self.later_button):
            button.setAutoDefault(False)
        self.deny_button.setDefault(False)
        self.allow_button.setToolTip("Ctrl+Enter")
        mark(self.allow_button, kind="primary")
        self._new_step = QTimer(self, singleShot=True)
        self._new_step.timeout.connect(self._show_buttons)
        self._lay_out()
        context.store.on(AskArrived, self._arrived)
        context.store.on(AskSettled, self._settled)
        self.body.changed.connect(self._body_changed)
        self.body.accepted.connect(self.allow)
        QShortcut(QKeySequence("Ctrl+Return"), self, self.allow).setAutoRepeat(False)
        self.set_deadline(ask.deadline, "{} left")
        self._show_buttons()

    def _arrived(self, event: AskArrived) -> None:
        """The request took a step: the page was opened. A click that was meant for the step before does not count."""
        if event.ask.id == self.ask.id and not self.is_over:
            if event.ask.opened != self.ask.opened:
                self.restart_settling()
                self._new_step.start(SETTLE_MS)
            self.ask = event.ask
            self.body.show_request(event.ask)
            self.set_deadline(event.ask.deadline, "{} left")
            self._show_buttons()

    def _settled(self, event: AskSettled) -> None:
        """It closes, unless it would take with it what the user entered and did not send."""
        if event.ask.id != self.ask.id or self.is_over:
            return
        sentence = _ENDINGS.get(event.ending, "").format(one_line(event.ask.server, 60))
        if sentence:
            self.context.say(sentence)
        if sentence and self.body.has_input() and not self._sending:
            self.end(Fault(sentence, "Nothing was sent. You can still copy what you entered."))
        else:
            self.close_with(None)

    # answering

    def allow(self) -> None:
        """Accept; what is missing is said."""
        if not self.can_allow():
            return
        fault = self.body.prepare()
        self.show_fault(fault, "warning")
        if fault is None:
            self._answer("accept", self.body.content())

    def deny(self, _reason: str = "") -> None:
        self._answer("decline", self.body.reason())

    def _cancel(self) -> None:
        self._answer("cancel")

    def _answer(self, action: str, content: str = "") -> None:
        only_opened = self.ask.kind == "url" and action == "accept" and not self.ask.opened
        request = partial(self.context.api.answer_ask, self.ask.id, action, content)
        self.submit("answer a server", request, partial(self._take_answer, only_opened))
        self._show_buttons()

    def _take_answer(self, only_opened: bool, _ask: Ask) -> None:
        if only_opened:
            self._show_buttons()
        else:
            self.close_with(None)

    def sending_failed(self) -> None:
        self._show_buttons()

    def take_focus(self) -> None:
        self.body.take_focus()

    def _body_changed(self) -> None:
        if not self.is_over:
            self.show_fault(None)
            self._show_buttons()

    def _show_buttons(self) -> None:
        if self.is_over:
            return
        self.allow_button.setText(self.body.accept_text())
        self.deny_button.setVisible(not self.ask.opened)
        self.cancel_button.setText("Give up" if self.ask.opened and self.ask.repeats else "Cancel")
        self.cancel_button.setVisible(not self.ask.opened or self.ask.repeats)
        for button in (self.deny_button, self.cancel_button):
            button.setEnabled(not self._sending and not self._new_step.isActive())

    # layout

    def _lay_out(self) -> None:
        unit = self.context.theme.unit
        title = elicitation_title(self.ask)
        heading, source = paragraph(title.text), paragraph(elicitation_source(self.ask), "muted")
        message: list[QWidget] = []
        if self.ask.message:
            message = [label("Message from the server", "section"), self._message(unit)]
        head = self.make_head(title.icon, title.tone, heading, source, *message)
        middle: QWidget = self.body if self.body.scrolls else scrolled(self.body)
        foot = self.make_foot((self.later_button,), (self.deny_button, self.cancel_button, self.allow_button))
        column(self, head, middle, self.fault, foot, grows=middle)
        self.set_size(150, _HEIGHTS[self.ask.kind])

    def _message(self, unit: int) -> QScrollArea:
        """A long message scrolls by itself, so that the buttons stay on the screen."""
        text = ForeignLabel(self.ask.message)
        text.setContentsMargins(unit * 2, unit, unit * 2, unit)
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        text.setAutoFillBackground(False)
        area = scrolled(text)
        area.viewport().setAutoFillBackground(False)
        mark(area, kind="card")
        lines = min(7, 1 + self.ask.message.count("\n") + len(self.ask.message) // 80)
        area.setFixedHeight(text.fontMetrics().lineSpacing() * lines + unit * 4)
        return area
