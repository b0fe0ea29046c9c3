"""The plan of a dry run: what it held back, ticked by the user and then run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QScrollArea, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from workbench.api.client_texts import confirmation_name
from workbench.events import RunChanged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.icons import icon
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.tick_delegate import TickDelegate
from workbench.gui.kit.wording import first_sentence, risk_word
from workbench.gui.runs.decision_dialog import DecisionDialog, NameToType
from workbench.gui.runs.held_call_dialog import Evidence
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun
from workbench.records import Fault, PlanChoice, PlanStep, Risk, Run, RunState
from workbench.records.common_types import count_of

_WIDE = 100  # characters of width from which a step is beside the list, not below it
_MOST_UNKNOWN = 20  # values known only in the real run that are listed; more are counted


class PlanStepView(QScrollArea):
    """One step of a plan in full: what would be sent, what only the real run will know, and where values came from."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        unit = theme.unit
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 3)
        column.setSpacing(unit * 2)
        self._title = ForeignLabel()
        mark(self._title, role="section")
        self._facts = ForeignLabel()
        mark(self._facts, role="muted")
        self.unknown = ForeignLabel()
        self.arguments = PlainEdit()
        self.arguments.setReadOnly(True)
        self.arguments.setTabChangesFocus(True)
        self.arguments.setMinimumHeight(self.fontMetrics().lineSpacing() * 6)
        mark(self.arguments, kind="code")
        self.evidence = Evidence(theme)
        for part in (self._title, self._facts, self.unknown):
            column.addWidget(part)
        column.addWidget(self.arguments, 1)
        column.addWidget(self.evidence)
        self.setWidget(inner)

    def show_step(self, number: int, step: PlanStep, run_id: str) -> None:
        files = not step.server
        self._title.setText(f"{number}  {one_line(_step_name(step), 120)}")
        self._facts.setText(" · ".join(_step_facts(step)))
        unknown = [*step.waits_for[:_MOST_UNKNOWN]]
        if len(step.waits_for) > _MOST_UNKNOWN:
            unknown.append(f"and {len(step.waits_for) - _MOST_UNKNOWN:,} more")
        heading = "Only the real run will know these values; the dry run used invented ones:"
        self.unknown.setText("\n".join([heading, *(f"• {value}" for value in unknown)]))
        self.unknown.setVisible(bool(unknown))
        self.arguments.setPlainText(visible(step.arguments))
        name = "What would happen to files" if files else f"What it would send, step {number}"
        self.arguments.setAccessibleName(name)
        self.evidence.show_origins(step.origins, run_id)
        self.evidence.setVisible(bool(step.origins))


def _step_name(step: PlanStep) -> str:
    return f"{step.server}.{step.tool}" if step.server else "Files of the workspace"


def _step_facts(step: PlanStep) -> list[str]:
    answer = {
        "invented": "the program got an invented answer",
        "recorded": "the program got an earlier answer of this tool",
        "nothing": "the program got no answer",
    }.get(step.answered, "")
    line = f"line {step.line} of the program" if step.line else ""
    undo = {True: "can be undone", False: "cannot be undone", None: ""}[step.reversible]
    files = "" if step.server else "all files or none; without the tick the program can only read the workspace"
    return [fact for fact in (line, undo, answer, files) if fact]


_WHAT, _WITH, _UNDO = 0, 1, 2  # columns
_UNDO_WIDE = 58  # characters of width from which the column Undo is shown


