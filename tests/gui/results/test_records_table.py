"""A list of records as a table."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from workbench.gui.results.table_page import RecordsModel, records_of

ROWS = [{"id": 2, "name": "b"}, {"id": 10, "name": "A"}, {"id": 1, "name": None, "more": [1]}]


@pytest.fixture
def model(qapp: Any) -> RecordsModel:
    return RecordsModel(ROWS)


def test_the_model_keeps_qts_rules(model: RecordsModel, qtmodeltester: Any) -> None:
    qtmodeltester.check(model, force_py=True)


def test_columns_are_all_names_in_order(model: RecordsModel) -> None:
    titles = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert titles == ["id", "name", "more"]
    assert model.data(model.index(0, 2)) == ""
    assert model.data(model.index(2, 2)) == "[ 1 item ]"


def test_numbers_sort_as_numbers_and_are_on_the_right(model: RecordsModel) -> None:
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert [model.data(model.index(row, 0)) for row in range(3)] == ["10", "2", "1"]
    assert [column.right for column in model.columns] == [True, False, False]


def test_only_what_reads_better_as_a_table_becomes_one() -> None:
    assert records_of(ROWS) == ROWS
    assert records_of({"items": ROWS, "total": 3}) == ROWS
    assert records_of({"a": [1], "b": [2]}) == []
    assert records_of([{f"k{number}": 1} for number in range(50)]) == []
    assert records_of("text") == []
