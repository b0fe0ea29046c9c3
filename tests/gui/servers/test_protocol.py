"""The page of raw messages: live, sifted, opened, copied, sent again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton

from workbench.gui.kit.dialogs import Question
from workbench.gui.servers.message_table import MESSAGE, MOST_MESSAGES
from workbench.gui.servers.protocol import ANSWER, COMPOSE


@pytest.fixture
def page(window: Any, fake_core: Any, settled: Any, qtbot: Any) -> Any:
    """The page of a server that was asked three things."""
    fake_core.traffic("demo").mark("The server is starting.")
    fake_core.pair(
        "demo", 1, "tools/list", {"result": {"tools": [{"name": "a", "description": "x" * 3_000 + " deep"}]}}
    )
    fake_core.pair("demo", 2, "tools/call", {"result": {"content": []}}, name="list_orders", arguments={})
    fake_core.traffic("demo").received(b'{"method":"notifications/message","params":{"level":"info"}}')
    fake_core.pair(
        "demo", 3, "tools/call", {"error": {"code": -1, "message": "no"}}, name="delete_customer", arguments={}
    )
    window.centre.server.show_server("demo", "protocol")
    settled()
    window.centre.setCurrentWidget(window.centre.server)
    shown = window.centre.server.sheet().page()
    qtbot.waitUntil(lambda: shown.model.total() == 8)
    return shown


def titles(page: Any) -> list[str]:
    return [str(page.model.index(row, MESSAGE).data()) for row in range(page.model.rowCount())]


def choose(page: Any, row: int) -> None:
    page.table.setCurrentIndex(page.model.index(row, 0))


def text(page: Any) -> str:
    return str(page.detail.text)


def test_messages_appear_as_they_pass(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.pair("demo", 4, "ping", {"result": {}})
    qtbot.waitUntil(lambda: titles(page)[-2:] == ["ping", "answer to ping"])
    assert "10 messages" in page.totals.text()


def test_the_filter_sifts_and_words_deep_in_a_message_are_found_too(page: Any, qtbot: Any) -> None:
    page.filter_strip.errors.setChecked(True)
    assert titles(page) == ["tools/call delete_customer", "error: tools/call -1 no"]
    page.filter_strip.errors.setChecked(False)
    page.filter_strip.hide_noise.setChecked(True)
    assert len(titles(page)) == 7
    page.filter_strip.finder.setText("DEEP")
    qtbot.waitUntil(lambda: titles(page) == ["answer to tools/list"])
    page.filter_strip.finder.setText("nowhere at all")
    qtbot.waitUntil(lambda: page.model.rowCount() == 0)
    assert page.empty.accessibleName() == "No matches"
    clear = next(found for found in page.findChildren(QPushButton) if found.text() == "Clear the filter")
    qtbot.mouseClick(clear, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.model.rowCount() == 8)


def test_a_method_can_be_picked_of_those_that_were_seen(page: Any) -> None:
    page.filter_strip.method.setCurrentIndex(page.filter_strip.method.findData("tools/call"))
    assert len(titles(page)) == 4


def test_a_chosen_message_is_shown_whole_and_its_answer_beside_it(page: Any, qtbot: Any) -> None:
    choose(page, 1)
    qtbot.waitUntil(lambda: '"tools/list"' in text(page))
    page.detail.show_tab(ANSWER)
    qtbot.waitUntil(lambda: "deep" in text(page))
    assert "took" in page.detail.summary.full_text()


def test_copying_gives_the_message_the_line_or_the_pair(page: Any, qtbot: Any) -> None:
    choose(page, 4)
    for text, wanted in (
        ("Copy message", '{"jsonrpc": "2.0", "id": 2, "result": {"content": []}}'),
        ("Copy request as one line of JSON-RPC", '"name": "list_orders"'),
        ("Copy request and answer", "\n"),
    ):
        QGuiApplication.clipboard().clear()
        next(action for action in page.detail.copy_actions if action.text() == text).trigger()
        qtbot.waitUntil(lambda wanted=wanted: wanted in QGuiApplication.clipboard().text())
    assert [json.loads(line)["id"] for line in QGuiApplication.clipboard().text().split("\n")] == [2, 2]


def test_a_request_is_sent_again_and_its_new_answer_is_chosen(page: Any, fake_core: Any, qtbot: Any) -> None:
    choose(page, 1)
    page.detail.replay.trigger()
    qtbot.waitUntil(lambda: page.detail.row is not None and page.detail.row.frame.number == 9)
    assert titles(page)[-2:] == ["tools/list", "answer to tools/list"]
    (sent,) = [words for name, words in fake_core.asked if name == "send_raw"]
    assert json.loads(sent[1])["method"] == "tools/list"
    qtbot.waitUntil(lambda: "again" in text(page))


def test_a_dangerous_call_asks_before_it_is_sent_again(page: Any, window: Any, fake_core: Any, qtbot: Any) -> None:
    choose(page, 6)
    page.detail.replay.trigger()
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    window.findChild(Question).reject()
    qtbot.waitUntil(lambda: "delete data for good" in page.detail.fault.sentence())
    assert [words[2] for name, words in fake_core.asked if name == "send_raw"] == [False]


def test_a_message_is_edited_checked_and_sent_with_the_keyboard(
    page: Any, window: Any, fake_core: Any, qtbot: Any
) -> None:
    choose(page, 3)
    page.detail.edit.trigger()
    message_editor = page.detail.message_editor
    qtbot.waitUntil(lambda: '"list_orders"' in message_editor.editor.text())
    assert "checked and recorded" in message_editor.verdict.full_text()
    message_editor.editor.set_text('{"id": 1, "method": ')
    qtbot.waitUntil(lambda: not message_editor.send.isEnabled())
    assert "line 1" in message_editor.verdict.full_text()
    message_editor.editor.set_text('{"id": 1, "method": "no/such"}')
    qtbot.waitUntil(lambda: message_editor.send.isEnabled())
    window.commands.do("front.start")
    qtbot.waitUntil(lambda: "-32601" in page.detail.fault.sentence())
    assert page.detail.tabs.currentIndex() == COMPOSE
    assert fake_core.asked[-1][0] == "send_raw"


def test_the_whole_conversation_is_saved(page: Any, tmp_path: Path, qtbot: Any) -> None:
    page.save_to(str(tmp_path / "talk.jsonl"))
    qtbot.waitUntil(lambda: (tmp_path / "talk.jsonl").exists())
    qtbot.waitUntil(lambda: (tmp_path / "talk.jsonl").read_text("utf-8").count("\n") == 8)
    lines = [json.loads(line) for line in (tmp_path / "talk.jsonl").read_text("utf-8").splitlines()]
    assert [line["direction"] for line in lines[:3]] == ["event", "sent", "received"]
    assert lines[1]["message"]["method"] == "tools/list"


def test_a_place_that_cannot_be_written_is_a_sentence(page: Any, window: Any, tmp_path: Path, qtbot: Any) -> None:
    with qtbot.waitSignal(window.context.tasks.failed) as told:
        page.save_to(str(tmp_path / "no" / "talk.jsonl"))
    assert "cannot be written" in told.args[0].message


def test_it_follows_the_end_until_somebody_looks_back(page: Any, fake_core: Any, qtbot: Any) -> None:
    follow = next(button for button in page.findChildren(QPushButton) if button.text() == "Auto-scroll")
    for number in range(300):
        fake_core.pair("demo", 100 + number, "ping", {"result": {}})
    bar = page.table.verticalScrollBar()
    qtbot.waitUntil(lambda: page.model.total() == 608 and bar.value() == bar.maximum())
    page.table.setFocus()
    choose(page, 300)
    QTest.keyClick(page.table, Qt.Key.Key_Up)
    assert not follow.isChecked()
    place = bar.value()
    fake_core.pair("demo", 999, "ping", {"result": {}})
    qtbot.waitUntil(lambda: page.model.total() == 610)
    assert bar.value() == place
    QTest.keyClick(page.table, Qt.Key.Key_End)
    assert follow.isChecked()


def test_the_newest_message_is_in_sight_at_first(page: Any, qtbot: Any) -> None:
    bar = page.table.verticalScrollBar()
    qtbot.waitUntil(lambda: page.model.rowCount() > 0 and bar.value() == bar.maximum())


def test_one_of_message_and_editor_is_shown(page: Any) -> None:
    shown = [page.detail.view.isVisibleTo(page), page.detail.message_editor.isVisibleTo(page)]
    assert shown == [True, False]


def test_a_view_is_cleared_and_goes_on(page: Any, fake_core: Any, qtbot: Any) -> None:
    clear = next(found for found in page.findChildren(QToolButton) if found.accessibleName() == "Clear")
    qtbot.mouseClick(clear, Qt.MouseButton.LeftButton)
    assert page.empty.accessibleName() == "No messages yet"
    fake_core.pair("demo", 5, "ping", {"result": {}})
    qtbot.waitUntil(lambda: titles(page) == ["ping", "answer to ping"])


def test_a_flood_is_taken_in_while_the_window_lives(page: Any, fake_core: Any, qtbot: Any) -> None:
    for number in range(30_000):
        fake_core.traffic("demo").received(b'{"method":"notifications/message","params":{"n":%d}}' % number)
    qtbot.waitUntil(lambda: page.model.total() == 30_008, timeout=60_000)
    assert page.model.total() < MOST_MESSAGES
    assert page.table.indexAt(page.table.viewport().rect().center()).isValid()
