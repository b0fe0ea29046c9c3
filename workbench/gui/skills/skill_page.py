"""The page of one skill in the centre: description, code, versions and tests."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QPushButton, QStackedLayout, QTabWidget, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.code_view import CodeView
from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import EmptyState, Strip, action_button, label
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import ago, amount, risk_word, skill_word
from workbench.gui.results.text_pages import ProsePage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import KeepSkill
from workbench.gui.skills.tests_page import TestsPage, labelled_button
from workbench.records import Fault, Skill, SkillPage, SkillState
from workbench.records.common_types import count_of


class VersionsPage(QWidget):
    """Compares two versions, at first the newest with the one before it, and restores an earlier one."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._versions: list[tuple[str, Skill]] = []
        self._current = ""  # hash of the current code
        self._has_draft = False  # beside the kept versions
        self.before, self.after = CalmCombo(), CalmCombo()
        self.before.setAccessibleName("Earlier version")
        self.after.setAccessibleName("Later version")
        self._facts = ForeignLabel(elide=True)
        self.restore = QPushButton(icon("undo", "muted"), "")
        self.restore.clicked.connect(self._restore)
        self.diff = DiffView(context.theme)
        self.diff.setAccessibleName("Differences between the two versions")
        strip = Strip(context.theme)
        for part in (self.before, label("→", "muted"), self.after):
            strip.row.addWidget(part)
        strip.row.addSpacing(context.theme.unit * 2)
        strip.row.addWidget(self._facts, 1)
        strip.row.addWidget(self.restore)
        column(self, strip, self.diff, grows=self.diff)
        self.before.currentIndexChanged.connect(self._compare)
        self.after.currentIndexChanged.connect(self._compare)
        self.setFocusProxy(self.before)

    def show_page(self, page: SkillPage) -> None:
        kept = (*page.versions, page.skill)
        self._versions = [(f"version {skill.version}" if skill.version else "draft", skill) for skill in kept]
        self._versions += [("draft", page.draft)] if page.draft is not None else []
        self._current = page.skill.sha
        self._has_draft = page.draft is not None
        last = len(self._versions) - 1
        for combo, chosen in ((self.before, max(0, last - 1)), (self.after, last)):
            with QSignalBlocker(combo):
                combo.clear()
                combo.addItems([name for name, _ in self._versions])
                combo.setCurrentIndex(chosen)
        self._compare()

    def _compare(self) -> None:
        name, before = self._versions[self.before.currentIndex()]
        after = self._versions[self.after.currentIndex()][1]
        facts = (after.sha[:12], after.kept_by and f"kept by {after.kept_by}", after.kept_at[:10])
        self._facts.setText(one_line(" · ".join(fact for fact in facts if fact), 200))
        self.restore.setVisible(bool(before.version) and len(self._versions) > 1)
        self.restore.setText(f"Restore {name}…")
        self.restore.setEnabled(before.sha != self._current)
        same = f"The code has not changed since {name}."
        new = f"Keep the code of {name} again, as a new version"
        self.restore.setToolTip(plain_tip(new if self.restore.isEnabled() else same))
        if len(self._versions) == 1:
            self.diff.show_diff("", "There is only one version. Later versions are compared here.")
        else:
            self._context.tasks.run("compare versions", self._show_diff(before, after))

    async def _show_diff(self, before: Skill, after: Skill) -> None:
        texts = await fetch_whole(self._context.fetch, [before.code, after.code])
        selected = [self._versions[combo.currentIndex()][1] for combo in (self.before, self.after)]
        if selected == [before, after]:
            self.diff.show_change(*texts)

    def _restore(self) -> None:
        name, skill = self._versions[self.before.currentIndex()]
        self._context.tasks.run("restore a version", self._keep_again(name, skill))

    async def _keep_again(self, name: str, skill: Skill) -> None:
        title = f"Replace the draft of {skill.name}?"
        sentence = f"Keeping {name} again deletes the draft. Its text cannot be brought back."
        if not self._has_draft or await self._context.ask(title, sentence, "Replace the draft", danger=True):
            self._context.go(KeepSkill(skill.name, skill.code))


_FACTS_LINES, _DESCRIPTION_LINES, _HEAD_LINES = 26, 20, 15  # heights in lines of text below which each is hidden


