"""A long list filters itself, builds only the rows that are looked at, and drops the oldest records of a flood."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from workbench.gui.kit.rows import KEY, Row
from workbench.gui.servers.filtered_list import FilteredList, FilteredModel
from workbench.gui.servers.server_log import LEVELS, LONGEST_LOG, level_word, log_model
from workbench.records import LogLine


def make_model(built: list[str]) -> FilteredModel[str]:
    def row(record: str) -> Row:
        built.append(record)
        return Row(record, f"File {record}")

    return FilteredModel(str, lambda record: f"File {record}", row)


def lines(first: int, count: int, level: str = "info") -> list[LogLine]:
    return [LogLine(number, 1_795_000_000.0, level, "l", f"line {number}") for number in range(first, first + count)]


def test_it_keeps_to_the_rules_of_models(qtmodeltester: Any, qtbot: Any) -> None:
    model = make_model([])
    model.replace(map(str, range(20)))
    qtmodeltester.check(model)
    model.filter("file 1")
    qtmodeltester.check(model)
    assert (model.rowCount(), model.total()) == (11, 20)


def test_rows_are_built_when_they_are_looked_at(qtbot: Any) -> None:
    built: list[str] = []
    model = make_model(built)
    model.replace(map(str, range(10_000)))
    model.filter("99 FILE")
    index = model.find("9999")
    assert (index.data(KEY), built) == ("9999", [])
    assert (index.data(), built) == ("File 9999", ["9999"])


def test_what_does_not_match_is_not_found_but_known(qtbot: Any) -> None:
    model = make_model([])
    model.replace("123")
    model.filter("2")
    assert not model.find("1").isValid()
    assert model.record("1") == "1"
    assert model.records() == ("2",)
    model.filter("")
    assert model.find("1").isValid()


def test_records_come_and_go_by_the_rules_of_models(qtmodeltester: Any, qtbot: Any) -> None:
    model = log_model()
    model.append(lines(1, 10))
    qtmodeltester.check(model)
    model.filter("line 1")
    model.append(lines(11, LONGEST_LOG))
    qtmodeltester.check(model)
    assert model.total() == LONGEST_LOG
    assert model.index(0).data() == "line 11"


def test_more_records_at_once_than_are_kept_leave_the_last_ones(qtbot: Any) -> None:
    model = log_model()
    model.append(lines(1, LONGEST_LOG + 7))
    assert (model.rowCount(), model.index(0).data()) == (LONGEST_LOG, "line 8")


def test_every_level_has_a_word_and_an_icon() -> None:
    words = [level_word(level) for level in (*LEVELS, "<b>", "")]
    assert len({word.text for word in words}) == len(words)
    assert all(word.icon for word in words)


@pytest.fixture
def listed(theme: Any, qtbot: Any) -> FilteredList:
    made = FilteredList(theme, "Files", "Filter files", make_model([]))
    made.explain_empty("No files", "Add one.")
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_selection_stays_and_nobody_is_told_again(listed: FilteredList, qtbot: Any) -> None:
    told: list[str] = []
    listed.selected.connect(told.append)
    listed.show_entries("123")
    listed.select("2")
    listed.show_entries("0123")
    qtbot.keyClicks(listed.finder, "2")
    assert (listed.key(), told, listed.count.text()) == ("2", ["2"], "1 of 4")


def test_an_entry_that_the_filter_hides_can_be_selected(listed: FilteredList, qtbot: Any) -> None:
    listed.show_entries("123")
    qtbot.keyClicks(listed.finder, "2")
    assert listed.select("3")
    assert (listed.key(), listed.finder.text()) == ("3", "")
    assert not listed.select("4")


def test_keys_and_the_mouse_open_entries(listed: FilteredList, qtbot: Any) -> None:
    opened: list[str] = []
    listed.opened.connect(opened.append)
    listed.show_entries("123")
    qtbot.keyClicks(listed.finder, "3")
    qtbot.keyClick(listed.finder, Qt.Key.Key_Return)
    qtbot.keyClick(listed.finder, Qt.Key.Key_Escape)
    place = listed.view.visualRect(listed.model.find("1")).center()
    qtbot.mouseClick(listed.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert opened == ["3", "1"]


def test_an_empty_list_says_why(listed: FilteredList, qtbot: Any) -> None:
    assert listed.empty.accessibleName() == "No files"
    listed.show_entries("123")
    qtbot.keyClicks(listed.finder, "4")
    assert listed.empty.accessibleName() == "No matches"
    assert listed.empty.isVisible()
