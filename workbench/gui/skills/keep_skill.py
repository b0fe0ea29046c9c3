"""The dialog that saves a program as a draft of a skill, or keeps it for agents to use."""

from __future__ import annotations

import hashlib

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import AssessmentStrip
from workbench.gui.code.code_view import CodeView, marks_of
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.icons import icon
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.results.token_chips import find_tokens
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole, whole_size
from workbench.gui.skills.new_skill import SkillFields, keep_unsaved
from workbench.records import Run, Skill, SkillState
from workbench.records.skills import is_kept_with


class KeepDialog(Dialog):
    """Shows the program of a run, a draft or the editor. Keep drafts this text, then keeps exactly that draft."""

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
        number = (skill.version if skill and skill.state is not SkillState.RETIRED else 0) + 1
        intro = (
            f"Keep makes this version {number}: agents of this project can find, read and import it. Programs that use"
            " it are still assessed each time. Retire the skill to hide it again."
        )
        super().__init__(context.theme, "Keep as a skill", intro, parent)
        self._context = context
        self._name = skill.name if skill else ""
        self._run_id = run.id if run else skill.run_id if skill else ""
        self._code = run.proposal.code if run else skill.code if skill else code
        self._card = card_head(skill) if skill else ""
        self._notes = skill.notes if skill else ""
        self._complete = not whole_size([self._code, self._notes])
        self._saving = False
        self._build()
        if skill is not None:
            self.fields.show_texts(skill.name, skill.description)
        subject = f"skill {skill.name}" if skill else f"run {run.id}" if run else "program"
        keep_unsaved(context, self, self.fields, subject, intro)
        if self._complete:
            self._show_texts([self._code, self._notes])
        else:
            coro = fetch_whole(context.fetch, [self._code, self._notes])
            context.tasks.run("read the program", coro, self._show_texts)
        self._check()

    def save_draft(self) -> None:
        """Save it as a draft, which agents do not see."""
        self._save(keep=False)

    def keep(self) -> None:
        """Keep it as the next version."""
        self._save(keep=True)

    def _save(self, *, keep: bool) -> None:
        if not self._obstacle() and not self._saving:
            self._saving = True
            name = "keep a skill" if keep else "save a draft"
            self.run(self._context.tasks, name, self._send(keep=keep), closes=True)

    async def _send(self, *, keep: bool) -> None:
        api, name = self._context.api, self.fields.name.text()
        try:
            skill = await api.draft_skill(name, self.fields.description_text().strip(), self._code, self._run_id)
            if keep:
                skill = await api.keep_skill(name, skill.sha)
        finally:
            self._saving = False
        self.kept.emit(skill)

    def _show_texts(self, texts: list[str]) -> None:
        (self._code, self._notes), self._complete = texts, True
        self.program.show_code(self._code)
        self.card.show_code("\n\n".join(part for part in (self._card, self._notes.strip()) if part))
        self._warn_of_tokens()
        self._check()
        self._context.tasks.run("assess a program", self._assess())
        if self._name:
            self._context.tasks.run("find the version", self._name_version())

    async def _name_version(self) -> None:
        """Say in the title if the program is that of an earlier version."""
        try:
            versions = (await self._context.api.skill_page(self._name)).versions
        except WorkbenchError:
            return  # the skill was renamed or removed meanwhile
        sha = hashlib.sha256(self._code.encode("utf-8", "surrogatepass")).hexdigest()
        if version := next((skill.version for skill in versions if skill.sha == sha), 0):
            title = f"Restore version {version} of {self._name}"
            self.setWindowTitle(title)
            self.set_heading(title)

    def _warn_of_tokens(self) -> None:
        """A PII token has a value in one session only, so a skill with a token fails in every other session."""
        tokens = sorted({found.token for found in find_tokens(self._code)})
        self.token_warning.setText(
            f"{', '.join(tokens[:3])}: these tokens have a value in one session only, so the skill fails in others."
            " Save a draft and make each value an argument."
        )
        self.token_warning.setVisible(bool(tokens))

    async def _assess(self) -> None:
        try:
            verdict = await self._context.api.assess(self._code)
        except WorkbenchError as fault:
            self.assessment.say(f"Not assessed: {fault.message}")
            return
        self.assessment.show_verdict(verdict)
        self.program.show_marks(marks_of(verdict))
        self.tools.setText(", ".join(sorted({f"{use.server}.{use.tool}" for use in verdict.tools})) or "none")

    def _obstacle(self) -> str:
        if not self._complete:
            return "The program is still loading."
        name, description = self.fields.name.text(), self.fields.description_text().strip()
        for skill in self._context.store.skills:
            if (skill.name, skill.description) == (name, description) and is_kept_with(skill, self._code):
                return f"Nothing has changed since version {skill.version}."
        return self.fields.problem()

    def _check(self) -> None:
        obstacle = self._obstacle()
        for button, tip in ((self._keep_button, ""), (self._draft_button, "Agents do not see drafts.")):
            button.setEnabled(not obstacle and not self._saving)
            button.setToolTip(obstacle or tip)

    def _build(self) -> None:
        theme = self._context.theme
        self.fields = SkillFields(theme)
        self.tools = ForeignLabel("…", elide=True)
        mark(self.tools, role="mono")
        self.fields.form.addRow("Tools it uses", self.tools)
        self.token_warning = ForeignLabel()
        mark(self.token_warning, role="warning")
        self.assessment = AssessmentStrip(theme)
        self.program, self.card = CodeView(theme), CodeView(theme, language="markdown")
        self.program.setAccessibleName("The program that is kept")
        self.card.setAccessibleName("The SKILL.md text that is kept")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.program, "Program")
        self.tabs.addTab(self.card, "What agents read")
        self.tabs.tabBar().setVisible(bool(self._card or self._notes))
        self.tabs.tabBar().setAccessibleName("Program and SKILL.md")
        for part in (self.fields, self.token_warning, self.assessment):
            self.body.addWidget(part)
        self.body.addWidget(self.tabs, 1)
        self.add_button("Cancel", self.reject)
        self._draft_button = self.add_button("Save as draft", self.save_draft)
        self._draft_button.setIcon(icon("pencil", "muted"))
        self._keep_button = self.add_button("Keep", self.keep, "primary", default=True)
        self._keep_button.setIcon(icon("bookmark", "on_accent"))
        self._keep_button.setShortcut("Ctrl+Return")
        self.fields.changed.connect(self._check)
        self.assessment.line_wanted.connect(self._go_to)
        self.resize(theme.unit * 170, theme.unit * 160)
        self.fields.setFocus()

    def _go_to(self, line: int) -> None:
        self.tabs.setCurrentWidget(self.program)
        self.program.go_to(line)


def card_head(skill: Skill) -> str:
    """The fields of a SKILL.md, besides its description, that agents read."""
    lists = (("tags", skill.tags), ("triggers", skill.triggers))
    lines = [f"{name}: {', '.join(items)}" for name, items in lists if items]
    texts = (("compatibility", skill.compatibility), ("allowed-tools", skill.allowed))
    return "\n".join([*lines, *(f"{name}: {text}" for name, text in texts if text)])
