"""Where the values of a waiting call came from: each value, whose answer it stood in, and the words around it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo, RoomyButton
from workbench.gui.kit.faults import FaultCard, LaterDialog
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import countdown, risk_word
from workbench.gui.runs.allow_button import AllowButton
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun
from workbench.records import Fault, HeldCall, HeldCallAnswer, Permission, Risk, ValueOrigin

_KINDS = {"untrusted": "outsiders can write there", "private": "private data"}
_SHOWN = 8  # origins that are shown; more are counted
_PATHS = 3  # places of one value that are named
_LINES = 4  # of the words around a value, before they scroll


class Evidence(QWidget):
    """Hidden while there is nothing to show."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.unit * 2)
        self._shown: tuple[ValueOrigin, ...] = ()

    def show_origins(self, origins: Sequence[ValueOrigin], run_id: str) -> None:
        """Told again when more calls joined; the same is not drawn again."""
        if tuple(origins) == self._shown:
            return
        self._shown = tuple(origins)
        while (item := self._column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        if origins:
            self._column.addWidget(label("Where its values came from", "section"))
        several = self._joined(origins)
        for origin in several[:_SHOWN]:
            self._column.addWidget(self._card(origin, run_id))
        if len(several) > _SHOWN:
            self._column.addWidget(label(f"and {len(several) - _SHOWN} more", "muted"))

    def _joined(self, origins: Sequence[ValueOrigin]) -> list[ValueOrigin]:
        """The same value out of the same answer is told once, with all places it goes to."""
        paths: dict[ValueOrigin, list[str]] = {}
        for origin in origins:
            paths.setdefault(replace(origin, path=""), []).append(origin.path)
        more = " and {} more places"
        return [
            replace(one, path=", ".join(to[:_PATHS]) + (more.format(len(to) - _PATHS) if len(to) > _PATHS else ""))
            for one, to in paths.items()
        ]

    def _card(self, origin: ValueOrigin, run_id: str) -> QWidget:
        card = QFrame()
        mark(card, kind="card")
        unit = self._theme.unit
        column = QVBoxLayout(card)
        column.setContentsMargins(unit * 2, unit * 2, unit * 2, unit * 2)
        column.setSpacing(unit)
        column.addWidget(ForeignLabel(f"{origin.path} = {one_line(origin.value, 200)}", breaks=True))
        where = "an earlier answer that is not kept any more"
        if origin.tool:
            when = "in this run" if origin.run_id == run_id else "in an earlier run"
            where = f"the answer of {origin.server}.{origin.tool}, {when}"
        kinds = ", ".join(_KINDS.get(kind, kind) for kind in origin.kinds)
        words = ForeignLabel(f"stood in {where} ({kinds})")
        mark(words, role="muted")
        column.addWidget(words)
        if origin.around:
            column.addWidget(self._marked(origin))
        return card

    def _marked(self, origin: ValueOrigin) -> PlainEdit:
        before, _, rest = origin.around.partition("\x02")
        found, _, after = rest.partition("\x03")
        before, found, after = visible(before), visible(found), visible(after)
        view = PlainEdit(f"{before}{found}{after}")
        view.setReadOnly(True)
        view.setTabChangesFocus(True)
        view.setAccessibleName(f"Where the value of {origin.path} stood")
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        mark(view, kind="code")
        letters = self.fontMetrics().averageCharWidth() * 60  # of a narrow window
        rows = view.fontMetrics().horizontalAdvance(f"{before}{found}{after}") // max(1, letters) + 1
        rows += min(_LINES, f"{before}{found}{after}".count("\n"))
        view.setFixedHeight(view.fontMetrics().lineSpacing() * max(2, min(_LINES, rows)) + self._theme.unit * 3)
        cursor = QTextCursor(view.document())
        cursor.setPosition(view.document_place(_units(before)))
        cursor.setPosition(view.document_place(_units(before + found)), QTextCursor.MoveMode.KeepAnchor)
        format_ = QTextCharFormat()
        format_.setBackground(self._theme.soft("danger", 0.35))
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, format_
        view.setExtraSelections([selection])
        return view


def _units(text: str) -> int:
    """Qt counts in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


_LONGEST = 110  # letters of a rule in the list


class LearnedChoice(QWidget):
    """Hidden where no rule would be narrow enough."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rules: tuple[Permission, ...] = ()
        self._shown = ""
        self.choice = CalmCombo()
        self.choice.setAccessibleName("The rule that your approval creates")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label("If you allow it", "muted"))
        row.addWidget(self.choice, 1)
        self.hide()

    @property
    def rule(self) -> Permission | None:
        """The rule that is chosen; None: only this time."""
        number = self.choice.currentIndex() - 1
        return self._rules[number] if not self.isHidden() and 0 <= number < len(self._rules) else None

    def show_held_call(self, held_call: HeldCall) -> None:
        """Ask for rules once for each question. Nothing is learned of a batch, of high risk, or of values that came
        from strangers or are private."""
        if self._shown == (about := f"{held_call.id} {held_call.more}"):
            return
        self._shown = about
        self._offer(())
        risky = held_call.risk in (Risk.HIGH, Risk.CRITICAL)
        doubtful = risky or held_call.more or held_call.trifecta or held_call.origins
        if not doubtful:
            self._context.tasks.run("read rules for a call", self._read(held_call))

    async def _read(self, held_call: HeldCall) -> None:
        try:
            arguments = json.loads(held_call.arguments)
            found = await self._context.api.suggest_permissions(held_call.server, held_call.tool, arguments)
        except (ValueError, WorkbenchError):
            return  # what was shortened teaches nothing
        self._offer(found)

    def _offer(self, rules: tuple[Permission, ...]) -> None:
        self._rules = rules
        self.choice.clear()
        self.choice.addItem("Only this time")
        for rule in rules:
            self.choice.addItem(f"From now on: {one_line(rule.label, _LONGEST)}")
        self.setVisible(bool(rules))


_ONE_LINE = 100  # letters of width that all answers need beside each other
_REASONS = 4  # that stand there; of more it is said how many
_ARGUMENT_LINES = 12  # of what it would send, before that scrolls by itself


class HeldCallDialog(LaterDialog):
    """Told by its owner when calls joined or nobody has to answer any more."""

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
        lines = max(3, min(_ARGUMENT_LINES, words.count("\n") + 2))
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
        self._context.go(FollowRun(self.held_call.run_id))

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
