"""The skill library: drafts that wait for a yes, skills that agents can use, and retired ones on wish."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from workbench.events import Event, SkillsChanged
from workbench.gui.actions import DRAFT, KEPT, SKILL
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.models.rows import RowsModel
from workbench.gui.models.skills import skill_rows
from workbench.gui.pane import Pane
from workbench.gui.views import EmptyState, RowsView, Strip, action_button, lead_focus, search_box
from workbench.gui.wishes import KeepSkill, ShowSkill
from workbench.records import Skill, SkillState


class SkillsPane(Pane):
    """The list with its filter."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._skills: dict[str, Skill] = {}
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, self.tr("Skills"), self)
        self.list.setModel(self.model)
        self.finder = search_box(self.tr("Find a skill"), self.tr("Filter skills"))
        self._empty = EmptyState(
            context.theme,
            "book",
            self.tr("No skills yet"),
            self.tr("A program that went well can be kept as a skill; agents then find it by name and use it."),
        )
        self._empty.offer(commands["editor.show"])
        self._pause = QTimer(self, singleShot=True, interval=250)  # one answer for a burst of changes
        self._pause.timeout.connect(self.refresh)
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        if isinstance(event, SkillsChanged):
            self._pause.start()

    def refresh(self) -> None:
        self.context.tasks.run("skills", self.context.questions.skills(), self._load)

    def chosen(self) -> Skill | None:
        return self._skills.get(self.list.key())

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("skill.keep", "skill.retire", "skills.retired"):
            strip.row.addWidget(action_button(self._commands[name], self.context.theme))
        self._stack = QStackedLayout()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addLayout(self._stack, 1)
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        self.finder.textChanged.connect(self._draw)
        self.list.chosen.connect(self._choose)
        self.list.selectionModel().selectionChanged.connect(self._selected)
        self._commands.bind("skill.open", self._open)
        self._commands.bind("skill.keep", self._keep)
        self._commands.bind("skill.retire", self._retire)
        self._commands.bind("skills.retired", self._draw)

    def _load(self, skills: tuple[Skill, ...]) -> None:
        self._skills = {skill.name: skill for skill in skills}
        self._draw()

    def _draw(self) -> None:
        retired = self._commands["skills.retired"].isChecked()
        self.model.show_rows(skill_rows(self._skills.values(), self.finder.text(), retired, time.time()))
        self._stack.setCurrentWidget(self.list if self._skills else self._empty)
        self._selected()

    def _selected(self) -> None:
        skill = self.chosen()
        state = skill.state if skill else None
        self._commands.hold(SKILL, skill is not None)
        self._commands.hold(DRAFT, state is SkillState.DRAFT)
        self._commands.hold(KEPT, state is SkillState.KEPT)

    def _choose(self, name: str) -> None:
        self.wished.emit(ShowSkill(name))

    def _open(self) -> None:
        skill = self.chosen()
        if skill is not None:
            self.wished.emit(ShowSkill(skill.name))

    def _keep(self) -> None:
        skill = self.chosen()
        if skill is not None:
            self.wished.emit(KeepSkill(skill.name))

    async def _retire(self) -> None:
        skill = self.chosen()
        if skill is None:
            return
        question = Question(
            self.context.theme,
            self.tr("Retire {}?").format(skill.name),
            self.tr("Agents will no longer find it. It is not deleted: show retired skills to see it."),
            self.window(),
        )
        if await question.ask(self.tr("Retire the skill")):
            await self.context.questions.retire_skill(skill.name)
