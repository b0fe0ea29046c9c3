"""Actions on skills: run, test, create, import, export, rename, tag, record, restore."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.gui.kit.dialogs import Question, ask_target
from workbench.gui.shell.context import Context
from workbench.gui.shell.navigation import ShowSkill
from workbench.gui.skills.import_skills import ImportSkillsDialog
from workbench.gui.skills.new_skill import NewSkillDialog
from workbench.gui.skills.run_skill import RecordDialog, RunSkillDialog
from workbench.records import Skill, SkillState

SkillWork = Callable[[str], Coroutine[Any, Any, None]]  # Any: what a coroutine yields concerns the loop alone


class SkillCommands(QObject):
    """Binds the skill actions of one window; `selected_name` returns the name of the selected skill, or nothing."""

    def __init__(self, context: Context, selected_name: Callable[[], str], window: QWidget) -> None:
        super().__init__(window)
        self._context, self._selected_name, self._window = context, selected_name, window
        works: dict[str, SkillWork] = {
            "skill.run": self.run,
            "skill.test": self._test,
            "skill.back": self._restore,
            "skill.rename": self._rename,
            "skill.tags": self._tag,
            "skill.export": self._export,
        }
        for action, work in works.items():
            context.commands.bind(action, partial(self._with_selected, work))
        context.commands.bind("skill.import", self.open_import)
        context.commands.bind("skill.new", self.open_new)

    def _with_selected(self, work: SkillWork) -> Coroutine[Any, Any, None] | None:  # Any: see SkillWork
        name = self._selected_name()
        return work(name) if name else None

    async def run(self, name: str) -> None:
        """Ask for the skill's arguments, then run it."""
        RunSkillDialog(self._context, await self._context.api.skill_page(name), self._window).open()

    def open_new(self) -> None:
        dialog = NewSkillDialog(self._context, self._window)
        dialog.created.connect(self._created)
        dialog.open()

    def _created(self, skill: Skill) -> None:
        self._context.say(f"Created the draft {skill.name}. Try it with Ctrl+Return, then keep it.")
        self._context.go(ShowSkill(skill.name, "code"))

    def open_import(self) -> None:
        dialog = ImportSkillsDialog(self._context, self._window)
        dialog.imported.connect(self._imported)
        dialog.open()

    def _imported(self, skill: Skill) -> None:
        self._context.say(f"Imported {skill.name} as a draft. Agents do not see it until you keep it.")
        self._context.go(ShowSkill(skill.name))

    async def _test(self, name: str) -> None:
        self._context.go(ShowSkill(name, "test"))

    async def _restore(self, name: str) -> None:
        skill = await self._context.api.restore_skill(name)
        self._context.say(f"Restored {skill.name}. Agents can find it again.")

    async def _rename(self, name: str) -> None:
        sentence = (
            "Folder, SKILL.md, function and versions are renamed too. Programs that import the skill by its old name"
            " stop working."
        )
        new_name = await self._ask_text(f"Rename {name}", sentence, name, "Rename")
        if new_name is not None:
            skill = await self._context.api.rename_skill(name, new_name)
            self._context.go(ShowSkill(skill.name))

    async def _tag(self, name: str) -> None:
        skill = await self._context.api.skill(name)
        sentence = "Separate tags with commas. You and agents can search by them."
        tags = await self._ask_text(f"Tags of {name}", sentence, ", ".join(skill.tags), "Save")
        if tags is not None:
            await self._context.api.tag_skill(name, tuple(tag.strip() for tag in tags.split(",")))

    async def record(self, run_id: str) -> None:
        """Make a recording of a run, for the tests of the skill that it used or became."""
        run, skills = await self._context.api.run(run_id), self._context.store.skills
        active = list(dict.fromkeys(skill.name for skill in skills if skill.state is not SkillState.RETIRED))
        used = [name.removeprefix("skills.") for name in run.verdict.definitions] if run.verdict else []
        drafted = [skill.name for skill in skills if skill.run_id == run_id]
        likely = [name for name in (run.proposal.skill, *drafted, *used) if name in active]
        RecordDialog(self._context, run_id, list(dict.fromkeys([*likely, *active])), self._window).open()

    async def _ask_text(self, title: str, sentence: str, text: str, yes: str) -> str | None:
        field = QLineEdit(text)
        field.setAccessibleName(title)
        field.selectAll()
        return await Question(self._context.theme, title, sentence, self._window).ask_text(field, yes)

    async def _export(self, name: str) -> None:
        ask_target(
            self._window, f"Export {name}", f"{name}.zip",
            lambda path: self._context.tasks.run("export a skill", self._write(name, path)),
        )  # fmt: skip

    async def _write(self, name: str, path: str) -> None:
        target = await self._context.api.export_skill(name, path)
        self._context.say(f"Exported {name} to {target}.")
