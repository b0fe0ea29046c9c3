"""One line of a plan in full: what would be sent, where its values came from, and what only the real run will know."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench.api.client_texts import confirmation_name
from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged
from workbench.gui.kit.controls import FoldingRow
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.tick_delegate import TickDelegate
from workbench.gui.kit.wording import first_sentence, risk_word
from workbench.gui.runs.allow_button import AllowButton
from workbench.gui.runs.approval_parts import NameToType
from workbench.gui.runs.held_calls import Evidence
from workbench.gui.shell.context import Context
from workbench.records import Fault, PlanChoice, PlanStep, Risk, Run, RunState

_SHOWN = 20  # values that wait for an answer; more are counted


class PlanLine(QScrollArea):
    """Empty until a line is chosen."""

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
        self._later = ForeignLabel()
        self._evidence = Evidence(theme)
        self._arguments = PlainEdit()
        self._arguments.setReadOnly(True)
        self._arguments.setTabChangesFocus(True)
        self._arguments.setMinimumHeight(self.fontMetrics().lineSpacing() * 6)
        mark(self._arguments, kind="code")
        self._from = label("Where its values came from", "section")
        for part in (self._title, self._facts, self._later):
            column.addWidget(part)
        column.addWidget(self._from)
        column.addWidget(self._evidence)
        column.addWidget(self._arguments, 1)
        self.setWidget(inner)

    def show_line(self, number: int, held: PlanStep, run_id: str) -> None:
        files = not held.server
        name = "Files of the workspace" if files else f"{held.server}.{held.tool}"
        self._title.setText(f"{number}  {one_line(name, 120)}")
        self._facts.setText(" · ".join(self._words(held)))
        later = [*held.waits_for[:_SHOWN]]
        if len(held.waits_for) > _SHOWN:
            later.append(f"and {len(held.waits_for) - _SHOWN} more")
        known = "Only the real run will tell; an invented value stands here:"
        self._later.setText("\n".join([known, *(f"• {one}" for one in later)]))
        self._later.setVisible(bool(later))
        self._arguments.setPlainText(visible(held.arguments))
        words = "What would happen to files" if files else f"What would be sent, line {number}"
        self._arguments.setAccessibleName(words)
        self._evidence.show_origins(held.origins, run_id)
        self._from.setVisible(bool(held.origins))
        self._evidence.setVisible(bool(held.origins))

    def _words(self, held: PlanStep) -> list[str]:
        undo = {True: "can be undone", False: "cannot be undone", None: ""}[held.reversible]
        told = {
            "invented": "the program was told an invented answer",
            "recorded": "the program was told an earlier answer of this tool",
            "nothing": "the program was told nothing",
        }.get(held.answered, "")
        line = f"line {held.line} of the program" if held.line else ""
        whole = "ticked as a whole; unticked, the workspace can only be read" if not held.server else ""
        return [word for word in (line, undo, told, whole) if word]


_WHAT, _WITH, _UNDO = 0, 1, 2
_NARROW = 58  # letters of width below which the column about undoing goes


class PlanList(QTreeWidget):
    """Shows; the dialog decides."""

    looked = Signal(int)
    """The number of the line that is chosen now, from 1."""
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
        self.currentItemChanged.connect(self._look)
        self.itemChanged.connect(self._ticked)

    def show_plan(self, plan: Sequence[PlanStep]) -> None:
        """Nothing is ticked."""
        self._plan = tuple(plan)
        self.blockSignals(True)
        self.clear()
        for number, held in enumerate(self._plan, 1):
            self.addTopLevelItem(self._item(number, held))
        self.blockSignals(False)

    def begin(self) -> None:
        """Show the first line."""
        if (first := self.topLevelItem(0)) is not None:
            self.setCurrentItem(first)

    def chosen(self) -> tuple[str, ...]:
        """The ids of what is ticked."""
        items = ((self.topLevelItem(at), held) for at, held in enumerate(self._plan))
        return tuple(held.call_id for item, held in items if item and item.checkState(_WHAT) is Qt.CheckState.Checked)

    def unread(self) -> int:
        """The first ticked line with values out of strangers' text that was never looked at; 0: none."""
        chosen = frozenset(self.chosen())
        for number, held in enumerate(self._plan, 1):
            if held.call_id in chosen and is_warned(held) and number not in self._seen:
                return number
        return 0

    def tick_all(self) -> None:
        self._tick(Qt.CheckState.Checked)

    def tick_none(self) -> None:
        self._tick(Qt.CheckState.Unchecked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        letter = self.fontMetrics().averageCharWidth()
        self.setColumnHidden(_UNDO, self.width() < letter * _NARROW)

    def _item(self, number: int, held: PlanStep) -> QTreeWidgetItem:
        files = not held.server
        name = "Files of the workspace" if files else f"{held.server}.{held.tool}"
        short = held.summary
        if not files and short.startswith(f"{name}("):
            short = short[len(name) + 1 :].removesuffix(")")
        item = QTreeWidgetItem([f"{number}  {one_line(name, 80)}", one_line(short, 300), undo_word(held)])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(_WHAT, Qt.CheckState.Unchecked)
        tone = "danger" if is_warned(held) else risk_word(held.risk).tone
        item.setIcon(_WITH, icon("alert" if is_warned(held) else "file" if files else "tool", tone))
        item.setToolTip(_WITH, plain_tip(one_line(held.summary, 600)))
        words = ["values came out of text that outsiders can write"] if is_warned(held) else []
        words += [undo_word(held)] if undo_word(held) else []
        item.setData(_WHAT, Qt.ItemDataRole.AccessibleTextRole, ", ".join([f"{number} {name}", short, *words]))
        return item

    def _tick(self, state: Qt.CheckState) -> None:
        self.blockSignals(True)
        for at in range(self.topLevelItemCount()):
            if (item := self.topLevelItem(at)) is not None:
                item.setCheckState(_WHAT, state)
        self.blockSignals(False)
        self.viewport().update()
        self.ticked.emit()

    def _look(self, now: QTreeWidgetItem | None, _before: QTreeWidgetItem | None) -> None:
        if now is not None:
            number = self.indexOfTopLevelItem(now) + 1
            self._seen.add(number)
            self.looked.emit(number)

    def _ticked(self, _item: QTreeWidgetItem, column: int) -> None:
        if column == _WHAT:
            self.ticked.emit()


def is_warned(held: PlanStep) -> bool:
    """Whether a value of it stood in text that outsiders can write."""
    return any("untrusted" in origin.kinds for origin in held.origins)


def undo_word(held: PlanStep) -> str:
    return {True: "yes", False: "no", None: "unknown"}[held.reversible]


_ONE_LINE = 100  # letters of width that words and buttons need beside each other


class PlanFoot(QFrame):
    """Decides nothing."""

    closed = Signal()
    all_wanted = Signal()
    none_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="strip")
        unit = theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 4, unit * 3, unit * 4, unit * 3)
        column.setSpacing(unit * 2)
        self.typing = NameToType(theme, "The name to type before this can run")
        column.addWidget(self.typing)
        self._facts = ForeignLabel()
        mark(self._facts, role="muted")
        facts = QHBoxLayout()
        facts.addWidget(self._facts, 1)
        column.addWidget(FoldingRow(_ONE_LINE, facts, self._make_buttons(), unit * 2))

    def show_count(self, ticked: int, held: int) -> None:
        words = "{0} of {1} selected. The rest is refused; calls that are not in the list need your approval."
        nothing = "Everything except reading needs your approval."
        self._facts.setText(words.format(ticked, held) if held else nothing)
        for button in (self.every, self.none):
            button.setVisible(held > 0 and not self._over)

    def ask_name(self, name: str) -> None:
        """What must be typed before a critical program may run; empty: nothing."""
        self.typing.ask(name, "To run this, type {0}")
        mark(self.allow, kind="danger" if name else "primary")

    def name_closing(self, *, waits: bool) -> None:
        self.close_button.setText("Back to the approval request" if waits else "Do not run")
        tip = "The program goes on waiting for your answer (Escape)" if waits else "Escape"
        self.close_button.setToolTip(tip)

    def show_over(self) -> None:
        self._over = True
        for part in (self.every, self.none, self.allow, self.typing, self._facts):
            part.hide()
        self.close_button.setText("Close")
        self.take_keyboard()

    def take_keyboard(self) -> None:
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make_buttons(self) -> QHBoxLayout:
        self._over = False
        self.every = QPushButton(icon("check", "muted"), "Tick all")
        self.every.clicked.connect(self.all_wanted)
        self.none = QPushButton(icon("minus", "muted"), "Tick none")
        self.none.clicked.connect(self.none_wanted)
        self.close_button = QPushButton(icon("x", "muted"), "")
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.closed)
        self.allow = AllowButton("Run with this plan")
        buttons = QHBoxLayout()
        buttons.setSpacing(self._theme.unit * 2)
        buttons.addStretch(1)
        for button in (self.every, self.none, self.close_button, self.allow):
            buttons.addWidget(button)
        return buttons


