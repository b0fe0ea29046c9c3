"""The Skills pane: a searchable list of skills, and suggestions to make a skill of a program that ran repeatedly."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.icons import icon
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState, tool_button
from workbench.gui.kit.rows import Badges, Row
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago, amount, first_sentence, risk_word, skill_word
from workbench.gui.shell.actions import DRAFT, KEPT, LIVING, RETIRED, SKILL
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import whole_size
from workbench.gui.shell.navigation import KeepRun, KeepSkill, Request, ShowSkill, ShowSkillPage
from workbench.records import Risk, Run, Skill, SkillHint, SkillState, SkillUse
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS

MOST_RANKED = 100  # results of a search by meaning
MOST_ASSESSED = 200  # skills whose risk is shown in the list
USER = "you"  # the author of what the user saves
_USES_MS = 250  # many runs that end together cause one request
_ASSESS_MS = 300


def skill_rows(
    skills: Iterable[Skill],
    text: str,
    retired: bool,
    now: float,
    *,
    uses: Mapping[str, SkillUse] | None = None,
    ranks: Mapping[str, int] | None = None,
    risks: Mapping[str, Risk] | None = None,
) -> list[Row]:
    """The skills by state, with headings. `text` filters by name, description and tags, `#text` by tag only; skills
    that a search by meaning found are shown too, in the order of their `ranks`. `risks` are by hash of the code."""
    needle, ranks = text.strip().casefold(), ranks or {}
    shown = [skill for skill in skills if matches(skill, needle) or skill.name in ranks]
    shown.sort(key=lambda skill: (ranks.get(skill.name, len(ranks)), skill.name))
    sections = [(SkillState.DRAFT, "Drafts (agents do not see them)"), (SkillState.KEPT, "Kept")]
    if retired:
        sections.append((SkillState.RETIRED, "Retired"))
    rows: list[Row] = []
    for state, title in sections:
        members = [skill for skill in shown if skill.state is state]
        if members:
            rows.append(Row(f"section:{state}", title, aside=f"{len(members):,}", section=True))
            for skill in members:
                rows.append(skill_row(skill, now, (uses or {}).get(skill.name), (risks or {}).get(skill.sha)))
    return rows


def matches(skill: Skill, needle: str) -> bool:
    if needle.startswith("#"):
        return any(tag.casefold().startswith(needle[1:]) for tag in skill.tags)
    texts = (skill.name, skill.description, *skill.tags, *skill.triggers)
    return not needle or any(needle in text.casefold() for text in texts)


def skill_row(skill: Skill, now: float, use: SkillUse | None = None, risk: Risk | None = None) -> Row:
    word = skill_word(skill.state)
    version = f"v{skill.version}" if skill.version else ""
    changed = ago(skill.changed, now) if skill.changed and not skill.starter else ""
    return Row(
        key=skill.name,
        title=visible(skill.name),
        detail=visible(first_sentence(skill.faults[0] if skill.faults else skill.description)),
        aside=" · ".join(part for part in (_use_text(use), version, changed) if part),
        icon="alert" if skill.faults else word.icon,
        tone="danger" if skill.faults else word.tone,
        badges=_badges(skill, risk),
        mono=True,
        faded=skill.state is SkillState.RETIRED,
        tip=_tip(skill, word.text, use, risk),
    )


def is_agent_draft(skill: Skill) -> bool:
    """Whether an agent saved this draft: drafts of the user and imported ones name the user or a source."""
    return skill.state is SkillState.DRAFT and skill.author not in ("", USER) and not skill.author.startswith("from ")


def _badges(skill: Skill, risk: Risk | None) -> Badges:
    badges = [(risk_word(risk).text, risk_word(risk).tone)] if risk is not None else []
    badges += [(visible(f"by {skill.author}"[:24]), "info")] if is_agent_draft(skill) else []
    badges += [("tool missing", "warning")] if skill.missing else []
    badges += [("starter", "info")] if skill.starter else []
    return tuple(badges)


def _use_text(use: SkillUse | None) -> str:
    if use is None or not use.runs:
        return ""
    share = f", {round(100 * use.done / use.runs)}%" if use.done < use.runs else ""
    return f"{use.runs:,}×{share}"


def _tip(skill: Skill, state: str, use: SkillUse | None, risk: Risk | None) -> str:
    facts = [state, risk_word(risk).text if risk is not None else ""]
    tags = " ".join(f"#{tag}" for tag in skill.tags)
    lines = [skill.name, " · ".join(fact for fact in facts if fact), skill.description, *skill.missing]
    lines += [tags] if tags else []
    if use is not None and use.runs:
        saved = f"; about {amount(use.saved)} tokens saved" if use.saved else ""
        lines.append(f"{count_of(use.runs, 'run')}, {use.done:,} completed{saved}.")
    return visible("\n".join(lines))


class HintStrip(QFrame):
    """Suggests to make a skill of the program that ran most often."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="strip")
        self._context = context
        self._hints: Sequence[SkillHint] = ()
        self.sentence = ForeignLabel(breaks=True)
        make = QPushButton(icon("bookmark", "muted"), "Make a skill…")
        make.clicked.connect(self._make_skill)
        dismiss = tool_button("close", "Do not suggest this again", context.theme)
        dismiss.clicked.connect(self.dismiss)
        unit = context.theme.unit
        row = QHBoxLayout()
        row.addWidget(make)
        row.addStretch(1)
        row.addWidget(dismiss)
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 2, unit * 2, unit * 2)
        column.setSpacing(unit)
        column.addWidget(self.sentence)
        column.addLayout(row)
        self.hide()

    def show_hints(self, hints: Sequence[SkillHint]) -> None:
        self._hints = hints
        self.setVisible(bool(hints))
        if hints:
            hint = hints[0]
            purpose = hint.purpose or ", ".join(hint.tools)
            self.sentence.setText(one_line(f"Programs like this ran {hint.times:,} times: {purpose}", 200))
            self.sentence.setToolTip(plain_tip(one_line(", ".join(hint.tools), 200)))

    def _make_skill(self) -> None:
        self._context.go(KeepRun(self._hints[0].run_id))

    def dismiss(self) -> None:
        """Do not suggest this again."""
        self._context.tasks.run("dismiss a suggestion", self._dismiss(self._hints[0].key))

    async def _dismiss(self, key: str) -> None:
        await self._context.api.dismiss_hint(key)
        self.show_hints(await self._context.api.skill_hints())


