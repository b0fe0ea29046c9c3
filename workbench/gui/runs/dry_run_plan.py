"""The plan of a dry run: what it held back, ticked by the user and then run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QScrollArea, QTreeWidget, QTreeWidgetItem, QWidget

from workbench.events import RunChanged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.plain_edit import reading_box
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.tick_delegate import TickDelegate
from workbench.gui.kit.wording import first_sentence, risk_word
from workbench.gui.runs.decision_dialog import DecisionDialog, NameToType
from workbench.gui.runs.evidence_view import EvidenceView
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun
from workbench.records import Fault, PlanChoice, PlanStep, Risk, Run, RunState
from workbench.records.common_types import count_of

_WIDE = 100  # characters of width from which a step is beside the list, not below it
_MOST_UNKNOWN = 20  # values known only in the real run that are listed; more are counted
_ANSWERS = {
    "invented": "the program got an invented answer",
    "recorded": "the program got an earlier answer of this tool",
    "nothing": "the program got no answer",
}
_UNDO_WORDS = {
    True: ("yes", "can be undone"),
    False: ("no", "cannot be undone"),
    None: ("unknown", "not known whether it can be undone"),
}


class PlanStepView(QScrollArea):
    """One step of a plan in full: what would be sent, what only the real run will know, and where values came from."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._title = ForeignLabel(role="section")
        self._facts = ForeignLabel(role="muted")
        self.unknown = ForeignLabel()
        self.arguments = reading_box("", "")
        self.arguments.setMinimumHeight(self.fontMetrics().lineSpacing() * 6)
        self.evidence = EvidenceView(theme)
        unit, inner = theme.unit, QWidget()
        parts = (self._title, self._facts, self.unknown, self.arguments, self.evidence)
        margins = (unit * 4, unit * 2, unit * 4, unit * 3)
        column(inner, *parts, margins=margins, spacing=unit * 2, grows=self.arguments)
        self.setWidget(inner)

    def show_step(self, number: int, step: PlanStep, run_id: str) -> None:
        self._title.setText(f"{number}  {one_line(_step_name(step), 120)}")
        self._facts.setText(" · ".join(_step_facts(step)))
        unknown = [*step.waits_for[:_MOST_UNKNOWN]]
        if len(step.waits_for) > _MOST_UNKNOWN:
            unknown.append(f"and {len(step.waits_for) - _MOST_UNKNOWN:,} more")
        heading = "Only the real run will know these values; the dry run used invented ones:"
        self.unknown.setText("\n".join([heading, *(f"• {value}" for value in unknown)]))
        self.unknown.setVisible(bool(unknown))
        self.arguments.setPlainText(visible(step.arguments))
        name = f"What it would send, step {number}" if step.server else "What would happen to files"
        self.arguments.setAccessibleName(name)
        self.evidence.show_origins(step.origins, run_id)


def _step_name(step: PlanStep) -> str:
    return f"{step.server}.{step.tool}" if step.server else "Files of the workspace"


def _step_facts(step: PlanStep) -> list[str]:
    line = f"line {step.line} of the program" if step.line else ""
    files = "" if step.server else "all files or none; without the tick the program can only read the workspace"
    facts = (line, _UNDO_WORDS[step.reversible][1], _ANSWERS.get(step.answered, ""), files)
    return [fact for fact in facts if fact]


def _is_warned(step: PlanStep) -> bool:
    """Whether one of its values came from text that outsiders can write."""
    return any("untrusted" in origin.kinds for origin in step.origins)


_WHAT, _WITH, _UNDO = 0, 1, 2  # columns
_UNDO_WIDE = 58  # characters of width from which the column Undo is shown