_LEAST_LETTERS = 100  # narrower than this, a line's details stand below the list


class PlanDialog(QDialog):
    """The plan of one dry run. It is answered once."""

    started = Signal(object)
    """Carries the real run."""

    def __init__(self, context: Context, run: Run, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.run = run
        self._over = self._sending = False
        self._began = time.monotonic()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("What this program would do")
        self.list = PlanList(context.theme)
        self.line = PlanLine(context.theme)
        self.foot = PlanFoot(context.theme)
        self.fault = FaultCard(context.theme)
        self._build()
        self.list.show_plan(run.plan)
        self.list.looked.connect(self._look)
        self.list.ticked.connect(self._reconsider)
        self.foot.typing.typed.connect(self._reconsider)
        self.foot.closed.connect(self.reject)
        self.foot.all_wanted.connect(self.list.tick_all)
        self.foot.none_wanted.connect(self.list.tick_none)
        self.foot.allow.allowed.connect(self._run)
        self._show_run()
        self.list.begin()
        self._reconsider()

    def hear(self, event: Event) -> None:
        """The program that waits may be decided elsewhere, or run out of time."""
        if not isinstance(event, RunChanged) or self._over or self._sending:
            return
        if event.run.id != self.run.proposal.dry_run_of:
            return
        if event.run.state is not RunState.WAITING:
            self.end("The program no longer waits; this plan is void.")
        elif event.run.proposal.sha != self.run.proposal.sha:
            self.end("The program was changed, so this plan is no longer valid. Start a dry run again.")

    def end(self, words: str) -> None:
        self._over = True
        self.fault.show_fault(Fault(words), tone="warning")
        self.foot.show_over()
        self._reconsider()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._began = time.monotonic()
        self.foot.allow.unsettle()
        self.foot.take_keyboard()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.foot.allow.unsettle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the keyboard; never by a key that was down before, nor while reading."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        focus = self.focusWidget()
        reading = focus is not None and (focus is self.list or self.line.isAncestorOf(focus))
        if enter and (event.isAutoRepeat() or not self.foot.allow.settled() or reading):
            event.accept()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        self._split.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)

    # what is decided

    def _obstacle(self) -> str:
        if self._over or self._sending:
            return "This is decided."
        if self.run.plan and not self.list.chosen():
            return "Tick what it may do first."
        if number := self.list.unread():
            return f"Look at line {number} first: its values came out of text that outsiders can write."
        if not self.foot.typing.right():
            return "Type the name first."
        return ""

    def _reconsider(self) -> None:
        self.foot.show_count(len(self.list.chosen()), len(self.run.plan))
        self.foot.allow.obstruct(self._obstacle())

    def _look(self, number: int) -> None:
        self.line.show_line(number, self.run.plan[number - 1], self.run.id)
        self._reconsider()

    def _run(self) -> None:
        if self._obstacle():
            return
        self._sending = True
        self._reconsider()
        seconds = round(time.monotonic() - self._began, 2)
        choice = PlanChoice(self.run.id, self.run.proposal.sha, self.list.chosen(), seconds)
        self._context.tasks.run("run with a plan", self._send(choice))

    async def _send(self, choice: PlanChoice) -> None:
        try:
            real = await self._context.api.run_plan(choice)
        except WorkbenchError as fault:
            self._sending = False
            self.fault.show_fault(Fault(fault.message, fault.hint))
            self.foot.allow.unsettle()
            self._reconsider()
            return
        self._over = True
        self.started.emit(real)
        self.done(QDialog.DialogCode.Accepted)

    # how it is laid out

    def _show_run(self) -> None:
        run = self.run
        held = len(run.plan)
        words = f"{held} things were held back; nothing of them happened."
        if held == 1:
            words = "One thing was held back; it did not happen."
        self._title.setText(words if held else "It would only read: nothing had to be held back.")
        early = run.state is not RunState.DONE
        notes = [*run.plan_notes]
        if early and run.fault is not None:
            short = first_sentence(run.fault.message)
            notes.insert(0, f"The dry run ended early, so the list may be incomplete: {short}")
        self._notes.setText("\n".join(f"• {note}" for note in notes))
        self._notes.setVisible(bool(notes))
        critical = run.verdict is not None and run.verdict.risk is Risk.CRITICAL
        self.foot.ask_name(confirmation_name(run.verdict) if run.verdict is not None and critical else "")
        self.foot.name_closing(waits=bool(run.proposal.dry_run_of))
        self._split.setVisible(bool(run.plan))
        self._nothing.setVisible(not run.plan)

    def _build(self) -> None:
        unit = self._context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._head(unit))
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.list)
        self._split.addWidget(self.line)
        self._split.setSizes([unit * 110, unit * 90])
        column.addWidget(self._split, 1)
        self._nothing = QWidget()
        column.addWidget(self._nothing, 1)
        column.addWidget(self.fault)
        column.addWidget(self.foot)
        letter = self.fontMetrics().averageCharWidth()
        self.setMinimumSize(letter * 56, self.fontMetrics().lineSpacing() * 18)
        available = self.screen().availableSize()
        self.resize(min(unit * 225, available.width()), min(unit * 150, available.height()))

    def _head(self, unit: int) -> QVBoxLayout:
        head = QVBoxLayout()
        head.setContentsMargins(unit * 4, unit * 4, unit * 4, unit * 3)
        head.setSpacing(unit)
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        picture = QLabel()
        picture.setPixmap(pixmap("list", "accent", unit * 5, self.devicePixelRatioF()))
        self._title = ForeignLabel()
        mark(self._title, role="heading")
        row.addWidget(picture)
        row.addWidget(self._title, 1)
        head.addLayout(row)
        self._notes = ForeignLabel()
        mark(self._notes, role="muted")
        head.addWidget(self._notes)
        return head
