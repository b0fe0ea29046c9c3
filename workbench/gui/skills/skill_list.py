"""Skills as rows: drafts apart, because they still wait for a person's yes; retired ones only when wished."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged, SkillsChanged
from workbench.gui.kit.faults import Question
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import (
    EmptyState,
    RowsView,
    Strip,
    action_button,
    lead_focus,
    lead_into,
    search_box,
    tool_button,
)
from workbench.gui.kit.rows import Badges, Row, RowsModel
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago, amount, first_sentence, skill_word
from workbench.gui.shell.actions import DRAFT, KEPT, LIVING, RETIRED, SKILL
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.navigation import KeepRun, KeepSkill, ShowSkill, ShowSkillPage
from workbench.records import RunState, Skill, SkillHint, SkillState, SkillUse

SHOWN_TAGS = 2


def skill_rows(
    skills: Iterable[Skill],
    text: str,
    retired: bool,
    now: float,
    *,
    uses: Mapping[str, SkillUse] | None = None,
    ranks: Mapping[str, int] | None = None,
) -> list[Row]:
    """The whole list with headings. `text` filters by name, description and tags, `#text` by a tag alone; what a
    search found beside that comes in its order."""
    needle, found = text.strip().casefold(), ranks or {}
    shown = [skill for skill in skills if matches(skill, needle) or skill.name in found]
    shown.sort(key=lambda skill: (found.get(skill.name, len(found)), skill.name))
    parts = [
        (SkillState.DRAFT, "Drafts, not yet seen by agents"),
        (SkillState.KEPT, "Kept"),
    ]
    if retired:
        parts.append((SkillState.RETIRED, "Retired"))
    rows: list[Row] = []
    for state, title in parts:
        part = [skill for skill in shown if skill.state is state]
        if part:
            rows.append(Row(f"section:{state}", title, aside=str(len(part)), section=True))
            rows.extend(skill_row(skill, now, (uses or {}).get(skill.name)) for skill in part)
    return rows


def matches(skill: Skill, needle: str) -> bool:
    if needle.startswith("#"):
        return any(tag.casefold().startswith(needle[1:]) for tag in skill.tags)
    words = (skill.name, skill.description, *skill.tags, *skill.triggers)
    return not needle or any(needle in word.casefold() for word in words)


def skill_row(skill: Skill, now: float, use: SkillUse | None = None) -> Row:
    word = skill_word(skill.state)
    version = f"v{skill.version}" if skill.version else ""
    changed = ago(skill.changed, now) if skill.changed and not skill.starter else ""
    return Row(
        key=skill.name,
        title=visible(skill.name),
        detail=visible(first_sentence(skill.faults[0] if skill.faults else skill.description)),
        aside=" · ".join(part for part in (_used(use), version, changed) if part),
        icon="alert" if skill.faults else word.icon,
        tone="danger" if skill.faults else word.tone,
        badges=_badges(skill),
        mono=True,
        faded=skill.state is SkillState.RETIRED,
        tip=_tip(skill, word.text, use),
    )


def _badges(skill: Skill) -> Badges:
    found = [("starter", "info")] if skill.starter else []
    found += [("tool missing", "warning")] if skill.missing else []
    found += [(visible(f"#{tag}"[:20]), "muted") for tag in skill.tags[:SHOWN_TAGS]]
    return tuple(found)


def _used(use: SkillUse | None) -> str:
    if use is None or not use.runs:
        return ""
    share = f", {round(100 * use.done / use.runs)} %" if use.done < use.runs else ""
    return f"{use.runs}×{share}"


def _tip(skill: Skill, state: str, use: SkillUse | None) -> str:
    lines = [skill.name, state, skill.description, *skill.missing]
    if use is not None and use.runs:
        saved = "Ran {} times, {} of them to the end; about {} tokens saved."
        lines.append(saved.format(use.runs, use.done, amount(use.saved)))
    return visible("\n".join(lines))


class HintStrip(QFrame):
    """One at a time, the one that ran most often."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="strip")
        self._context = context
        self._hints: Sequence[SkillHint] = ()
        self.words = ForeignLabel(breaks=True)
        self.make = QPushButton(icon("bookmark", "muted"), "Make a skill…")
        self.make.clicked.connect(self._make)
        self.no = tool_button("close", "Do not suggest this again", context.theme)
        self.no.clicked.connect(self._dismiss)
        unit = context.theme.unit
        row = QHBoxLayout()
        row.addWidget(self.make)
        row.addStretch(1)
        row.addWidget(self.no)
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 2, unit * 2, unit * 2)
        column.setSpacing(unit)
        column.addWidget(self.words)
        column.addLayout(row)
        self.hide()

    def show_hints(self, hints: Sequence[SkillHint]) -> None:
        self._hints = hints
        self.setVisible(bool(hints))
        if hints:
            one = hints[0]
            what = one.purpose or ", ".join(one.tools)
            self.words.setText(one_line(f"Runs like this happened {one.times} times: {what}", 200))
            self.words.setToolTip(plain_tip(one_line(", ".join(one.tools), 200)))

    def _make(self) -> None:
        self._context.go(KeepRun(self._hints[0].run_id))

    def _dismiss(self) -> None:
        self._context.tasks.run("dismiss a hint", self._forget(self._hints[0].key))

    async def _forget(self, key: str) -> None:
        await self._context.api.dismiss_hint(key)
        self.show_hints(await self._context.api.skill_hints())


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
        self.context.go(ShowSkillPage(name))

    def _show(self) -> None:
        if name := self.chosen_name():
            self.context.go(ShowSkillPage(name))

    def _open(self) -> None:
        if name := self.chosen_name():
            self.context.go(ShowSkill(name))

    def _keep(self) -> None:
        if name := self.chosen_name():
            self.context.go(KeepSkill(name))

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
