"""One question of a server: who asks, in which call, in its own words; then the means to answer it.

It is no modal window: a person may want to look something up first. Escape takes no part, Decline says no, and Later
leaves the question open.
"""

from __future__ import annotations

import time
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.faults import FaultCard, LaterDialog
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import countdown
from workbench.gui.runs.elicitation_bodies import AskBody, FormBody, ModelBody, PageBody
from workbench.gui.runs.strips import ask_word, waiting_words
from workbench.gui.shell.context import Context
from workbench.records import Ask, Fault

SETTLE_SECONDS: Final = 0.7  # a press that was meant for what stood here before does not count
_BODIES: Final = {"form": FormBody, "url": PageBody, "sampling": ModelBody}


class AskDialog(LaterDialog):
    """Told by its owner when the question took a step or is over."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.ask = ask
        self._sending = False
        self._began = time.monotonic()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(ask_word(ask).text)
        self.body: AskBody = _BODIES[ask.kind](context, ask)
        self._time = label("", "muted")
        self._fault = FaultCard(context.theme)
        self.later, self.decline = QPushButton("Later"), QPushButton("Decline")
        self.cancel, self.send = QPushButton("Cancel"), QPushButton("")
        self._build()
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._tick)
        self._clock.start()
        self.body.changed.connect(self._changed)
        self.body.done.connect(self._accept)
        QShortcut(QKeySequence("Ctrl+Return"), self, self._accept)
        self._draw()
        self.body.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_ask(self, ask: Ask) -> None:
        """It took a step."""
        self.ask = ask
        self.body.show_ask(ask)
        self._draw()

    def end(self) -> None:
        """Nobody waits for an answer any more."""
        self._over = True
        self.done(QDialog.DialogCode.Rejected)

    def _accept(self) -> None:
        if time.monotonic() - self._began < SETTLE_SECONDS or self._sending or not self.body.before_sending():
            self._say_obstacle()
            return
        self._answer("accept")

    def _decline(self) -> None:
        self._answer("decline")

    def _answer(self, action: str) -> None:
        if self._sending or self._over:
            return
        self._sending = True
        step = self.ask.kind == "url" and action == "accept" and not self.ask.opened  # the page is open then, not done
        content = self.body.content() if action == "accept" else self.body.reason() if action == "decline" else ""
        self._draw()
        self._context.tasks.run("answer a server", self._send(action, content, step=step))

    async def _send(self, action: str, content: str, *, step: bool) -> None:
        try:
            await self._context.api.answer_ask(self.ask.id, action, content)
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        finally:
            self._sending = False
            self._draw()
        if not self._over and not step:
            self._over = True
            self.done(QDialog.DialogCode.Accepted)

    def _changed(self) -> None:
        self._fault.show_fault(None)
        self._draw()

    def _say_obstacle(self) -> None:
        if words := self.body.obstacle():
            self._fault.show_fault(Fault(words), tone="warning")

    def _draw(self) -> None:
        self.send.setText(self.body.send_word())
        self.send.setEnabled(not self._sending)
        self.decline.setVisible(not self.ask.opened)
        self.cancel.setText("Give up" if self.ask.opened and self.ask.repeats else "Cancel")
        self.cancel.setVisible(not self.ask.opened or self.ask.repeats)
        for button in (self.decline, self.cancel):
            button.setEnabled(not self._sending)
        self._tick()

    def _tick(self) -> None:
        left = f"{countdown(self.ask.deadline, time.time())} left"
        self._time.setText(left if self.ask.deadline else "")

    def _cancel(self) -> None:
        self._answer("cancel")

    # how it is laid out

    def _build(self) -> None:
        unit = self._context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._head(unit))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self.body)
        column.addWidget(area, 1)
        column.addWidget(self._fault)
        column.addWidget(self._foot(unit))
        tall = {"sampling": 170, "url": 120}.get(self.ask.kind, 130)
        self.setMinimumSize(unit * 90, unit * 80)
        self.resize(unit * 150, unit * tall)

    def _head(self, unit: int) -> QVBoxLayout:
        head = QVBoxLayout()
        head.setContentsMargins(unit * 3, unit * 4, unit * 3, unit * 2)
        head.setSpacing(unit)
        word = ask_word(self.ask)
        line = QHBoxLayout()
        line.setSpacing(unit * 2)
        picture = QLabel()
        picture.setPixmap(pixmap(word.icon, word.tone, unit * 5, self.devicePixelRatioF()))
        title = label(word.text, "heading")
        title.setWordWrap(True)
        line.addWidget(picture)
        line.addWidget(title, 1)
        line.addWidget(self._time)
        head.addLayout(line)
        where = label(waiting_words(self.ask), "muted")
        where.setWordWrap(True)
        head.addWidget(where)
        if self.ask.message:
            head.addWidget(label("In the server's own words", "section"))
            head.addWidget(self._message(unit))
        return head

    def _message(self, unit: int) -> QScrollArea:
        """Scrolls by itself where it is long, so that the buttons never leave the screen."""
        words = ForeignLabel(self.ask.message)
        words.setContentsMargins(unit * 2, unit, unit * 2, unit)
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(words)
        area.viewport().setAutoFillBackground(False)
        words.setAutoFillBackground(False)
        mark(area, kind="card")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        lines = min(7, 1 + self.ask.message.count("\n") + len(self.ask.message) // 80)
        area.setFixedHeight(words.fontMetrics().lineSpacing() * lines + unit * 4)
        return area

    def _foot(self, unit: int) -> QFrame:
        foot = QFrame()
        mark(foot, kind="foot")
        row = QHBoxLayout(foot)
        row.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        row.setSpacing(unit * 2)
        for button, act, tip in (
            (
                self.later,
                self.put_away,
                "Hide this dialog. The request stays open; the bar at the top leads back to it (Escape)",
            ),
            (self.decline, self._decline, "Say no; the server is told that you declined"),
            (self.cancel, self._cancel, "Take no part; the server is told that you closed it"),
            (self.send, self._accept, "Ctrl+Enter"),
        ):
            button.setAutoDefault(False)
            button.setToolTip(tip)
            button.clicked.connect(act)
        mark(self.later, kind="quiet")
        mark(self.send, kind="primary")
        row.addWidget(self.later)
        row.addStretch(1)
        for button in (self.decline, self.cancel, self.send):
            row.addWidget(button)
        return foot
