"""The table sorts, filters and appends by itself, keeps what is selected, and hides the least important columns."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from workbench.gui.kit.table import Column, Table, TableModel


class Fruit(Struct, frozen=True):
    name: str
    weight: int


COLUMNS = (
    Column[Fruit]("Name", lambda fruit: fruit.name, letters=20),
    Column[Fruit]("Grams", lambda fruit: f"{fruit.weight:,}", sort=lambda fruit: fruit.weight, right=True, rank=1),
    Column[Fruit]("Initial", lambda fruit: fruit.name[:1], rank=2),
)
FRUITS = (Fruit("pear", 180), Fruit("apple", 1_200), Fruit("fig", 40))


@pytest.fixture
def model(qapp: Any, qtmodeltester: Any) -> TableModel[Fruit]:
    made = TableModel(COLUMNS, lambda fruit: fruit.name, cap=5)
    made.replace(FRUITS)
    qtmodeltester.check(made)
    return made


@pytest.fixture
def table(theme: Any, model: TableModel[Fruit], qtbot: Any) -> Table[Fruit]:
    made = Table(theme, "Fruits", model)
    qtbot.addWidget(made)
    made.resize(800, 300)
    made.show()
    return made


def names(model: TableModel[Fruit]) -> list[str]:
    return [fruit.name for fruit in model.records()]


def test_numbers_sort_as_numbers_and_the_selected_record_stays_selected(
    table: Table[Fruit], model: TableModel[Fruit], qtbot: Any
) -> None:
    place = table.visualRect(model.index(0, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert table.key() == "pear"
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert names(model) == ["fig", "pear", "apple"]
    assert table.key() == "pear"
    model.append((Fruit("plum", 60),))
    assert names(model) == ["fig", "plum", "pear", "apple"]
    model.keep(lambda fruit: fruit.weight > 100)
    assert names(model) == ["pear", "apple"]
    assert table.key() == "pear"
    assert model.total() == 4


def test_beyond_the_cap_the_oldest_records_go(model: TableModel[Fruit]) -> None:
    model.append([Fruit(f"grape {number}", number) for number in range(4)])
    assert names(model) == ["apple", "fig", "grape 0", "grape 1", "grape 2", "grape 3"][1:]
    model.add_or_replace(Fruit("fig", 41))
    assert model.find("fig") == Fruit("fig", 41)
    model.remove("fig")
    assert "fig" not in names(model)


def test_narrow_tables_hide_the_least_important_columns_and_bring_them_back(table: Table[Fruit]) -> None:
    def hidden() -> list[bool]:
        return [table.isColumnHidden(number) for number in range(3)]

    assert hidden() == [False, False, False]
    table.resize(240, 300)
    assert hidden() == [False, True, True]
    table.resize(800, 300)
    assert hidden() == [False, False, False]


def test_rows_are_copied_opened_and_have_a_menu(table: Table[Fruit], model: TableModel[Fruit], qtbot: Any) -> None:
    opened: list[str] = []
    table.chosen.connect(opened.append)
    table.select("apple")
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "apple\t1,200\ta"
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert opened == ["apple"]
    weigh = QAction("Weigh", table)
    asked: list[Fruit] = []

    def menu_of(fruit: Fruit) -> list[QAction | None]:
        asked.append(fruit)
        return [weigh]

    table.set_menu(menu_of)
    table.customContextMenuRequested.emit(QPoint(5, 5))
    menu = table.findChild(QMenu)
    assert [action.text() for action in menu.actions()] == ["Weigh"]
    assert asked == [FRUITS[1]]
    menu.close()
