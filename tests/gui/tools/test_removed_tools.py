"""A tool that a server took back: marked in the list of servers until somebody looked."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from workbench.events import ToolsChanged
from workbench.records import ChangeKind, DefinitionChange


def test_a_tool_that_was_taken_back_stands_there_until_somebody_looked(
    window: Any, paper: Any, settled: Any, complete: Any, qtbot: Any
) -> None:
    paper.changed["demo"] = [DefinitionChange("demo", "old_report", ChangeKind.REMOVED, "", 1.7e9, before="{}")]
    paper.bus.tell(ToolsChanged("demo"))
    servers = window.servers
    qtbot.waitUntil(lambda: servers.model.find("demo", "old_report").isValid())
    assert "removed" in servers.model.find("demo", "old_report").data(Qt.ItemDataRole.AccessibleTextRole)
    servers._choose("demo\nold_report")
    settled()
    qtbot.waitUntil(lambda: type(window.centre.server.sheet().page()).__name__ == "ChangesPage")
    complete(paper.mark_changes_seen("demo"))
    qtbot.waitUntil(lambda: not servers.model.find("demo", "old_report").isValid())