class PlanList(QTreeWidget):
    """The steps of a plan, each with a tick. At first none is ticked."""

    step_selected = Signal(int)
    """Carries the number of the selected step, from 1."""
    ticked = Signal()

    def __init__(self, theme: Theme, plan: Sequence[PlanStep]) -> None:
        super().__init__()
        self._plan = plan
        self._seen: set[int] = set()
        self.setAccessibleName("What the program would do")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setColumnCount(3)
        self.setItemDelegateForColumn(_WHAT, TickDelegate(theme, self))
        self.setHeaderLabels(["What", "With", "Undo"])
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_WHAT, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_WITH, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().averageCharWidth()
        header.resizeSection(_WHAT, letter * 27)
        header.resizeSection(_UNDO, letter * 11)
        self._items = [_item(number, step) for number, step in enumerate(plan, 1)]
        self.addTopLevelItems(self._items)
        self.currentItemChanged.connect(self._select)
        self.itemChanged.connect(self.ticked)

    def select_first(self) -> None:
        if self._items:
            self.setCurrentItem(self._items[0])

    def ticked_ids(self) -> tuple[str, ...]:
        """The call ids of the ticked steps."""
        return tuple(
            step.call_id
            for item, step in zip(self._items, self._plan, strict=True)
            if item.checkState(_WHAT) is Qt.CheckState.Checked
        )

    def first_unread(self) -> int:
        """The first ticked step with values from text from outsiders that was never selected; 0: none."""
        ticked = frozenset(self.ticked_ids())
        for number, step in enumerate(self._plan, 1):
            if step.call_id in ticked and _is_warned(step) and number not in self._seen:
                return number
        return 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        letter = self.fontMetrics().averageCharWidth()
        self.setColumnHidden(_UNDO, self.width() < letter * _UNDO_WIDE)

    def tick(self, state: Qt.CheckState) -> None:
        """Tick all steps, or none."""
        self.blockSignals(True)
        for item in self._items:
            item.setCheckState(_WHAT, state)
        self.blockSignals(False)
        self.viewport().update()
        self.ticked.emit()

    def _select(self, now: QTreeWidgetItem | None) -> None:
        if now is not None:
            number = self.indexOfTopLevelItem(now) + 1
            self._seen.add(number)
            self.step_selected.emit(number)


def _item(number: int, step: PlanStep) -> QTreeWidgetItem:
    name, short, warned = _step_name(step), step.summary, _is_warned(step)
    if step.server and short.startswith(f"{name}("):
        short = short[len(name) + 1 :].removesuffix(")")
    undo, undo_sentence = _UNDO_WORDS[step.reversible]
    item = QTreeWidgetItem([f"{number}  {one_line(name, 80)}", one_line(short, 300), undo])
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(_WHAT, Qt.CheckState.Unchecked)
    symbol, tone = ("alert", "danger") if warned else ("tool" if step.server else "file", risk_word(step.risk).tone)
    item.setIcon(_WITH, icon(symbol, tone))
    item.setToolTip(_WITH, plain_tip(one_line(step.summary, 600)))
    notes = ["values came from text that outsiders can write"] if warned else []
    accessible = ", ".join([f"{number} {name}", short, *notes, undo_sentence])
    item.setData(_WHAT, Qt.ItemDataRole.AccessibleTextRole, accessible)
    return item


