"""What use teaches the search, kept in a file that may be cut, foreign or too long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.search import search_learning as room
from workbench.search.search_learning import SearchLearning


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "lessons.jsonl"


def test_a_question_is_learned_once_and_known_by_the_next_core(file: Path) -> None:
    first = SearchLearning(file)
    assert first.ran_after("  late   orders ", "shop", "list_orders")
    assert not first.ran_after("late orders", "shop", "list_orders")
    assert SearchLearning(file).questions("shop", "list_orders") == ("late orders",)
    assert SearchLearning(file).questions("shop", "other") == ()


def test_a_tool_keeps_its_newest_questions(file: Path) -> None:
    kept = SearchLearning(file)
    for number in range(40):
        kept.ran_after(f"question {number}", "shop", "list_orders")
    for words in (kept, SearchLearning(file)):
        assert "question 39" in words.questions("shop", "list_orders")
        assert "question 9" not in words.questions("shop", "list_orders")


def test_tools_that_ran_in_one_program_twice_are_companions(file: Path) -> None:
    kept = SearchLearning(file)
    kept.ran_together([("shop", "list"), ("mail", "send")])
    assert kept.companions("shop", "list") == ()
    kept.ran_together([("mail", "send"), ("shop", "list")])
    assert SearchLearning(file).companions("shop", "list") == (("mail", "send"),)


def test_one_tool_alone_and_a_crowd_teach_nothing(file: Path) -> None:
    kept = SearchLearning(file)
    for _ in range(3):
        kept.ran_together([("shop", "list")])
        kept.ran_together([("shop", f"tool{number}") for number in range(20)])
    assert not file.exists()


def test_lines_that_are_no_lessons_are_passed_over(file: Path) -> None:
    file.parent.mkdir()
    good = json.dumps({"asked": "late orders", "tool": ["shop", "list"]})
    odd = [
        "{",
        "[]",
        "5",
        '{"asked": 1}',
        '{"tool": ["a", "b"]}',
        '{"together": [["a"]]}',
        '{"together": 7}',
        good[:20],
    ]
    file.write_text("\n".join([*odd, good]))
    assert SearchLearning(file).questions("shop", "list") == ("late orders",)


def test_a_file_that_cannot_be_read_is_no_reason_to_stop(file: Path) -> None:
    file.mkdir(parents=True)
    kept = SearchLearning(file)
    assert kept.ran_after("late orders", "shop", "list")
    assert kept.questions("shop", "list") == ("late orders",)


def test_a_long_file_is_written_anew_with_what_still_counts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_LINES", 50)
    kept = SearchLearning(file)
    for number in range(60):
        kept.ran_after(f"question {number}", "shop", "list")
        kept.ran_together([("shop", "list"), ("mail", "send")])
    assert len(file.read_text().splitlines()) <= 60
    again = SearchLearning(file)
    assert "question 59" in again.questions("shop", "list")
    assert again.companions("mail", "send") == (("shop", "list"),)


def test_forgetting_takes_the_file_along(file: Path) -> None:
    kept = SearchLearning(file)
    kept.ran_after("late orders", "shop", "list")
    kept.forget()
    assert (kept.questions("shop", "list"), file.exists()) == ((), False)
