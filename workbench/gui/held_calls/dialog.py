"""One call, or a batch of alike ones, that waits in the middle of a run: what it would do, why it is asked about, where
its values came from, and the answers. Deny is the default; nothing lets it pass in the first moment.

It is no modal window: a person may want to look something up first. When another call joins, the buttons rest again.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.dialogs.allow_button import AllowButton
from workbench.gui.fault_card import FaultCard
from workbench.gui.held_calls.evidence import Evidence
from workbench.gui.held_calls.learned import LearnedChoice
from workbench.gui.icons import icon, pixmap
from workbench.gui.later_dialog import LaterDialog
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.roomy_button import RoomyButton
from workbench.gui.text import ForeignLabel, one_line, visible
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.gui.words import countdown, risk_word
from workbench.records import Fault, HeldCall, HeldCallAnswer

_ONE_LINE = 100  # letters of width that all answers need beside each other
_REASONS = 4  # that stand there; of more it is said how many
_LINES = 12  # of what it would send, before that scrolls by itself


class HeldCallDialog(LaterDialog):
    """Told by its owner when calls joined or nobody has to answer any more."""

    run_wanted = Signal(str)
    """The id of the run whose page is to be shown."""

    def __init__(self, context: Context, held_call: HeldCall, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.held_call = held_call
        self._began = time.monotonic()
        self._sending = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("A call waits for you")
        self._build()
        self._clock = QTimer(self, interval=500)
        self._clock.timeout.connect(self._tick)
        self._clock.start()
        self.show_held_call(held_call)
        self.deny.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_held_call(self, held_call: HeldCall) -> None:
        """What waits now; a press that was meant for what stood here before does not count."""
        self.held_call = held_call
        many = held_call.more + 1
        name = f"{held_call.server}.{held_call.tool}"
        who = one_line(held_call.author, 60) or "A program"
        one, several = "{0} wants to call {1}", "{0} wants to call {1} {2} times"
        self._title.setText(several.format(who, name, many) if many > 1 else one.format(who, name))
        risk = risk_word(held_call.risk)
        self._risk.setText(risk.text)
        mark(self._risk, tone=risk.tone)
        self._trifecta.setVisible(held_call.trifecta)
        self._why.setText("\n".join(self._reasons(held_call)))
        self._evidence.show_origins(held_call.origins, held_call.run_id)
        self._evidence.setVisible(bool(held_call.origins))
        words = visible("\n".join(held_call.list) if many > 1 else held_call.arguments)
        self._arguments.setPlainText(words)
        lines = max(3, min(_LINES, words.count("\n") + 2))
        self._arguments.setMinimumHeight(self._arguments.fontMetrics().lineSpacing() * lines)
        self._heading.setText("The calls that wait" if many > 1 else "What it would send")
        shown = len(held_call.list)
        self.allow.setText(f"Allow these {shown}" if shown > 1 else "Allow once")
        self._learned.show_held_call(held_call)
        self._unsettle()
        self._tick()

    def _reasons(self, held_call: HeldCall) -> list[str]:
        more = len(held_call.why) - _REASONS
        said = [f"• {reason}" for reason in held_call.why[:_REASONS]]
        return [*said, f"• and {more} more reasons of this kind"] if more > 0 else said

    def end(self, words: str) -> None:
        """Nobody waits for an answer any more."""
        self._fault.show_fault(Fault(words), tone="warning")
        for button in (self.allow, self.rest, self.with_reason, self.later):
            button.hide()
        self._reason_row.hide()
        self._time.hide()
        self.deny.setText("Close")
        self.deny.setFocus(Qt.FocusReason.OtherFocusReason)
        self._finish()

    def reject(self) -> None:
        """Escape puts it away; while a reason is written it only leaves that."""
        if not self._over and self._reason_row.isVisible():
            self._reason_row.hide()
            self.with_reason.show()
            self.deny.setFocus()
        else:
            super().reject()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for one line, what allows stands below what denies."""
        super().resizeEvent(event)
        narrow = self.width() < self.fontMetrics().averageCharWidth() * _ONE_LINE
        below, beside = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._rows.setDirection(below if narrow else beside)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self._unsettle()

    # answering

    def _answer(self, *, allow: bool, scope: str = "once", reason: str = "") -> None:
        if self._sending:
            return
        if self._over:
            super().reject()
            return
        self._sending = True
        seconds = time.monotonic() - self._began
        answer = HeldCallAnswer(self.held_call.id, allow, scope, reason, seconds)
        self._context.tasks.run("answer a waiting call", self._send(answer))

    async def _send(self, answer: HeldCallAnswer) -> None:
        try:
            if answer.allow and (rule := self._learned.rule) is not None:
                await self._context.api.set_permission(rule)
            await self._context.api.answer_held_call(answer)
        except WorkbenchError as fault:
            if not self._over:
                self._fault.show_fault(Fault(fault.message, fault.hint))
                self._unsettle()
            return
        finally:
            self._sending = False
        self._over = True
        self.done(QDialog.DialogCode.Accepted if answer.allow else QDialog.DialogCode.Rejected)

    def _deny(self) -> None:
        self._answer(allow=False)

    def _allow(self) -> None:
        self._answer(allow=True)

    def _allow_rest(self) -> None:
        self._answer(allow=True, scope="rest")

    def _deny_with_reason(self) -> None:
        self._answer(allow=False, reason=self._reason.text().strip())

    def _ask_reason(self) -> None:
        self._reason_row.show()
        self.with_reason.hide()
        self._reason.setFocus()

    def _show_run(self) -> None:
        self.run_wanted.emit(self.held_call.run_id)

    def _unsettle(self) -> None:
        if not self._over:
            self.allow.unsettle()
            self.rest.unsettle()

    def _tick(self) -> None:
        left = f"denied in {countdown(self.held_call.deadline, time.time())}"
        self._time.setText(left if self.held_call.deadline else "")

    # how it is laid out

    def _build(self) -> None:
        unit = self._context.theme.unit
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._middle(unit))
        self._fault = FaultCard(self._context.theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        QWidget.setTabOrder(self._arguments, self._evidence)
        column.addLayout(self._head(unit))
        column.addWidget(area, 1)
        column.addWidget(self._fault)
        column.addWidget(self._foot(unit))
        letter = self.fontMetrics().averageCharWidth()
        self.setMinimumSize(letter * 56, self.fontMetrics().lineSpacing() * 18)
        available = self.screen().availableSize()
        self.resize(min(unit * 190, available.width()), min(unit * 150, available.height()))

    def _middle(self, unit: int) -> QWidget:
        """Why, what exactly, where it came from, and what may be learnt from the answer."""
        middle = QWidget()
        inner = QVBoxLayout(middle)
        inner.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 3)
        inner.setSpacing(unit * 2)
        self._why = ForeignLabel()
        self._evidence = Evidence(self._context.theme)
        self._heading = label("", "section")
        self._arguments = PlainEdit()
        self._arguments.setReadOnly(True)
        self._arguments.setTabChangesFocus(True)
        self._arguments.setAccessibleName("What would be sent")
        mark(self._arguments, kind="code")
        inner.addWidget(label("Why you are asked", "section"))
        for part in (self._why, self._heading):
            inner.addWidget(part)
        inner.addWidget(self._arguments, 1)
        inner.addWidget(self._evidence)
        self._learned = LearnedChoice(self._context)
        inner.addWidget(self._learned)
        return middle

    def _head(self, unit: int) -> QVBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        picture = QLabel()
        picture.setPixmap(pixmap("hourglass", "warning", unit * 5, self.devicePixelRatioF()))
        self._title = ForeignLabel(breaks=True)
        mark(self._title, role="heading")
        self._risk = label("", "badge")
        self._trifecta = label("Private data, strangers' words, a way out", "badge")
        mark(self._trifecta, tone="critical")
        self._time = label("", "muted")
        row.addWidget(picture)
        row.addWidget(self._title, 1)
        row.addWidget(self._time)
        head = QVBoxLayout()
        head.setContentsMargins(unit * 4, unit * 4, unit * 4, unit * 2)
        head.setSpacing(unit * 2)
        head.addLayout(row)
        badges = QHBoxLayout()
        badges.setSpacing(unit * 2)
        for badge in (self._risk, self._trifecta):
            badges.addWidget(badge)
        badges.addStretch(1)
        head.addLayout(badges)
        return head

    def _foot(self, unit: int) -> QFrame:
        foot = QFrame()
        mark(foot, kind="strip")
        column = QVBoxLayout(foot)
        column.setContentsMargins(unit * 4, unit * 3, unit * 4, unit * 3)
        column.setSpacing(unit * 2)
        column.addWidget(self._make_reason(unit))
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._rows.setSpacing(unit * 2)
        self.deny = QPushButton(icon("x", "muted"), "Deny")
        self.deny.setDefault(True)
        self.deny.setToolTip("The call is refused, and the program is told")
        self.deny.clicked.connect(self._deny)
        self.later = RoomyButton(self._context.theme, icon("hourglass", "muted"), "Later")
        self.later.setToolTip("Put this away; the call keeps waiting for your answer (Escape)")
        self.later.clicked.connect(self.put_away)
        mark(self.later, kind="quiet")
        self.with_reason = QPushButton(icon("message", "muted"), "Deny with reason…")
        self.with_reason.clicked.connect(self._ask_reason)
        self.look = QPushButton(icon("terminal", "muted"), "Show the run")
        self.look.clicked.connect(self._show_run)
        self.rest = AllowButton("Allow the rest of this run")
        self.rest.allowed.connect(self._allow_rest)
        self.allow = AllowButton("Allow once")
        self.allow.allowed.connect(self._allow)
        mark(self.allow, kind="primary")
        for buttons in ((self.later, self.look, self.deny, self.with_reason), (self.rest, self.allow)):
            row = QHBoxLayout()
            row.setSpacing(unit * 2)
            row.addStretch(1)
            for button in buttons:
                row.addWidget(button)
            self._rows.addLayout(row, 1 if self.look in buttons else 0)
        column.addLayout(self._rows)
        return foot

    def _make_reason(self, unit: int) -> QWidget:
        self._reason_row = QWidget()
        row = QHBoxLayout(self._reason_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(unit * 2)
        self._reason = QLineEdit()
        self._reason.setPlaceholderText("Why not? The agent reads this.")
        self._reason.setAccessibleName("Reason for denying")
        self._reason.returnPressed.connect(self._deny_with_reason)
        send = QPushButton(icon("x", "muted"), "Deny with this reason")
        send.setAutoDefault(False)
        send.clicked.connect(self._deny_with_reason)
        row.addWidget(self._reason, 1)
        row.addWidget(send)
        self._reason_row.hide()
        return self._reason_row