class PlanDialog(DecisionDialog):
    """The plan of one dry run: the user ticks what may happen, and the program runs with that."""

    lost = Fault("The connection to the core was lost, and the plan with it.", "Nothing was allowed.")

    def __init__(self, context: Context, run: Run, parent: QWidget | None = None) -> None:
        self._only_reads = not run.plan and run.state is RunState.DONE
        title = "This program only reads" if self._only_reads else "What this program would do"
        super().__init__(context, run.id, title, "the program", parent, modal=True)
        self.run = run
        self.plan_for = run.proposal.dry_run_of
        self.list = PlanList(context.theme, run.plan)
        self.step = PlanStepView(context.theme)
        self.typing = NameToType(context.theme, "The name to type before this can run")
        self.facts = ForeignLabel(role="muted")
        self.allow_button.setText("Run with this plan" if run.plan else "Run")
        self._lay_out()
        self.list.step_selected.connect(self._show_step)
        self.list.ticked.connect(self.update_allow)
        self.typing.typed.connect(self.update_allow)
        self.typing.ask(run.verdict, "To run this, type {0}")
        critical = run.verdict is not None and run.verdict.risk is Risk.CRITICAL
        mark(self.allow_button, kind="danger" if critical else "primary")
        self.list.select_first()
        context.store.on(RunChanged, self._run_changed)
        self.update_allow()

    # deciding

    def obstacle(self) -> str:
        if decided := super().obstacle():
            return decided
        if self.run.plan and not self.list.ticked_ids():
            return "Tick what may happen first."
        if number := self.list.first_unread():
            return f"Look at step {number} first: its values came from text that outsiders can write."
        if not self.typing.is_right():
            return "Type the name first."
        return ""

    def update_allow(self) -> None:
        super().update_allow()
        ticked, steps = len(self.list.ticked_ids()), len(self.run.plan)
        rest = "Everything else is denied, and calls that are not in the list need your approval."
        selected = f"{ticked:,} of {steps:,} selected. {rest}"
        self.facts.setText(selected if steps else "If it makes other calls in the real run, they need your approval.")

    def allow(self) -> None:
        if self.can_allow():
            ticked = self.list.ticked_ids()
            choice = PlanChoice(self.run.id, self.run.proposal.sha, ticked, self.seconds_open())
            self.submit("run with a plan", partial(self.context.api.run_plan, choice), self._started)

    def _started(self, real: Run) -> None:
        self.close_with(real)
        self.context.go(FollowRun(real.id))

    def deny(self, _reason: str = "") -> None:
        """Nothing is sent: a program that waits for approval keeps waiting, other programs do not run."""
        if self.plan_for:
            self.put_away()
        else:
            self.done(self.DialogCode.Rejected)

    def _run_changed(self, event: RunChanged) -> None:
        """The waiting program may be decided elsewhere, run out of time or change."""
        if event.run.id != self.plan_for or self.is_over:
            return
        if event.run.state is not RunState.WAITING:
            self.end(Fault("The program no longer waits, so this plan cannot be used."))
        elif event.run.proposal.sha != self.run.proposal.sha and not self._sending:
            self.end(Fault("The program was changed, so this plan cannot be used.", "Start a dry run again."))

    # what is shown

    def take_focus(self) -> None:
        """The list: Space only ticks there, and Enter does nothing."""
        (self.list if self.run.plan else self.deny_button).setFocus(Qt.FocusReason.OtherFocusReason)

    def is_reading(self, focus: QWidget) -> bool:
        return focus is self.list or self.step.isAncestorOf(focus)

    def _show_step(self, number: int) -> None:
        self.step.show_step(number, self.run.plan[number - 1], self.run.id)
        self.update_allow()

    def _notes_text(self) -> str:
        notes = [*self.run.plan_notes]
        if self.run.state is not RunState.DONE and self.run.fault is not None:
            reason = first_sentence(self.run.fault.message)
            notes.insert(0, f"The dry run ended early, so the list may be incomplete: {reason}")
        return "\n".join(f"• {note}" for note in notes)

    def _lay_out(self) -> None:
        steps = len(self.run.plan)
        held_back = f"{count_of(steps, 'side effect')} held back; nothing has happened yet."
        title = ForeignLabel("The program only reads. Nothing would change." if self._only_reads else held_back)
        notes = ForeignLabel(self._notes_text(), role="muted")
        notes.setVisible(bool(notes.full_text()))
        all_button = self.make_button("Tick all", "check", partial(self.list.tick, Qt.CheckState.Checked))
        none_button = self.make_button("Tick none", "minus", partial(self.list.tick, Qt.CheckState.Unchecked))
        self.deny_button.setText("Back to the approval request" if self.plan_for else "Do not run")
        keeps = "Hide this plan; the program keeps waiting for your answer (Escape)"
        self.deny_button.setToolTip(keeps if self.plan_for else "Close without running the program")
        foot = self.make_foot((all_button, none_button), (self.deny_button, self.allow_button), self.typing, self.facts)
        self.answer_widgets += [self.typing, self.facts]
        for button in (all_button, none_button):
            button.setVisible(steps > 0)
        body: QWidget = AdaptiveSplit(_WIDE, (11, 9), self.list, self.step) if steps else QWidget()
        column(self, self.make_head("list", "accent", title, notes), body, self.fault, foot, grows=body)
        self.set_size(225 if steps else 150, 150 if steps else 60)
