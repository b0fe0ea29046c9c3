"""The skill library: drafts that wait for a yes, skills that agents can use, and retired ones on wish."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged, SkillsChanged
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.docks.hint_strip import HintStrip
from workbench.gui.models.rows import RowsModel
from workbench.gui.models.skills import skill_rows
from workbench.gui.pane import Pane
from workbench.gui.skill_actions import DRAFT, KEPT, LIVING, RETIRED, SKILL
from workbench.gui.views import EmptyState, RowsView, Strip, action_button, lead_focus, lead_into, search_box
from workbench.gui.wishes import KeepSkill, ShowSkill, ShowSkillPage
from workbench.records import RunState, Skill, SkillState, SkillUse

FOUND = 100
"""How many skills a search ranks."""


class SkillsPane(Pane):
    """The list with its filter."""

    followed = Signal(str)
    """Carries the name of a skill that somebody walks over; only a page that is in front follows."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._skills: dict[str, Skill] = {}
        self._uses: dict[str, SkillUse] = {}
        self._ranks: dict[str, int] = {}  # of what the search found, by name
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Skills", self)
        self.list.setModel(self.model)
        self.finder = search_box("Find a skill, or a #tag", "Filter skills")
        self.hints = HintStrip(context)
        self.hints.wished.connect(self.wished)
        self._empty = EmptyState(
            context.theme,
            "book",
            "No skills yet",
            "A program that went well can be kept as a skill; agents then find it by name and use it.",
            self,
        )
        self._empty.offer(commands["skill.new"])
        self._empty.offer(commands["skill.import"])
        self._pause = QTimer(self, singleShot=True, interval=250)  # one answer for a burst of changes
        self._pause.timeout.connect(self.refresh)
        self._seek = QTimer(self, singleShot=True, interval=150)
        self._seek.timeout.connect(self._rank)
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        ended = isinstance(event, RunChanged) and event.run.state in (RunState.DONE, RunState.FAILED)
        if isinstance(event, SkillsChanged) or ended:
            self._pause.start()

    def refresh(self) -> None:
        self.context.tasks.run("skills", self._read(), None)

    def chosen(self) -> Skill | None:
        return self._skills.get(self.list.key())

    def chosen_name(self) -> str:
        """The name of the chosen skill, or nothing."""
        return self.list.key() if self.list.key() in self._skills else ""

    def select(self, name: str) -> None:
        """Choose a skill in the list, if it is there."""
        place = self.model.find(name)
        if place.isValid() and self.list.key() != name:
            self.list.setCurrentIndex(place)

    async def _read(self) -> None:
        api = self.context.api
        self._uses = {use.name: use for use in await api.skill_uses()}
        self.hints.show_hints(await api.skill_hints())
        self._load(await api.skills())

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("skill.new", "skill.keep", "skill.import", "skills.retired"):
            strip.row.addWidget(action_button(self._commands[name], self.context.theme))
        self._stack = QStackedLayout()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self.hints)
        column.addLayout(self._stack, 1)
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        lead_into(self.finder, self.list)
        self.finder.textChanged.connect(self._typed)
        self.list.chosen.connect(self._choose)
        self.list.selection_changed.connect(self._selected)
        self._commands.bind("skill.show", self._show)
        self._commands.bind("skill.open", self._open)
        self._commands.bind("skill.keep", self._keep)
        self._commands.bind("skill.retire", self._retire)
        self._commands.bind("skills.retired", self._draw)

    def _load(self, skills: tuple[Skill, ...]) -> None:
        """Of a kept skill and its draft the draft is listed: it waits for a person."""
        self._skills = {skill.name: skill for skill in skills}
        self._draw()

    def _typed(self) -> None:
        self._ranks = {}
        self._seek.start()
        self._draw()

    def _rank(self) -> None:
        words = self.finder.text().strip()
        if words and not words.startswith("#"):
            self.context.tasks.run("find skills", self._find(words))

    async def _find(self, words: str) -> None:
        """By what is meant, in the order in which agents find them."""
        try:
            found = await self.context.api.find(words, ("skill",), FOUND)
        except WorkbenchError:
            return  # the letters alone find something, too
        if words == self.finder.text().strip():
            self._ranks = {one.name: place for place, one in enumerate(found.finds)}
            self._draw()

    def _draw(self) -> None:
        retired = self._commands["skills.retired"].isChecked()
        rows = skill_rows(
            self._skills.values(), self.finder.text(), retired, time.time(), uses=self._uses, ranks=self._ranks
        )
        kept = self.list.key()
        self.model.show_rows(rows)
        if kept and (place := self.model.find(kept)).isValid():
            self.list.setCurrentIndex(place)
        self._stack.setCurrentWidget(self.list if self._skills else self._empty)
        self._selected()

    def _selected(self) -> None:
        skill = self.chosen()
        state = skill.state if skill else None
        self._commands.hold(SKILL, skill is not None)
        self._commands.hold(DRAFT, state is SkillState.DRAFT)
        self._commands.hold(KEPT, state is SkillState.KEPT)
        self._commands.hold(LIVING, state in (SkillState.DRAFT, SkillState.KEPT))
        self._commands.hold(RETIRED, state is SkillState.RETIRED)
        if skill is not None and self.list.hasFocus():
            self.followed.emit(skill.name)

    def _choose(self, name: str) -> None:
        self.wished.emit(ShowSkillPage(name))

    def _show(self) -> None:
        if name := self.chosen_name():
            self.wished.emit(ShowSkillPage(name))

    def _open(self) -> None:
        if name := self.chosen_name():
            self.wished.emit(ShowSkill(name))

    def _keep(self) -> None:
        if name := self.chosen_name():
            self.wished.emit(KeepSkill(name))

    async def _retire(self) -> None:
        skill = self.chosen()
        if skill is None:
            return
        question = Question(
            self.context.theme,
            f"Retire {skill.name}?",
            "Agents will no longer find it. It is not deleted: show retired skills to see it.",
            self.window(),
        )
        if await question.ask("Retire the skill"):
            await self.context.api.retire_skill(skill.name)
