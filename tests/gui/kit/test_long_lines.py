"""One long line never holds up the window, wherever text is shown or written; the text stays what it was."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.gui.code.code_editor import CodeEditor, GutterMark
from workbench.gui.code.code_view import CodeView
from workbench.gui.code.diff_view import DiffView
from workbench.gui.editor.drafts import Drafts
from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import PIECE, PlainEdit
from workbench.gui.results.text_pages import TextPage
from workbench.gui.servers.protocol import MessageEditor
from workbench.records import Fault, Risk

HANG = 20.0  # seconds: laid out as a whole, such a line takes minutes
LONG = "a" * 1_000_000


def paste(edit: Any, text: str) -> None:
    QApplication.clipboard().setText(text)
    edit.setFocus()
    edit.selectAll()
    edit.paste()
    QApplication.processEvents()
    edit.grab()


@pytest.mark.parametrize("text", [f'{{"title": "{LONG}"}}', f'{{"rows": [{", ".join(["{}"] * 300_000)}]}}'])
def test_json_pasted_into_a_form_is_sent_as_it_is(theme: Any, qtbot: Any, text: str) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    form.set_schema({"type": "object"})
    form.show()
    form.show_json(True)
    edit = next(box for box in form.findChildren(PlainEdit) if box.isVisible())
    began = time.monotonic()
    paste(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert time.monotonic() - began < HANG
    assert form.draft() == {"text": f"{text}\n"}
    assert form.object_fault() == ""
    assert form.faults() == ()
    assert [*form.value()] in (["title"], ["rows"])
    assert next(iter(form.value().values())) in (LONG, [{}] * 300_000)


def test_a_long_word_in_a_field_becomes_a_box_and_stays_whole(theme: Any, qtbot: Any) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    form.set_schema({"type": "object", "properties": {"title": {"type": "string"}}})
    form.show()
    began = time.monotonic()
    form.set_value({"title": LONG})
    form.grab()
    assert time.monotonic() - began < HANG
    assert form.value() == {"title": LONG}
    assert any(box.isVisible() for box in form.findChildren(PlainEdit))


def test_a_message_and_a_program_are_pasted_and_edited(theme: Any, qtbot: Any) -> None:
    compose = MessageEditor(theme)
    qtbot.addWidget(compose)
    compose.show()
    message = f'{{"method": "tools/call", "params": {{"name": "{LONG}"}}}}'
    began = time.monotonic()
    paste(compose.editor, message)
    compose.editor.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClick(compose.editor, Qt.Key.Key_Space)
    assert time.monotonic() - began < HANG
    sent: list[str] = []
    compose.submitted.connect(sent.append)
    compose.submit()
    assert sent == [f" {message}"]


def test_lines_marks_search_and_comments_of_a_program_count_its_own_lines(window: Any, qtbot: Any) -> None:
    code = f"first = 1\nx = '{LONG}'\nlast = 2\n"
    view = CodeView(window.context.theme)
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    began = time.monotonic()
    view.show_code(code)
    view.show_marks({3: GutterMark(Risk.HIGH, "It is the last line.")})
    view.go_to(3)
    QApplication.processEvents()
    view.grab()
    assert time.monotonic() - began < HANG
    assert view.shows(3)
    assert view.textCursor().block().text() == "last = 2"
    assert view.text() == code
    editor = CodeEditor(window.context.theme)
    qtbot.addWidget(editor)
    editor.set_text(code)
    editor.selectAll()
    QTest.keyClick(editor, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == f"# first = 1\n# x = '{LONG}'\n# last = 2\n"
    editor.undo()
    assert editor.text() == code


def test_words_are_found_and_replaced_behind_a_long_line(window: Any, settled: Any, qtbot: Any) -> None:
    code = f"x = '{'b' * PIECE * 3}'\nneedle = 1\nprint(needle)\n"
    window.centre.editor.open_code("Long", code)
    settled()
    tab = window.centre.editor.current_tab()
    editor, bar = tab.editor, tab.find_bar
    window.centre.setCurrentWidget(window.centre.editor)
    bar.open_bar(replacing=True)
    bar.text.setText("needle")
    bar.replacement.setText("pin")
    settled()
    bar.go(1)
    settled()
    assert editor.textCursor().selectedText() == "needle"
    bar.replace_all()
    settled()
    assert editor.text() == code.replace("needle", "pin")


def test_a_draft_with_a_long_line_comes_back_as_it_was(window: Any, settled: Any) -> None:
    window.centre.editor.open_code("Long", f"x = '{LONG}'\n")
    settled()
    tab = window.centre.editor.current_tab()
    tab.editor.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(tab.editor, "y = 1")
    tab.keep()
    (draft,) = (one for one in Drafts(window.context.paths.editor).all() if one.title == "Long")
    assert draft.code == tab.text() == f"x = '{LONG}'\ny = 1"
    tab.editor.undo()
    assert tab.text().startswith(f"x = '{LONG}'\n")


def test_answers_differences_and_details_show_and_copy_the_whole_line(theme: Any, qtbot: Any) -> None:
    page, diff, card = TextPage(theme, "Text"), DiffView(theme), Notice(theme)
    for widget in (page, diff, card):
        qtbot.addWidget(widget)
        widget.resize(600, 400)
        widget.show()
    began = time.monotonic()
    page.show_text(LONG * 10)
    page.finish()
    diff.show_change(f"one\n{LONG}\ntwo", f"one\n{LONG}b\ntwo")
    card.show_fault(Fault("It broke.", "", LONG))
    QApplication.processEvents()
    for widget in (page, diff, card):
        widget.grab()
    assert time.monotonic() - began < HANG
    page.edit.selectAll()
    page.edit.copy()
    assert QApplication.clipboard().text() == LONG * 10
    assert diff.changed_lines() == (f"-{LONG}", f"+{LONG}b")
