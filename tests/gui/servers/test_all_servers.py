"""The table of all servers: totals, opening, connecting and disconnecting several, filter and menu."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton

from workbench.gui.servers.all_servers import COLUMNS
from workbench.records import Fault, ServerConfig, ServerState, ServerStatus, Vitals


@pytest.fixture
def page(window: Any, fake_core: Any, settled: Any, qtbot: Any) -> Any:
    for number in range(3):
        name = f"extra{number}"
        fake_core.server_states[name] = ServerState(ServerConfig(name, "cat"), allowed=True)
    fake_core.server_states["extra2"] = replace(
        fake_core.server_states["extra2"], status=ServerStatus.FAILED, fault=Fault("It left with code 3.")
    )
    fake_core.server_states["demo"] = replace(
        fake_core.server_states["demo"], status=ServerStatus.READY, pid=4711, tool_count=3, protocol="2025-11-25"
    )
    window.context.store.load()
    fake_core.conditions["demo"] = Vitals("demo", 1.0, 61.0, 1, 12, 2, 8.0, 40.0)
    window.commands.do("servers.all")
    made = window.centre.server.all
    qtbot.waitUntil(lambda: made.model.rowCount() == 5)
    settled()
    return made


def choose(page: Any, *names: str) -> None:
    flags = QItemSelectionModel.SelectionFlag
    page.table.clearSelection()
    page.table.select(names[0])
    for name in names[1:]:
        row = page.model.index(page.model.row_of(name), 0)
        page.table.selectionModel().select(row, flags.Select | flags.Rows)


def press(page: Any, text: str, qtbot: Any) -> None:
    button = next(found for found in page.findChildren(QPushButton) if found.text() == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_they_are_told_together(page: Any, window: Any) -> None:
    assert window.centre.currentWidget() is window.centre.server
    assert page.totals.text() == "1 of 5 ready  ·  1 failed  ·  61 MB  ·  3 tools  ·  12 calls, 2 errors"


def test_enter_opens_the_server_and_the_way_back_is_one_action(page: Any, window: Any, settled: Any) -> None:
    choose(page, "files")
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    settled()
    assert window.centre.server.sheet().page().server == "files"
    assert window.centre.tabText(window.centre.indexOf(window.centre.server)) == "files"
    assert not page.poll.isActive()
    window.commands.do("servers.all")
    assert window.centre.server.sheet() is None
    assert page.poll.isActive()
    assert window.centre.tabText(window.centre.indexOf(window.centre.server)) == "All servers"


def test_chosen_servers_are_connected_and_disconnected(page: Any, fake_core: Any, settled: Any, qtbot: Any) -> None:
    choose(page, "extra0", "extra1", "demo")
    press(page, "Connect", qtbot)
    settled()
    assert sorted(words[0] for name, words in fake_core.asked if name == "connect") == ["extra0", "extra1"]
    qtbot.waitUntil(lambda: page.totals.text().startswith("3 of 5 ready"))
    press(page, "Disconnect", qtbot)
    settled()
    assert sorted(words[0] for name, words in fake_core.asked if name == "disconnect") == ["demo", "extra0", "extra1"]
    qtbot.waitUntil(lambda: not page.disconnect_action.isEnabled())
    assert {row.name for row in page.selected_rows()} == {"demo", "extra0", "extra1"}  # still chosen


def test_letters_filter_and_enter_goes_to_the_first(page: Any, qtbot: Any) -> None:
    page.table.setFocus()
    page.table.keyboardSearch("code")
    page.finder.setText("code 3")
    page.finder.returnPressed.emit()
    assert page.model.rowCount() == 1
    assert page.table.currentIndex().data() == "extra2"
    page.finder.setText("no such thing")
    qtbot.waitUntil(lambda: page.empty.isVisible())


def test_the_order_is_chosen_from_the_menu_too(page: Any) -> None:
    choose(page, "files")
    page.table.customContextMenuRequested.emit(QPoint(5, 5))
    menu = page.table.findChild(QMenu)
    order = next(action.menu() for action in menu.actions() if action.menu() is not None)
    next(action for action in order.actions() if action.text() == "Calls").trigger()
    assert page.table.horizontalHeader().sortIndicatorSection() == [column.title for column in COLUMNS].index("Calls")
    menu.close()


def test_a_removed_server_leaves_the_table(page: Any, fake_core: Any, complete: Any, qtbot: Any) -> None:
    complete(fake_core.remove_server("extra1"))
    qtbot.waitUntil(lambda: page.model.row_of("extra1") < 0)