class SkillsPane(Pane):
    """Lists the skills of the project. Where a kept skill has a draft, the draft is listed."""

    followed = Signal(str)
    """Carries the name of a skill that the user moved to in the list; a skill page that is in front shows it."""
    agent_drafts = Signal(int)
    """Carries the number of drafts that agents saved."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._skills: dict[str, Skill] = {}
        self._uses: dict[str, SkillUse] = {}
        self._ranks: dict[str, int] = {}  # of what the search by meaning found, by name
        self._risks: dict[str, Risk] = {}  # by hash of the code
        self._drafts: frozenset[str] | None = None  # hashes of the agents' drafts that are known; None: nothing loaded
        self._empty = EmptyState(context.theme, "book", "", "")
        self._empty.offer(commands["skill.new"])
        self._empty.offer(commands["skill.import"])
        self.rows = ListPane(context.theme, "Skills", self._empty, "Find a skill or #tag", self)
        self.list, self.model, self.finder = self.rows.view, self.rows.model, self.rows.finder
        self.rows.add_actions(*map(commands.__getitem__, ("skill.new", "skill.keep", "skill.import", "skills.retired")))
        self.rows.set_menu(self._menu_actions)
        self.hints = HintStrip(context)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.hints)
        column.addWidget(self.rows, 1)
        self.setFocusProxy(self.rows)
        self._uses_soon = self._timer(_USES_MS, self._load_uses)
        self._assess_soon = self._timer(_ASSESS_MS, self._assess)
        self._bind()
        self._show_rows()

    def selected(self) -> Skill | None:
        return self._skills.get(self.rows.key())

    def selected_name(self) -> str:
        """The name of the selected skill, or nothing."""
        skill = self.selected()
        return skill.name if skill is not None else ""

    def select(self, name: str) -> None:
        """Select a skill; a filter that hides it is removed."""
        if self.rows.key() == name or name not in self._skills:
            return
        if not self.rows.select(name):
            self.rows.clear_search()
            if self._skills[name].state is SkillState.RETIRED:
                self._commands["skills.retired"].setChecked(True)
            self._show_rows()
            self.rows.select(name)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._assess_soon.start()

    def _bind(self) -> None:
        store, bind = self.context.store, self._commands.bind
        store.skills_changed.connect(self._skills_loaded)
        store.run_changed.connect(self._run_changed)
        store.tools_changed.connect(self._tools_changed)
        self.rows.search_edited.connect(self._filter_changed)
        self.rows.searched.connect(self._search)
        self.rows.chosen.connect(self._open_page)
        self.rows.selection_changed.connect(self._selection_changed)
        for action, request in (("skill.show", ShowSkillPage), ("skill.open", ShowSkill), ("skill.keep", KeepSkill)):
            bind(action, partial(self._go, request))
        bind("skill.retire", self._retire)
        bind("skills.retired", self._show_rows)
        self._show_versions = QAction(icon("history"), "Show versions", self)
        self._show_versions.triggered.connect(self._open_versions)

    def _timer(self, milliseconds: int, work: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=milliseconds)
        timer.timeout.connect(work)
        return timer

    # loading

    def _skills_loaded(self) -> None:
        self._skills = {skill.name: skill for skill in self.context.store.skills}
        self._announce_drafts()
        self._show_rows()
        self._load_uses()
        self._assess_soon.start()

    def _announce_drafts(self) -> None:
        drafts = [skill for skill in self._skills.values() if is_agent_draft(skill)]
        known = self._drafts
        for skill in drafts:
            if known is not None and skill.sha not in known:
                self.context.say(visible(f"{skill.author} saved {skill.name} as a draft. Review it in Skills."))
        self._drafts = frozenset(skill.sha for skill in drafts)
        self.agent_drafts.emit(len(drafts))

    def _run_changed(self, run: Run) -> None:
        if run.state in ENDS:
            self._uses_soon.start()

    def _load_uses(self) -> None:
        self.context.tasks.run("use of skills", self._read_uses())

    async def _read_uses(self) -> None:
        api = self.context.api
        self._uses = {use.name: use for use in await api.skill_uses()}
        self.hints.show_hints(await api.skill_hints())
        self._show_rows()

    def _tools_changed(self, _servers: frozenset[str]) -> None:
        """The risk of a program depends on the definitions of its tools."""
        self._risks = {}
        self._assess_soon.start()

    def _assess(self) -> None:
        unknown = [skill for skill in self._skills.values() if skill.code and skill.sha not in self._risks]
        here = [skill for skill in unknown if not whole_size([skill.code])]
        if here and self.isVisible() and len(self._risks) < MOST_ASSESSED:
            self.context.tasks.run("risk of skills", self._read_risks(here[: MOST_ASSESSED - len(self._risks)]))

    async def _read_risks(self, skills: Sequence[Skill]) -> None:
        risks = self._risks
        for skill in skills:
            try:
                risks[skill.sha] = (await self.context.api.assess(skill.code)).risk
            except WorkbenchError:
                continue  # its page says why
        self._show_rows()

    # showing

    def _filter_changed(self) -> None:
        self._ranks = {}
        self._show_rows()

    def _search(self, text: str) -> None:
        if text and not text.startswith("#"):
            self.context.tasks.run("find skills", self._rank(text))

    async def _rank(self, text: str) -> None:
        """Search by meaning, in the order in which agents find skills."""
        try:
            results = await self.context.api.find(text, ("skill",), MOST_RANKED)
        except WorkbenchError:
            return  # the filter by letters still works
        if text == self.rows.search_text():
            self._ranks = {result.name: place for place, result in enumerate(results.finds)}
            self._show_rows()

    def _show_rows(self) -> None:
        retired = self._commands["skills.retired"].isChecked()
        text = self.rows.search_text()
        if self._skills and text:
            self._empty.say("No skill matches", "Clear the search to see all skills.")
        else:
            self._empty.say("No skills yet", "Keep a program that works as a skill. Agents can then find and use it.")
        self.rows.show_rows(
            skill_rows(
                self._skills.values(),
                text,
                retired,
                time.time(),
                uses=self._uses,
                ranks=self._ranks,
                risks=self._risks,
            )
        )
        self._selection_changed()

    def _selection_changed(self) -> None:
        skill = self.selected()
        state = skill.state if skill else None
        for condition, holds in (
            (SKILL, skill is not None),
            (DRAFT, state is SkillState.DRAFT),
            (KEPT, state is SkillState.KEPT),
            (LIVING, state in (SkillState.DRAFT, SkillState.KEPT)),
            (RETIRED, state is SkillState.RETIRED),
        ):
            self._commands.hold(condition, holds)
        if skill is not None and self.list.hasFocus():
            self.followed.emit(skill.name)

    # actions

    def _menu_actions(self, name: str) -> Sequence[QAction | None]:
        skill = self._skills.get(name)
        if skill is None:
            return ()
        names: tuple[str, ...]
        if skill.state is SkillState.RETIRED:
            names = ("skill.show", "skill.back", "", "skill.open", "versions", "skill.export")
        else:
            last = "skill.keep" if skill.state is SkillState.DRAFT else "skill.retire"
            names = ("skill.run", "skill.test", "", "skill.show", "skill.open", "versions", "", "skill.rename",
                     "skill.tags", "skill.export", last)  # fmt: skip
        known = {"": None, "versions": self._show_versions}
        return [known[name] if name in known else self._commands[name] for name in names]

    def _open_page(self, name: str) -> None:
        self.context.go(ShowSkillPage(name))

    def _open_versions(self) -> None:
        self._go(partial(ShowSkillPage, versions=True))

    def _go(self, request: Callable[[str], Request]) -> None:
        if name := self.selected_name():
            self.context.go(request(name))

    async def _retire(self) -> None:
        name = self.selected_name()
        sentence = "Agents can no longer find it. It is not deleted: “Show retired skills” lists it."
        if name and await self.context.ask(f"Retire {name}?", sentence, "Retire", parent=self.window()):
            await self.context.api.retire_skill(name)
