"""The editor pane: programs run from it, and nothing typed is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from workbench.errors import WorkbenchError
from workbench.events import RunChanged
from workbench.gui.editor.drafts import Draft, Drafts
from workbench.gui.editor.editor_pane import EditorPane
from workbench.gui.editor.program_tab import LanguageChoice
from workbench.gui.shell.context import Message
from workbench.gui.shell.navigation import FollowRun
from workbench.records import Finding, Gate, Risk, Run, RunState, Span, Verdict


@pytest.fixture
def pane(context: Any, qtbot: Any) -> EditorPane:
    made = EditorPane(context)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    return made


@pytest.fixture
def submits(paper: Any, make: Any) -> list[tuple[str, str, str]]:
    """What was sent off; the run it becomes is still running."""
    sent: list[tuple[str, str, str]] = []

    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        sent.append((code, purpose, skill))
        run: Run = make.run("mine", RunState.RUNNING)
        return run

    paper.submit = submit
    return sent


def test_a_program_is_sent_off_as_it_stands(pane: EditorPane, submits: list[Any], qtbot: Any, make: Any) -> None:
    pane.open_code("Count", "print(1)", "counter")
    with qtbot.waitSignal(pane.context.messages.requested) as started:
        qtbot.keyClick(pane.sheet().editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert started.args == [FollowRun("mine")]
    assert submits == [("print(1)", "Count", "counter")]
    assert pane._stop.isVisible()
    pane.hear(RunChanged(make.run("mine", RunState.DONE)))
    assert pane._run.isVisible()


def test_a_run_that_ended_before_its_id_was_told_is_over(pane: EditorPane, paper: Any, make: Any, qtbot: Any) -> None:
    asked: list[str] = []

    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        asked.append(code)
        pane.hear(RunChanged(make.run("quick", RunState.DONE)))
        run: Run = make.run("quick", RunState.PROPOSED)
        return run

    paper.submit = submit
    pane.open_code("Count", "1")
    pane.run()
    qtbot.waitUntil(lambda: bool(asked) and not pane.context.tasks.running())
    assert pane.sheet().run_id == ""


def test_a_refused_submission_says_why_and_can_be_tried_again(pane: EditorPane, paper: Any, qtbot: Any) -> None:
    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        raise WorkbenchError("Too many runs are on their way.", "Wait for one to end.")

    paper.submit = submit
    pane.open_code("Count", "1")
    pane.run()
    qtbot.waitUntil(lambda: pane.sheet().fault.sentence() == "Too many runs are on their way.")
    assert pane._run.isVisible()


def test_typed_text_survives_a_restart(pane: EditorPane, context: Any, qtbot: Any) -> None:
    pane.open_code("Mine", "x = 1")
    pane.sheet().editor.moveCursor(pane.sheet().editor.textCursor().MoveOperation.End)
    qtbot.keyClicks(pane.sheet().editor, "23")
    file = context.paths.editor / f"{pane.sheet().key}.json"
    qtbot.waitUntil(lambda: "x = 123" in file.read_text())
    again = EditorPane(context)
    qtbot.addWidget(again)
    assert again.sheet().text() == "x = 123"
    assert again.sheet().title == "Mine"


def test_a_draft_file_that_cannot_be_read_stays_and_hurts_nobody(context: Any, qtbot: Any) -> None:
    folder = context.paths.editor
    folder.mkdir(parents=True)
    (folder / "bad.json").write_text("{")
    Drafts(folder).keep(Draft("good", "t", "code"))
    made = EditorPane(context)
    qtbot.addWidget(made)
    assert made.sheet().text() == "code"
    assert (folder / "bad.json").read_text() == "{"


def test_a_folder_that_cannot_be_written_is_said_beside_the_text(context: Any, qtbot: Any) -> None:
    context.paths.editor.parent.mkdir(parents=True, exist_ok=True)
    context.paths.editor.write_text("a file where the folder should be")
    made = EditorPane(context)
    qtbot.addWidget(made)
    made.open_code("t", "x")
    assert "could not be kept" in made.sheet().fault._message.full_text()


def test_a_closed_tab_is_kept_and_comes_back_with_its_undo(pane: EditorPane, context: Any, qtbot: Any) -> None:
    pane.open_code("one", "1")
    pane.open_code("two", "2")
    pane.close_tab(1)
    assert pane._tabs.count() == 1
    qtbot.keyClicks(pane.sheet().editor, "3")
    pane.close_tab(0)
    assert pane._tabs.count() == 0
    assert list((context.paths.editor).glob("*.json")) == []
    pane.reopen()
    assert pane.sheet().text() == "31"
    assert pane.sheet().touched()
    pane.sheet().editor.undo()
    assert pane.sheet().text() == "1"
    pane.reopen()
    assert pane.sheet().text() == "2"
    with qtbot.waitSignal(pane.context.messages.said) as told:
        pane.reopen()
    assert told.args == [Message("No tab was closed lately.")]


def test_the_same_program_is_not_opened_twice(pane: EditorPane) -> None:
    pane.open_code("one", "1")
    pane.open_code("two", "2")
    pane.open_code("one again", "1")
    assert pane._tabs.count() == 2
    assert pane.sheet().text() == "1"


def test_the_assessment_follows_the_text_and_leads_to_lines(pane: EditorPane, paper: Any, qtbot: Any) -> None:
    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        finding = Finding("r", Risk.HIGH, "Starts a program.", Span(code.count("\n") + 1))
        return Verdict("s", Risk.HIGH, Gate.ASK, f"Judged {len(code)} characters.", (finding,))

    paper.assess = assess
    pane.open_code("t", "a\nb\nc")
    strip = pane.sheet().strip
    qtbot.waitUntil(lambda: strip.sentence() == "Judged 5 characters.")
    assert pane.sheet().editor._gutter.mark_of(3).words == "High risk: Starts a program."
    link = next(b for b in strip.findChildren(QPushButton) if b.text() == "line 3")
    link.click()
    assert pane.sheet().editor.textCursor().blockNumber() == 2


def test_only_the_verdict_on_the_latest_text_is_shown(pane: EditorPane, paper: Any, qtbot: Any) -> None:
    import asyncio

    gates: dict[str, asyncio.Event] = {"slow": asyncio.Event()}

    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        if code in gates:
            await gates[code].wait()
        return Verdict("s", Risk.LOW, Gate.AUTO, f"Judged {code}.")

    paper.assess = assess
    pane.open_code("t", "slow")
    sheet = pane.sheet()
    sheet.assess()
    sheet.editor.set_text("new")
    sheet.assess()
    qtbot.waitUntil(lambda: sheet.strip.sentence() == "Judged new.")
    gates["slow"].set()
    qtbot.waitUntil(lambda: pane.context.tasks.running() == 0)
    assert sheet.strip.sentence() == "Judged new."


def test_no_core_means_not_assessed_and_the_text_stays(pane: EditorPane, paper: Any, qtbot: Any) -> None:
    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        raise WorkbenchError("The core is not connected.")

    paper.assess = assess
    pane.open_code("t", "text")
    qtbot.waitUntil(lambda: pane.sheet().strip.sentence() == "Not assessed: The core is not connected.")
    assert pane.sheet().text() == "text"


def test_ctrl_tab_leaves_the_editor(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("t", "x")
    editor = pane.sheet().editor
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
    pane: EditorPane, paper: Any, context: Any, qtbot: Any, make: Any
) -> None:
    told: list[tuple[str, str]] = []

    async def assess(code: str, language: str, profile: str = "") -> Verdict:
        told.append(("assess", language))
        return Verdict("sha", Risk.HIGH, Gate.ASK, "This program is TypeScript, which is not assessed.")

    async def submit(
        code: str, purpose: str, skill: str, state: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        told.append(("submit", language))
        run: Run = make.run("mine", RunState.RUNNING)
        return run

    paper.assess, paper.submit = assess, submit
    pane.open_code("Count", "const a: number = 1 // one")
    sheet = pane.sheet()
    choice = sheet.findChild(LanguageChoice)
    names = ["Python", "TypeScript", "JSON", "Markdown", "TOML"]
    assert [choice.itemText(row) for row in range(choice.count())] == names
    choice.setFocus()
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: ("assess", "typescript") in told)
    qtbot.waitUntil(lambda: "TypeScript" in sheet.strip.sentence())
    sheet.editor.selectAll()
    qtbot.keyClick(sheet.editor, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert sheet.text() == "// const a: number = 1 // one"
    with qtbot.waitSignal(pane.context.messages.requested):
        pane.run()
    assert told[-1] == ("submit", "typescript")
    (draft,) = Drafts(context.paths.editor).all()
    assert draft.language == "typescript"


def test_only_python_becomes_a_skill(pane: EditorPane, qtbot: Any) -> None:
    pane.open_code("Count", "1 as number")
    pane.sheet().findChild(LanguageChoice).setCurrentIndex(1)
    with qtbot.assertNotEmitted(pane.context.messages.requested):
        pane.keep_as_skill()
    assert pane.sheet().fault.isVisibleTo(pane)
