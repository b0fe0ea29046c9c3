"""Results in the view that suits them, long ones without stalling."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QFileDialog

from workbench.api.codec import TextPreview
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.table_page import TablePage
from workbench.gui.results.text_pages import TextPage
from workbench.gui.results.tree_page import TreePage
from workbench.records import Content, Outcome


@pytest.fixture
def view(context: Any, qtbot: Any) -> ResultView:
    made = ResultView(context)
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


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
    assert view._pictures.picture.pixmap().width() == 3
    view.show_outcome(Outcome("c", True, (Content("image", mime="image/png", data="???"),)))
    assert "cannot be shown" in view._pictures.picture.text()


def test_a_long_result_is_fetched_and_shown_whole(view: ResultView, context: Any, qtbot: Any) -> None:
    whole = json.dumps({"items": [{"id": number} for number in range(20_000)]})
    asked: list[tuple[str, int, int]] = []

    async def fetch(handle: str, offset: int, length: int) -> str:
        asked.append((handle, offset, length))
        return whole

    view._context = replace(context, fetch=fetch)
    view.show_json(TextPreview(whole[:100], "h1", len(whole)))
    assert text_of(view) == whole[:100]
    qtbot.waitUntil(lambda: view.view() == "Table")
    assert asked == [("h1", 0, len(whole))]
    assert view._table.model.rowCount() == 20_000


def test_a_very_long_result_waits_for_a_press(view: ResultView, context: Any, qtbot: Any) -> None:
    whole = "x" * 10_000_000

    async def fetch(handle: str, offset: int, length: int) -> str:
        return whole[:50]

    view._context = replace(context, fetch=fetch)
    view.show_text(TextPreview(whole[:10], "h", len(whole)))
    assert view._all.text() == "Show all (10.0 MB)"
    assert text_of(view) == "x" * 10
    view._all.click()
    qtbot.waitUntil(lambda: text_of(view) == "x" * 50)
    assert view._more.isHidden()


def test_an_older_answer_never_replaces_a_newer_one(view: ResultView, context: Any, qtbot: Any) -> None:
    async def fetch(handle: str, offset: int, length: int) -> str:
        return f"whole of {handle}"

    view._context = replace(context, fetch=fetch)
    view.show_text(TextPreview("a", "first", 100_000))
    view.show_text("second")
    qtbot.wait(20)
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


def test_words_are_searched_in_the_view_that_is_open(view: ResultView, qtbot: Any) -> None:
    view.show_outcome(answer(structured=json.dumps({"a": {"b": ["lamp", "LAMP oil"]}})))
    view.open_find()
    assert view._find.isVisible()
    view._find.wanted.emit("lamp", 1)
    assert view._find._words.full_text() == "1 of 2"
    assert view._tree.model.path_at(view._tree.tree.currentIndex()) == "a.b[0]"
    view._find.wanted.emit("lamp", -1)
    assert view._tree.model.path_at(view._tree.tree.currentIndex()) == "a.b[1]"
    view._find.wanted.emit("desk", 1)
    assert view._find._words.full_text() == "not found"
    qtbot.keyClick(view._find, Qt.Key.Key_Escape)
    assert view._find.isHidden()


def test_a_result_is_saved_whole(view: ResultView, context: Any, qtbot: Any, tmp_path: Any) -> None:
    whole = json.dumps({"items": list(range(30_000))})

    async def fetch(handle: str, offset: int, length: int) -> str:
        return whole

    view._context = replace(context, fetch=fetch)
    view.show_json(TextPreview(whole[:100], "h1", 10_000_000))
    view.save()
    qtbot.waitUntil(lambda: bool(view.findChildren(QFileDialog)))
    dialog = view.findChildren(QFileDialog)[0]
    dialog.fileSelected.emit(str(tmp_path / "r.json"))
    dialog.close()
    qtbot.waitUntil(lambda: context.tasks.running() == 0)
    assert json.loads((tmp_path / "r.json").read_text()) == json.loads(whole)


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
