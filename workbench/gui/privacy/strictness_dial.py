"""The strictness of masking, for all servers or for one: each step with what it finds, its measured price, and what it
would change in recent answers."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo, RadioBox
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import paragraph
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme
from workbench.gui.privacy.rows import effect_text
from workbench.gui.shell.context import Context
from workbench.records import PrivacyRules, StrictnessReport, StrictnessStep
from workbench.records.common_types import count_of

OFF, SAME = "off", ""  # steps: nothing is masked; the step of all servers


class _Step(QWidget):
    """One step with its button and its sentences."""

    def __init__(self, theme: Theme, title: str, sentence: str) -> None:
        super().__init__()
        unit = theme.unit
        self.button = RadioBox(theme, title)
        self.button.setAccessibleDescription(sentence)
        self.sentence, self.effect = paragraph(sentence, "muted"), ForeignLabel()
        indent = (unit * 6, 0, 0, 0)
        column(self, self.button, column(None, self.sentence, self.effect, margins=indent, spacing=unit), spacing=unit)
        self.effect.hide()

    def show_effect(self, text: str) -> None:
        self.effect.setText(text)
        self.effect.setVisible(bool(text))
        self.button.setAccessibleDescription(f"{self.sentence.full_text()} {text}".strip())


class StrictnessDial(QWidget):
    """Each change takes effect at once, in every session."""

    failed = Signal(object)
    """Carries the WorkbenchError of a change, or None after one that succeeded."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rules = PrivacyRules()
        self.server = CalmCombo()
        self.server.setAccessibleName("Server whose strictness is shown")
        self.server.setMinimumContentsLength(20)
        self.measure = QPushButton("Measure on recent answers")
        self.measure.setToolTip("Compare what each step would mask in the last answers in the call history")
        self.note = ForeignLabel(role="muted")
        self.steps: dict[str, _Step] = {}
        self._group = QButtonGroup(self)
        unit = context.theme.unit
        self._column = column(None, spacing=unit * 2)
        head = row(None, self.server, self.measure, self.note, spacing=unit * 2, grows=self.note)
        column(self, head, self._column, spacing=unit * 3)
        self.server.currentIndexChanged.connect(self._server_chosen)
        self.measure.clicked.connect(self._start_measuring)
        context.store.servers_loaded.connect(self._fill_servers)

    def show_rules(self, rules: PrivacyRules) -> None:
        self._rules = rules
        if rules.steps and not self.steps:
            self._add(SAME, "The same as for all servers", "")
            for step in rules.steps:
                self._add_step(step)
        self._fill_servers()
        self._show_current()

    def choose(self, step: str) -> None:
        """Set the step of the selected server, or of all servers."""
        self._context.tasks.run("change the strictness", self._send(step))

    def _add_step(self, step: StrictnessStep) -> None:
        self._add(step.name, step.title, f"{step.finds} {step.price}".strip())

    def _add(self, name: str, title: str, sentence: str) -> None:
        made = self.steps[name] = _Step(self._context.theme, title, sentence)
        made.sentence.setVisible(bool(sentence))
        self._group.addButton(made.button)
        made.button.clicked.connect(partial(self._step_clicked, name))
        self._column.addWidget(made)

    def _step_clicked(self, step: str, _on: bool = True) -> None:
        if step != self._current():
            self.choose(step)

    def _fill_servers(self) -> None:
        own = {one.server: one.step for one in self._rules.servers}
        names = dict.fromkeys((*self._context.store.servers, *own))
        titles = {step.name: step.title for step in self._rules.steps}
        texts = {name: f"{one_line(name, 40)} · {titles.get(own[name], own[name])}" for name in own}
        choices = {"": "All servers"} | {name: texts.get(name, one_line(name, 40)) for name in names}
        self.server.show_choices(choices, self._server())

    def _server(self) -> str:
        return str(self.server.currentData() or "")

    def _current(self) -> str:
        if server := self._server():
            return {one.server: one.step for one in self._rules.servers}.get(server, SAME)
        return self._rules.strictness if self._rules.enabled else OFF

    def _server_chosen(self) -> None:
        self.note.setText("")
        for step in self.steps.values():
            step.show_effect("")
        self._show_current()

    def _show_current(self) -> None:
        one_server = bool(self._server())
        for name, step in self.steps.items():
            step.setVisible(one_server or name != SAME)
            step.setEnabled(self._rules.enabled or not one_server)
        if (current := self.steps.get(self._current())) is not None:
            current.button.setChecked(True)

    async def _send(self, step: str) -> None:
        try:
            rules = await self._context.api.set_strictness(self._server(), step)
        except WorkbenchError as fault:
            self.failed.emit(fault)
            self._show_current()
            return
        self.failed.emit(None)
        self.show_rules(rules)

    def _start_measuring(self) -> None:
        self.measure.setEnabled(False)
        self.note.setText("Measuring…")
        self._context.tasks.run("measure strictness", self._measure(self._server()))

    async def _measure(self, server: str) -> None:
        try:
            report = await self._context.api.strictness_report(server)
        except WorkbenchError as fault:
            self.note.setText(f"{fault.message} {fault.hint}".strip())
        else:
            if server == self._server():
                self._show_report(report)
        finally:
            self.measure.setEnabled(True)

    def _show_report(self, report: StrictnessReport) -> None:
        of_server = f" of {one_line(report.server, 40)}" if report.server else ""
        if not report.answers:
            self.note.setText(f"The call history has no answers{of_server}.")
            return
        self.note.setText(f"Measured on the last {count_of(report.answers, 'answer')}{of_server}.")
        for effect in report.effects:
            self.steps[effect.step].show_effect(f"Recent answers: {effect_text(effect)}.")
