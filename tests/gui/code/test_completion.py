"""Completion in a real editor: proposed while one types, taken by keys, silent where it should be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from workbench.errors import WorkbenchError
from workbench.gui.code.assessment import Problem
from workbench.gui.code.colour_schemes import Looks
from workbench.gui.code.completion import Completing
from workbench.gui.code.program_editor import ProgramEditor
from workbench.records import CallShape, Candidate, Explanation


@pytest.fixture
def editor(theme: Any, qtbot: Any, tmp_path: Path) -> ProgramEditor:
    made = ProgramEditor(theme, Looks(theme, tmp_path / "looks"))
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    made.setFocus()
    qtbot.waitUntil(made.hasFocus)
    return made


@pytest.fixture
def completing(context: Any, editor: ProgramEditor, paper: Any) -> Completing:
    names = ("list_orders", "list_customers", "limit", "send_email")
    paper.candidates = tuple(Candidate(name, "function", 0) for name in names)
    return Completing(context, editor)


def test_letters_bring_names_and_enter_takes_one(completing: Completing, editor: Any, paper: Any, qtbot: Any) -> None:
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(lambda: completing.list.names() == ["list_orders", "list_customers", "limit"])
    qtbot.keyClicks(editor, "st")
    assert completing.list.names() == ["list_orders", "list_customers"]
    assert paper.completions <= 2  # further letters of the same word ask nobody
    qtbot.keyClick(editor, Qt.Key.Key_Down)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert editor.text() == "list_customers"
    assert not completing.list.isVisible()
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert editor.text() == "list_customers\n"


def test_escape_closes_and_the_next_one_leaves(completing: Completing, editor: Any, qtbot: Any) -> None:
    qtbot.keyClicks(editor, "li")
    qtbot.waitUntil(completing.list.isVisible)
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert not completing.list.isVisible()
    assert editor.text() == "li"
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.text() == "li  "


def test_nothing_is_proposed_in_texts_comments_and_other_languages(
    completing: Completing, editor: Any, paper: Any, qtbot: Any, context: Any
) -> None:
    editor.set_text("# ab")
    editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(editor, "c")
    editor.set_text("")
    editor.speak("json")
    qtbot.keyClicks(editor, "li")
    completing.propose()
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert paper.completions == 0


def test_a_core_that_stumbles_is_typed_on_with(completing: Completing, editor: Any, paper: Any, qtbot: Any) -> None:
    async def complete_code(code: str, line: int, column: int) -> Any:
        raise WorkbenchError("Completion did not finish for this program.")

    paper.complete_code = complete_code
    qtbot.keyClicks(editor, "li")
    completing.propose()
    qtbot.waitUntil(lambda: completing.card.words() == "No name fits here.")
    assert editor.text() == "li"


def test_the_call_shows_the_parameter_one_is_at(completing: Completing, editor: Any, paper: Any, qtbot: Any) -> None:
    paper.shapes = (CallShape("send_email", ("to: str", "body: str"), 1, "Sends an e-mail.\nTo one person."),)
    qtbot.keyClicks(editor, "f(1,")
    qtbot.waitUntil(lambda: "▸body: str◂" in completing.card.words())
    assert "Sends an e-mail." in completing.card.words()
    paper.shapes = ()
    qtbot.keyClicks(editor, ")")
    qtbot.waitUntil(lambda: not completing.card.isVisible())


def test_a_name_is_explained_with_what_was_found_there(
    completing: Completing, editor: Any, paper: Any, qtbot: Any
) -> None:
    paper.explanation = Explanation("os.system", "system(command)\n\nRuns a command.")
    editor.set_text("os.system('x')\n😀 = 1")
    editor.show_problems([Problem(1, 3, 1, 9, "High: Starts a program.", "danger")])
    editor.go_to(1, 5)
    completing.explain()
    qtbot.waitUntil(lambda: "Starts a program." in completing.card.words())
    assert "Runs a command." in completing.card.words()


def test_problems_are_gone_through_in_a_circle(editor: ProgramEditor) -> None:
    editor.set_text("a\nb 😀 bad\nc\nd")
    found = [Problem(2, 4, 2, 7, "second", "danger"), Problem(3, 0, 0, 0, "third", "info")]
    editor.show_problems([*found, Problem(99, 0, 0, 0, "beyond the end", "info")])
    assert editor.next_problem(1) == "second"
    cursor = editor._layers["problems"][0].cursor
    assert cursor.selectedText() == "bad"
    assert editor.next_problem(1) == "third"
    assert editor.next_problem(1) == "beyond the end"
    assert editor.next_problem(1) == "second"
    assert editor.next_problem(-1) == "beyond the end"
    assert editor.next_problem(-1) == "third"
    assert editor.next_problem(-1) == "second"
    editor.show_problems([])
    assert editor.next_problem(1) == ""


def test_escape_then_tab_leaves_the_editor(editor: ProgramEditor, qtbot: Any) -> None:
    editor.set_text("x")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.text() == "x"


def test_letters_grow_and_keep_their_size(editor: ProgramEditor, theme: Any, tmp_path: Path) -> None:
    before = editor.font().pointSize()
    editor._looks.zoom(1)
    editor._looks.zoom(1)
    editor._looks.choose("monokai")
    assert editor.font().pointSize() == before + 2
    assert editor.scheme.name == "monokai"
    again = Looks(theme, tmp_path / "looks")
    assert (again.steps, again.scheme_name) == (2, "monokai")
    assert again.zoom(0) == 0
    assert again.zoom(99) == 20
