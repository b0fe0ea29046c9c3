"""The page of a server's log: live, filtered, paused, copied, and in no hurry in a flood."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton

from workbench.errors import WorkbenchError
from workbench.gui.kit.rows import KEY, ROW
from workbench.gui.servers.server_log import LONGEST_LOG, LogPage
from workbench.records import ServerLog


@pytest.fixture
def page(show_page: Any, qtbot: Any) -> Any:
    made = show_page(LogPage)
    qtbot.waitUntil(made.level.isEnabled)
    return made


def lines(page: Any) -> list[str]:
    return [page.model.index(row).data() for row in range(page.model.rowCount())]


def press(page: Any, name: str, qtbot: Any) -> None:
    button = next(found for found in page.findChildren(QToolButton) if found.accessibleName() == name)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_lines_come_by_themselves_with_word_and_icon(page: Any, fake_core: Any, qtbot: Any) -> None:
    assert page.list.empty.accessibleName() == "No messages yet"
    fake_core.put_lines(("info", "started"), ("error", "it broke"), ("odd level", "what"))
    qtbot.waitUntil(lambda: lines(page) == ["started", "it broke", "what"])
    row = page.model.index(1).data(ROW)
    assert (row.badges, row.icon) == ((("Error", "danger"),), "alert")
    assert page.model.index(2).data(ROW).badges == (("odd level", "muted"),)
    fake_core.put_lines(("info", "more"))
    qtbot.waitUntil(lambda: lines(page)[-1] == "more")


def test_a_level_is_asked_for_and_a_refusal_is_a_sentence(page: Any, fake_core: Any, qtbot: Any) -> None:
    qtbot.keyClick(page.level, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: ("level", "debug") in fake_core.offers_asked)
    qtbot.waitUntil(lambda: page.level.currentText() == "Debug")
    fake_core.offer_fault = WorkbenchError("demo refused to set the log level.", "")
    qtbot.keyClick(page.level, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: page.fault.sentence() == "demo refused to set the log level.")


def test_words_find_lines_and_escape_nothing(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_lines(("info", "red apple"), ("warning", "green apple"), ("info", "pear"))
    qtbot.waitUntil(lambda: len(lines(page)) == 3)
    page.list.finder.setText("apple warn")
    qtbot.waitUntil(lambda: lines(page) == ["green apple"])
    page.list.finder.setText("zebra")
    qtbot.waitUntil(lambda: page.list.empty.accessibleName() == "No matches")


def test_a_pause_holds_and_going_on_catches_up(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_lines(("info", "one"))
    qtbot.waitUntil(lambda: lines(page) == ["one"])
    page.pause.click()
    fake_core.put_lines(("info", "two"), ("info", "three"))
    qtbot.waitUntil(lambda: page.pause.text() == "Resume (2 new)")
    assert lines(page) == ["one"]
    page.pause.click()
    qtbot.waitUntil(lambda: lines(page) == ["one", "two", "three"])


def test_the_page_can_be_cleared_and_copied(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_lines(("info", "old"))
    qtbot.waitUntil(lambda: lines(page) == ["old"])
    press(page, "Clear", qtbot)
    fake_core.put_lines(("error", "new"))
    qtbot.waitUntil(lambda: lines(page) == ["new"])
    press(page, "Copy shown lines", qtbot)
    assert QGuiApplication.clipboard().text().endswith("error demo.tools new")


def test_a_chosen_line_is_told_whole(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_lines(("info", '{"tool": "list_orders", "n": [1, 2]}'))
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    page.list.select(page.model.index(0).data(KEY))
    assert '"tool": "list_orders"' in page.line_text.toPlainText()
    assert page.line_text.toPlainText().count("\n") > 2


def test_a_flood_is_bounded(page: Any, fake_core: Any, qtbot: Any) -> None:
    for start in range(0, 8_000, 1_000):
        fake_core.put_lines(*(("info", f"line {number}") for number in range(start, start + 1_000)))
        qtbot.waitUntil(lambda last=start + 999: lines(page)[-1:] == [f"line {last}"])
    assert page.model.total() == LONGEST_LOG
    assert lines(page)[-1] == "line 7999"
    assert lines(page)[0] == "line 3000"


def test_a_server_without_a_log_says_so(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_offers(logs=False)
    qtbot.waitUntil(lambda: page.list.empty.accessibleName() == "No log")
    assert not page.level.isEnabled()


def test_a_line_is_copied_from_its_menu(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_lines(("info", "one"), ("info", "two"))
    qtbot.waitUntil(lambda: lines(page) == ["one", "two"])
    page.list.select(page.model.index(1).data(KEY))
    next(action for action in page.list.view.actions() if action.text() == "Copy line").trigger()
    assert QGuiApplication.clipboard().text() == "two"


def test_a_log_that_starts_again_while_it_is_read_shows_all_lines(
    page: Any, fake_core: Any, qtbot: Any, monkeypatch: Any
) -> None:
    fake_core.put_lines(("info", "one"), ("info", "two"))
    qtbot.waitUntil(lambda: lines(page) == ["one", "two"])
    ready, entered, read = asyncio.Event(), asyncio.Event(), fake_core.server_log

    async def server_log(server: str, after: int) -> ServerLog:
        if after:
            entered.set()
            await ready.wait()
        log: ServerLog = await read(server, after)
        return log

    monkeypatch.setattr(fake_core, "server_log", server_log)
    fake_core.put_lines(("info", "three"))
    qtbot.waitUntil(entered.is_set)
    page.load()
    ready.set()
    qtbot.waitUntil(lambda: len(lines(page)) >= 3)
    fake_core.put_lines(("info", "four"))
    qtbot.waitUntil(lambda: lines(page)[-1:] == ["four"])
    assert lines(page) == ["one", "two", "three", "four"]
