"""The sheet of a server: opened from the list, one page a topic, kept as it was left."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtWidgets import QPlainTextEdit, QTabBar

from workbench.gui.kit.text import ForeignLabel
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


def test_a_changed_state_is_shown_where_the_sheet_is_open(window: Any, paper: Any, settled: Any) -> None:
    sheet = open_server(window, settled, "files")
    fault = Fault("The server left with code 1.", "Look at its error output.")
    paper.put(replace(paper.server_states["files"], status=ServerStatus.FAILED, fault=fault))
    settled()
    assert "The server left with code 1." in words(sheet)


def test_each_server_keeps_its_own_sheet(window: Any, settled: Any) -> None:
    first = open_server(window, settled, "files")
    second = open_server(window, settled, "demo")
    assert second is not first
    assert open_server(window, settled, "files") is first


def test_a_removed_server_takes_its_sheet_with_it(window: Any, paper: Any, complete: Any, settled: Any) -> None:
    open_server(window, settled, "files")
    complete(paper.remove_server("files"))
    settled()
    assert window.centre.server.sheet() is None


def test_error_output_is_read_again_only_while_the_page_is_seen(window: Any, settled: Any) -> None:
    page = open_server(window, settled, "files").page()
    assert page._beat.isActive()
    window.centre.setCurrentWidget(window.centre.editor)
    assert not page._beat.isActive()


def test_every_page_has_a_title(window: Any, settled: Any) -> None:
    tabs = open_server(window, settled, "files").findChild(QTabBar)
    assert all(tabs.tabText(number) for number in range(tabs.count()))
