"""Find and replace: hits are counted, one undo takes everything back, and no expression blocks the window."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

from workbench.gui.code.colour_schemes import EditorAppearance
from workbench.gui.code.program_editor import ProgramEditor
from workbench.gui.kit.find_bar import MAX_HITS, FindBar, FindQuery, find_all


@pytest.fixture
def editor(theme: Any, qtbot: Any, tmp_path: Path) -> ProgramEditor:
    made = ProgramEditor(theme, EditorAppearance(theme, tmp_path / "looks"))
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    return made


@pytest.fixture
def bar(editor: ProgramEditor, theme: Any, qtbot: Any) -> FindBar:
    made = FindBar(theme, "Find in the program")
    made.search_in(editor)
    qtbot.addWidget(made)
    return made


def _press(bar: FindBar, name: str, qtbot: Any) -> None:
    """Click the button with this text or accessible name."""
    buttons = [*bar.findChildren(QPushButton), *bar.findChildren(QToolButton)]
    button = next(button for button in buttons if name in (button.text(), button.accessibleName()))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _marked(editor: ProgramEditor) -> list[str]:
    return [one.cursor.selectedText() for one in editor.extraSelections() if one.cursor.hasSelection()]


def _places(text: str, query: FindQuery) -> list[tuple[int, int]]:
    return [hit[:2] for hit in find_all(text, query).hits]


def test_plain_text_is_found_as_it_is_written() -> None:
    assert _places("a.b A.B aXb", FindQuery("a.b")) == [(0, 3), (4, 7)]
    assert _places("a.b A.B", FindQuery("a.b", case=True)) == [(0, 3)]
    assert _places("on one on", FindQuery("on", whole_words=True)) == [(0, 2), (7, 9)]
    assert _places("x x x", FindQuery("x", start=1, end=3)) == [(2, 3)]
    assert _places("ÜBER über", FindQuery("über")) == [(0, 4), (5, 9)]
    assert _places("😀x😀x", FindQuery("x")) == [(2, 3), (5, 6)], "places count UTF-16 units"


def test_long_texts_are_searched_across_the_borders_of_pieces() -> None:
    line = "needle = 'é😀'\n"
    text = line * 9_000
    hits = _places(text, FindQuery(r"needle = .*\nneedle", regex=True))
    assert len(hits) == 4_500
    assert len({start for start, _ in hits}) == 4_500
    width = len(line.encode("utf-16-le")) // 2
    assert all(start == number * 2 * width for number, (start, _) in enumerate(hits))
    assert len(_places(text, FindQuery("^", regex=True))) == 9_000, "PCRE2 has no line after the last break"


def test_groups_are_put_into_the_replacement() -> None:
    hits = find_all("k=v", FindQuery(r"(?P<key>\w)=(\w)", r"\2\\\g<key>\t\0", regex=True)).hits
    assert hits == ((0, 3, "v\\k\tk=v"),)
    assert "no group 3" in find_all("a", FindQuery("(a)", r"\3", regex=True)).fault
    assert "no group x" in find_all("a", FindQuery("(a)", r"\g<x>", regex=True)).fault
    assert "unknown escape" in find_all("a", FindQuery("(a)", r"\q", regex=True)).fault


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 200_000 + "!"),
        ("(a+)+$", ("a" * 60 + "!\n") * 5_000),
        (r"(\w+\s*)+;$", "async def report(orders, limit): return total\n" * 20_000),
        (r"(?:a|e)*[bd]", "a" * 300_000),
        ("(x+x+)+y", "x" * 100_000),
        (r"(.*?,){11}P", "1,2,3,4,5,6,7,8,9,10,11,12,13\n" * 10_000),
    ],
)
def test_no_expression_takes_long(pattern: str, text: str) -> None:
    began = time.thread_time()
    find_all(text, FindQuery(pattern, regex=True))
    assert time.thread_time() - began < 1.0


def test_an_expression_that_takes_too_long_is_said(editor: ProgramEditor, bar: FindBar, qtbot: Any) -> None:
    editor.set_text("a" * 60 + "!")
    bar.open_bar()
    _press(bar, "Regular expression", qtbot)
    bar.text.setText("(a+)+$")
    qtbot.waitUntil(lambda: "takes too long" in bar.status_text())


def test_hits_are_counted_and_visited_in_turn(editor: ProgramEditor, bar: FindBar, qtbot: Any) -> None:
    editor.set_text("one\ntwo one\none 😀 one")
    bar.open_bar()
    bar.text.setText("one")
    qtbot.waitUntil(lambda: bar.status_text() == "– of 4")
    seen = []
    for _ in range(5):
        qtbot.keyClick(bar.text, Qt.Key.Key_Return)
        seen.append((editor.textCursor().blockNumber(), bar.status_text()))
    assert seen == [(0, "1 of 4"), (1, "2 of 4"), (2, "3 of 4"), (2, "4 of 4"), (0, "1 of 4")]
    qtbot.keyClick(bar.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.status_text() == "4 of 4"
    _press(bar, "Next hit (Enter)", qtbot)
    assert bar.status_text() == "1 of 4"
    assert editor.textCursor().selectedText() == "one"
    assert _marked(editor).count("one") == 4


@pytest.mark.parametrize("text", ["a1 b2 a3\na1", "a1 😀 a3\na1"])
def test_an_expression_replaces_everything_in_one_undo(
    editor: ProgramEditor, bar: FindBar, qtbot: Any, text: str
) -> None:
    editor.set_text(text)
    bar.open_bar(replacing=True)
    _press(bar, "Regular expression", qtbot)
    bar.text.setText(r"a(\d)")
    bar.replacement.setText(r"<\1>")
    _press(bar, "Replace all", qtbot)
    assert bar.status_text() == "Replaced 3 hits."
    assert editor.text() == text.replace("a1", "<1>").replace("a3", "<3>")
    editor.undo()
    assert editor.text() == text


def test_many_hits_are_replaced_at_once(editor: ProgramEditor, bar: FindBar, qtbot: Any) -> None:
    editor.set_text("é x\n" * 3_000)
    bar.open_bar(replacing=True)
    bar.text.setText("x")
    bar.replacement.setText("😀")
    _press(bar, "Replace all", qtbot)
    assert bar.status_text() == "Replaced 3,000 hits."
    assert editor.text() == "é 😀\n" * 3_000


def test_all_hits_are_replaced_also_where_not_all_are_counted(editor: ProgramEditor, bar: FindBar, qtbot: Any) -> None:
    editor.set_text("xx\n" * MAX_HITS)
    bar.open_bar(replacing=True)
    bar.text.setText("x")
    qtbot.waitUntil(lambda: bar.status_text() == f"– of {MAX_HITS:,}+")
    bar.replacement.setText("y")
    _press(bar, "Replace all", qtbot)
    assert bar.status_text() == f"Replaced {MAX_HITS * 2:,} hits."
    assert editor.text() == "yy\n" * MAX_HITS


def test_only_the_selection_is_replaced(editor: ProgramEditor, bar: FindBar, qtbot: Any) -> None:
    editor.set_text("x\nx\nx\nx")
    cursor = editor.textCursor()
    cursor.setPosition(2)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    editor.setTextCursor(cursor)
    bar.open_bar(replacing=True)
    bar.text.setText("x")
    bar.replacement.setText("yy")
    _press(bar, "Replace all", qtbot)
    assert editor.text() == "x\nyy\nyy\nx"


def test_one_hit_is_replaced_and_the_next_one_selected(editor: ProgramEditor, bar: FindBar, qtbot: Any) -> None:
    editor.set_text("x x x")
    bar.open_bar(replacing=True)
    bar.text.setText("x")
    bar.replacement.setText("y")
    _press(bar, "Replace", qtbot)
    _press(bar, "Replace", qtbot)
    assert editor.text() == "y x x"
    assert editor.textCursor().selectionStart() == 2


@pytest.mark.parametrize("pattern", ["(", r"(?P<x", "[z-a]", r"\1"])
def test_an_invalid_expression_is_said(editor: ProgramEditor, bar: FindBar, qtbot: Any, pattern: str) -> None:
    editor.set_text("text")
    bar.open_bar()
    _press(bar, "Regular expression", qtbot)
    bar.text.setText(pattern)
    qtbot.waitUntil(lambda: bar.status_text().startswith("Not a regular expression"))
    bar.close_bar()
    assert not bar.isVisible()
    assert _marked(editor) == []


def test_tab_goes_from_the_text_to_its_replacement_then_through_the_buttons(bar: FindBar, qtbot: Any) -> None:
    bar.show()
    bar.activateWindow()
    qtbot.waitUntil(bar.isActiveWindow)
    bar.open_bar(replacing=True)

    def walk(key: Qt.Key, times: int) -> list[str]:
        names = []
        for _ in range(times):
            qtbot.keyClick(QApplication.focusWidget(), key)
            focus = QApplication.focusWidget()
            names.append(focus.accessibleName() or focus.text())
        return names

    names = walk(Qt.Key.Key_Tab, 10)
    assert names[0] == "Replace with"
    assert names[-3:] == ["Close (Escape)", "Replace", "Replace all"]
    assert len(set(names)) == 10
    assert walk(Qt.Key.Key_Backtab, 10) == [*names[-2::-1], "Find in the program"]
    bar.open_bar()
    assert walk(Qt.Key.Key_Tab, 1) == ["Match case"]
