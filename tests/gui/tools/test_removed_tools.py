"""A tool that its server removed: marked in the list of servers until the user has seen the change."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from workbench.events import ToolsChanged
from workbench.records import ChangeKind, DefinitionChange


def test_a_removed_tool_is_listed_until_its_change_was_seen(
    window: Any, fake_core: Any, settled: Any, complete: Any, qtbot: Any
) -> None:
    fake_core.changed["demo"] = [DefinitionChange("demo", "old_report", ChangeKind.REMOVED, "", 1.7e9, before="{}")]
    fake_core.bus.tell(ToolsChanged("demo"))
    servers = window.servers
    qtbot.waitUntil(lambda: servers.model.find("demo", "old_report").isValid())
    assert "removed" in servers.model.find("demo", "old_report").data(Qt.ItemDataRole.AccessibleTextRole)
    servers.tree.setExpanded(servers.model.find("demo"), True)
    servers.tree.setCurrentIndex(servers.model.find("demo", "old_report"))
    qtbot.keyClick(servers.tree, Qt.Key.Key_Return)
    settled()
    qtbot.waitUntil(lambda: type(window.centre.server.sheet().page()).__name__ == "ChangesPage")
    complete(fake_core.mark_changes_seen("demo"))
    qtbot.waitUntil(lambda: not servers.model.find("demo", "old_report").isValid())
