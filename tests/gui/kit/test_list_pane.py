"""A list pane searches after a pause, keeps what is selected, shows its empty state, and has a context menu."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState
from workbench.gui.kit.rows import Row


@pytest.fixture
def pane(theme: Any, qtbot: Any) -> ListPane:
    made = ListPane(theme, "Things", EmptyState(theme, "list", "Nothing", "Add something."), "Find a thing")
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def test_rows_replace_the_empty_state_and_the_selected_one_stays(pane: ListPane, qtbot: Any) -> None:
    assert pane.empty.isVisible()
    pane.show_rows([Row("a", "Apple"), Row("b", "Banana")])
    assert pane.view.isVisible()
    place = pane.view.visualRect(pane.model.find("b")).center()
    with qtbot.waitSignal(pane.selection_changed):
        qtbot.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert pane.key() == "b"
    pane.show_rows([Row("0", "Avocado"), Row("a", "Apple"), Row("b", "Banana bread")])
    assert pane.key() == "b"
    pane.show_rows([])
    assert pane.empty.isVisible()


def test_the_search_tells_its_text_once_and_leads_into_the_list(pane: ListPane, qtbot: Any) -> None:
    pane.show_rows([Row("a", "Apple"), Row("b", "Banana")])
    told: list[str] = []
    pane.searched.connect(told.append)
    qtbot.keyClicks(pane.finder, "ban ")
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["ban"]
    qtbot.keyClick(pane.finder, Qt.Key.Key_Down)
    assert pane.key() == "a"
    assert pane.select("b")
    assert not pane.select("c")


def test_return_opens_the_first_match_of_what_was_typed_a_moment_ago(pane: ListPane, qtbot: Any) -> None:
    rows = [Row("a", "Apple"), Row("b", "Banana")]
    pane.show_rows(rows)
    pane.searched.connect(lambda text: pane.show_rows([row for row in rows if text in row.title.lower()]))
    qtbot.keyClicks(pane.finder, "ban")
    with qtbot.waitSignal(pane.chosen) as chosen:
        qtbot.keyClick(pane.finder, Qt.Key.Key_Return)
    assert chosen.args == ["b"]


def test_a_row_has_a_menu(pane: ListPane, qtbot: Any) -> None:
    pane.show_rows([Row("a", "Apple")])
    eat = QAction("Eat", pane)
    pane.set_menu(lambda key: [eat, None] if key == "a" else [])
    pane.view.customContextMenuRequested.emit(QPoint(3, 3))
    assert pane.findChild(QMenu) is None, "nothing is selected"
    pane.select("a")
    pane.view.customContextMenuRequested.emit(QPoint(3, 3))
    menu = pane.findChild(QMenu)
    assert [action.text() for action in menu.actions()] == ["Eat", ""]
    menu.close()


def test_each_edit_of_the_search_is_signalled_and_the_search_can_be_cleared(pane: ListPane, qtbot: Any) -> None:
    pane.show_rows([Row("a", "Apple")])
    texts: list[str] = []
    pane.search_edited.connect(lambda: texts.append(pane.search_text()))
    qtbot.keyClicks(pane.finder, "ap")
    pane.clear_search()
    assert texts == ["a", "ap", ""]
