"""Recordings of skills as rows, and what came of a test as a text that is read from top to bottom."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import Event, SkillsChanged
from workbench.gui.kit.controls import RoomyButton, TickBox
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState, RowsView, Strip
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import duration
from workbench.gui.shell.context import Context
from workbench.records import CassetteInfo, Skill, SkillState, SkillTest

_STATES = {
    "passed": ("check", "success", "Passed"),
    "changed": ("refresh", "warning", "Changed, but does the same"),
    "failed": ("cross", "danger", "Failed"),
    "error": ("alert", "danger", "Cannot be read"),
}


def cassette_row(info: CassetteInfo, test: SkillTest | None) -> Row:
    symbol, tone, word = _STATES[test.state] if test is not None else ("history", "muted", "Not tested yet")
    if info.fault:
        symbol, tone, word = _STATES["error"]
    calls = f"{info.calls} calls"
    took = duration(test.ms) if test is not None and test.ms else ""
    first = test.differences[0].words if test is not None and test.differences else info.fault
    return Row(
        key=info.name,
        title=visible(info.name),
        detail=visible(first or _called(info)),
        aside=" · ".join(part for part in (calls, took, info.recorded[:10]) if part),
        icon=symbol,
        tone=tone,
        badges=((word, tone),),
        mono=True,
        tip=visible(f"{info.name}: {word}"),
    )


def _called(info: CassetteInfo) -> str:
    if info.program:
        return "called by a program"
    return f"called with {info.arguments}"


def story(info: CassetteInfo, test: SkillTest | None) -> str:
    """What is recorded, then what a test found, one thing a paragraph."""
    lines = [*info.program.splitlines(), ""] if info.program else [f"called with  {info.arguments}"]
    lines.append(f"gives        {info.result}")
    lines.append(f"tools        {', '.join(info.tools) or 'none'}")
    if info.run_id:
        lines.append(f"recorded     {info.recorded} of run {info.run_id}")
    if info.fault:
        lines = [info.fault]
    if test is not None:
        lines += ["", f"{_STATES[test.state][2]} after {duration(test.ms)}."]
        for one in test.differences:
            lines += ["", f"{one.kind}: {one.words}"]
            if one.before or one.after:
                lines += [f"  - {one.before or 'nothing'}", f"  + {one.after or 'nothing'}"]
    return visible("\n".join(lines))


class TestsPage(QWidget):
    """Test plays all of them; the others work on the chosen one."""

    __test__ = False  # no test of pytest's

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._skill: Skill | None = None
        self._infos: dict[str, CassetteInfo] = {}
        self.results: dict[str, SkillTest] = {}
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Recordings")
        self.list.setModel(self.model)
        self.story = PlainView(context.theme, "What came of it")
        self._lay_out()
        self.list.selection_changed.connect(self._draw_story)
        self.list.chosen.connect(self._draw_story)

    def show_skill(self, skill: Skill, has_draft: bool) -> None:
        if self._skill is None or (self._skill.name, self._skill.sha) != (skill.name, skill.sha):
            self.results = {}
        self._skill = skill
        self.draft.setVisible(has_draft)
        self._context.tasks.run("read recordings", self._load(skill.name))

    def hear(self, event: Event) -> None:
        if isinstance(event, SkillsChanged) and self._skill is not None and event.name == self._skill.name:
            self._context.tasks.run("read recordings", self._load(event.name))

    def test(self) -> None:
        """Play them all."""
        if self._skill is not None:
            self._context.tasks.run("test a skill", self._test(self._skill.name))

    async def _load(self, name: str) -> None:
        found = await self._context.api.cassettes(name)
        if self._skill is not None and self._skill.name == name:
            self._infos = {one.name: one for one in found}
            self._draw()

    async def _test(self, name: str) -> None:
        self.test_button.setEnabled(False)
        try:
            tests = await self._context.api.test_skill(name, self._draft)
        finally:
            self.test_button.setEnabled(True)
        self.results = {one.cassette: one for one in tests}
        self._draw()

    @property
    def _draft(self) -> bool:
        of_draft = self._skill is not None and self._skill.state is SkillState.DRAFT
        return of_draft or (self.draft.isVisible() and self.draft.isChecked())

    async def _drift(self, name: str, cassette: str) -> None:
        self.results[cassette] = await self._context.api.check_drift(name, cassette)
        self._draw()

    async def _accept(self, name: str, cassette: str) -> None:
        await self._context.api.accept_cassette(name, cassette, self._draft)
        await self._test(name)

    async def _remove(self, name: str, cassette: str) -> None:
        await self._context.api.remove_cassette(name, cassette)
        self.results.pop(cassette, None)
        await self._load(name)

    def _with_chosen(self, what: str) -> None:
        cassette = self.list.key()
        if self._skill is None or not cassette:
            raise WorkbenchError("No recording is chosen.", "Choose one in the list.")
        deeds = {"drift": self._drift, "accept": self._accept, "remove": self._remove}
        self._context.tasks.run(f"{what} a recording", deeds[what](self._skill.name, cassette))

    # showing

    def _draw(self) -> None:
        rows = [cassette_row(info, self.results.get(name)) for name, info in self._infos.items()]
        kept = self.list.key()
        self.model.show_rows(rows)
        self._stack.setCurrentIndex(1 if rows else 0)
        found = self.model.find(kept) if kept else self.model.index(0)
        self.list.setCurrentIndex(found if found.isValid() else self.model.index(0))
        self._draw_story()

    def _draw_story(self) -> None:
        info = self._infos.get(self.list.key())
        self.story.setPlainText(story(info, self.results.get(info.name)) if info is not None else "")
        tested = self.results.get(info.name) if info is not None else None
        self.accept.setEnabled(tested is not None and tested.state in ("changed", "failed"))
        for button in (self.drift, self.remove):
            button.setEnabled(info is not None)

    def _lay_out(self) -> None:
        theme = self._context.theme
        empty = EmptyState(
            theme,
            "history",
            "No recordings yet",
            (
                "Run the skill with “Record” ticked, or press Record on a run's page. A test plays it back without any"
                " server and says what is another one: code, definition, argument, call or result."
            ),
            self,  # a stack shows its first page, and without a parent that is a window
        )
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.list)
        split.addWidget(self.story)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 1)
        self._stack = QStackedLayout()
        self._stack.addWidget(empty)
        self._stack.addWidget(split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._make_strip())
        column.addLayout(self._stack, 1)
        self.setFocusProxy(self.list)

    def _make_strip(self) -> Strip:
        strip = Strip(self._context.theme)
        self.test_button = RoomyButton(self._context.theme, icon("play", "muted"), "Test all")
        self.test_button.setToolTip("Play every recording, offline, in the real sandbox")
        self.test_button.clicked.connect(self.test)
        self.draft = TickBox(self._context.theme, "The draft")
        self.draft.setToolTip("Test the draft instead of the kept skill")
        self.draft.hide()
        self.accept = self._button("check", "Accept", "accept", "Expect what it does now")
        self.drift = self._button(
            "server", "Ask the servers", "drift", "Make its calls that only read at the real servers"
        )
        self.remove = self._button("trash", "Remove", "remove", "Delete the recording")
        for part in (self.test_button, self.draft, self.accept, self.drift, self.remove):
            strip.row.addWidget(part)
        strip.row.addStretch(1)
        return strip

    def _button(self, symbol: str, word: str, what: str, tip: str) -> RoomyButton:
        button = RoomyButton(self._context.theme, icon(symbol, "muted"), word)
        button.setToolTip(tip)
        button.setEnabled(False)
        button.clicked.connect(lambda: self._with_chosen(what))
        return button


class PlainView(PlainEdit):
    """Long lines are wrapped."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setFont(theme.mono())
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(theme.unit * 3)
        mark(self, kind="code")
