"""In a small window the centre keeps its room, and a large one is as it was."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

RIGHT, LEFT = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.LeftDockWidgetArea


def test_the_runs_go_below_where_it_is_narrow_and_come_back(window: Any, qtbot: Any) -> None:
    runs, audit = window.docks["runs"], window.docks["audit"]
    assert window.dockWidgetArea(runs) == RIGHT
    window.resize(900, 640)
    qtbot.waitUntil(lambda: runs in window.tabifiedDockWidgets(audit))
    assert window.docks["output"].isVisible()
    qtbot.waitUntil(lambda: window.centre.width() > 600)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: window.dockWidgetArea(runs) == RIGHT)
    assert runs not in window.tabifiedDockWidgets(audit)


def test_what_a_person_put_elsewhere_stays_there(window: Any, qtbot: Any) -> None:
    runs = window.docks["runs"]
    window.addDockWidget(LEFT, runs)
    window.resize(900, 640)
    qtbot.waitUntil(lambda: window.width() == 900)
    qtbot.wait(150)
    assert window.dockWidgetArea(runs) == LEFT
    assert not window.layout_file.runs_below
