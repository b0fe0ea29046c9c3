"""Runs a skill with arguments: a form made of its function's signature, as a tool's form is of its schema."""

from __future__ import annotations

import asyncio
import json

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import Fault, Run, RunState, SkillPage
from workbench.records.runs import ENDS

LOOK = 0.25  # seconds between two looks at a run that is to be recorded


class RunSkillDialog(QDialog):
    """Ctrl+Return runs; what it gives is shown where runs are shown."""

    started = Signal(str)
    """Carries the id of the run."""

    def __init__(self, context: Context, page: SkillPage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._page = context, page
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Run {page.skill.name}")
        self._build()

    def run(self) -> None:
        """Set it out, unless something is wrong with what was filled in."""
        if self.form.faults():
            path, words = self.form.faults()[0]
            self._fault.show_fault(Fault(f"{path}: {words}" if path else words))
            return
        self.run_button.setEnabled(False)
        self._context.tasks.run("run a skill", self._run())

    async def _run(self) -> None:
        name, api = self._page.skill.name, self._context.api
        label = self.label.text().strip() if self.record.isChecked() else ""
        try:
            run = await api.run_skill(name, self.form.value())
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            self.run_button.setEnabled(True)
            return
        self.started.emit(run.id)
        self.hide()
        try:
            if label:
                await self._record(run, label)
        finally:
            self.done(QDialog.DialogCode.Accepted)

    async def _record(self, run: Run, label: str) -> None:
        api = self._context.api
        while run.state not in ENDS:
            await asyncio.sleep(LOOK)
            run = await api.run(run.id)
        if run.state is RunState.DONE:
            made = await api.record_cassette(run.id, self._page.skill.name, label, self.form.value())
            self._context.say(f"Recorded {made.name}: {made.calls} calls.")

    def _build(self) -> None:
        unit = self._context.theme.unit
        title, words = ForeignLabel(self._page.skill.name), ForeignLabel(self._page.skill.description)
        mark(title, role="title")
        mark(words, role="muted")
        self.form = SchemaForm(self._context.theme)
        self.form.set_schema(json.loads(self._page.schema))
        self._fault = FaultCard(self._context.theme)
        self.record = TickBox(self._context.theme, "Record it for tests as")
        self.label = QLineEdit("first")
        self.label.setAccessibleName("Name of the recording")
        self.label.setEnabled(False)
        self.record.toggled.connect(self.label.setEnabled)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        self.run_button = QPushButton(icon("play", "on_accent"), "Run")
        self.run_button.setShortcut("Ctrl+Return")
        self.run_button.clicked.connect(self.run)
        mark(self.run_button, kind="primary")
        foot = QHBoxLayout()
        foot.addWidget(self.record)
        foot.addWidget(self.label)
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.run_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 4,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(title)
        column.addWidget(words)
        column.addWidget(self.form, 1)
        column.addWidget(self._fault)
        column.addLayout(foot)
        self.resize(unit * 140, unit * 110)
