"""The editor pane: programs run from it, and nothing typed is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QComboBox, QListView, QPushButton, QTabBar, QToolButton

from workbench.errors import WorkbenchError
from workbench.events import RunChanged
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.editor.drafts import Draft, Drafts, digest_of
from workbench.gui.editor.editor_pane import EditorPane
from workbench.gui.kit.picker import Picker
from workbench.gui.shell.context import Message
from workbench.gui.shell.navigation import FollowRun
from workbench.records import Finding, Gate, Risk, Run, RunState, Skill, SkillState, Span, Verdict


@pytest.fixture
def pane(context: Any, qtbot: Any) -> EditorPane:
    made = EditorPane(context)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    return made


@pytest.fixture
def submits(fake_core: Any, make: Any) -> list[tuple[str, str, str]]:
    """What was sent off; the run it becomes is still running."""
    sent: list[tuple[str, str, str]] = []

    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        sent.append((code, purpose, skill))
        run: Run = make.run("mine", RunState.RUNNING)
        return run

    fake_core.submit = submit
    return sent


def _button(pane: EditorPane, name: str) -> Any:
    """The visible button with this text or accessible name."""
    buttons = [*pane.findChildren(QPushButton), *pane.findChildren(QToolButton)]
    return next(one for one in buttons if one.isVisibleTo(pane) and name in (one.text(), one.accessibleName()))


def _offers(pane: EditorPane, name: str) -> bool:
    return any(one.text() == name and one.isVisibleTo(pane) for one in pane.findChildren(QPushButton))


def _languages(pane: EditorPane) -> QComboBox:
    choices = pane.current_tab().findChildren(QComboBox)
    return next(one for one in choices if one.accessibleName() == "Language of the program")


def _titles(pane: EditorPane) -> list[str]:
    bar = pane.findChild(QTabBar)
    return [bar.tabText(number) for number in range(bar.count())]


def test_a_program_is_sent_off_as_it_stands(pane: EditorPane, submits: list[Any], qtbot: Any, make: Any) -> None:
    pane.open_code("Count", "print(1)", "counter")
    with qtbot.waitSignal(pane.context.messages.requested) as started:
        qtbot.keyClick(pane.current_tab().editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert started.args == [FollowRun("mine")]
    assert submits == [("print(1)", "Count", "counter")]
    qtbot.waitUntil(lambda: _offers(pane, "Stop"))
    assert not _offers(pane, "Run")
    pane.context.store.handle(RunChanged(make.run("mine", RunState.DONE)))
    assert _offers(pane, "Run")


def test_a_run_that_ended_before_its_id_arrived_is_over(
    pane: EditorPane, fake_core: Any, make: Any, qtbot: Any
) -> None:
    asked: list[str] = []

    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        asked.append(code)
        pane.context.store.handle(RunChanged(make.run("quick", RunState.DONE)))
        run: Run = make.run("quick", RunState.PROPOSED)
        return run

    fake_core.submit = submit
    pane.open_code("Count", "1")
    pane.run()
    qtbot.waitUntil(lambda: bool(asked) and not pane.context.tasks.running())
    assert pane.current_tab().run_id == ""


def test_a_refused_submission_says_why_and_can_be_tried_again(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        raise WorkbenchError("Too many runs are on their way.", "Wait for one to end.")

    fake_core.submit = submit
    pane.open_code("Count", "1")
    pane.run()
    qtbot.waitUntil(lambda: pane.current_tab().fault.sentence() == "Too many runs are on their way.")
    assert _offers(pane, "Run")


def test_typed_text_survives_a_restart(pane: EditorPane, context: Any, qtbot: Any) -> None:
    pane.open_code("Mine", "x = 1")
    pane.current_tab().editor.moveCursor(pane.current_tab().editor.textCursor().MoveOperation.End)
    qtbot.keyClicks(pane.current_tab().editor, "23")
    file = context.paths.editor / f"{pane.current_tab().key}.json"
    qtbot.waitUntil(lambda: "x = 123" in file.read_text())
    again = EditorPane(context)
    qtbot.addWidget(again)
    assert again.current_tab().text() == "x = 123"
    assert again.current_tab().title == "Mine"


def test_a_draft_file_that_cannot_be_read_stays_and_hurts_nobody(context: Any, qtbot: Any) -> None:
    folder = context.paths.editor
    folder.mkdir(parents=True)
    (folder / "bad.json").write_text("{")
    Drafts(folder).keep(Draft("good", "t", "code"))
    made = EditorPane(context)
    qtbot.addWidget(made)
    assert made.current_tab().text() == "code"
    assert (folder / "bad.json").read_text() == "{"


def test_a_folder_that_cannot_be_written_is_said_beside_the_text(context: Any, qtbot: Any) -> None:
    context.paths.editor.parent.mkdir(parents=True, exist_ok=True)
    context.paths.editor.write_text("a file where the folder should be")
    made = EditorPane(context)
    qtbot.addWidget(made)
    made.open_code("t", "x")
    assert "could not store this text" in made.current_tab().fault.sentence()


def test_a_closed_tab_can_be_reopened_with_its_text(pane: EditorPane, context: Any, qtbot: Any) -> None:
    pane.open_code("one", "1")
    pane.open_code("two", "2")
    with qtbot.waitSignal(pane.context.messages.said) as said:
        qtbot.mouseClick(_button(pane, "Close two"), Qt.MouseButton.LeftButton)
    assert said.args == [Message("Closed two.", undo="tab.reopen")]
    assert _titles(pane) == ["one"]
    qtbot.keyClicks(pane.current_tab().editor, "3")
    pane.current_tab().editor.undo()
    assert pane.current_tab().text() == "1"
    pane.current_tab().editor.redo()
    place = pane.findChild(QTabBar).tabRect(0).center()
    qtbot.mouseClick(pane.findChild(QTabBar), Qt.MouseButton.MiddleButton, pos=place)
    assert pane.tabs() == []
    assert list((context.paths.editor).glob("*.json")) == []
    pane.reopen()
    assert pane.current_tab().text() == "31"
    assert pane.current_tab().is_changed()
    pane.reopen()
    assert pane.current_tab().text() == "2"
    with qtbot.waitSignal(pane.context.messages.said) as said:
        pane.reopen()
    assert said.args == [Message("There is no closed tab to reopen.")]


def test_the_same_program_is_not_opened_twice(pane: EditorPane) -> None:
    pane.open_code("one", "1")
    pane.open_code("two", "2")
    pane.open_code("one again", "1")
    assert _titles(pane) == ["one", "two"]
    assert pane.current_tab().text() == "1"


def test_no_two_tabs_have_the_same_title(pane: EditorPane, tmp_path: Path) -> None:
    pane.new_program()
    pane.new_program()
    pane.open_code("Count", "1")
    pane.open_code("Count", "2")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.py").write_text(f"# {folder}")
        pane.files.open(str(tmp_path / folder / "same.py"))
    assert _titles(pane) == ["Untitled", "Untitled 2", "Count", "Count 2", "same.py (a)", "same.py (b)"]
    pane.close_tab(5)
    assert _titles(pane)[-1] == "same.py"


def test_an_empty_editor_offers_a_program_a_file_and_examples(pane: EditorPane, context: Any, qtbot: Any) -> None:
    context.store.skills = (
        Skill("late-orders", "Lists late orders.", "print('late')", SkillState.KEPT, 1, starter=True),
        Skill("mine", "Not an example.", "print('mine')", SkillState.KEPT, 1),
    )
    assert _offers(pane, "Open file…")
    qtbot.mouseClick(_button(pane, "Examples…"), Qt.MouseButton.LeftButton)
    picker = pane.findChild(Picker)
    assert [picker.model.index(row).data() for row in range(picker.model.rowCount())] == ["late-orders"]
    qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.current_tab() is not None)
    assert (pane.current_tab().text(), pane.current_tab().skill) == ("print('late')", "")
    pane.close_tab(0)
    qtbot.mouseClick(_button(pane, "New program"), Qt.MouseButton.LeftButton)
    assert _titles(pane) == ["Untitled"]


def test_ctrl_period_stops_a_run_that_waits(
    pane: EditorPane, submits: list[Any], fake_core: Any, make: Any, qtbot: Any
) -> None:
    pane.open_code("Count", "print(1)")
    pane.run()
    qtbot.waitUntil(lambda: pane.current_tab().run_id == "mine")
    waiting = fake_core.put_run(make.run("mine", RunState.WAITING))
    pane.context.store.handle(RunChanged(waiting))
    qtbot.keyClick(pane.current_tab().editor, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: ("stop_run", ("mine",)) in fake_core.asked)
    assert pane.current_tab().text() == "print(1)"


def test_a_restarted_core_has_no_runs(pane: EditorPane, submits: list[Any], qtbot: Any) -> None:
    pane.open_code("Count", "print(1)")
    pane.run()
    qtbot.waitUntil(lambda: _offers(pane, "Stop"))
    pane.context.store.linked.emit()
    assert _offers(pane, "Run")
    assert pane.current_tab().run_id == ""


def test_saving_the_program_of_a_skill_drafts_its_next_version_and_shows_what_changed(
    pane: EditorPane, context: Any, fake_core: Any, qtbot: Any
) -> None:
    kept = Skill("late-orders", "Lists late orders.", "a = 1\n", SkillState.KEPT, 1, sha="a" * 64)
    sent: list[tuple[str, ...]] = []

    async def draft_skill(name: str, description: str, code: str, run_id: str, tags: Any = ()) -> Skill:
        sent.append((name, description, code))
        return replace(kept, code=code, state=SkillState.DRAFT, sha="d" * 64)

    async def keep_skill(name: str, sha: str) -> Skill:
        sent.append((name, sha))
        return replace(kept, version=2, sha=sha)

    fake_core.draft_skill, fake_core.keep_skill = draft_skill, keep_skill
    fake_core.skill_list["late-orders"] = kept
    context.store.skills = (kept,)
    pane.open_code("late-orders", kept.code, "late-orders")
    assert _button(pane, "Keep version 2…").isVisibleTo(pane)
    pane.save()
    with qtbot.waitSignal(pane.context.messages.said) as said:
        pass
    assert said.args[0].text == "late-orders has no changes since version 1."
    pane.current_tab().editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(pane.current_tab().editor, "b = 2")
    pane.save()
    qtbot.waitUntil(lambda: pane.window().findChild(DifferenceDialog) is not None)
    dialog = pane.window().findChild(DifferenceDialog)
    assert dialog.diff.changed_lines() == ("-", "+b = 2")
    assert not pane.current_tab().is_changed()
    assert sent == [("late-orders", "Lists late orders.", "a = 1\nb = 2")]
    with qtbot.waitSignal(pane.context.messages.said) as said:
        qtbot.mouseClick(dialog.button("Keep version 2"), Qt.MouseButton.LeftButton)
    assert said.args[0].text == "Kept late-orders as version 2. Agents find it from now on."
    assert sent[1:] == [("late-orders", "d" * 64)]
    qtbot.waitUntil(lambda: not dialog.isVisible())


@pytest.mark.parametrize("skill", ["", "late-orders"])
def test_a_program_that_was_kept_as_a_skill_has_no_unsaved_changes(pane: EditorPane, context: Any, skill: str) -> None:
    pane.open_code("late-orders", "a = 1\n", skill)
    tab, bar = pane.current_tab(), pane.findChild(QTabBar)
    tab.editor.insertPlainText("b = 2\n")
    pane.open_code("other", "c = 3\n", skill)
    pane.current_tab().editor.insertPlainText("d = 4\n")
    kept = Skill("late-orders", "Lists late orders.", tab.text(), SkillState.KEPT, 2, sha=digest_of(tab.text()))
    context.store.skills = (kept,)
    context.store.skills_changed.emit()
    assert [bar.tabText(number) for number in range(bar.count())] == ["late-orders", "• other"]


def test_a_skill_that_cannot_be_saved_says_why(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    async def skill_page(name: str) -> Any:
        raise WorkbenchError("There is no skill gone.", "Save the program as a file.")

    fake_core.skill_page = skill_page
    pane.open_code("gone", "a = 1", "gone")
    pane.save()
    qtbot.waitUntil(lambda: pane.current_tab().fault.sentence() == "There is no skill gone.")


def test_a_text_that_does_not_parse_cannot_run_yet_and_is_no_risk(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        finding = Finding("syntax", Risk.HIGH, "Line 1 does not parse: '(' was never closed", Span(1, 5, 1, 6))
        return Verdict("s", Risk.HIGH, Gate.ASK, "This program does not parse.", (finding,))

    fake_core.assess = assess
    pane.open_code("t", "print(")
    tab = pane.current_tab()
    qtbot.waitUntil(lambda: tab.strip.badge() == "Cannot run yet")
    assert "never closed" in tab.strip.sentence()
    (problem,) = tab.editor.problems()
    assert (problem.tone, problem.text[:15]) == ("muted", "Cannot run yet:")
    assert tab.editor.gutter_mark(1) is None


def test_an_unknown_server_is_not_low_risk(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    fake_core.checked = (Finding("tool.unknown", Risk.MEDIUM, "There is no server dmeo. Did you mean demo?", Span(1)),)
    pane.open_code("t", "from servers.dmeo import list_orders")
    strip = pane.current_tab().strip
    qtbot.waitUntil(lambda: strip.badge() == "Will fail")
    assert strip.sentence().startswith("There is no server dmeo.")
    assert any(one.text() == "1 finding" for one in strip.findChildren(QPushButton))


def test_the_code_does_not_move_while_assessments_change(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    pane.open_code("t", "x = 1")
    tab = pane.current_tab()
    qtbot.waitUntil(lambda: tab.strip.badge() == "Low risk")
    place, long = tab.editor.y(), "Reads orders and sends e-mails. " * 40
    findings = tuple(Finding("r", Risk.HIGH, f"Sends e-mail {number}.", Span(number)) for number in range(1, 30))
    for verdict in (
        Verdict("s", Risk.HIGH, Gate.ASK, long, findings),
        Verdict("s", Risk.LOW, Gate.AUTO, long),
        Verdict("s", Risk.LOW, Gate.AUTO, "Short."),
    ):
        tab.strip.show_verdict(verdict)
        qtbot.wait(1)
        assert tab.editor.y() == place, verdict.sentence[:20]
    tab.strip.say("Nothing to assess yet.")
    qtbot.wait(1)
    assert tab.editor.y() == place


def test_the_assessment_follows_the_text_and_leads_to_lines(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        finding = Finding("r", Risk.HIGH, "Starts a program.", Span(code.count("\n") + 1))
        return Verdict("s", Risk.HIGH, Gate.ASK, f"Judged {len(code)} characters.", (finding,))

    fake_core.assess = assess
    pane.open_code("t", "a\nb\nc")
    strip = pane.current_tab().strip
    qtbot.waitUntil(lambda: strip.sentence() == "Judged 5 characters.")
    assert pane.current_tab().editor.gutter_mark(3).text == "High risk: Starts a program."
    more = next(button for button in strip.findChildren(QPushButton) if button.text() == "1 finding")
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    findings = strip.findChild(QListView)
    first = findings.model().index(0, 0)
    assert first.data(Qt.ItemDataRole.AccessibleTextRole) == "Starts a program., line 3"
    qtbot.mouseClick(findings.viewport(), Qt.MouseButton.LeftButton, pos=findings.visualRect(first).center())
    assert pane.current_tab().editor.textCursor().blockNumber() == 2


def test_only_the_verdict_on_the_latest_text_is_shown(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    import asyncio

    gates: dict[str, asyncio.Event] = {"slow": asyncio.Event()}

    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        if code in gates:
            await gates[code].wait()
        return Verdict("s", Risk.LOW, Gate.AUTO, f"Judged {code}.")

    fake_core.assess = assess
    pane.open_code("t", "slow")
    sheet = pane.current_tab()
    sheet.assess()
    sheet.editor.set_text("new")
    sheet.assess()
    qtbot.waitUntil(lambda: sheet.strip.sentence() == "Judged new.")
    gates["slow"].set()
    qtbot.waitUntil(lambda: pane.context.tasks.running() == 0)
    assert sheet.strip.sentence() == "Judged new."


def test_no_core_means_not_assessed_and_the_text_stays(pane: EditorPane, fake_core: Any, qtbot: Any) -> None:
    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        raise WorkbenchError("The core is not connected.")

    fake_core.assess = assess
    pane.open_code("t", "text")
    qtbot.waitUntil(lambda: pane.current_tab().strip.sentence() == "Not assessed: The core is not connected.")
    assert pane.current_tab().text() == "text"


def test_ctrl_tab_leaves_the_editor(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("t", "x")
    editor = pane.current_tab().editor
    editor.setFocus()
    qtbot.keyClick(editor, Qt.Key.Key_Tab, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "x"


def test_a_draft_is_one_whole_file(context: Any) -> None:
    drafts = Drafts(context.paths.editor)
    draft = Draft("k", "t", "code \ud800 \u202e", "skill", 3)
    drafts.keep(draft)
    assert drafts.all() == (draft,)
    drafts.keep(replace(draft, code="other"))
    assert json.loads((context.paths.editor / "k.json").read_text())["code"] == "other"
    drafts.forget("k")
    assert drafts.all() == ()


def test_a_program_in_typescript_is_judged_kept_and_sent_off_as_such(
    pane: EditorPane, fake_core: Any, context: Any, qtbot: Any, make: Any
) -> None:
    sent: list[tuple[str, str]] = []

    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        sent.append(("assess", language))
        return Verdict("sha", Risk.HIGH, Gate.ASK, "This program is TypeScript, which is not assessed.")

    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        sent.append(("submit", language))
        run: Run = make.run("mine", RunState.RUNNING)
        return run

    fake_core.assess, fake_core.submit = assess, submit
    pane.open_code("Count", "const a: number = 1 // one")
    sheet = pane.current_tab()
    choice = _languages(pane)
    names = ["Python", "TypeScript", "JSON", "Markdown", "TOML"]
    assert [choice.itemText(row) for row in range(choice.count())] == names
    choice.setFocus()
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: ("assess", "typescript") in sent)
    qtbot.waitUntil(lambda: "TypeScript" in sheet.strip.sentence())
    sheet.editor.selectAll()
    qtbot.keyClick(sheet.editor, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert sheet.text() == "// const a: number = 1 // one"
    with qtbot.waitSignal(pane.context.messages.requested):
        pane.run()
    assert sent[-1] == ("submit", "typescript")
    (draft,) = Drafts(context.paths.editor).all()
    assert draft.language == "typescript"


def test_only_python_becomes_a_skill(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("Count", "1 as number")
    _languages(pane).setCurrentIndex(1)
    with qtbot.assertNotEmitted(pane.context.messages.requested):
        pane.keep_as_skill()
    assert pane.current_tab().fault.isVisibleTo(pane)


def test_held_ctrl_enter_runs_a_program_once(pane: EditorPane, submits: list[Any], qtbot: Any, make: Any) -> None:
    pane.open_code("Count", "print(1)")
    editor, control = pane.current_tab().editor, Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(editor, Qt.Key.Key_Return, control)
    qtbot.waitUntil(lambda: pane.current_tab().run_id == "mine")
    pane.context.store.handle(RunChanged(make.run("mine", RunState.DONE)))
    QApplication.sendEvent(editor, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, control, "", True))
    assert pane.current_tab().run_id == ""
    assert len(submits) == 1


@pytest.mark.parametrize(("key", "forward"), [(Qt.Key.Key_Tab, True), (Qt.Key.Key_Backtab, False)])
def test_escape_then_tab_leaves_the_editor(window: Any, settled: Any, qtbot: Any, key: Qt.Key, forward: bool) -> None:
    window.commands.do("editor.show")
    settled()
    editor = window.centre.editor.current_tab().editor
    window.activateWindow()  # the offscreen platform lost it
    qtbot.waitUntil(editor.hasFocus)
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    if not forward:
        shift = Qt.KeyboardModifier.ShiftModifier
        QApplication.sendEvent(editor, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Shift, shift))
    qtbot.keyClick(editor, key, Qt.KeyboardModifier.NoModifier if forward else Qt.KeyboardModifier.ShiftModifier)
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus is not editor
    assert editor.text() == ""
    assert focus.isVisible()
