"""A cassette answers the same questions, whatever their order, and every other question is a difference."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.recordings.cassette_player import CassettePlayer
from workbench.recordings.comparison import result_differences, unsteady
from workbench.sandbox.program import JsonText, ToolFailure
from workbench.skills.cassettes import Cassette, CassetteStep


def asked(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"server": "demo", "tool": tool, "arguments": arguments}


def step(tool: str, answer: Any, **arguments: Any) -> CassetteStep:
    return CassetteStep("call", asked(tool, **arguments), answer)


def deck(*steps: CassetteStep) -> CassettePlayer:
    return CassettePlayer(Cassette("one", "", {}, steps))


def test_questions_are_answered_in_any_order_without_a_difference() -> None:
    played = deck(step("get", 1, id=1), step("get", 2, id=2))
    assert played.answer("call", asked("get", id=2)) == JsonText("2")
    assert played.answer("call", asked("get", id=1)) == JsonText("1")
    assert played.answer("tokens", {}) == {}, "a program with tokens asks where their values are"
    played.end()
    assert played.found == []


def test_another_argument_is_told_with_both_values_and_answered_all_the_same() -> None:
    played = deck(step("get", {"a": 1}, id=1, deep={"x": [1, 2]}))
    assert played.answer("call", asked("get", id=1, deep={"x": [1, 3]})) == JsonText('{"a": 1}')
    (found,) = played.found
    assert (str(found.kind), found.before, found.after) == ("argument", "2", "3")
    assert "deep.x[1]" in found.words


def test_what_was_not_asked_then_or_is_not_asked_now_is_told() -> None:
    played = deck(step("get", 1, id=1), step("put", 1))
    with pytest.raises(ToolFailure, match="not in the recording"):
        played.answer("call", asked("drop"))
    played.answer("call", asked("get", id=1))
    played.answer("call", asked("get", id=1))
    played.end()
    assert [one.words for one in played.found] == [
        "The skill requests demo.drop, which is not in the recording.",
        "The skill requests demo.get more often than recorded.",
        "The skill no longer requests demo.put.",
    ]


def test_failures_searches_and_texts_are_played_too() -> None:
    failure = {"message": "No such order.", "code": "tool", "valid_parameters": ["id"], "suggestions": [], "hint": ""}
    played = deck(
        CassetteStep("call", asked("get", id=9), failure=failure),
        CassetteStep("search", {"query": "orders", "limit": 3}, "list_orders", text=True),
    )
    with pytest.raises(ToolFailure) as caught:
        played.answer("call", asked("get", id=9))
    assert (caught.value.code, caught.value.valid_parameters) == ("tool", ("id",))
    assert played.answer("search", {"query": "orders", "limit": 3, "server": None}) == "list_orders"
    played.end()
    assert played.found == []


def test_results_are_compared_but_for_what_differs_each_time() -> None:
    before, after = {"at": 1, "rows": [1, 2]}, {"at": 2, "rows": [1, 3]}
    assert unsteady(before, {"at": 2, "rows": [1, 2]}) == ("at",)
    (found,) = result_differences(before, after, ("at",))
    assert (found.words, found.before, found.after) == ("The result differs at rows[1].", "2", "3")
    assert result_differences(1, "1", ())[0].words == "The result differs."
