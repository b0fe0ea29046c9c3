"""The sheet of a server: opened from the list, one page a topic, kept as it was left."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QTabBar, QTextBrowser

from workbench.gui.kit.text import ForeignLabel
from workbench.gui.shell.navigation import ShowServer
from workbench.records import Fault, ServerStatus


def words(sheet: Any) -> str:
    return "\n".join(found.full_text() for found in sheet.findChildren(ForeignLabel) if found.isVisible())


def open_server(window: Any, settled: Any, name: str) -> Any:
    window.servers.show_tool(name)
    window.commands.do("server.open")
    settled()
    return window.centre.server.sheet()


def test_the_chosen_server_opens_with_what_it_says_of_itself(window: Any, settled: Any) -> None:
    sheet = open_server(window, settled, "files")
    assert window.centre.currentWidget() is window.centre.server
    assert "npx -y @acme/files ." in words(sheet)
    logs = [log for log in sheet.findChildren(QPlainTextEdit) if "Error output" in log.accessibleName()]
    assert "not in this registry" in logs[0].toPlainText()


def test_a_changed_state_is_shown_where_the_sheet_is_open(window: Any, fake_core: Any, settled: Any) -> None:
    sheet = open_server(window, settled, "files")
    fault = Fault("The server left with code 1.", "Look at its error output.")
    fake_core.put(replace(fake_core.server_states["files"], status=ServerStatus.FAILED, fault=fault))
    settled()
    assert "The server left with code 1." in words(sheet)


def test_what_a_failed_server_printed_is_shown_once(window: Any, fake_core: Any, settled: Any, qtbot: Any) -> None:
    fault = Fault("The server left with code 1.", "", "it broke\nnpm ERR! @acme/files is not in this registry.")
    fake_core.put(replace(fake_core.server_states["files"], status=ServerStatus.FAILED, fault=fault))
    sheet = open_server(window, settled, "files")
    boxes = [box for box in sheet.findChildren(QPlainTextEdit) if box.isVisible()]
    qtbot.waitUntil(lambda: "it broke" in boxes[0].toPlainText())
    assert boxes[0].toPlainText().count("not in this registry") == 1
    assert len(boxes) == 1
    assert not [button for button in sheet.findChildren(QPushButton) if button.text() == "Details"]


def test_each_server_keeps_its_own_sheet(window: Any, settled: Any) -> None:
    first = open_server(window, settled, "files")
    second = open_server(window, settled, "demo")
    assert second is not first
    assert open_server(window, settled, "files") is first


def test_a_removed_server_takes_its_sheet_with_it(window: Any, fake_core: Any, complete: Any, settled: Any) -> None:
    open_server(window, settled, "files")
    complete(fake_core.remove_server("files"))
    settled()
    assert window.centre.server.sheet() is None


def test_error_output_is_read_again_only_while_the_page_is_seen(window: Any, settled: Any) -> None:
    page = open_server(window, settled, "files").page()
    assert page.log_timer.isActive()
    window.centre.setCurrentWidget(window.centre.editor)
    assert not page.log_timer.isActive()


def test_every_page_has_a_title(window: Any, settled: Any) -> None:
    tabs = open_server(window, settled, "files").findChild(QTabBar)
    assert all(tabs.tabText(number) for number in range(tabs.count()))


def button(sheet: Any, text: str) -> QPushButton:
    return next(one for one in sheet.findChildren(QPushButton) if one.text() == text and one.isVisible())


def test_the_sheet_starts_and_stops_its_own_server(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    sheet = open_server(window, settled, "demo")
    window.servers.show_tool("files")  # a different server is selected in the list
    qtbot.mouseClick(button(sheet, "Connect"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: ("connect", ("demo",)) in fake_core.asked)
    settled()
    fake_core.asked.clear()
    qtbot.mouseClick(button(sheet, "Restart"), Qt.MouseButton.LeftButton)
    settled()
    assert [name for name, _ in fake_core.asked if name in ("connect", "disconnect")] == ["disconnect", "connect"]
    qtbot.mouseClick(button(sheet, "Disconnect"), Qt.MouseButton.LeftButton)
    settled()
    assert fake_core.server_states["demo"].status is ServerStatus.STOPPED
    assert fake_core.server_states["files"].status is ServerStatus.STOPPED


def test_a_failed_server_offers_what_can_be_done(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    sheet = open_server(window, settled, "files")
    fault = Fault("The server left with code 1.", "Look at its error output.")
    fake_core.put(replace(fake_core.server_states["files"], status=ServerStatus.FAILED, fault=fault))
    settled()
    assert button(sheet, "Connect").isEnabled()
    qtbot.mouseClick(button(sheet, "Find out why"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: ("diagnose", ("files",)) in fake_core.asked)
    qtbot.mouseClick(button(sheet, "Remove"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "files" not in fake_core.server_states)
    settled()


def test_the_list_selects_the_server_whose_sheet_opens(window: Any, settled: Any) -> None:
    window.servers.show_tool("files")
    window.context.go(ShowServer("demo"))
    settled()
    assert window.servers.selected_server().config.name == "demo"
    window.servers.show_tool("demo", "send_email")
    window.context.go(ShowServer("demo", "doctor"))
    assert window.servers.model.tool_at(window.servers.tree.currentIndex()).name == "send_email"


def test_instructions_are_shown_as_prose(window: Any, fake_core: Any, settled: Any) -> None:
    fake_core.put(
        replace(fake_core.server_states["files"], instructions="# Rules\n\nUse **this** ![x](http://a/b.png).")
    )
    sheet = open_server(window, settled, "files")
    prose = sheet.page().findChild(QTextBrowser)
    assert prose.isVisible()
    assert prose.toPlainText().startswith("Rules\nUse this")
