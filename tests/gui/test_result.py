"""Results in the view that suits them, long ones without stalling."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QBuffer
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QPlainTextEdit, QTableView, QTreeView

from workbench.gui.result import ResultView
from workbench.records import Content, Outcome
from workbench.wire.codec import Shelved


@pytest.fixture
def view(context: Any, qtbot: Any) -> ResultView:
    made = ResultView(context)
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def text_of(view: ResultView) -> str:
    page = view._stack.currentWidget()
    assert isinstance(page, QPlainTextEdit)
    return page.toPlainText()


def answer(text: str = "", structured: str = "", **fields: Any) -> Outcome:
    return Outcome("c", True, (Content("text", text),) if text else (), structured, **fields)


def test_plain_text_is_text_with_chips(view: ResultView) -> None:
    view.show_outcome(answer("hello\u202e"))
    assert view.views() == ("Text", "Raw")
    assert text_of(view) == "hello‹U+202E›"


def test_records_open_as_a_table(view: ResultView) -> None:
    view.show_outcome(answer(structured=json.dumps({"orders": [{"id": 1}, {"id": 2}]})))
    assert view.view() == "Table"
    table = view._stack.currentWidget()
    assert isinstance(table, QTableView)
    assert table.model().rowCount() == 2
    assert view.views() == ("Table", "Tree", "Text", "Raw")


def test_json_in_a_text_block_is_a_tree_too(view: ResultView) -> None:
    view.show_outcome(answer('{"a": {"b": 1}}'))
    assert view.view() == "Tree"
    tree = view._stack.currentWidget()
    assert isinstance(tree, QTreeView)
    assert tree.model().rowCount() == 1


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
    assert view._picture.pixmap().width() == 3
    view.show_outcome(Outcome("c", True, (Content("image", mime="image/png", data="???"),)))
    assert "cannot be shown" in view._picture.text()


def test_a_long_result_is_fetched_and_shown_whole(view: ResultView, context: Any, qtbot: Any) -> None:
    whole = json.dumps({"items": [{"id": number} for number in range(20_000)]})
    asked: list[tuple[str, int, int]] = []

    async def fetch(handle: str, offset: int, length: int) -> str:
        asked.append((handle, offset, length))
        return whole

    view._context = replace(context, fetch=fetch)
    view.show_json(Shelved(whole[:100], "h1", len(whole)))
    assert text_of(view) == whole[:100]
    qtbot.waitUntil(lambda: view.view() == "Table")
    assert asked == [("h1", 0, len(whole))]
    assert view._table.model().rowCount() == 20_000


def test_a_very_long_result_waits_for_a_press(view: ResultView, context: Any, qtbot: Any) -> None:
    whole = "x" * 10_000_000

    async def fetch(handle: str, offset: int, length: int) -> str:
        return whole[:50]

    view._context = replace(context, fetch=fetch)
    view.show_text(Shelved(whole[:10], "h", len(whole)))
    assert view._all.text() == "Show all (10.0 MB)"
    assert text_of(view) == "x" * 10
    view._all.click()
    qtbot.waitUntil(lambda: text_of(view) == "x" * 50)
    assert view._more.isHidden()


def test_an_older_answer_never_replaces_a_newer_one(view: ResultView, context: Any, qtbot: Any) -> None:
    async def fetch(handle: str, offset: int, length: int) -> str:
        return f"whole of {handle}"

    view._context = replace(context, fetch=fetch)
    view.show_text(Shelved("a", "first", 100_000))
    view.show_text("second")
    qtbot.wait(20)
    assert text_of(view) == "second"
