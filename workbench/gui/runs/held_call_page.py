"""The page about a held call: why it waits, what it would send, and where its values came from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.events import CallHeld, HeldCallSettled, PrivacyChanged, RunChanged
from workbench.gui.kit.controls import AllowButton, CalmCombo, RoomyButton
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import reading_box
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import risk_word
from workbench.gui.results.token_chips import MarkMenu, TokenChips
from workbench.gui.runs.call_editor import CallEditor
from workbench.gui.runs.decision_dialog import DecisionDialog, is_high, scrolled
from workbench.gui.runs.evidence_view import EvidenceView
from workbench.gui.runs.run_head import trifecta_badge
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun, ShowPrivacy
from workbench.records import Fault, HeldCall, HeldCallAnswer, RuleOffer
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS
from workbench.records.stated_facts import call_sentence

_LONGEST_RULE = 110  # characters of a rule in the list


class RuleChoice(QWidget):
    """Which rule the approval of a call makes, if any. Hidden where the core offers none."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.choice = CalmCombo()
        self.choice.setAccessibleName("The rule that your approval makes")
        row(self, label("If you allow it", "muted"), self.choice, spacing=theme.unit * 2, grows=self.choice)
        self.hide()

    @property
    def scope(self) -> str:
        """What an answer is for: “once”, or the id of the chosen rule."""
        return str(self.choice.currentData())

    def show_offers(self, offers: Sequence[RuleOffer]) -> None:
        reaches = {"always": "From now on: ", "session": "In this session: "}
        texts = {one.id: one_line(f"{reaches.get(one.reach, '')}{one.sentence}", _LONGEST_RULE) for one in offers}
        self.choice.show_choices({"once": "Only this time", **texts})
        self.setVisible(bool(offers))


_HOW_TO_MARK = "Point at a token to see its value. Select text and open its menu to mask it always or never."
_PAUSE_MS = 250  # after the last key, before changed arguments are judged
_MOST_REASONS = 4  # that are listed; more are counted
_ARGUMENT_LINES = 12  # before the arguments scroll by themselves
_ENDINGS = {
    "allowed": Fault("This call was allowed elsewhere."),
    "denied": Fault("This call was denied elsewhere."),
    "timed out": Fault("Time is up: the call was denied."),
    "withdrawn": Fault("The run has ended, so the call no longer waits."),
}
_ANSWER_ENDINGS = {
    "allowed": Fault("This answer was sent elsewhere."),
    "denied": Fault("This answer was withheld elsewhere."),
    "timed out": Fault("Time is up: the answer was withheld."),
    "withdrawn": Fault("The run was stopped, so its answer is not sent."),
}


