"""Lines of a log: appended, bounded, sifted."""

from __future__ import annotations

from typing import Any

from workbench.gui.servers.server_log import LEVELS, LONGEST_LOG, LogModel, level_word
from workbench.records import LogLine


def lines(first: int, count: int, level: str = "info") -> list[LogLine]:
    return [LogLine(number, 1_795_000_000.0, level, "l", f"line {number}") for number in range(first, first + count)]


def test_it_keeps_to_the_rules_of_models_while_lines_come_and_go(qtmodeltester: Any, qtbot: Any) -> None:
    model = LogModel()
    model.append(lines(1, 10))
    qtmodeltester.check(model)
    model.set_filter("line 1", "")
    model.append(lines(11, LONGEST_LOG))
    qtmodeltester.check(model)
    assert model.total() == LONGEST_LOG
    assert model.index(0).data() == "line 11"


def test_more_lines_at_once_than_are_kept_leave_the_last_ones(qtbot: Any) -> None:
    model = LogModel()
    model.append(lines(1, LONGEST_LOG + 7))
    assert (model.rowCount(), model.index(0).data()) == (LONGEST_LOG, "line 8")


def test_a_level_hides_what_is_below_but_nothing_it_does_not_know(qtbot: Any) -> None:
    model = LogModel()
    for number, level in enumerate((*LEVELS, "odd"), 1):
        model.append(lines(number, 1, level))
    model.set_filter("", "error")
    assert [model.line(model.index(row)).level for row in range(model.rowCount())] == [*LEVELS[4:], "odd"]
    model.clear()
    assert model.text() == ""


def test_every_level_has_a_word_and_an_icon() -> None:
    words = [level_word(level) for level in (*LEVELS, "<b>", "")]
    assert len({word.text for word in words}) == len(words)
    assert all(word.icon for word in words)
