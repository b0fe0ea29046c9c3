"""The editor: what is shown is what is sent, and the keys do what one expects."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QFont, QFontInfo, QTextCursor
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.analysis.parsed_program import Positions
from workbench.gui.code.code_editor import CodeEditor, GutterMark
from workbench.gui.code.code_view import CodeView, marks_of, worst_line
from workbench.gui.kit.plain_edit import code_points, units
from workbench.records import Effect, EffectKind, Finding, Gate, Risk, Span, Verdict


@pytest.fixture
def editor(theme: Any, qtbot: Any) -> CodeEditor:
    made = CodeEditor(theme)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    return made


@pytest.mark.parametrize("trap", ["\u2028", "\u2029", "\ufdd0", "\ufdd1", "\x00"])
def test_a_comment_cannot_come_back_as_live_code(editor: CodeEditor, trap: str) -> None:
    editor.set_text(f"# harmless {trap}import os\n")
    assert editor.text() == f"# harmless ‹U+{ord(trap):04X}›import os\n"
    assert editor.blockCount() == 2


def test_no_break_spaces_stay_what_they_are(editor: CodeEditor) -> None:
    editor.set_text("a\u00a0=\u00a01")
    assert editor.text() == "a\u00a0=\u00a01"


def test_pasted_text_passes_the_same_gate(editor: CodeEditor) -> None:
    data = QMimeData()
    data.setText("# x\u2028import os")
    editor.insertFromMimeData(data)
    assert editor.text() == "# x‹U+2028›import os"


def test_shift_enter_makes_a_real_line(editor: CodeEditor, qtbot: Any) -> None:
    editor.set_text("# note")
    editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(editor, "x")
    assert editor.text() == "# note\nx"
    assert editor.blockCount() == 2


@settings(max_examples=60, deadline=None)
@given(st.text())
def test_what_is_sent_is_what_is_shown_whatever_was_put_in(editor: CodeEditor, text: str) -> None:
    editor.set_text(text)
    assert editor.text().count("\n") == editor.blockCount() - 1
    once = editor.text()
    editor.set_text(once)
    assert editor.text() == once


@given(
    before=st.text(st.sampled_from("é日😀👩\u0301a "), max_size=8), inside=st.text(st.sampled_from("ü😀b"), max_size=8)
)
@settings(suppress_health_check=list(HealthCheck))
def test_qt_counts_to_the_same_characters(editor: CodeEditor, before: str, inside: str) -> None:
    text = f"x = {before!r}; f({inside!r})"
    editor.set_text(text)
    start = Positions(text).span(ast.parse(text).body[1]).column
    cursor = editor.textCursor()
    cursor.setPosition(units(text, start))
    cursor.movePosition(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText() == f"f({inside!r})"
    assert code_points(text, cursor.position()) == len(text)


def test_enter_indents_after_a_colon_and_less_after_return(editor: CodeEditor, qtbot: Any) -> None:
    qtbot.keyClicks(editor, "def f():")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "return 1")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "f()")
    assert editor.text() == "def f():\n    return 1\nf()"


def test_backspace_takes_a_whole_step_of_indent(editor: CodeEditor, qtbot: Any) -> None:
    editor.set_text("        x  y")
    editor.go_to(1, 8)
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    assert editor.text() == "    x  y"
    editor.go_to(1, 7)
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    assert editor.text() == "    x y"


def test_tab_indents_a_selection_and_shift_tab_takes_it_back(editor: CodeEditor, qtbot: Any) -> None:
    editor.set_text("a\n\nb")
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.text() == "    a\n\n    b"
    qtbot.keyClick(editor, Qt.Key.Key_Backtab)
    assert editor.text() == "a\n\nb"


def test_comment_toggles(editor: CodeEditor, qtbot: Any) -> None:
    editor.set_text("  a\n    b")
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "  # a\n  #   b"
    qtbot.keyClick(editor, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "  a\n    b"


def test_one_undo_takes_a_whole_change_back(editor: CodeEditor, qtbot: Any) -> None:
    editor.set_text("a\nb")
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    editor.undo()
    assert editor.text() == "a\nb"


def test_brackets_are_matched_also_behind_wide_letters(editor: CodeEditor) -> None:
    editor.set_text("s = '👩' + f(x)")
    cursor = editor.textCursor()
    cursor.setPosition(editor.document().characterCount() - 1)
    editor.setTextCursor(cursor)
    lit = {selection.cursor.selectedText() for selection in editor.extraSelections() if selection.cursor.hasSelection()}
    assert lit == {"(", ")"}


def test_colours_come_after_a_pause_and_do_not_change_the_text(editor: CodeEditor, qtbot: Any) -> None:
    qtbot.keyClicks(editor, "import os  # fine")
    qtbot.waitUntil(lambda: bool(editor.document().firstBlock().layout().formats()))
    assert editor.text() == "import os  # fine"


def test_letters_are_not_drawn_as_ligatures(editor: CodeEditor) -> None:
    font = editor.document().defaultFont()
    assert QFontInfo(font).fixedPitch()
    assert font.featureValue(QFont.Tag("calt")) == 0
    assert font.isFeatureSet(QFont.Tag("calt"))


VERDICT = Verdict(
    "s",
    Risk.HIGH,
    Gate.ASK,
    "x",
    (Finding("a", Risk.HIGH, "bad", Span(40)), Finding("b", Risk.LOW, "ok", Span(2))),
    (Effect(EffectKind.WILL, "reads", 2, Risk.MEDIUM),),
)


def test_marks_say_the_worst_of_their_line_in_words() -> None:
    marks = marks_of(VERDICT)
    assert marks[2].risk is Risk.MEDIUM
    assert "ok" in marks[2].text
    assert "will happen: reads" in marks[2].text
    assert worst_line(VERDICT) == 40


def test_a_view_leads_to_a_line_and_knows_what_is_on_screen(theme: Any, qtbot: Any) -> None:
    view = CodeView(theme)
    qtbot.addWidget(view)
    view.resize(400, 160)
    view.show()
    view.show_code("\n".join(f"line_{number} = 1" for number in range(1, 100)))
    view.show_verdict(VERDICT)
    assert not view.shows(40)
    view.go_to(40)
    assert view.shows(40)
    qtbot.keyClicks(view, "x")
    assert "xline" not in view.text()


@pytest.mark.parametrize(("key", "name"), [(Qt.Key.Key_Tab, "after"), (Qt.Key.Key_Backtab, "before")])
def test_ctrl_tab_leaves_an_editor_in_which_tab_indents(theme: Any, qtbot: Any, key: Qt.Key, name: str) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    lines = {"before": QLineEdit(), "after": QLineEdit()}
    middle = CodeEditor(theme)
    layout = QVBoxLayout(page)
    for part in (lines["before"], middle, lines["after"]):
        layout.addWidget(part)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    middle.setFocus()
    qtbot.keyClick(middle, Qt.Key.Key_Tab)
    assert middle.text() == "    "
    qtbot.keyClick(middle, key, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is lines[name]
    assert middle.text() == "    "


def test_an_empty_editor_shows_its_placeholder_and_a_line_with_text_is_marked(editor: CodeEditor, qtbot: Any) -> None:
    blank = editor.viewport().grab().toImage()
    editor.setPlaceholderText("Write Python here.")
    assert editor.viewport().grab().toImage() != blank
    qtbot.keyClicks(editor, "x")
    lines = [one for one in editor.extraSelections() if not one.cursor.hasSelection()]
    assert len(lines) == 1
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    editor.setPlaceholderText("")
    assert editor.viewport().grab().toImage() == blank
    editor.set_text("y")
    assert len(editor.extraSelections()) == 1


def test_all_rows_of_a_wrapped_line_are_marked(theme: Any, qtbot: Any) -> None:
    view = CodeView(theme)
    qtbot.addWidget(view)
    view.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
    view.resize(400, 300)
    view.show()
    view.show_code("first = 1\n" + "total = " + " + ".join(["get_customer(number)"] * 6) + "\nlast = 2")
    view.show_marks({2: GutterMark(Risk.HIGH, "Reads a customer.")})
    _, (_, top, height), after = view.visible_lines()
    row = view.fontMetrics().lineSpacing()
    assert height >= 3 * row
    shot = view.viewport().grab().toImage()

    def ground(row_top: float) -> int:
        """The most frequent colour of a row, which is that behind its letters."""
        pixels = [shot.pixel(x, round(row_top) + row // 2) for x in range(shot.width())]
        return max(set(pixels), key=pixels.count)

    marked = {ground(top + row * number) for number in range(round(height / row))}
    assert len(marked) == 1
    assert ground(after[1]) not in marked
