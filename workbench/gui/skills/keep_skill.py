"""Makes a skill of a program: named, described, looked at once more, then kept for agents to use."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import AssessmentStrip
from workbench.gui.code.code_view import CodeView, marks_of
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.plain_edit import GrowingText, exact_text
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.results.token_chips import written
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.gui.skills.new_skill import description_fault, name_fault, with_fault
from workbench.records import Fault, Run, Skill, SkillState, Verdict


class KeepDialog(QDialog):
    """From a run, from a draft, or from a program in the editor."""

    kept = Signal(object)
    """Carries the Skill, kept or drafted."""

    def __init__(
        self,
        context: Context,
        run: Run | None = None,
        skill: Skill | None = None,
        parent: QWidget | None = None,
        *,
        code: str = "",
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._run_id = run.id if run else skill.run_id if skill else ""
        self._code = run.proposal.code if run else skill.code if skill else code
        self._card = card_head(skill) if skill else ""
        self._notes = skill.notes if skill else ""
        self._whole = not whole_size([self._code, self._notes])
        self._busy = False
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keep as a skill")
        self._build(skill)
        self._begin(skill)

    def name_fault(self) -> str:
        """Why the name cannot be used; "" when it can."""
        return name_fault(self.name.text())

    def description_fault(self) -> str:
        return description_fault(self.words())

    def words(self) -> str:
        """The description as it stands."""
        return exact_text(self.description)

    def save_draft(self) -> None:
        """Keep it for oneself; agents do not see drafts."""
        self._start("save a draft", self._draft())

    def keep(self) -> None:
        """Draft this very text, then keep exactly the draft that came back."""
        self._start("keep a skill", self._keep())

    def _start(self, name: str, coro: Coroutine[Any, Any, None]) -> None:  # Any: what a coroutine is sent
        if self._obstacle() or self._busy:
            coro.close()
            return
        self._busy = True
        self._check()
        self._context.tasks.run(name, coro)

    async def _draft(self) -> None:
        await self._finish(keep=False)

    async def _keep(self) -> None:
        await self._finish(keep=True)

    async def _finish(self, *, keep: bool) -> None:
        api, name = self._context.api, self.name.text()
        try:
            skill = await api.draft_skill(name, self.words().strip(), self._code, self._run_id)
            if keep:
                skill = await api.keep_skill(name, skill.sha)
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        finally:
            self._busy = False
            self._check()
        self.kept.emit(skill)
        self.done(QDialog.DialogCode.Accepted)

    def _begin(self, skill: Skill | None) -> None:
        if skill is not None:
            self.name.setText(skill.name)
            self.description.setPlainText(skill.description)
        self._check()
        if not self._whole:
            coro = fetch_whole(self._context.fetch, [self._code, self._notes])
            self._context.tasks.run("read the whole program", coro, self._take)
        else:
            self._take([self._code, self._notes])

    def _take(self, texts: list[str]) -> None:
        (self._code, self._notes), self._whole = texts, True
        self._view.show_code(self._code)
        self._card_view.show_code("\n\n".join(part for part in (self._card, self._notes.strip()) if part))
        self._warn_of_tokens()
        self._check()
        self._context.tasks.run("assess a program", self._assess())

    def _warn_of_tokens(self) -> None:
        """A token stands for its value in one conversation only: in another one the skill would not work."""
        tokens = sorted({one.token for one in written(self._code)})
        words = (
            "{} stands for a value of one conversation: in others this skill fails. Save it as a draft and make the"
            " value an argument."
        )
        self._hidden.setText(words.format(", ".join(tokens[:3])))
        self._hidden.setVisible(bool(tokens))

    async def _assess(self) -> None:
        try:
            verdict = await self._context.api.assess(self._code)
        except WorkbenchError as fault:
            self._strip.say(f"Not assessed: {fault.message}")
            return
        self._show(verdict)

    def _show(self, verdict: Verdict) -> None:
        self._strip.show_verdict(verdict)
        self._view.show_marks(marks_of(verdict))
        used = sorted({f"{use.server}.{use.tool}" for use in verdict.tools})
        self._tools.setText(", ".join(used) or "none")

    def _obstacle(self) -> str:
        if not self._whole:
            return "The program is not here as a whole yet."
        return self.name_fault() or self.description_fault()

    def _check(self) -> None:
        self._name_fault.setText(self.name_fault() if self.name.text() else "")
        self._name_fault.setVisible(bool(self._name_fault.full_text()))
        long = self.description_fault() if self.words().strip() else ""
        self._words_fault.setText(long)
        self._words_fault.setVisible(bool(long))
        reason = self._obstacle()
        for button in (self.keep_button, self.draft_button):
            button.setEnabled(not reason and not self._busy)
            button.setToolTip(reason)

    # what it looks like

    def _build(self, skill: Skill | None) -> None:
        unit = self._context.theme.unit
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._make_fields(skill))
        self._strip = AssessmentStrip(self._context.theme)
        self._view = CodeView(self._context.theme)
        self._view.setAccessibleName("The program that is kept")
        self._strip.line_wanted.connect(self._go_to)
        self._fault = FaultCard(self._context.theme)
        layout.addWidget(self._strip)
        layout.addWidget(self._make_tabs(), 1)
        layout.addWidget(self._fault)
        layout.addWidget(self._make_foot())
        self.resize(unit * 170, unit * 160)
        self.name.setFocus()

    def _make_tabs(self) -> QWidget:
        """What is kept: the program and, where there is one, the card, which agents read and a yes covers as well."""
        self._card_view = CodeView(self._context.theme, language="markdown")
        self._card_view.setAccessibleName("The words of its card that are kept")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._view, "Program")
        self.tabs.addTab(self._card_view, "Words agents read")
        self.tabs.tabBar().setVisible(bool(self._card or self._notes))
        return self.tabs

    def _go_to(self, line: int) -> None:
        self.tabs.setCurrentWidget(self._view)
        self._view.go_to(line)

    def _make_fields(self, skill: Skill | None) -> QVBoxLayout:
        unit = self._context.theme.unit
        column = QVBoxLayout()
        column.setContentsMargins(unit * 4, unit * 4, unit * 4, unit * 3)
        column.setSpacing(unit * 2)
        title = ForeignLabel("Keep this program as a skill")
        mark(title, role="title")
        meaning = ForeignLabel(self._meaning(skill))
        mark(meaning, role="muted")
        column.addWidget(title)
        column.addWidget(meaning)
        form = QFormLayout()
        form.setHorizontalSpacing(unit * 3)
        form.setVerticalSpacing(unit * 2)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Name", self._make_name())
        form.addRow("Description", self._make_description())
        self._tools = ForeignLabel("…", elide=True)
        mark(self._tools, role="mono")
        form.addRow("Tools it uses", self._tools)
        column.addLayout(form)
        self._hidden = ForeignLabel()
        mark(self._hidden, role="warning")
        self._hidden.hide()
        column.addWidget(self._hidden)
        return column

    def _meaning(self, skill: Skill | None) -> str:
        number = (skill.version if skill and skill.state is not SkillState.RETIRED else 0) + 1
        words = (
            "Kept, it becomes version {0}: every agent of this project may find, read and import it. "
            "Programs that use it are still assessed each time. Retiring it hides it again."
        )
        return words.format(number)

    def _make_name(self) -> QWidget:
        self.name = QLineEdit()
        self.name.setPlaceholderText("weekly-report")
        self.name.setAccessibleName("Name of the skill")
        self.name.setFont(self._context.theme.mono())
        self.name.textChanged.connect(self._check)
        self._name_fault = ForeignLabel()
        return with_fault(self.name, self._name_fault)

    def _make_description(self) -> QWidget:
        self.description = GrowingText(least=2, most=5)
        self.description.setPlaceholderText("What it does, and when an agent should use it.")
        self.description.setAccessibleName("Description of the skill")
        self.description.textChanged.connect(self._check)
        self._words_fault = ForeignLabel()
        return with_fault(self.description, self._words_fault)

    def _make_foot(self) -> QFrame:
        unit = self._context.theme.unit
        foot = QFrame(self)
        mark(foot, kind="strip")
        row = QHBoxLayout(foot)
        row.setContentsMargins(unit * 4, unit * 3, unit * 4, unit * 3)
        row.setSpacing(unit * 2)
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        self.draft_button = QPushButton(icon("pencil", "muted"), "Save as draft")
        self.draft_button.setToolTip("Agents do not see drafts")
        self.draft_button.clicked.connect(self.save_draft)
        self.keep_button = QPushButton(icon("bookmark", "on_accent"), "Keep")
        self.keep_button.setDefault(True)
        self.keep_button.clicked.connect(self.keep)
        mark(self.keep_button, kind="primary")
        row.addStretch(1)
        for button in (cancel, self.draft_button, self.keep_button):
            row.addWidget(button)
        return foot


def card_head(skill: Skill) -> str:
    """What agents read of a card beside its description and its text."""
    lists = (("tags", skill.tags), ("triggers", skill.triggers))
    lines = [f"{name}: {', '.join(items)}" for name, items in lists if items]
    words = (("compatibility", skill.compatibility), ("allowed-tools", skill.allowed))
    return "\n".join([*lines, *(f"{name}: {said}" for name, said in words if said)])
