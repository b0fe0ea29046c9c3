from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from workbench.gui.shell.keyboard import tab_stops


@pytest.fixture
def shown(window: Any, settled: Any) -> Any:
    window.activateWindow()
    settled()
    return window


def lap(window: Any, qtbot: Any, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Every widget that Tab comes to, once round."""
    window.servers.finder.setFocus()
    found: list[QWidget] = []
    while not found or found[-1] is not window.servers.finder:
        qtbot.keyClick(QApplication.focusWidget(), key)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert focus not in found, "a trap"
        found.append(focus)
    return found


def test_tab_reaches_everything_that_can_be_seen_and_nothing_behind_other_panes(shown: Any, qtbot: Any) -> None:
    walked = lap(shown, qtbot)
    assert set(walked) == set(tab_stops(shown))
    assert all(not widget.visibleRegion().isEmpty() for widget in walked)
    assert {shown.servers.finder, shown.servers.tree} <= set(walked)
    assert not any(shown.skills.isAncestorOf(widget) for widget in walked)
    assert lap(shown, qtbot, Qt.Key.Key_Backtab)[:-1] == walked[:-1][::-1]


def test_tab_goes_as_the_eye_does(shown: Any, qtbot: Any) -> None:
    walked = lap(shown, qtbot)
    places = [
        next(place for place, widget in enumerate(walked) if pane.isAncestorOf(widget))
        for pane in (shown.servers, shown.centre, shown.runs, shown.status)
    ]
    assert places == sorted(places)
    here = walked.index(shown.servers.tree)
    assert here > 0, "the filter stands above the tree, and is left towards it"


def test_a_pane_that_comes_in_front_takes_part(shown: Any, qtbot: Any) -> None:
    shown.docks["skills"].come()
    assert any(shown.skills.isAncestorOf(widget) for widget in tab_stops(shown))
    assert not any(shown.servers.isAncestorOf(widget) for widget in tab_stops(shown))


def test_the_window_s_own_keys_work_in_a_line_of_text(shown: Any, qtbot: Any) -> None:
    """Qt on X11 takes Ctrl+E for itself there: to the end of the line."""
    shown.activateWindow()
    shown.servers.finder.setFocus()
    qtbot.keyClick(shown.servers.finder, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: shown.centre.currentWidget() is shown.centre.editor)


def test_shift_f10_opens_the_menu_of_the_focused_row(shown: Any, qtbot: Any) -> None:
    shown.activateWindow()
    tree = shown.servers.tree
    tree.setFocus()
    tree.setCurrentIndex(tree.model().index(0, 0))
    qtbot.keyClick(tree, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    QApplication.activePopupWidget().close()
