"""A plan lets exactly what was ticked pass, as often as it was held."""

from __future__ import annotations

from workbench.dry_run.held_side_effects import FILES, Step
from workbench.dry_run.plan import Plan
from workbench.dry_run.stand_in_values import StandIns
from workbench.permissions.judgement import PlanMatch
from workbench.records import Held, Outcome, Tool

MAIL = Tool("s", "mail", "", {}, hash="h1")


def step(number, arguments, server="s", tool="mail", definition="h1"):
    return Step(Held(f"c{number}", server, tool, ""), arguments, definition, number)


def test_an_equal_call_passes_once_and_one_that_was_left_out_is_refused():
    plan = Plan([step(1, {"a": 1, "b": [2]}), step(2, {"a": 2}), step(3, {"a": 2})], StandIns(), ["c1", "c2"])
    assert plan.judge("x1", MAIL, {"b": [2], "a": 1}) is PlanMatch.EXACT
    assert plan.judge("x2", MAIL, {"b": [2], "a": 1}) is PlanMatch.NOWHERE
    assert plan.judge("x3", MAIL, {"a": 2}) is PlanMatch.EXACT
    assert plan.judge("x4", MAIL, {"a": 2}) is PlanMatch.LEFT_OUT
    assert plan.judge("x5", MAIL, {"a": 2}) is PlanMatch.NOWHERE
    assert plan.left == 0


def test_another_definition_another_type_and_another_server_are_not_in_the_plan():
    for tool, arguments in (
        (Tool("s", "mail", "", {}, hash="h2"), {"a": 1}),
        (Tool("t", "mail", "", {}, hash="h1"), {"a": 1}),
        (MAIL, {"a": "1"}),
        (MAIL, {"a": True}),
        (MAIL, {"a": 1.0}),
        (MAIL, {"a": 1, "cc": "me"}),
    ):
        assert Plan([step(1, {"a": 1})], StandIns(), ["c1"]).judge("x", tool, arguments) is PlanMatch.NOWHERE


def test_an_invented_value_stands_for_what_that_call_really_answered_and_for_nothing_else():
    made = StandIns()
    answer = made.invent(1, {"properties": {"id": {"type": "string"}, "n": {"type": "integer"}}})
    later = {"of": answer["id"], "text": f"see {answer['id']}/{answer['n']}", "n": answer["n"]}
    real = {"of": "M-7", "text": "see M-7/4", "n": 4}

    def plan():
        return Plan([step(1, {"a": 1}), step(2, later)], made, ["c1", "c2"])

    early = plan()
    assert early.judge("x", MAIL, real) is PlanMatch.NOWHERE, "its answer is not there yet"
    assert early.judge("x", MAIL, later) is PlanMatch.NOWHERE, "no real call carries an invented value"
    known = plan()
    known.judge("x1", MAIL, {"a": 1})
    known.learn("x1", Outcome("x1", True, structured='{"id": "M-7", "n": 4}'))
    assert known.judge("x2", MAIL, {**real, "of": "M-8"}) is PlanMatch.NOWHERE
    assert known.judge("x3", MAIL, real) is PlanMatch.BY_PLACE
    failed = plan()
    failed.judge("x1", MAIL, {"a": 1})
    failed.learn("x1", Outcome("x1", False))
    assert failed.judge("x2", MAIL, real) is PlanMatch.NOWHERE


def test_files_count_as_one_line():
    files = Step(Held(FILES, "", FILES, ""), {}, "", 2)
    assert Plan([step(1, {}), files], StandIns(), [FILES]).files
    assert not Plan([step(1, {}), files], StandIns(), ["c1"]).files
    assert not Plan([step(1, {})], StandIns(), [FILES]).files
