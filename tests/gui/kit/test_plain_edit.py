"""A text box holds exactly what was put in, also where it breaks a long line for the sake of its layout."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.gui.kit.plain_edit import PIECE, PlainEdit, exact_text, units

HANG = 20.0  # seconds: a line that is laid out as a whole takes minutes
TEXTS = st.lists(st.sampled_from(["ab", "ü", "𝄞", " ", "\n", "x" * (PIECE * 2 + 3), '"k": 1, ']), max_size=6).map(
    "".join
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["type", "return", "backspace", "delete", "cut", "undo", "redo"]), st.just("")),
        st.tuples(st.just("paste"), TEXTS),
        st.tuples(st.sampled_from(["go", "select"]), st.integers(0, 10**6).map(str)),
    ),
    max_size=14,
)


def pasted(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def place_of(edit: PlainEdit, wish: str) -> int:
    """A place between two characters of the text, in the document."""
    text = edit.text()
    return edit.document_place(units(text, int(wish) % (len(text) + 1)))


def chosen(edit: PlainEdit) -> tuple[int, int]:
    """What is selected, in characters of the text."""
    whole = edit.text().encode("utf-16-le")
    places = (edit.textCursor().selectionStart(), edit.textCursor().selectionEnd())
    start, end = (len(whole[: edit.text_place(place) * 2].decode("utf-16-le")) for place in places)
    return start, end


@settings(max_examples=120)
@given(text=TEXTS, steps=STEPS)
def test_every_edit_changes_the_text_as_it_would_without_breaks(
    qapp: Any, text: str, steps: list[tuple[str, str]]
) -> None:
    edit = PlainEdit()
    edit.setPlainText(text)
    states = {edit.text()}
    assert edit.text() == text
    for what, wish in steps:
        before, (start, end) = edit.text(), chosen(edit)
        hold = edit.textCursor().hasSelection()
        want: str | None = before
        if what in ("go", "select"):
            cursor = edit.textCursor()
            mode = QTextCursor.MoveMode.KeepAnchor if what == "select" else QTextCursor.MoveMode.MoveAnchor
            cursor.setPosition(place_of(edit, wish), mode)
            edit.setTextCursor(cursor)
        elif what == "type":
            QTest.keyClick(edit, Qt.Key.Key_Q)
            want = f"{before[:start]}q{before[end:]}"
        elif what == "return":
            QTest.keyClick(edit, Qt.Key.Key_Return)
            want = f"{before[:start]}\n{before[end:]}"
        elif what == "backspace":
            QTest.keyClick(edit, Qt.Key.Key_Backspace)
            want = before[:start] + before[end:] if hold else before[: max(0, start - 1)] + before[start:]
        elif what == "delete":
            QTest.keyClick(edit, Qt.Key.Key_Delete)
            want = before[:start] + before[end:] if hold else before[:start] + before[start + 1 :]
        elif what == "cut":
            edit.cut()
            want = before[:start] + before[end:]
            assert not hold or QApplication.clipboard().text() == before[start:end]
        elif what == "paste":
            edit.insertFromMimeData(pasted(wish))
            want = before[:start] + wish + before[end:]
        else:
            getattr(edit, what)()
            want = None
        QApplication.processEvents()
        assert edit.text() in states if want is None else edit.text() == want
        states.add(edit.text())
    edit.deleteLater()


@pytest.mark.parametrize("letters", ["a" * 1_000_000, '{"title": "x y", "b": 12}, ' * 40_000, "ü𝄞" * 500_000])
def test_a_megabyte_in_one_line_is_shown_edited_and_copied(qtbot: Any, letters: str) -> None:
    edit = PlainEdit()
    qtbot.addWidget(edit)
    edit.resize(600, 400)
    edit.show()
    began = time.monotonic()
    edit.insertFromMimeData(pasted(letters))
    edit.grab()
    QTest.keyClick(edit, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(edit, Qt.Key.Key_Q)
    edit.grab()
    assert time.monotonic() - began < HANG
    assert exact_text(edit) == f"q{letters}"
    edit.selectAll()
    edit.copy()
    assert QApplication.clipboard().text() == f"q{letters}"
    edit.undo()
    edit.undo()
    assert edit.text() == ""


def test_lines_and_columns_are_those_of_the_text(qtbot: Any) -> None:
    edit = PlainEdit(f"first\n{'x' * PIECE * 3}\nlast 𝄞 one")
    qtbot.addWidget(edit)
    assert edit.has_soft_breaks()
    assert edit.line_count() == 3
    assert edit.line_block(2).text() == "last 𝄞 one"
    assert edit.line_of(edit.document().lastBlock()) == 2
    for place in (0, 5, 6, PIECE, PIECE * 2 + 9, len(edit.text())):
        assert edit.text_place(edit.document_place(place)) == place
    cursor = edit.textCursor()
    cursor.setPosition(edit.line_place(1, PIECE * 2 + 1))
    assert edit.text_place(cursor.position()) == 6 + PIECE * 2 + 1


def test_a_text_that_grows_by_typing_is_broken_too_and_undone_as_a_whole(qtbot: Any) -> None:
    edit = PlainEdit("a" * (PIECE * 2 - 1))
    qtbot.addWidget(edit)
    edit.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(edit, "bcd")
    qtbot.waitUntil(edit.has_soft_breaks)
    assert edit.text() == "a" * (PIECE * 2 - 1) + "bcd"
    while edit.document().isUndoAvailable():
        edit.undo()
    assert edit.text() == "a" * (PIECE * 2 - 1)
