"""What a person does with skills beside reading them: run, test, import, export, rename, tag, record, bring back."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from workbench.gui.kit.faults import Question
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import FollowRun, ShowSkill, ShowSkillPage
from workbench.gui.skills.import_skills import ImportSkillsDialog
from workbench.gui.skills.new_skill import NewSkillDialog
from workbench.gui.skills.record_dialog import RecordDialog
from workbench.gui.skills.run_skill import RunSkillDialog
from workbench.records import Skill, SkillState

Named = Callable[[str], Coroutine[Any, Any, None]]  # Any: what a coroutine yields concerns the loop alone


class SkillDeeds(QObject):
    """Belongs to one window. `chosen` says which skill is meant."""

    def __init__(self, context: Context, commands: Commands, chosen: Callable[[], str], window: QWidget) -> None:
        super().__init__(window)
        self._context, self._chosen, self._window = context, chosen, window
        deeds: dict[str, Named] = {
            "skill.run": self.run,
            "skill.back": self._bring_back,
            "skill.rename": self._rename,
            "skill.tags": self._tag,
            "skill.export": self._export,
            "skill.test": self._test,
        }
        for name, deed in deeds.items():
            commands.bind(name, self._with_chosen(deed))
        commands.bind("skill.import", self.open_import)
        commands.bind("skill.new", self.open_new)

    async def run(self, name: str) -> None:
        """Ask for its arguments, then run it."""
        page = await self._context.api.skill_page(name)
        dialog = RunSkillDialog(self._context, page, self._window)
        dialog.started.connect(self._follow_run)
        dialog.open()

    def open_new(self) -> None:
        dialog = NewSkillDialog(self._context, self._window)
        dialog.made.connect(self._made)
        dialog.open()

    def _made(self, skill: Skill) -> None:
        self._context.say(f"{skill.name} is a draft: try it with Ctrl+Return, then keep it.")
        self._context.go(ShowSkill(skill.name))

    def open_import(self) -> None:
        dialog = ImportSkillsDialog(self._context, self._window)
        dialog.imported.connect(self._imported)
        dialog.open()

    def _imported(self, skill: Skill) -> None:
        self._context.say(f"Imported {skill.name} as a draft; agents do not see it.")
        self._context.go(ShowSkillPage(skill.name))

    def _with_chosen(self, deed: Named) -> Callable[[], Coroutine[Any, Any, None]]:
        async def do() -> None:
            if name := self._chosen():
                await deed(name)

        return do

    async def _test(self, name: str) -> None:
        self._show_tests(name)

    async def _bring_back(self, name: str) -> None:
        skill = await self._context.api.restore_skill(name)
        self._context.say(f"{skill.name} is back: agents find it again.")

    async def _rename(self, name: str) -> None:
        words = "Folder, card, function and versions follow; programs that import it by the old name do not."
        if (wish := await self._asked(f"Rename {name}", words, name, "Rename")) is not None:
            skill = await self._context.api.rename_skill(name, wish)
            self._context.go(ShowSkillPage(skill.name))

    async def _tag(self, name: str) -> None:
        skill = await self._context.api.skill(name)
        words = "Words with commas between them. You find it by them, and so do agents."
        title = f"Tags of {name}"
        if (wish := await self._asked(title, words, ", ".join(skill.tags), "Save")) is not None:
            await self._context.api.tag_skill(name, tuple(part.strip() for part in wish.split(",")))

    async def record(self, run_id: str) -> None:
        """Make a recording of a run, for the tests of the skill that it used or became."""
        api = self._context.api
        run, skills = await api.run(run_id), await api.skills()
        living = list(dict.fromkeys(one.name for one in skills if one.state is not SkillState.RETIRED))
        used = [name.removeprefix("skills.") for name in run.verdict.definitions] if run.verdict else []
        drafted = [one.name for one in skills if one.run_id == run_id]
        first = [name for name in (run.proposal.skill, *drafted, *used) if name in living]
        dialog = RecordDialog(self._context, run_id, list(dict.fromkeys([*first, *living])), self._window)
        dialog.recorded.connect(self._show_tests)
        dialog.open()

    async def _asked(self, title: str, words: str, text: str, yes: str) -> str | None:
        field = QLineEdit(text)
        field.setAccessibleName(title)
        field.selectAll()
        question = Question(self._context.theme, title, words, self._window)
        question.add(field)
        answers = [text]
        field.textChanged.connect(answers.append)  # the field is gone with the question
        return answers[-1].strip() if await question.ask(yes) else None

    async def _export(self, name: str) -> None:
        dialog = QFileDialog(self._window, f"Export {name}")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.selectFile(f"{name}.zip")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._context.tasks.run("export a skill", self._write(name, path)))
        dialog.open()

    async def _write(self, name: str, path: str) -> None:
        written = await self._context.api.export_skill(name, path)
        self._context.say(f"Exported to {written}.")

    def _follow_run(self, run_id: str) -> None:
        self._context.go(FollowRun(run_id))

    def _show_tests(self, name: str) -> None:
        self._context.go(ShowSkillPage(name, test=True))