class PlanList(QTreeWidget):
    """The steps of a plan, each with a tick."""

    step_selected = Signal(int)
    """Carries the number of the selected step, from 1."""
    ticked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._plan: tuple[PlanStep, ...] = ()
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
        self.currentItemChanged.connect(self._select)
        self.itemChanged.connect(self._ticked)

    def show_plan(self, plan: Sequence[PlanStep]) -> None:
        """Show the steps, none of them ticked."""
        self._plan = tuple(plan)
        self.blockSignals(True)
        self.clear()
        for number, step in enumerate(self._plan, 1):
            self.addTopLevelItem(self._item(number, step))
        self.blockSignals(False)

    def select_first(self) -> None:
        if (first := self.topLevelItem(0)) is not None:
            self.setCurrentItem(first)

    def ticked_ids(self) -> tuple[str, ...]:
        """The call ids of the ticked steps."""
        items = ((self.topLevelItem(at), step) for at, step in enumerate(self._plan))
        return tuple(step.call_id for item, step in items if item and item.checkState(_WHAT) is Qt.CheckState.Checked)

    def first_unread(self) -> int:
        """The first ticked step with values from text from outsiders that was never selected; 0: none."""
        ticked = frozenset(self.ticked_ids())
        for number, step in enumerate(self._plan, 1):
            if step.call_id in ticked and is_warned(step) and number not in self._seen:
                return number
        return 0

    def tick_all(self) -> None:
        self._tick(Qt.CheckState.Checked)

    def tick_none(self) -> None:
        self._tick(Qt.CheckState.Unchecked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        letter = self.fontMetrics().averageCharWidth()
        self.setColumnHidden(_UNDO, self.width() < letter * _UNDO_WIDE)

    def _item(self, number: int, step: PlanStep) -> QTreeWidgetItem:
        files, name = not step.server, _step_name(step)
        short = step.summary
        if not files and short.startswith(f"{name}("):
            short = short[len(name) + 1 :].removesuffix(")")
        item = QTreeWidgetItem([f"{number}  {one_line(name, 80)}", one_line(short, 300), undo_word(step)])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(_WHAT, Qt.CheckState.Unchecked)
        tone = "danger" if is_warned(step) else risk_word(step.risk).tone
        item.setIcon(_WITH, icon("alert" if is_warned(step) else "file" if files else "tool", tone))
        item.setToolTip(_WITH, plain_tip(one_line(step.summary, 600)))
        notes = ["values came from text that outsiders can write"] if is_warned(step) else []
        undo = {True: "can be undone", False: "cannot be undone", None: "not known whether it can be undone"}
        facts = [f"{number} {name}", short, *notes, undo[step.reversible]]
        item.setData(_WHAT, Qt.ItemDataRole.AccessibleTextRole, ", ".join(facts))
        return item

    def _tick(self, state: Qt.CheckState) -> None:
        self.blockSignals(True)
        for at in range(self.topLevelItemCount()):
            if (item := self.topLevelItem(at)) is not None:
                item.setCheckState(_WHAT, state)
        self.blockSignals(False)
        self.viewport().update()
        self.ticked.emit()

    def _select(self, now: QTreeWidgetItem | None, _before: QTreeWidgetItem | None) -> None:
        if now is not None:
            number = self.indexOfTopLevelItem(now) + 1
            self._seen.add(number)
            self.step_selected.emit(number)

    def _ticked(self, _item: QTreeWidgetItem, column: int) -> None:
        if column == _WHAT:
            self.ticked.emit()


def is_warned(step: PlanStep) -> bool:
    """Whether one of its values came from text that outsiders can write."""
    return any("untrusted" in origin.kinds for origin in step.origins)


def undo_word(step: PlanStep) -> str:
    return {True: "yes", False: "no", None: "unknown"}[step.reversible]


class PlanDialog(DecisionDialog):
    """The plan of one dry run: the user ticks what may happen, and the program runs with that."""

    def __init__(self, context: Context, run: Run, parent: QWidget | None = None) -> None:
        super().__init__(context, "What this program would do", "the program", parent, modal=True)
        self.run = run
        self._waits_for_approval = bool(run.proposal.dry_run_of)
        self.list = PlanList(context.theme)
        self.step = PlanStepView(context.theme)
        self.typing = NameToType(context.theme, "The name to type before this can run")
        self.facts = ForeignLabel()
        mark(self.facts, role="muted")
        self.allow_button.setText("Run with this plan")
        self._lay_out()
        self.list.show_plan(run.plan)
        self.list.step_selected.connect(self._show_step)
        self.list.ticked.connect(self.update_allow)
        self.typing.typed.connect(self.update_allow)
        critical = run.verdict is not None and run.verdict.risk is Risk.CRITICAL
        self.typing.ask(confirmation_name(run.verdict) if critical and run.verdict else "", "To run this, type {0}")
        mark(self.allow_button, kind="danger" if critical else "primary")
        self.list.select_first()
        context.store.on(RunChanged, self._run_changed)
        self.update_allow()

    @property
    def request_id(self) -> str:
        return self.run.id

    @property
    def plan_for(self) -> str:
        return self.run.proposal.dry_run_of

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
        self.facts.setText(selected if steps else "The program would only read. Everything else needs your approval.")

    def allow(self) -> None:
        if self.can_allow():
            ticked = self.list.ticked_ids()
            choice = PlanChoice(self.run.id, self.run.proposal.sha, ticked, self.seconds_open())
            self.submit("run with a plan", partial(self.context.api.run_plan, choice), self._started)

    def _started(self, real: Run) -> None:
        self.close_with(real, allowed=True)
        self.context.go(FollowRun(real.id))

    def deny(self, _reason: str = "") -> None:
        """Nothing is sent: a program that waits for approval keeps waiting, other programs do not run."""
        if self._waits_for_approval:
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

    def core_lost(self) -> None:
        self._sending = False
        self.end(Fault("The connection to the core was lost, and the plan with it.", "Nothing was allowed."))

    def end(self, fault: Fault) -> None:
        super().end(fault)
        if self.is_over:
            self.typing.hide()
            self.facts.hide()

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
        title = ForeignLabel(
            f"{count_of(steps, 'side effect')} held back; nothing has happened yet."
            if steps
            else "The program would only read: nothing was held back."
        )
        notes = ForeignLabel(self._notes_text())
        mark(notes, role="muted")
        notes.setVisible(bool(notes.full_text()))
        all_button = self.make_button("Tick all", "check", self.list.tick_all)
        none_button = self.make_button("Tick none", "minus", self.list.tick_none)
        self.deny_button.setText("Back to the approval request" if self._waits_for_approval else "Do not run")
        keeps = "Hide this plan; the program keeps waiting for your answer (Escape)"
        self.deny_button.setToolTip(keeps if self._waits_for_approval else "Close without running the program")
        foot = self.make_foot((all_button, none_button), (self.deny_button, self.allow_button), self.typing, self.facts)
        for button in (all_button, none_button):
            button.setVisible(steps > 0)
        body: QWidget = AdaptiveSplit(_WIDE, (11, 9), self.list, self.step) if steps else QWidget()
        self.arrange(self.make_head("list", "accent", title, notes), body, self.fault, foot, grows=body)
        self.set_size(225, 150)
