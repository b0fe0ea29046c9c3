"""The page that finds out why a server cannot be reached."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from workbench.gui.kit.text import ForeignLabel
from workbench.records import Fault, ServerStatus


def words(page: Any) -> str:
    return "\n".join(found.full_text() for found in page.findChildren(ForeignLabel) if found.isVisible())


def examine(window: Any, settled: Any) -> Any:
    window.servers.show_tool("files")
    window.commands.do("server.doctor")
    settled()
    return window.centre.server.sheet().page()


def fail(fake_core: Any) -> None:
    fault = Fault("The command npx was not found.", "Install Node.js.")
    fake_core.put(replace(fake_core.server_states["files"], status=ServerStatus.FAILED, fault=fault))


def button(page: Any, text: str) -> QPushButton:
    return next(found for found in page.findChildren(QPushButton) if found.text() == text)


def test_a_failed_server_is_examined_at_once_and_each_line_has_its_fix(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    fail(fake_core)
    settled()
    page = examine(window, settled)
    qtbot.waitUntil(lambda: "Install Node.js." in words(page))
    assert fake_core.asked.count(("diagnose", ("files",))) == 1
    assert [check.name for check in page.checks_view.checks()] == ["Configuration", "Executable"]


def test_a_server_that_did_not_fail_is_examined_when_a_person_asks(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    page = examine(window, settled)
    assert ("diagnose", ("files",)) not in fake_core.asked
    button(page, "Check").click()
    qtbot.waitUntil(lambda: "1 problem found" in page.verdict.text())


def test_the_report_can_be_copied_with_its_details(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    page = examine(window, settled)
    button(page, "Check").click()
    qtbot.waitUntil(lambda: button(page, "Copy report").isEnabled())
    button(page, "Copy report").click()
    copied = QGuiApplication.clipboard().text()
    assert "[Wrong] Executable: The command npx was not found." in copied
    assert "| PATH: /bin" in copied
    assert window.status.message() == "Copied the report."


def test_this_machine_is_checked_from_the_help_menu(window: Any, qtbot: Any, settled: Any) -> None:
    from workbench.gui.servers.doctor import MachineDialog

    window.commands.do("help.machine")
    dialog = window.findChild(MachineDialog)
    qtbot.waitUntil(lambda: "Free disk space." in words(dialog))
    button(dialog, "Copy report").click()
    assert "Free disk space." in QGuiApplication.clipboard().text()
    assert window.status.message() == "Copied the report."
    dialog.reject()


def test_details_of_a_check_open_without_moving_the_rows_above(window: Any, qtbot: Any, settled: Any) -> None:
    page = examine(window, settled)
    window.centre.setCurrentWidget(window.centre.server)
    button(page, "Check").click()
    qtbot.waitUntil(lambda: "Install Node.js." in words(page))
    settled()
    fix = next(found for found in page.findChildren(ForeignLabel) if found.full_text() == "Install Node.js.")
    place = fix.mapTo(page, fix.rect().topLeft())
    qtbot.mouseClick(button(page, "Details"), Qt.MouseButton.LeftButton)
    qtbot.wait(50)
    assert fix.mapTo(page, fix.rect().topLeft()) == place