class SkillPane(Pane):
    """Shows one skill, and keeps showing its current state."""

    named = Signal(str)
    """Carries the name of the shown skill."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.page: SkillPage | None = None
        self._name = ""
        self._test_when_loaded = False
        self._lay_out()
        context.store.skills_changed.connect(self._skills_changed)

    def show_skill(self, name: str) -> None:
        if name != self._name:
            self.tabs.setCurrentIndex(0)
            self._test_when_loaded = False
        self._name = name
        self._reload()

    def test(self) -> None:
        """Show the tests and play all recordings, as soon as the skill is loaded."""
        self.tabs.setCurrentWidget(self.tests)
        if self.page is not None and self.page.skill.name == self._name:
            self.tests.test()
        else:
            self._test_when_loaded = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()

    def _fit_head(self) -> None:
        """Where it is low, the tabs need the room of the head: the description is cut, then parts are hidden."""
        lines, line = self.height() // self.fontMetrics().lineSpacing(), self._description.fontMetrics().lineSpacing()
        self.facts.setVisible(lines >= _FACTS_LINES)
        self._tools.setVisible(lines >= _FACTS_LINES and bool(self._tools.full_text()))
        self._description.setVisible(lines >= _DESCRIPTION_LINES)
        self._description.setMaximumHeight(lines // 5 * line)
        self._head.setVisible(lines >= _HEAD_LINES)

    def _skills_changed(self) -> None:
        """A skill that was renamed or deleted stays as it was shown."""
        if any(skill.name == self._name for skill in self.context.store.skills):
            self._reload()

    def _reload(self) -> None:
        self.context.tasks.run("open a skill", self._load(self._name))

    async def _load(self, name: str) -> None:
        page = await self.context.api.skill_page(name)
        code, notes = await fetch_whole(self.context.fetch, [page.skill.code, page.skill.notes])
        if name != self._name:
            return
        self._show(page, code, notes)
        await self._assess(name, code)

    async def _assess(self, name: str, code: str) -> None:
        try:
            verdict = await self.context.api.assess(code) if code else None
        except WorkbenchError:
            verdict = None
        if name != self._name:
            return
        self.risk.setVisible(verdict is not None)
        if verdict is not None:
            word = risk_word(verdict.risk)
            self.risk.setText(word.text)
            self.risk.setToolTip(plain_tip(visible(verdict.sentence)))
            mark(self.risk, role="badge", tone=word.tone)
            self.code.show_verdict(verdict)

    def _show(self, page: SkillPage, code: str, notes: str) -> None:
        self.page, self._name = page, page.skill.name
        self._show_head(page)
        self.about.show_markdown(notes or "Its SKILL.md has no further text.")
        self.code.show_code(code)
        self.versions.show_page(page)
        self.tests.show_skill(page.skill, page.draft is not None)
        self.tabs.setTabText(2, f"Versions ({len(page.versions) + 1:,})")
        self.tabs.setTabText(3, f"Tests ({len(page.skill.cassettes):,})")
        if self._test_when_loaded:
            self._test_when_loaded = False
            self.tests.test()
        self._stack.setCurrentIndex(1)
        self.named.emit(page.skill.name)

    def _show_head(self, page: SkillPage) -> None:
        skill, word = page.skill, skill_word(page.skill.state)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self.context.theme.unit * 5, self.devicePixelRatioF()))
        self._title.setText(skill.name)
        self.state.setText(word.text)
        mark(self.state, role="badge", tone=word.tone if word.tone != "faint" else "muted")
        self._description.setText(skill.description)
        for part in (self._title, self._description):
            part.setToolTip(plain_tip(visible(skill.description)))
        self.facts.setText(" · ".join(_facts(page)))
        self._tools.setText(f"Calls {', '.join(skill.tools)}" if skill.tools else "")
        self._fit_head()
        problem = skill.faults[0] if skill.faults else ""
        if not problem and skill.missing:
            problem = f"Required tools are missing: {'; '.join(skill.missing)}."
        self._fault.show_fault(Fault(problem) if problem else None, tone="danger" if skill.faults else "warning")
        for name, (_, states) in _BUTTONS.items():
            of_draft = name in ("skill.keep", "skill.discard") and page.draft is not None
            can_keep = name == "skill.keep" and bool(skill.faults)
            self._buttons[name].setVisible(skill.state in states or of_draft or can_keep)

    def _lay_out(self) -> None:
        theme, unit = self.context.theme, self.context.theme.unit
        empty = EmptyState(
            theme,
            "book",
            "No skill is open",
            "Select a skill in the Skills pane to see its description, code, versions and tests.",
        )
        empty.offer(self._commands["pane.skills"])
        page, tabs = QWidget(), self._make_tabs()
        self._fault = Notice(theme)
        self._fault.setContentsMargins(unit * 3, unit, unit * 3, unit)
        self._head = self._make_head()
        column(page, self._head, self._make_strip(), self._fault, tabs, grows=tabs)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(page)
        self.setFocusProxy(self.tabs)

    def _make_head(self) -> QFrame:
        unit = self.context.theme.unit
        self._picture = QLabel()
        self._title, self._description = ForeignLabel(elide=True), ForeignLabel(breaks=True)
        self._description.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.facts, self._tools = ForeignLabel(elide=True), ForeignLabel(elide=True)
        self.state, self.risk = label("", "badge"), label("", "badge")
        self.risk.hide()
        mark(self._title, role="title")
        for quiet in (self.facts, self._tools):
            mark(quiet, role="muted")
        title = row(None, self._title, self.state, self.risk, grows=self._title, spacing=unit * 2)
        text = column(None, title, self._description, self.facts, self._tools, spacing=unit)
        margins = (unit * 4, unit * 4, unit * 4, unit * 3)
        head = QFrame()
        row(head, self._picture, text, grows=text, margins=margins, spacing=unit * 3)
        return head

    def _make_strip(self) -> Strip:
        theme = self.context.theme
        strip = Strip(theme)
        self._buttons: dict[str, QAbstractButton] = {}
        for name, (text, _) in _BUTTONS.items():
            action = self._commands[name]
            button = labelled_button(action, theme, text) if text else action_button(action, theme)
            self._buttons[name] = button
            if name == "skill.rename":
                strip.row.addStretch(1)
            strip.row.addWidget(button)
        mark(self._buttons["skill.run"], kind="primary")
        self._buttons["skill.run"].setIcon(icon("play", "on_accent"))
        return strip

    def _make_tabs(self) -> QTabWidget:
        theme = self.context.theme
        self.about, self.code = ProsePage(theme), CodeView(theme)
        self.about.browser.setAccessibleName("Text of the skill's SKILL.md")
        self.code.setAccessibleName("Code of the skill")
        self.versions, self.tests = VersionsPage(self.context), TestsPage(self.context)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("About, code, versions and tests of the skill")
        pages = ((self.about, "About"), (self.code, "Code"), (self.versions, "Versions"), (self.tests, "Tests"))
        for page, text in pages:
            self.tabs.addTab(page, text)
        return self.tabs


_ALL = (SkillState.DRAFT, SkillState.KEPT, SkillState.RETIRED)
_ACTIVE = (SkillState.DRAFT, SkillState.KEPT)
_BUTTONS = {
    "skill.run": ("Run…", _ACTIVE),
    "skill.test": ("Test", _ACTIVE),
    "skill.open": ("Edit", _ALL),
    "skill.keep": ("Keep…", (SkillState.DRAFT,)),
    "skill.back": ("Restore", (SkillState.RETIRED,)),
    "skill.rename": ("", _ACTIVE),
    "skill.tags": ("", _ACTIVE),
    "skill.export": ("", _ALL),
    "skill.discard": ("", (SkillState.DRAFT,)),
    "skill.retire": ("", (SkillState.KEPT,)),
}
"""The buttons of the page: their text (none: an icon), and the states of a skill in which each is shown."""


def _facts(page: SkillPage) -> list[str]:
    skill, use = page.skill, page.use
    facts = [
        f"version {skill.version}" if skill.version else "",
        f"kept by {skill.kept_by} {skill.kept_at[:10]}".rstrip() if skill.kept_by else "",
        author_text(skill),
        f"from run {skill.run_id}" if skill.run_id else "",
        f"sha {skill.sha[:12]}" if skill.sha else "",
        " ".join(f"#{tag}" for tag in skill.tags),
        skill.license,
    ]
    if use is not None:
        facts.append(f"{count_of(use.runs, 'run')}, last {ago(use.last)}")
        facts.append(f"{round(100 * use.done / use.runs)}% completed" if use.runs else "")
        facts.append(f"{amount(use.saved)} tokens saved" if use.saved else "")
    facts.append("has a draft" if page.draft is not None else "")
    return [fact for fact in facts if fact]


def author_text(skill: Skill) -> str:
    """Who wrote a skill; an imported skill has its source in place of an author."""
    if skill.author.startswith("from "):
        return f"imported {skill.author}"
    return f"by {skill.author}" if skill.author else ""
