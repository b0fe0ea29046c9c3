"""Makes a recording of a run: of which skill it is a test, and under which name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context
from workbench.records import Fault


class RecordDialog(QDialog):
    """The likeliest skill is chosen already."""

    recorded = Signal(str)
    """Carries the name of the skill."""

    def __init__(self, context: Context, run_id: str, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._run_id = context, run_id
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Record for tests")
        self.skill, self.name = CalmCombo(), QLineEdit("first")
        self.skill.addItems(list(names))
        self.skill.setAccessibleName("Skill that is tested by it")
        self.name.setAccessibleName("Name of the recording")
        self._fault = FaultCard(context.theme)
        self._build()

    def record(self) -> None:
        self.button.setEnabled(False)
        self._context.tasks.run("record a run", self._record(self.skill.currentText(), self.name.text()))

    async def _record(self, skill: str, name: str) -> None:
        try:
            made = await self._context.api.record_cassette(self._run_id, skill, name, {})
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            self.button.setEnabled(True)
            return
        self._context.say(f"Recorded {made.name}: {made.calls} calls.")
        self.recorded.emit(skill)
        self.done(QDialog.DialogCode.Accepted)

    def _build(self) -> None:
        unit = self._context.theme.unit
        words = label(
            (
                "Its calls, their answers and its result go into the skill's folder, with nobody's values in place of"
                " personal data. A test plays them back without any server."
            ),
            "muted",
        )
        words.setWordWrap(True)
        form = QFormLayout()
        form.addRow("Skill", self.skill)
        form.addRow("Name", self.name)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        self.button = QPushButton(icon("save", "on_accent"), "Record")
        self.button.setDefault(True)
        self.button.setEnabled(self.skill.count() > 0)
        self.button.clicked.connect(self.record)
        mark(self.button, kind="primary")
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label("Record this run for tests", "heading"))
        column.addWidget(words)
        column.addLayout(form)
        column.addWidget(self._fault)
        column.addLayout(foot)
        self.setMinimumWidth(unit * 110)
        self.name.setFocus()
