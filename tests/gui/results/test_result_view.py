"""Results in the view that suits them, long ones without stalling."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from workbench.api.codec import TextPreview
from workbench.gui.results.parts_page import PicturePage
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.table_page import TablePage
from workbench.gui.results.text_pages import TextPage
from workbench.gui.results.tree_page import TreePage
from workbench.records import Content, Outcome

WHOLE = {"records": json.dumps({"items": [{"id": number} for number in range(20_000)]}), "letters": "x" * 50}
"""Long texts in the core, by handle."""


@pytest.fixture
def fetched(context: Any) -> list[tuple[str, int, int]]:
    """What the view asks the core for; each handle answers with the text in `WHOLE`."""
    return []


@pytest.fixture
def view(context: Any, fetched: list[tuple[str, int, int]], qtbot: Any) -> ResultView:
    async def fetch(handle: str, offset: int, length: int) -> str:
        fetched.append((handle, offset, length))
        return WHOLE[handle]

    made = ResultView(replace(context, fetch=fetch))
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def button(view: ResultView, text: str) -> QPushButton:
    return next(one for one in view.findChildren(QPushButton) if one.text() == text and one.isVisible())


def text_of(view: ResultView) -> str:
    page = view.page()
    assert isinstance(page, TextPage)
    return page.edit.toPlainText()


def answer(text: str = "", structured: str = "", **fields: Any) -> Outcome:
    return Outcome("c", True, (Content("text", text),) if text else (), structured, **fields)


def test_plain_text_is_text_with_chips(view: ResultView) -> None:
    view.show_outcome(answer("hello\u202e"))
    assert view.views() == ("Text", "Raw")
    assert text_of(view) == "hello‹U+202E›"


def test_records_open_as_a_table(view: ResultView) -> None:
    view.show_outcome(answer(structured=json.dumps({"orders": [{"id": 1}, {"id": 2}]})))
    assert view.view() == "Table"
    page = view.page()
    assert isinstance(page, TablePage)
    assert page.table.model().rowCount() == 2
    assert view.views() == ("Table", "Tree", "JSON", "Raw")


def test_json_in_a_text_block_is_a_tree_too(view: ResultView) -> None:
    view.show_outcome(answer('{"a": {"b": 1}}'))
    assert view.view() == "Tree"
    page = view.page()
    assert isinstance(page, TreePage)
    assert page.tree.model().rowCount() == 1


def test_raw_shows_every_block_escaped(view: ResultView) -> None:
    view.show_outcome(answer("a\u202e", '{"x": 1}'))
    view.look("Raw")
    raw = json.loads(text_of(view))
    assert raw == {"content": [{"type": "text", "text": "a\u202e"}], "structuredContent": {"x": 1}}
    assert "\u202e" not in text_of(view)


def test_a_picture_is_shown_and_a_broken_one_says_so(view: ResultView) -> None:
    picture = QPixmap(3, 2)
    picture.fill(QColor("red"))
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    data = base64.b64encode(buffer.data().data()).decode()
    view.show_outcome(Outcome("c", True, (Content("image", mime="image/png", data=data),)))
    assert view.view() == "Image"
    page = view.page()
    assert isinstance(page, PicturePage)
    assert page.picture.pixmap().width() == 3
    view.show_outcome(Outcome("c", True, (Content("image", mime="image/png", data="???"),)))
    assert "cannot be shown" in page.picture.text()


def test_a_long_result_is_fetched_and_shown_whole(
    view: ResultView, fetched: list[tuple[str, int, int]], qtbot: Any
) -> None:
    text = WHOLE["records"]
    view.show_json(TextPreview(text[:100], "records", len(text)))
    assert text_of(view) == text[:100]
    qtbot.waitUntil(lambda: view.view() == "Table")
    assert fetched == [("records", 0, len(text))]
    page = view.page()
    assert isinstance(page, TablePage)
    assert page.model.rowCount() == 20_000


def test_a_very_long_result_waits_for_a_press(view: ResultView, qtbot: Any) -> None:
    view.show_text(TextPreview("x" * 10, "letters", 10_000_000))
    assert text_of(view) == "x" * 10
    more = button(view, "Show all (10.0 MB)")
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: text_of(view) == WHOLE["letters"])
    assert not more.isVisible()


def test_an_older_answer_never_replaces_a_newer_one(view: ResultView, context: Any, qtbot: Any) -> None:
    view.show_text(TextPreview("a", "letters", 100_000))
    view.show_text("second")
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert text_of(view) == "second"


def test_two_answers_of_one_tool_are_compared(context: Any, qtbot: Any) -> None:
    view = ResultView(context, compares=True)
    qtbot.addWidget(view)
    view.show_outcome(answer(structured='{"total": 1, "same": true}'))
    assert "Changes" not in view.views()
    view.show_outcome(answer(structured='{"total": 2, "same": true}'))
    assert view.views()[-1] == "Changes"
    view.look("Changes")
    assert view.page().view.changed_lines() == ('-  "total": 1', '+  "total": 2')
    view.show_outcome(answer(structured='{"total": 2, "same": true}'))
    assert "Changes" not in view.views()


def test_the_find_bar_searches_the_view_that_is_open(view: ResultView, qtbot: Any) -> None:
    view.show_outcome(answer(structured=json.dumps({"a": {"b": ["lamp", "LAMP oil"]}})))
    view.open_find()
    bar, tree = view.find_bar, view.page()
    assert isinstance(tree, TreePage)
    qtbot.keyClicks(bar.text, "lamp")
    qtbot.waitUntil(lambda: bar.status_text() == "1 of 2")
    assert tree.model.path_at(tree.tree.currentIndex()) == "a.b[0]"
    qtbot.keyClick(bar.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert tree.model.path_at(tree.tree.currentIndex()) == "a.b[1]"
    view.look("JSON")
    qtbot.keyClick(bar.text, Qt.Key.Key_Return)
    assert bar.status_text() == "1 of 2"
    assert view.page().edit.textCursor().selectedText() == "lamp"
    qtbot.keyClick(bar.text, Qt.Key.Key_Return)
    assert (bar.status_text(), view.page().edit.textCursor().selectedText()) == ("2 of 2", "LAMP")
    view.look("Tree")
    bar.text.setText("desk")
    qtbot.waitUntil(lambda: bar.status_text() == "Not found.")
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.isHidden()


def test_a_long_text_is_searched_to_its_end(view: ResultView, qtbot: Any) -> None:
    view.show_text("line\n" * 100_000 + "needle")
    view.open_find()
    qtbot.keyClicks(view.find_bar.text, "needle")
    qtbot.waitUntil(lambda: view.find_bar.status_text() == "1 of 1")
    assert view.page().edit.textCursor().blockNumber() == 100_000


def test_every_hit_on_screen_is_marked(view: ResultView, qtbot: Any) -> None:
    view.show_text("one needle, two needles\n" + "hay\n" * 1_000 + "needle")
    view.open_find()
    qtbot.keyClicks(view.find_bar.text, "needle")
    qtbot.waitUntil(lambda: view.find_bar.status_text() == "1 of 3")
    edit = view.page().edit
    assert [one.cursor.selectedText() for one in edit.extraSelections()] == ["needle", "needle"]
    qtbot.keyClick(view.find_bar, Qt.Key.Key_Escape)
    assert edit.extraSelections() == []


def test_a_result_is_saved_whole(view: ResultView, context: Any, qtbot: Any, tmp_path: Any) -> None:
    view.show_json(TextPreview(WHOLE["records"][:100], "records", 10_000_000))
    view.save()
    qtbot.waitUntil(lambda: bool(view.findChildren(QFileDialog)))
    dialog = view.findChildren(QFileDialog)[0]
    dialog.fileSelected.emit(str(tmp_path / "r.json"))
    dialog.close()
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert json.loads((tmp_path / "r.json").read_text()) == json.loads(WHOLE["records"])


def test_a_place_that_cannot_be_written_is_a_sentence(
    view: ResultView, context: Any, qtbot: Any, tmp_path: Any
) -> None:
    view.show_text("hello")
    view.save()
    dialog = view.findChildren(QFileDialog)[0]
    with qtbot.waitSignal(context.tasks.failed) as failed:
        dialog.fileSelected.emit(str(tmp_path / "no" / "such" / "folder.txt"))
    dialog.close()
    assert "was not saved" in failed.args[0].message


@pytest.mark.parametrize("name", ["Table", "Tree", "JSON", "Raw"])
def test_closing_the_search_puts_the_keyboard_into_the_page(view: ResultView, qtbot: Any, name: str) -> None:
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.show_json(json.dumps([{"id": number, "name": "Ada"} for number in range(3)]))
    view.look(name)
    view.open_find()
    qtbot.keyClicks(QApplication.focusWidget(), "Ada")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not view.find_bar.isVisible()
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert view.page().isAncestorOf(focus)


def test_the_names_of_the_views_of_an_answer_are_never_cut(context: Any, qtbot: Any) -> None:
    view = ResultView(context, compares=True)
    qtbot.addWidget(view)
    view.show()
    rows = [{"at": number, "value": number * 2.0} for number in range(30)]
    view.show_outcome(answer(structured=json.dumps(rows[:20])))
    content = (
        Content("text", json.dumps(rows)),
        Content("image", data=base64.b64encode(b"x").decode(), mime="image/png"),
    )
    view.show_outcome(Outcome("c", True, content, json.dumps(rows)))
    shown = [one for one in view.findChildren(QPushButton) if one.isCheckable() and not one.isHidden()]
    assert len(shown) >= 7
    for width in range(360, 900, 20):
        view.resize(width, 400)
        QApplication.processEvents()
        if view.width() == width >= view.minimumSizeHint().width():
            assert [one.text() for one in shown if one.width() < one.sizeHint().width()] == [], width
