"""Facts as lines, to be read and copied: no numbers of lines, no colours of a language."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QStackedLayout, QTabWidget, QVBoxLayout, QWidget

from workbench.events import Event, SkillsChanged
from workbench.gui.code.code_view import CodeView
from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.controls import CalmCombo, RoomyButton
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import EmptyState, Strip, action_button, label
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import ago, amount, skill_word
from workbench.gui.results.text_pages import ProsePage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.skills.tests_page import TestsPage
from workbench.records import Fault, Skill, SkillPage, SkillState


class VersionsPage(QWidget):
    """The newest beside the one before it, until somebody chooses otherwise."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: list[tuple[str, Skill]] = []
        self.before, self.after = CalmCombo(), CalmCombo()
        self.before.setAccessibleName("Earlier version")
        self.after.setAccessibleName("Later version")
        self._words = ForeignLabel(elide=True)
        self.diff = DiffView(theme)
        self.diff.setAccessibleName("What differs between the two versions")
        strip = Strip(theme)
        for part in (self.before, label("→", "muted"), self.after):
            strip.row.addWidget(part)
        strip.row.addSpacing(theme.unit * 2)
        strip.row.addWidget(self._words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self.diff, 1)
        self.before.currentIndexChanged.connect(self._draw)
        self.after.currentIndexChanged.connect(self._draw)
        self.setFocusProxy(self.before)

    def show_page(self, page: SkillPage, code: str) -> None:
        now = [(f"version {one.version}", one) for one in (*page.versions, page.skill)]
        if not page.skill.version:
            now[-1] = ("draft", page.skill)
        self._known = [*now, *([("draft", page.draft)] if page.draft is not None else [])]
        for combo, chosen in ((self.before, max(0, len(self._known) - 2)), (self.after, len(self._known) - 1)):
            combo.blockSignals(True)
            combo.clear()
            combo.addItems([word for word, _ in self._known])
            combo.setCurrentIndex(chosen)
            combo.blockSignals(False)
        self._draw()

    def _draw(self) -> None:
        if not self._known:
            return
        one, other = self._known[self.before.currentIndex()][1], self._known[self.after.currentIndex()][1]
        if len(self._known) == 1:
            self.diff.show_diff("", "There is one version. The next Keep puts this one beside the new one.")
        else:
            self.diff.show_change(one.code, other.code)
        facts = (other.sha[:12], other.kept_by and f"kept by {other.kept_by}", other.kept_at[:10])
        self._words.setText(one_line(" · ".join(fact for fact in facts if fact), 200))


