"""Dialogs that run a skill with arguments and that make a recording of a run for the tests of a skill."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.dialogs import Dialog, FormDialog
from workbench.gui.kit.layouts import row
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun, ShowSkill
from workbench.records import CassetteInfo, JsonObject, Run, RunState, SkillPage
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS


class RunSkillDialog(Dialog):
    """A form made from the signature of the skill's function. Ctrl+Return runs it; the output pane shows the run."""

    def __init__(self, context: Context, page: SkillPage, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, f"Run {page.skill.name}", page.skill.description, parent)
        self._context, self._page = context, page
        self.form = SchemaForm(context.theme)
        self.form.set_schema(json.loads(page.schema))
        self.record = TickBox(context.theme, "Record for tests as")
        self.recording = QLineEdit("first")
        self.recording.setAccessibleName("Name of the recording")
        self.recording.setEnabled(False)
        self.record.toggled.connect(self.recording.setEnabled)
        self.body.addWidget(self.form, 1)
        self.body.addLayout(row(None, self.record, self.recording, None, spacing=context.theme.unit * 2))
        self.add_button("Cancel", self.reject)
        self.add_button("Run", self.start, "primary", default=True).setShortcut("Ctrl+Return")
        self.resize(context.theme.unit * 140, context.theme.unit * 110)

    def start(self) -> None:
        """Run the skill, unless an argument is invalid."""
        if faults := self.form.faults():
            path, problem = faults[0]
            self.show_fault(WorkbenchError(f"{path}: {problem}" if path else problem))
            return
        self.run(self._context.tasks, "run a skill", self._start(), closes=True)

    async def _start(self) -> None:
        arguments = self.form.value()
        run = await self._context.api.run_skill(self._page.skill.name, arguments)
        if self.record.isChecked() and (name := self.recording.text().strip()):
            _RecordWhenDone(self._context, run, self._page.skill.name, name, arguments)
        self._context.go(FollowRun(run.id))


class _RecordWhenDone(QObject):
    """Makes a recording of a run once it is done; a run that ends otherwise is not recorded."""

    def __init__(self, context: Context, run: Run, skill: str, name: str, arguments: JsonObject) -> None:
        super().__init__(context.store)
        self._context, self._run_id = context, run.id
        self._skill, self._name, self._arguments = skill, name, arguments
        context.store.run_changed.connect(self._run_changed)
        context.store.runs_loaded.connect(self._runs_loaded)
        self._run_changed(context.store.runs.get(run.id, run))

    def _runs_loaded(self) -> None:
        if (run := self._context.store.runs.get(self._run_id)) is not None:
            self._run_changed(run)

    def _run_changed(self, run: Run) -> None:
        if run.id != self._run_id or run.state not in ENDS:
            return
        self._context.store.run_changed.disconnect(self._run_changed)
        self._context.store.runs_loaded.disconnect(self._runs_loaded)
        if run.state is RunState.DONE:
            self._context.tasks.run("record a run", self._record())
        self.deleteLater()

    async def _record(self) -> None:
        recording = await self._context.api.record_cassette(self._run_id, self._skill, self._name, self._arguments)
        say_recorded(self._context, recording)


class RecordDialog(FormDialog):
    """Asks which skill a recording of a run tests. The likeliest skill is selected."""

    def __init__(self, context: Context, run_id: str, names: Sequence[str], parent: QWidget | None = None) -> None:
        intro = (
            "Calls, answers and result are saved in the skill folder; personal data is replaced by placeholders."
            " Tests replay them offline."
        )
        super().__init__(context.theme, "Record this run for tests", intro, parent)
        self._context, self._run_id = context, run_id
        self.skill, self.name = CalmCombo(), QLineEdit("first")
        self.skill.addItems(list(names))
        self.add_row("Skill to test", self.skill)
        self.add_row("Name of the recording", self.name)
        self.add_submit("Record", self._submit).setEnabled(bool(names))
        self.setMinimumWidth(context.theme.unit * 110)
        self.name.setFocus()

    def _submit(self) -> None:
        self.run(self._context.tasks, "record a run", self._record(), closes=True)

    async def _record(self) -> None:
        skill = self.skill.currentText()
        recording = await self._context.api.record_cassette(self._run_id, skill, self.name.text(), {})
        say_recorded(self._context, recording)
        self._context.go(ShowSkill(skill, "test"))


def say_recorded(context: Context, recording: CassetteInfo) -> None:
    context.say(f"Recorded {recording.name}: {count_of(recording.calls, 'call')}.")
