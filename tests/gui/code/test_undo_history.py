"""Undo outlives the window: what was changed is kept in steps, and they give Qt's undo back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from workbench.gui.code.colour_schemes import Looks
from workbench.gui.code.program_editor import MOST_LETTERS, MOST_STEPS, ProgramEditor, rewound
from workbench.gui.kit.plain_edit import exact_text


@pytest.fixture
def make_editor(theme: Any, qtbot: Any, tmp_path: Path) -> Any:
    def make() -> ProgramEditor:
        made = ProgramEditor(theme, Looks(theme, tmp_path / "looks"))
        qtbot.addWidget(made)
        return made

    return make


def _again(editor: ProgramEditor, make_editor: Any) -> ProgramEditor:
    """The same text in another window."""
    made: ProgramEditor = make_editor()
    made.past.bring_back(editor.text(), editor.past.told(), editor.past.ahead())
    return made


def _typed(make_editor: Any, qtbot: Any) -> ProgramEditor:
    """An editor in which two lines were added to one."""
    made: ProgramEditor = make_editor()
    made.past.bring_back("x = 1\n", ())
    made.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(made, "y = 2")
    qtbot.keyClick(made, Qt.Key.Key_Return)
    qtbot.keyClicks(made, "zz")
    return made


def test_undo_goes_back_over_a_restart_to_the_first_text(make_editor: Any, qtbot: Any) -> None:
    first = _typed(make_editor, qtbot)
    qtbot.keyClick(first, Qt.Key.Key_Backspace)
    second = _again(first, make_editor)
    assert second.text() == "x = 1\ny = 2\nz"
    seen = []
    while second.document().isUndoAvailable():
        second.undo()
        seen.append(second.text())
    assert seen[-1] == "x = 1\n"
    assert "x = 1\ny = 2" in seen


def test_what_was_undone_stays_undone_after_a_restart(make_editor: Any, qtbot: Any) -> None:
    first = make_editor()
    qtbot.keyClicks(first, "good")
    qtbot.keyClick(first, Qt.Key.Key_Return)
    qtbot.keyClicks(first, "bad")
    first.undo()
    first.undo()
    kept = first.text()
    second = _again(first, make_editor)
    assert second.text() == kept
    second.undo()
    assert len(second.text()) < len(kept)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 6), st.text(st.sampled_from("ab\n 😀é"), max_size=5)), max_size=12
    ),
    st.integers(0, 5),
)
def test_steps_lead_to_the_text_whatever_was_done(make_editor: Any, edits: list[Any], undone: int) -> None:
    editor = make_editor()
    editor.past.bring_back("eins 😀\nzwei\n", ())
    for place, width, words in edits:
        cursor, most = editor.textCursor(), editor.document().characterCount() - 1
        cursor.setPosition(min(place, most))
        cursor.setPosition(min(place + width, most), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(words)
        assert editor.text() == exact_text(editor)
    for _ in range(undone):
        editor.undo()
        assert editor.text() == exact_text(editor)
    steps = editor.past.told()
    before = rewound(editor.text(), steps)
    assert before is not None
    if not undone:
        assert not edits or before == "eins 😀\nzwei\n" or not steps
    again = _again(editor, make_editor)
    assert again.text() == editor.text()
    made_again = len(editor.past.ahead())
    for one in (editor, again):
        while one.document().isRedoAvailable():
            one.redo()
    if made_again:
        assert again.text() == editor.text()
        assert not again.past.told() or rewound(again.text(), again.past.told()) == before
    assert again.past.ahead() == ()


def test_steps_that_do_not_fit_the_text_cost_the_undo_only(make_editor: Any) -> None:
    editor = make_editor()
    editor.past.bring_back("something else", ((0, "a", "b"),))
    assert editor.text() == "something else"
    assert not editor.document().isUndoAvailable()


def test_the_past_is_bounded(make_editor: Any) -> None:
    editor = make_editor()
    for number in range(MOST_STEPS + 20):
        editor.textCursor().insertText(f"line {number}\n")
    assert len(editor.past.told()) == MOST_STEPS
    editor.textCursor().insertText("x" * (MOST_LETTERS - 10))
    assert sum(len(old) + len(new) for _, old, new in editor.past.told()) <= MOST_LETTERS
    assert rewound(editor.text(), editor.past.told()) is not None


def test_colours_are_no_change(make_editor: Any) -> None:
    editor = make_editor()
    editor.past.bring_back("import os\n" * 50, ())
    editor._lex()
    assert editor.past.told() == ()


def test_redo_lives_on_over_a_restart_until_something_else_is_typed(make_editor: Any, qtbot: Any) -> None:
    first = _typed(make_editor, qtbot)
    whole = first.text()
    while first.document().isUndoAvailable():
        qtbot.keyClick(first, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert first.text() == "x = 1\n"
    second = _again(first, make_editor)
    assert second.text() == "x = 1\n"
    assert not second.document().isUndoAvailable()
    second.redo()
    third = _again(second, make_editor)
    while third.document().isRedoAvailable():
        qtbot.keyClick(third, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert third.text() == whole
    third.undo()
    qtbot.keyClicks(third, "q")
    assert third.past.ahead() == ()
    assert not _again(third, make_editor).document().isRedoAvailable()
