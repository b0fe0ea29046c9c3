"""Finding and replacing in a program: counted, one undo for all, and never frozen by an expression."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from workbench.gui.code.colour_schemes import Looks
from workbench.gui.code.find_bar import EditorFindBar, Wish, plain_hits
from workbench.gui.code.program_editor import ProgramEditor


@pytest.fixture
def editor(theme: Any, qtbot: Any, tmp_path: Path) -> ProgramEditor:
    made = ProgramEditor(theme, Looks(theme, tmp_path / "looks"))
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    return made


@pytest.fixture
def bar(editor: ProgramEditor, theme: Any, qtbot: Any) -> EditorFindBar:
    made = EditorFindBar(editor, theme)
    qtbot.addWidget(made)
    return made


def test_words_are_found_as_they_are() -> None:
    assert [hit[:2] for hit in plain_hits("a.b A.B aXb", Wish("a.b"))] == [(0, 3), (4, 7)]
    assert [hit[:2] for hit in plain_hits("a.b A.B", Wish("a.b", case=True))] == [(0, 3)]
    assert [hit[:2] for hit in plain_hits("on one on", Wish("on", whole=True))] == [(0, 2), (7, 9)]
    assert [hit[:2] for hit in plain_hits("x x x", Wish("x", start=1, end=3))] == [(2, 3)]


def test_hits_are_counted_and_gone_through(editor: ProgramEditor, bar: EditorFindBar, qtbot: Any) -> None:
    editor.set_text("one\ntwo one\none 😀 one")
    bar.open_bar()
    bar.words.setText("one")
    qtbot.waitUntil(lambda: bar.words_said() == "– of 4")
    seen = []
    for _ in range(5):
        qtbot.keyClick(bar.words, Qt.Key.Key_Return)
        seen.append((editor.textCursor().blockNumber(), bar.words_said()))
    assert seen == [(0, "1 of 4"), (1, "2 of 4"), (2, "3 of 4"), (2, "4 of 4"), (0, "1 of 4")]
    qtbot.keyClick(bar.words, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.words_said() == "4 of 4"
    assert editor.textCursor().selectedText() == "one"
    assert len(editor._layers["sought"]) == 4


@pytest.mark.parametrize("text", ["a1 b2 a3\na1", "a1 😀 a3\na1"])
def test_an_expression_replaces_everything_in_one_undo(
    editor: ProgramEditor, bar: EditorFindBar, qtbot: Any, text: str
) -> None:
    editor.set_text(text)
    bar.open_bar(replacing=True)
    bar._regex.setChecked(True)
    bar.words.setText(r"a(\d)")
    bar.instead.setText(r"<\1>")
    bar.replace_all()
    qtbot.waitUntil(lambda: bar.words_said() == "3 places were replaced.", timeout=20_000)
    assert editor.text() == text.replace("a1", "<1>").replace("a3", "<3>")
    editor.undo()
    assert editor.text() == text


def test_only_the_selection_is_replaced(editor: ProgramEditor, bar: EditorFindBar, qtbot: Any) -> None:
    editor.set_text("x\nx\nx\nx")
    cursor = editor.textCursor()
    cursor.setPosition(2)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    bar.open_bar(replacing=True)
    bar.words.setText("x")
    bar.instead.setText("yy")
    bar.replace_all()
    assert editor.text() == "x\nyy\nyy\nx"


def test_one_place_is_replaced_and_the_next_one_chosen(editor: ProgramEditor, bar: EditorFindBar) -> None:
    editor.set_text("x x x")
    bar.open_bar(replacing=True)
    bar.words.setText("x")
    bar.instead.setText("y")
    bar.replace_one()
    bar.replace_one()
    assert editor.text() == "y x x"
    assert editor.textCursor().selectionStart() == 2


@pytest.mark.parametrize("words", ["(", r"(?P<x", "[z-a]", r"\1"])
def test_a_wrong_expression_is_told(editor: ProgramEditor, bar: EditorFindBar, qtbot: Any, words: str) -> None:
    editor.set_text("text")
    bar.open_bar()
    bar._regex.setChecked(True)
    bar.words.setText(words)
    qtbot.waitUntil(lambda: bar.words_said().startswith("No regular expression"), timeout=20_000)
    bar.close_bar()
    assert editor._layers["sought"] == []


def test_an_endless_expression_ends_and_holds_nobody_up(editor: ProgramEditor, bar: EditorFindBar, qtbot: Any) -> None:
    editor.set_text("a" * 60 + "!")
    bar.open_bar()
    bar._regex.setChecked(True)
    bar.words.setText("(a+)+$")
    bar._seek()
    assert "takes too long" not in bar.words_said(), "it looks elsewhere, and whoever types goes on"
    bar._search._late.start(50)
    qtbot.waitUntil(lambda: "takes too long" in bar.words_said(), timeout=20_000)
    assert bar._search._process is None
