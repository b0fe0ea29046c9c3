"""The tree of a JSON value makes only what is looked at."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt

from workbench.gui.results.tree_page import JsonTree

VALUE = {"name": "Ana\u202e", "tags": ["a", "b"], "empty": {}, "n": None, "deep": {"x": [{"y": 1}]}}


def open_row(model: JsonTree, row: int, parent: QModelIndex) -> QModelIndex:
    index = model.index(row, 0, parent)
    model.fetchMore(index)
    return index


def test_the_model_keeps_qts_rules(theme: Any, qtmodeltester: Any) -> None:
    model = JsonTree(theme)
    model.show_value(VALUE)
    model.fetchMore(QModelIndex())
    qtmodeltester.check(model, force_py=True)


def test_nothing_is_made_before_it_is_looked_at(theme: Any) -> None:
    model = JsonTree(theme)
    model.show_value({"big": list(range(100_000))})
    assert model.rowCount() == 0
    model.fetchMore(QModelIndex())
    big = model.index(0, 0)
    assert model.hasChildren(big)
    assert model.rowCount(big) == 0
    model.fetchMore(big)
    assert 0 < model.rowCount(big) < 1000
    assert model.canFetchMore(big)


def test_a_row_knows_its_path_and_its_value(theme: Any) -> None:
    model = JsonTree(theme)
    model.show_value(VALUE)
    model.fetchMore(QModelIndex())
    deep = open_row(model, 4, QModelIndex())
    x = open_row(model, 0, deep)
    first = open_row(model, 0, x)
    y = model.index(0, 1, first)
    assert model.path_at(y) == "deep.x[0].y"
    assert model.value_at(y) == 1
    assert model.parent(first) == x


def test_values_are_shown_in_one_line_with_chips(theme: Any) -> None:
    model = JsonTree(theme)
    model.show_value(VALUE)
    model.fetchMore(QModelIndex())
    shown = [model.data(model.index(row, 1)) for row in range(model.rowCount())]
    assert shown == ["“Ana‹U+202E›”", "[ 2 items ]", "{}", "null", "{ 1 field }"]
    assert model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole) == "name: “Ana‹U+202E›”"
