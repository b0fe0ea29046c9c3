"""Shows the plan of a dry run line by line, and runs the program with what the user chooses of it.

Nothing is ticked at first, closing it does nothing, and a program that waits for a decision goes on waiting.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from workbench.api.client_texts import confirmation_name
from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged
from workbench.gui.context import Context
from workbench.gui.dialogs.plan_foot import PlanFoot
from workbench.gui.dialogs.plan_line import PlanLine
from workbench.gui.dialogs.plan_list import PlanList
from workbench.gui.fault_card import FaultCard
from workbench.gui.icons import pixmap
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.words import first_sentence
from workbench.records import Fault, PlanChoice, Risk, Run, RunState

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
