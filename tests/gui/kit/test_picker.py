"""The picker: arrows move in the list while the keyboard stays in the field, and one row is picked or none."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from workbench.gui.kit.picker import Picker
from workbench.gui.kit.rows import Row

ROWS = [Row("section", "Fruit", section=True), Row("a", "apple"), Row("b", "banana"), Row("c", "cherry")]


@pytest.fixture
def owner(qtbot: Any) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    return made


@pytest.fixture
def picker(theme: Any, owner: QWidget, qtbot: Any) -> Picker:
    made = Picker(theme, "Fruit", lambda text: [row for row in ROWS if text in row.title], owner, "No fruit.", "Esc")
    made.show()
    qtbot.waitUntil(made.isVisible)
    return made


def _titles(picker: Picker) -> list[str]:
    return [str(picker.model.index(row).data()) for row in range(picker.model.rowCount())]


def test_the_rows_follow_what_is_typed(picker: Picker, qtbot: Any) -> None:
    assert _titles(picker) == ["Fruit", "apple", "banana", "cherry"]
    assert picker.list.key() == "a", "a heading is not picked"
    qtbot.keyClicks(picker.field, "an")
    assert _titles(picker) == ["banana"]
    qtbot.keyClicks(picker.field, "x")
    assert _titles(picker) == []
    qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert picker.isVisible(), "there is nothing to pick"


def test_enter_picks_the_current_row(picker: Picker, qtbot: Any) -> None:
    highlighted: list[str] = []
    picker.highlighted.connect(highlighted.append)
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    assert highlighted == ["b"]
    picked: list[str] = []
    picker.picked.connect(picked.append)
    with qtbot.waitSignal(picker.accepted):
        qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert picked == ["b"]
    qtbot.waitUntil(lambda: not isValid(picker))


def test_a_click_picks_a_row(picker: Picker, qtbot: Any) -> None:
    place = picker.list.visualRect(picker.model.index(3)).center()
    with qtbot.waitSignal(picker.picked) as picked:
        qtbot.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert picked.args == ["c"]


def test_escape_picks_nothing(picker: Picker, qtbot: Any) -> None:
    with qtbot.assertNotEmitted(picker.picked), qtbot.waitSignal(picker.rejected):
        qtbot.keyClick(picker.field, Qt.Key.Key_Escape)


def test_escape_closes_once_and_leaves_the_window_usable(picker: Picker, owner: QWidget, qtbot: Any) -> None:
    """Hiding takes the activation away; rejecting again then, of a modal dialog, blocked the window for ever."""
    ended: list[int] = []
    picker.finished.connect(ended.append)
    assert not picker.isModal()
    qtbot.keyClick(picker.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(picker))
    assert ended == [0]


def test_it_closes_when_the_user_turns_to_another_window(picker: Picker, owner: QWidget, qtbot: Any) -> None:
    picker.activateWindow()
    qtbot.waitUntil(picker.isActiveWindow)
    with qtbot.waitSignal(picker.rejected):
        owner.activateWindow()


def test_it_begins_with_the_selected_row_and_fits_into_its_window(picker: Picker, owner: QWidget) -> None:
    picker.select("c")
    assert picker.list.key() == "c"
    assert picker.width() <= owner.width()
    assert picker.height() <= owner.height() * 2 // 3