class SkillPane(Pane):
    """`show_skill` opens one; it follows what happens to it."""

    named = Signal(str)
    """Carries the name of the skill on screen."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.page: SkillPage | None = None
        self._name = ""
        self._pause = QTimer(self, singleShot=True, interval=250)
        self._pause.timeout.connect(self.refresh)
        self._lay_out()

    def show_skill(self, name: str) -> None:
        self._name = name
        self.refresh()

    def hear(self, event: Event) -> None:
        if isinstance(event, SkillsChanged) and self._name:
            self._pause.start()
        self.tests.hear(event)

    def refresh(self) -> None:
        if self._name:
            self.context.tasks.run("open a skill", self._read(self._name))

    async def _read(self, name: str) -> None:
        page = await self.context.api.skill_page(name)
        texts = await fetch_whole(self.context.fetch, [page.skill.code, page.skill.notes])
        if name == self._name:
            self._show(page, *texts)

    def _show(self, page: SkillPage, code: str, notes: str) -> None:
        first = self.page is None or self.page.skill.name != page.skill.name
        self.page, self._name = page, page.skill.name
        self._head(page)
        self.about.show_markdown(notes or "Its card says nothing more.")
        self.code.show_code(code)
        self.versions.show_page(page, code)
        self.tests.show_skill(page.skill, page.draft is not None)
        self.tabs.setTabText(2, f"Versions ({len(page.versions) + 1})")
        self.tabs.setTabText(3, f"Tests ({len(page.skill.cassettes)})")
        if first:
            self.tabs.setCurrentIndex(0)
        self._stack.setCurrentIndex(1)
        self.named.emit(page.skill.name)

    def _head(self, page: SkillPage) -> None:
        skill, word = page.skill, skill_word(page.skill.state)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self.context.theme.unit * 5, self.devicePixelRatioF()))
        self._title.setText(skill.name)
        self._words.setText(skill.description)
        self._facts.setText(" · ".join(_facts(page)))
        self._needs.setText(self._needed(page))
        self._needs.setVisible(bool(skill.tools))
        reason = skill.faults[0] if skill.faults else ""
        if not reason and skill.missing:
            reason = f"A tool that it needs is missing: {'; '.join(skill.missing)}."
        self._fault.show_fault(Fault(reason) if reason else None, tone="danger" if skill.faults else "warning")
        for name, states in _BUTTONS.items():
            waits = name == "skill.keep" and (page.draft is not None or bool(skill.faults))
            self.buttons[name].setVisible(skill.state in states or waits)

    def _needed(self, page: SkillPage) -> str:
        return f"Calls {', '.join(page.skill.tools)}"

    # what it looks like

    def _lay_out(self) -> None:
        theme, unit = self.context.theme, self.context.theme.unit
        empty = EmptyState(
            theme,
            "book",
            "No skill is open",
            "Choose one in the Skills pane: what it is for, its code, its versions and its tests are here.",
        )
        empty.offer(self._commands["pane.skills"])
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._make_head())
        column.addWidget(self._make_strip())
        self._fault = FaultCard(theme)
        column.addWidget(self._fault)
        column.addWidget(self._make_tabs(), 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(whole)
        self._fault.setContentsMargins(unit * 3, unit, unit * 3, unit)
        self.setFocusProxy(self.tabs)

    def _make_head(self) -> QHBoxLayout:
        unit = self.context.theme.unit
        self._picture = QLabel()
        self._title, self._words = ForeignLabel(), ForeignLabel(breaks=True)
        self._facts, self._needs = ForeignLabel(elide=True), ForeignLabel(elide=True)
        mark(self._title, role="title")
        for quiet in (self._facts, self._needs):
            mark(quiet, role="muted")
        text = QVBoxLayout()
        text.setSpacing(unit)
        for part in (self._title, self._words, self._facts, self._needs):
            text.addWidget(part)
        row = QHBoxLayout()
        row.setContentsMargins(unit * 4, unit * 4, unit * 4, unit * 3)
        row.setSpacing(unit * 3)
        row.addWidget(self._picture)
        row.addLayout(text, 1)
        return row

    def _make_strip(self) -> Strip:
        strip = Strip(self.context.theme)
        self.buttons: dict[str, QAbstractButton] = {}
        for name in _BUTTONS:
            self.buttons[name] = self._make_button(name)
            if name == "skill.rename":
                strip.row.addStretch(1)
            strip.row.addWidget(self.buttons[name])
        mark(self.buttons["skill.run"], kind="primary")
        self.buttons["skill.run"].setIcon(icon("play", "on_accent"))
        return strip

    def _make_button(self, name: str) -> QAbstractButton:
        """What is done often says so in a word."""
        action, words = self._commands[name], {"skill.open": "Edit", **_WORDS}
        if name not in words:
            return action_button(action, self.context.theme)
        button = RoomyButton(self.context.theme, action.icon(), words[name])
        button.setToolTip(action.toolTip())
        button.clicked.connect(action.trigger)
        return button

    def _make_tabs(self) -> QTabWidget:
        theme = self.context.theme
        self.about, self.code = ProsePage(theme), CodeView(theme)
        self.about.browser.setAccessibleName("The skill's card")
        self.code.setAccessibleName("The skill's code")
        self.versions, self.tests = VersionsPage(theme), TestsPage(self.context)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("About, code, versions and tests of the skill")
        for page, word in (
            (self.about, "About"),
            (self.code, "Code"),
            (self.versions, "Versions"),
            (self.tests, "Tests"),
        ):
            self.tabs.addTab(page, word)
        return self.tabs


_WORDS = {"skill.run": "Run…", "skill.test": "Test", "skill.keep": "Keep…", "skill.back": "Bring back"}
_ALL = (SkillState.DRAFT, SkillState.KEPT, SkillState.RETIRED)
_LIVING = (SkillState.DRAFT, SkillState.KEPT)
_BUTTONS = {
    "skill.run": _LIVING,
    "skill.test": _LIVING,
    "skill.open": _ALL,
    "skill.keep": (SkillState.DRAFT,),
    "skill.back": (SkillState.RETIRED,),
    "skill.rename": _LIVING,
    "skill.tags": _LIVING,
    "skill.export": _ALL,
    "skill.retire": (SkillState.KEPT,),
}


def _facts(page: SkillPage) -> list[str]:
    skill = page.skill
    facts = [str(skill_word(skill.state).text) if not skill.version else f"version {skill.version}"]
    facts.append(f"kept by {skill.kept_by}{f' {skill.kept_at[:10]}' if skill.kept_at else ''}" if skill.kept_by else "")
    facts.append(f"by {skill.author}" if skill.author else "")
    facts.append(f"from run {skill.run_id}" if skill.run_id else "")
    facts.append(f"sha {skill.sha[:12]}" if skill.sha else "")
    facts.append(" ".join(f"#{tag}" for tag in skill.tags))
    facts.append(skill.license)
    if (use := page.use) is not None:
        share = f"{round(100 * use.done / use.runs)} % went well" if use.runs else ""
        facts += [f"ran {use.runs} times, last {ago(use.last)}", share]
        facts.append(f"{amount(use.saved)} tokens saved" if use.saved else "")
    facts.append("has a draft" if page.draft is not None else "")
    return [fact for fact in facts if fact]
