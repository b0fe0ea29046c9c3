"""The page of a server's tasks: there only where the server has them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtWidgets import QTabBar

from workbench.records import ServerStatus, ServerTask


def tabs(sheet: Any) -> list[str]:
    bar = sheet.findChild(QTabBar)
    return [bar.tabText(number) for number in range(bar.count()) if bar.isTabVisible(number)]


def test_tasks_are_listed_cancelled_and_their_results_shown(
    window: Any, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    window.centre.server.show_server("demo")
    settled()
    sheet = window.centre.server.sheet()
    assert "Tasks" not in tabs(sheet)
    fake_core.tasks["t1"] = ServerTask("demo", "t1", "working", "Step 3", "long_work", 1.7e9)
    fake_core.tasks["t2"] = ServerTask("demo", "t2", "completed", "", "", 1.6e9)
    fake_core.put(
        replace(fake_core.server_states["demo"], status=ServerStatus.READY, capabilities=("tools", "tasks.list"))
    )
    qtbot.waitUntil(lambda: "Tasks" in tabs(sheet))
    window.centre.setCurrentWidget(window.centre.server)
    sheet.show_page("tasks")
    page = sheet.page()
    qtbot.waitUntil(lambda: page.list.model.rowCount() == 2)
    page.list.select("t1")
    assert (page.cancel_action.isEnabled(), page.fetch_action.isEnabled()) == (True, False)
    page.cancel_action.trigger()
    qtbot.waitUntil(lambda: not page.cancel_action.isEnabled())
    assert ("cancel_task", ("demo", "t1")) in fake_core.asked
    page.list.select("t2")
    shown: list[str] = []
    page.result.show_json = shown.append
    page.run()
    qtbot.waitUntil(lambda: bool(shown))
    assert "what came of t2" in shown[0]
