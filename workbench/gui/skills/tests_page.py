"""The Tests page of a skill: its recordings, and what playing them found."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import RoomyButton, TickBox
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, Strip
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import duration
from workbench.gui.shell.context import Context
from workbench.records import CassetteInfo, Skill, SkillState, SkillTest
from workbench.records.common_types import count_of

_STATES = {
    "passed": ("check", "success", "Passed"),
    "changed": ("refresh", "warning", "Changed, same result"),
    "failed": ("cross", "danger", "Failed"),
    "error": ("alert", "danger", "Unreadable"),
}
_NOT_TESTED = ("history", "muted", "Not tested")


def recording_row(info: CassetteInfo, test: SkillTest | None) -> Row:
    symbol, tone, state = _STATES[test.state] if test is not None else _NOT_TESTED
    if info.fault:
        symbol, tone, state = _STATES["error"]
    took = duration(test.ms) if test is not None and test.ms else ""
    first = test.differences[0].words if test is not None and test.differences else info.fault
    origin = "called by a program" if info.program else f"called with {info.arguments}"
    return Row(
        key=info.name,
        title=visible(info.name),
        detail=visible(first or origin),
        aside=" · ".join(part for part in (count_of(info.calls, "call"), took, info.recorded[:10]) if part),
        icon=symbol,
        tone=tone,
        badges=((state, tone),),
        mono=True,
        tip=visible(f"{info.name}: {state}"),
    )


def describe_recording(info: CassetteInfo, test: SkillTest | None) -> str:
    """What was recorded, then what the test found."""
    lines = [*info.program.splitlines(), ""] if info.program else [f"arguments    {info.arguments}"]
    lines.append(f"result       {info.result}")
    lines.append(f"tools        {', '.join(info.tools) or 'none'}")
    if info.run_id:
        lines.append(f"recorded     {info.recorded} from run {info.run_id}")
    if info.fault:
        lines = [info.fault]
    if test is not None:
        lines += ["", f"{_STATES[test.state][2]} after {duration(test.ms)}."]
        for difference in test.differences:
            lines += ["", f"{difference.kind}: {difference.words}"]
            if difference.before or difference.after:
                lines += [f"  - {difference.before or 'nothing'}", f"  + {difference.after or 'nothing'}"]
    return visible("\n".join(lines))


class TestsPage(QWidget):
    """“Test all” plays every recording; the other actions apply to the selected one."""

    __test__ = False  # not a class of tests

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._skill: Skill | None = None
        self._recordings: dict[str, CassetteInfo] = {}
        self.results: dict[str, SkillTest] = {}
        empty = EmptyState(
            context.theme,
            "history",
            "No recordings yet",
            "Run the skill with “Record” ticked, or press Record on a run's page. Tests replay recordings offline and"
            " report what changed: code, definition, arguments, calls or result.",
            self,  # without a parent it would be shown as a window of its own
        )
        self.rows = ListPane(context.theme, "Recordings", empty, parent=self)
        self.report = PlainView(context.theme, "What the test found")
        split = AdaptiveSplit(130, (1, 1), self.rows, self.report)
        column(self, self._make_strip(), split, grows=split)
        self.setFocusProxy(self.rows)
        self.rows.set_menu(lambda _key: (self.accept, self.check_drift, None, self.remove))
        self.rows.selection_changed.connect(self._show_selected)
        self._show_rows()

    def show_skill(self, skill: Skill, has_draft: bool) -> None:
        if self._skill is None or (self._skill.name, self._skill.sha) != (skill.name, skill.sha):
            self.results = {}
        self._skill = skill
        self.use_draft.setVisible(has_draft)
        self._context.tasks.run("read recordings", self._load(skill.name))

    def test(self) -> None:
        """Play all recordings of the skill."""
        if self._skill is not None:
            self._context.tasks.run("test a skill", self._test(self._skill.name))

    async def _load(self, name: str) -> None:
        recordings = await self._context.api.cassettes(name)
        if self._skill is not None and self._skill.name == name:
            self._recordings = {recording.name: recording for recording in recordings}
            self._show_rows()

    async def _test(self, name: str) -> None:
        self.test_button.setEnabled(False)
        try:
            tests = await self._context.api.test_skill(name, self._tests_draft)
        finally:
            self.test_button.setEnabled(True)
        self.results = {test.cassette: test for test in tests}
        self._show_rows()

    @property
    def _tests_draft(self) -> bool:
        is_draft = self._skill is not None and self._skill.state is SkillState.DRAFT
        return is_draft or (self.use_draft.isVisible() and self.use_draft.isChecked())

    async def _check_drift(self, name: str, recording: str) -> None:
        self.results[recording] = await self._context.api.check_drift(name, recording)
        self._show_rows()

    async def _accept(self, name: str, recording: str) -> None:
        await self._context.api.accept_cassette(name, recording, self._tests_draft)
        await self._test(name)

    async def _remove(self, name: str, recording: str) -> None:
        await self._context.api.remove_cassette(name, recording)
        self.results.pop(recording, None)
        await self._load(name)

    def _run_selected(self, work: Callable[[str, str], Coroutine[Any, Any, None]]) -> None:  # Any: asyncio's own
        recording = self.rows.key()
        if self._skill is not None and recording:
            self._context.tasks.run("change a recording", work(self._skill.name, recording))

    def _show_rows(self) -> None:
        self.rows.show_rows([recording_row(info, self.results.get(name)) for name, info in self._recordings.items()])
        self.report.setVisible(bool(self._recordings))
        if not self.rows.key():
            self.rows.view.choose_first(opened=False)
        self._show_selected()

    def _show_selected(self) -> None:
        info = self._recordings.get(self.rows.key())
        test = self.results.get(info.name) if info is not None else None
        self.report.setPlainText(describe_recording(info, test) if info is not None else "")
        self.accept.setEnabled(test is not None and test.state in ("changed", "failed"))
        for action in (self.check_drift, self.remove):
            action.setEnabled(info is not None)

    def _make_strip(self) -> Strip:
        theme = self._context.theme
        strip = Strip(theme)
        self.test_button = RoomyButton(theme, icon("play", "muted"), "Test all")
        self.test_button.setToolTip("Play every recording offline, in the real sandbox")
        self.test_button.clicked.connect(self.test)
        self.use_draft = TickBox(theme, "Test the draft")
        self.use_draft.setToolTip("Test the draft instead of the kept version")
        self.use_draft.hide()
        strip.row.addWidget(self.test_button)
        strip.row.addWidget(self.use_draft)
        self.accept, self.check_drift, self.remove = (
            menu_action(self, text, partial(self._run_selected, work), symbol, tip)
            for symbol, text, tip, work in (
                ("check", "Accept", "Expect the new behavior from now on", self._accept),
                ("server", "Check servers", "Repeat its read-only calls on the real servers", self._check_drift),
                ("trash", "Remove", "Delete the recording", self._remove),
            )
        )
        for action in (self.accept, self.check_drift, self.remove):
            action.setEnabled(False)
            strip.row.addWidget(labelled_button(action, theme))
        strip.row.addStretch(1)
        return strip


def labelled_button(action: QAction, theme: Theme, text: str = "") -> RoomyButton:
    """A button with text that triggers an action and is enabled while the action is."""
    button = RoomyButton(theme, action.icon(), text or action.text())
    button.setToolTip(action.toolTip())
    button.setEnabled(action.isEnabled())
    button.clicked.connect(action.trigger)
    action.enabledChanged.connect(button.setEnabled)
    return button


class PlainView(PlainEdit):
    """Read-only text with wrapped lines."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setFont(theme.mono())
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(theme.unit * 3)
        mark(self, kind="code")