class HeldCallPage(DecisionDialog):
    """A call of a running program that waits for the user, or several calls of the same tool; or the masked answer of
    a program, which waits to be sent."""

    def __init__(self, context: Context, held_call: HeldCall, parent: QWidget | None = None) -> None:
        super().__init__(context, held_call.id, "A call waits for your decision", "the call", parent)
        self._is_masking_again = False  # marks were changed while an answer waits
        self._edited = held_call  # what waited when the user began to edit
        self._change: Fault | None = None  # what changed while the user edits
        self._edit_pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._edit_pause.timeout.connect(self._assess_edit)
        self._lay_out()
        context.store.on(CallHeld, self._call_held)
        context.store.on(HeldCallSettled, self._call_settled)
        context.store.on(PrivacyChanged, self._marks_changed)
        context.store.on(RunChanged, self._run_changed)
        context.store.clocks_changed.connect(self._clock_changed)
        self.show_request(held_call)
        if not held_call.is_answer and held_call.run_id:
            context.tasks.run("read the schema of a call", self._read_schema())

    def show_request(self, held_call: HeldCall) -> None:
        """Show what waits now. A press that was meant for the calls before does not count."""
        self.held_call, self.request_id, self._change = held_call, held_call.id, None
        self._show_editing(False)
        calls = held_call.more + 1
        name = f"{held_call.server}.{held_call.tool}"
        author = "Your program" if held_call.author == "you" else one_line(held_call.author, 60) or "A program"
        times = f" {calls:,} times" if calls > 1 else ""
        more = held_call.sentence.partition(f" {name}")[2].rstrip(".") if calls == 1 else ""
        own_words = "" if held_call.run_id or calls > 1 else held_call.sentence  # a call of another client
        self._title.setText(own_words or f"{author} wants to call {name}{times}{more}")
        risk = risk_word(held_call.risk)
        self._risk.setText(risk.text)
        mark(self._risk, tone=risk.tone)
        self._trifecta.setVisible(held_call.trifecta)
        self._show_reasons(held_call)
        self.evidence.show_origins(held_call.origins, held_call.run_id)
        text = visible("\n".join(held_call.list) if calls > 1 else held_call.arguments)
        self.arguments.setPlainText(text)
        lines = max(3, min(_ARGUMENT_LINES, text.count("\n") + 2))
        self.arguments.setMinimumHeight(self.arguments.fontMetrics().lineSpacing() * lines)
        self._heading.setText("Waiting calls" if calls > 1 else held_call.heading or "What it would send")
        shown = len(held_call.list)
        once = "Allow with changes" if held_call.original else "Allow once"
        self.allow_button.setText(f"Allow these {shown:,}" if shown > 1 else once)
        self.look_button.setVisible(bool(held_call.run_id))
        mark(self.allow_button, kind="danger" if self.is_risky else "primary")
        self.rest_button.setVisible(bool(held_call.run_id) and not held_call.once_only)
        self.rules.show_offers(held_call.rule_offers)
        self.chips.show_tokens_of(held_call.session)
        if held_call.is_answer:
            self._show_answer(author)
        self._show_time(held_call)
        self.update_allow()
        self.restart_settling()

    def _show_reasons(self, held_call: HeldCall) -> None:
        """Why the call waits; nothing where a change of the user's has removed every reason."""
        lines = _reason_lines(held_call)
        self._reasons.setText("\n".join(lines))
        self._reasons.setVisible(bool(lines))
        self._why.setVisible(bool(lines))

    def _show_time(self, held_call: HeldCall) -> None:
        text = "withheld in {}" if held_call.is_answer else "denied in {}"
        self.set_deadline(held_call.deadline, text, held_call.clock_left)

    def _clock_changed(self) -> None:
        if (held_call := self.context.store.held_calls.get(self.held_call.id)) is not None:
            self._show_time(held_call)

    def _show_answer(self, author: str) -> None:
        """Word the request for an answer."""
        self.setWindowTitle("An answer waits for your decision")
        self._title.setText(f"The answer to {author} waits until you have seen it")
        self._heading.setText("What the agent would read")
        self.arguments.setAccessibleName("What the agent would read")
        self.allow_button.setText("Send")
        mark(self.allow_button, kind="primary")
        self.deny_button.setText("Withhold")
        self.deny_button.setToolTip("Do not send the answer; the agent is told")
        if isinstance(self.reason_button, RoomyButton):
            self.reason_button.rename("Withhold with reason…")
        self._risk.hide()
        self._reasons.setText(f"{self._reasons.full_text()}\n• {_HOW_TO_MARK}")
        self.rest_button.hide()
        self.rules.hide()
        self.marks_button.show()

    def _call_held(self, event: CallHeld) -> None:
        """More calls joined the one that waits, or the answer was masked again."""
        masked_again = event.held_call.is_answer and event.held_call.run_id == self.held_call.run_id
        if (event.before == self.held_call.id or masked_again) and not self.is_over:
            self._is_masking_again = False
            if self.editing and self.editor.has_changes() and not self._sending:
                self._keep_edit(event.held_call)
            else:
                self.show_request(event.held_call)

    def _keep_edit(self, held_call: HeldCall) -> None:
        """The request changed while the user edits: keep what was typed, say so, and check it again."""
        self.held_call, self.request_id = held_call, held_call.id
        message, hint = "The request changed while you edited it.", "Your text is kept. “Back” shows the new request."
        if held_call.more:
            message = f"{count_of(held_call.more, 'more call')} joined while you edited."
            hint = "Your text is kept and applies to the call that you began with; the others wait on."
        else:
            self._edited = held_call
        self._change = Fault(message, hint)
        self.show_fault(self._change, "warning")
        self._show_time(held_call)
        self.restart_settling()
        self._edit_pause.start()

    def _marks_changed(self, _: PrivacyChanged) -> None:
        """The user changed what is masked: show the answer as it would be sent now."""
        if self.held_call.is_answer and not self.is_over:
            self._is_masking_again = True
            answer = HeldCallAnswer(self.held_call.id, True, "again")
            self.submit("mask an answer again", partial(self.context.api.answer_held_call, answer), lambda _: None)

    def _edit_marks(self) -> None:
        self.context.go(ShowPrivacy("marks"))

    def sending_failed(self) -> None:
        self._is_masking_again = False

    def _call_settled(self, event: HeldCallSettled) -> None:
        if event.held_call.id == self.held_call.id and not self._is_masking_again:
            endings = _ANSWER_ENDINGS if self.held_call.is_answer else _ENDINGS
            self.end(endings.get(event.ending, Fault("This call no longer waits.")))

    def _run_changed(self, event: RunChanged) -> None:
        """The run was stopped while its answer was masked again."""
        if self._is_masking_again and event.run.id == self.held_call.run_id and event.run.state in ENDS:
            self.end(_ANSWER_ENDINGS["withdrawn"])

    # deciding

    @property
    def is_risky(self) -> bool:
        held_call = self.held_call
        return not held_call.is_answer and (held_call.trifecta or is_high(held_call.risk))

    def summary(self) -> str:
        return call_sentence(self.held_call)

    def update_allow(self) -> None:
        super().update_allow()
        self.rest_button.set_obstacle(self.obstacle())

    def allow(self) -> None:
        if self.can_allow():
            self._answer(allow=True)

    def deny(self, reason: str = "") -> None:
        self._answer(allow=False, reason=reason)

    def _allow_rest(self) -> None:
        if not self.obstacle():  # the button itself has waited
            self._answer(allow=True, scope="rest")

    def _answer(self, *, allow: bool, scope: str = "once", reason: str = "") -> None:
        seconds, undoable = self.seconds_open(), not self.isWindow()
        if allow and scope == "once":
            scope = self.rules.scope
        answer = HeldCallAnswer(self.held_call.id, allow, scope, reason, seconds, undoable=undoable)
        send = partial(self.context.api.answer_held_call, answer)
        self.submit("answer a waiting call", send, partial(self._accepted, answer))

    def _accepted(self, answer: HeldCallAnswer, answered: HeldCall) -> None:
        self.undo_until = answered.denied_until
        self.close_with(answer)

    def is_reading(self, focus: QWidget) -> bool:
        return focus is self.arguments or self.editor.isAncestorOf(focus) or self.evidence.isAncestorOf(focus)

    # changing what would be sent

    @property
    def editing(self) -> bool:
        return not self.editor.isHidden()

    async def _read_schema(self) -> None:
        try:
            tool = await self.context.api.tool(self.held_call.server, self.held_call.tool)
        except WorkbenchError:
            return  # the server is gone; the arguments are edited as JSON
        self.editor.set_schema(tool.input_schema)

    def _edit(self) -> None:
        self._edited = self.held_call
        self.editor.show_text(self.held_call.arguments)
        self._edit_pause.stop()
        self._show_editing(True)
        self.editor.take_focus()
        QTimer.singleShot(0, self, self._scroll_to_editor)  # it has no place yet

    def _scroll_to_editor(self) -> None:
        if self.editing:
            self._area.ensureWidgetVisible(self.editor, 0, self.context.theme.unit * 4)

    def _show_editing(self, editing: bool) -> None:
        """Show the editor and its buttons, or what waits and the buttons that decide."""
        if editing:
            least = self.fontMetrics().lineSpacing() * _ARGUMENT_LINES
            self.editor.setMinimumHeight(max(self.arguments.height(), least))
        self.editor.setVisible(editing)
        self.arguments.setVisible(not editing)
        for button in (self.back_button, self.check_button):
            button.setVisible(editing)
        for button in (self.deny_button, self.reason_button, self.allow_button, self.rest_button):
            button.setVisible(not editing)
        self.edit_button.setVisible(self.held_call.editable and not editing)
        self.hide_reason()
        self.update_allow()

    def _leave_edit(self) -> None:
        self._edit_pause.stop()
        self.show_fault(None)
        self.show_request(self.held_call)
        self.take_focus()

    def _check_by_key(self) -> None:
        if self.editing:
            self.check_button.click()

    def _check_edit(self) -> None:
        if not self.editor.has_changes():
            self._leave_edit()
        else:
            self._edit_pause.stop()
            edit = partial(self.context.api.edit_held_call, self._edited.id, self.editor.text())
            self.submit("check a changed call", edit, self._take_edit)

    def _take_edit(self, held_call: HeldCall) -> None:
        """The changed call waits under a new id."""
        self.show_fault(None)
        self.show_request(held_call)
        self.take_focus()

    def _assess_edit(self) -> None:
        if self.editing and not self.is_over:
            text = self.editor.text()
            self.context.tasks.run("assess a changed call", self._show_assessment(text))

    async def _show_assessment(self, text: str) -> None:
        """Say why the text cannot be sent, or show its risk and the reasons to ask. Nothing is decided about it yet."""
        fault: WorkbenchError | None = None
        try:
            judged = await self.context.api.assess_held_call_edit(self._edited.id, text)
        except WorkbenchError as error:
            fault = error
        if self.editing and text == self.editor.text() and not self.is_over:
            self.show_fault(fault or self._change, "warning")
            self.check_button.setEnabled(fault is None)
            if fault is None and not judged.is_answer:
                risk = risk_word(judged.risk)
                self._risk.setText(risk.text)
                mark(self._risk, tone=risk.tone)
                self._show_reasons(judged)

    def reject(self) -> None:
        """Escape leaves an editor without changes first."""
        if not self.is_over and self.editing and not self.editor.has_changes():
            self._leave_edit()
        else:
            super().reject()

    def take_focus(self) -> None:
        if self.editing:
            self.editor.take_focus()
        else:
            super().take_focus()

    def obstacle(self) -> str:
        return super().obstacle() or ("Check your changes first." if self.editing else "")

    def _show_run(self) -> None:
        self.context.go(FollowRun(self.held_call.run_id))

    # layout

    def _lay_out(self) -> None:
        unit = self.context.theme.unit
        self._title = ForeignLabel(breaks=True)
        self._risk = label("", "badge")
        trifecta = "The session has read private data and text from outsiders, and this tool can send data out."
        self._trifecta = trifecta_badge(trifecta)
        badges = row(None, self._risk, self._trifecta, None, spacing=unit * 2)
        self.rest_button = AllowButton("Allow the rest of this run")
        self.rest_button.allowed.connect(self._allow_rest)
        run_tip = "Show the output of the run that makes this call"
        self.look_button = self.make_button("Show the run", "terminal", self._show_run, run_tip, gives_way=True)
        edit_tip = "Change what would be sent, then allow that"
        self.edit_button = self.make_button("Edit", "pencil", self._edit, edit_tip, gives_way=True)
        self.back_button = self.make_button("Back", "undo", self._leave_edit)
        check_tip = "Check and judge the changed text; you decide about it afterwards (Ctrl+Enter)"
        self.check_button = self.make_button("Check my changes", "shield", self._check_edit, check_tip)
        self.check_button.setIcon(icon("shield", "on_accent"))
        mark(self.check_button, kind="primary")
        QShortcut(QKeySequence("Ctrl+Return"), self, self._check_by_key).setAutoRepeat(False)
        marks_tip = "Open your marks. Select text above and open its menu to mark it; the answer is then masked again."
        self.marks_button = self.make_button("Edit marks", "bookmark", self._edit_marks, marks_tip, gives_way=True)
        self.marks_button.hide()
        foot = self.make_foot(
            (self.later_button, self.edit_button, self.look_button, self.marks_button),
            (
                self.deny_button,
                self.reason_button,
                self.back_button,
                self.check_button,
                self.rest_button,
                self.allow_button,
            ),
            self.reason_row,
        )
        self._area = area = scrolled(self._make_body(unit))
        QWidget.setTabOrder(self.arguments, self.evidence)
        head = self.make_head("hourglass", "warning", self._title, badges)
        column(self, head, area, self.fault, foot, grows=area)
        self.set_size(190, 150)

    def _make_body(self, unit: int) -> QWidget:
        """The reasons, what would be sent, where its values came from, and the rule that an approval creates."""
        self._reasons = ForeignLabel()
        self._heading = label("", "section")
        self.arguments = reading_box("", "What it would send")
        self.chips = TokenChips(self.arguments, self.context)
        MarkMenu(self.arguments, self.context, self.chips)
        self.editor = CallEditor(self.context.theme)
        self.editor.edited.connect(self._edit_pause.start)
        self.editor.hide()
        self.evidence = EvidenceView(self.context.theme)
        self.rules = RuleChoice(self.context.theme)
        self._why = label("Why you are asked", "section")
        parts = (self._why, self._reasons, self._heading, self.arguments, self.editor, self.evidence, self.rules)
        body, margins = QWidget(), (unit * 4, unit * 2, unit * 4, unit * 3)
        column(body, *parts, margins=margins, spacing=unit * 2, grows=self.arguments)
        return body


def _reason_lines(held_call: HeldCall) -> list[str]:
    more = len(held_call.why) - _MOST_REASONS
    lines = [f"• {reason}" for reason in held_call.why[:_MOST_REASONS]]
    return [*lines, f"• and {count_of(more, 'more reason')}"] if more > 0 else lines
