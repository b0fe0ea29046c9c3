"""The Skills pane: a searchable list of skills, and suggestions to make a skill of a program that ran repeatedly."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, tool_button
from workbench.gui.kit.rows import Row, grouped
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago, amount, first_sentence, risk_word, skill_word
from workbench.gui.shell.actions import DRAFT, KEPT, LIVING, RETIRED, SKILL
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import whole_size
from workbench.gui.shell.navigation import KeepSkill, Request, ShowSkill
from workbench.records import Risk, Run, Skill, SkillHint, SkillState, SkillUse
from workbench.records.common_types import count_of
from workbench.records.runs import ENDS

MOST_RANKED = 100  # results of a search by meaning
MOST_ASSESSED = 200  # skills whose risk is shown in the list
USER = "you"  # the author of what the user saves
_USES_MS = 250  # many runs that end together cause one request
_ASSESS_MS = 300
_SECTIONS = {
    SkillState.DRAFT: "Drafts (agents do not see them)",
    SkillState.KEPT: "Kept",
    SkillState.RETIRED: "Retired",
}


def by_row(skills: Iterable[Skill]) -> dict[str, Skill]:
    """The skills that have a row in the list, by its key. The draft of a kept skill has none: that skill is marked. A
    retired skill whose name is in use again has a key of its own."""
    skills = tuple(skills)
    kept = {skill.name for skill in skills if skill.state is SkillState.KEPT}
    used = {skill.name for skill in skills if skill.state is not SkillState.RETIRED}
    return {
        f"retired:{skill.name}" if skill.state is SkillState.RETIRED and skill.name in used else skill.name: skill
        for skill in skills
        if skill.state is not SkillState.DRAFT or skill.name not in kept
    }


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
    skills, needle, ranks = tuple(skills), text.strip().casefold(), ranks or {}
    drafts = {skill.name: skill for skill in skills if skill.state is SkillState.DRAFT}
    shown = [item for item in by_row(skills).items() if matches(item[1], needle) or item[1].name in ranks]
    shown.sort(key=lambda item: (ranks.get(item[1].name, len(ranks)), item[1].name))

    def rows(state: SkillState) -> list[Row]:
        return [
            skill_row(
                skill,
                now,
                (uses or {}).get(skill.name),
                (risks or {}).get(skill.sha),
                key=key,
                draft=drafts.get(skill.name) if state is SkillState.KEPT else None,
            )
            for key, skill in shown
            if skill.state is state and (retired or state is not SkillState.RETIRED)
        ]

    return grouped(*((str(state), title, rows(state)) for state, title in _SECTIONS.items()))


def matches(skill: Skill, needle: str) -> bool:
    if needle.startswith("#"):
        return any(tag.casefold().startswith(needle[1:]) for tag in skill.tags)
    texts = (skill.name, skill.description, *skill.tags, *skill.triggers)
    return not needle or any(needle in text.casefold() for text in texts)


def skill_row(
    skill: Skill,
    now: float,
    use: SkillUse | None = None,
    risk: Risk | None = None,
    *,
    key: str = "",
    draft: Skill | None = None,
) -> Row:
    """The row of a skill. `draft`: the draft that a kept skill has besides."""
    word = skill_word(skill.state)
    risks = [(risk_word(risk).text, risk_word(risk).tone)] if risk is not None else []
    use_text = f"{use.runs:,}×" if use is not None and use.runs else ""
    if use is not None and use.done < use.runs:
        use_text += f", {round(100 * use.done / use.runs)}%"
    version = f"v{skill.version}" if skill.version else ""
    changed = ago(skill.changed, now) if skill.changed and not skill.starter else ""
    badges = list(risks)
    if draft is not None:
        badges.append(("draft", "warning"))
    if is_agent_draft(draft or skill):
        badges.append((visible(f"by {(draft or skill).author}"[:24]), "info"))
    badges += [("tool missing", "warning")] if skill.missing else []
    badges += [("starter", "info")] if skill.starter else []
    states = [word.text, *(text for text, _ in risks), "has a draft that agents do not see" if draft else ""]
    lines = [skill.name, " · ".join(filter(None, states)), skill.description, *skill.missing]
    lines += [" ".join(f"#{tag}" for tag in skill.tags)] if skill.tags else []
    if use is not None and use.runs:
        saved = f"; about {amount(use.saved)} tokens saved" if use.saved else ""
        lines.append(f"{count_of(use.runs, 'run')}, {use.done:,} completed{saved}.")
    return Row(
        key=key or skill.name,
        title=visible(skill.name),
        detail=visible(first_sentence(skill.faults[0] if skill.faults else skill.description)),
        aside=" · ".join(filter(None, (use_text, version, changed))),
        icon="alert" if skill.faults else word.icon,
        tone="danger" if skill.faults else word.tone,
        badges=tuple(badges),
        mono=True,
        faded=skill.state is SkillState.RETIRED,
        tip=visible("\n".join(lines)),
    )


def is_agent_draft(skill: Skill) -> bool:
    """Whether an agent saved this draft: drafts of the user and imported ones name the user or a source."""
    return skill.state is SkillState.DRAFT and skill.author not in ("", USER) and not skill.author.startswith("from ")


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
        margins = (unit * 3, unit * 2, unit * 2, unit * 2)
        column(self, self.sentence, row(None, make, None, dismiss), margins=margins, spacing=unit)
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
        self._context.go(KeepSkill(run_id=self._hints[0].run_id))

    def dismiss(self) -> None:
        """Do not suggest this again."""
        self._context.tasks.run("dismiss a suggestion", self._dismiss(self._hints[0].key))

    async def _dismiss(self, key: str) -> None:
        await self._context.api.dismiss_hint(key)
        self.show_hints(await self._context.api.skill_hints())


class SkillsPane(Pane):
    """Lists the skills of the project. A kept skill with a draft is marked; editing and keeping it means the draft."""

    followed = Signal(str)
    """Carries the name of a skill that the user moved to in the list; a skill page that is in front shows it."""
    agent_drafts = Signal(int)
    """Carries the number of drafts that agents saved."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._skills: dict[str, Skill] = {}  # by key of their row
        self._drafts: dict[str, Skill] = {}  # also those of kept skills
        self._uses: dict[str, SkillUse] = {}
        self._ranks: dict[str, int] = {}  # of what the search by meaning found, by name
        self._risks: dict[str, Risk] = {}  # by hash of the code
        self._announced: frozenset[str] | None = None  # hashes of the agents' drafts; None: nothing loaded
        self._empty = EmptyState(context.theme, "book", "", "")
        self._empty.offer(commands["skill.new"])
        self._empty.offer(commands["skill.import"])
        self.rows = ListPane(context.theme, "Skills", self._empty, "Find a skill or #tag", self)
        self.list, self.model, self.finder = self.rows.view, self.rows.model, self.rows.finder
        self.rows.add_actions(*map(commands.__getitem__, ("skill.new", "skill.keep", "skill.import", "skills.retired")))
        self.rows.set_menu(self._menu_actions)
        self.hints = HintStrip(context)
        column(self, self.hints, self.rows, grows=self.rows)
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
        for action, request in (
            ("skill.show", ShowSkill),
            ("skill.open", partial(ShowSkill, view="code")),
            ("skill.keep", KeepSkill),
        ):
            bind(action, partial(self._go, request))
        bind("skill.retire", self._retire)
        bind("skill.discard", self._discard)
        bind("skills.retired", self._show_rows)
        self._show_versions = menu_action(self, "Show versions", self._open_versions, "history")

    def _timer(self, milliseconds: int, work: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=milliseconds)
        timer.timeout.connect(work)
        return timer

    # loading

    def _skills_loaded(self) -> None:
        skills = self.context.store.skills
        self._skills = by_row(skills)
        self._drafts = {skill.name: skill for skill in skills if skill.state is SkillState.DRAFT}
        self._announce_drafts()
        self._show_rows()
        self._load_uses()
        self._assess_soon.start()

    def _announce_drafts(self) -> None:
        drafts = [skill for skill in self._drafts.values() if is_agent_draft(skill)]
        for skill in drafts:
            if self._announced is not None and skill.sha not in self._announced:
                self.context.say(visible(f"{skill.author} saved {skill.name} as a draft. Review it in Skills."))
        self._announced = frozenset(skill.sha for skill in drafts)
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
                self.context.store.skills,
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
            (DRAFT, skill is not None and skill.state is not SkillState.RETIRED and skill.name in self._drafts),
            (KEPT, state is SkillState.KEPT),
            (LIVING, state in (SkillState.DRAFT, SkillState.KEPT)),
            (RETIRED, state is SkillState.RETIRED),
        ):
            self._commands.set_condition(condition, holds)
        if skill is not None and self.list.hasFocus():
            self.followed.emit(skill.name)

    # actions

    def _menu_actions(self, key: str) -> Sequence[QAction | None]:
        skill, action = self._skills.get(key), self._commands.__getitem__
        if skill is None:
            return ()
        names = ["skill.show", "skill.back", "", "skill.open", "versions", "skill.export"]
        if skill.state is not SkillState.RETIRED:
            names = ["skill.run", "skill.test", "", "skill.show", "skill.open", "versions", "", "skill.rename",
                     "skill.tags", "skill.export"]  # fmt: skip
            names += ["skill.keep", "skill.discard"] if skill.name in self._drafts else []
            names += ["skill.retire"] if skill.state is SkillState.KEPT else []
        return [self._show_versions if name == "versions" else action(name) if name else None for name in names]

    def _open_page(self, key: str) -> None:
        self.context.go(ShowSkill(self._skills[key].name))

    def _open_versions(self) -> None:
        self._go(partial(ShowSkill, view="versions"))

    def _go(self, request: Callable[[str], Request]) -> None:
        if name := self.selected_name():
            self.context.go(request(name))

    async def _retire(self) -> None:
        name = self.selected_name()
        sentence = "Agents can no longer find it. It is not deleted: “Show retired skills” lists it."
        if name and await self.context.ask(f"Retire {name}?", sentence, "Retire", parent=self.window()):
            await self.context.api.retire_skill(name)

    async def _discard(self) -> None:
        """Remove the draft of the selected skill; a kept skill stays."""
        name, folder = self.selected_name(), self.context.paths.drafts / ".retired"
        sentence = f"It is removed from the list of skills. Its files are moved to {folder}."
        title = f"Discard the draft {name}?"
        if name and await self.context.ask(title, sentence, "Discard", danger=True, parent=self.window()):
            await self.context.api.discard_draft(name)
