"""A plan lets exactly what was ticked pass, as often as it was held."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dry_run import held_side_effects as module
from workbench.dry_run.held_side_effects import FILES, HeldSideEffect, HeldSideEffects, hold_files
from workbench.dry_run.plan import Plan
from workbench.dry_run.stand_in_values import StandIns, places
from workbench.errors import WorkbenchError
from workbench.permissions.judgement import PlanMatch
from workbench.records import Content, Hints, Origin, Outcome, PastCall, PlanStep, Risk, Tool, ToolCall

MAIL = Tool("s", "mail", "", {}, hash="h1")


def step(number, arguments, server="s", tool="mail", definition="h1"):
    return HeldSideEffect(PlanStep(f"c{number}", server, tool, ""), arguments, definition, number)


def test_an_equal_call_passes_once_and_one_that_was_left_out_is_refused():
    plan = Plan([step(1, {"a": 1, "b": [2]}), step(2, {"a": 2}), step(3, {"a": 2})], StandIns(), ["c1", "c2"])
    assert plan.judge("x1", MAIL, {"b": [2], "a": 1}) is PlanMatch.EXACT
    assert plan.judge("x2", MAIL, {"b": [2], "a": 1}) is PlanMatch.NOWHERE
    assert plan.judge("x3", MAIL, {"a": 2}) is PlanMatch.EXACT
    assert plan.judge("x4", MAIL, {"a": 2}) is PlanMatch.LEFT_OUT
    assert plan.judge("x5", MAIL, {"a": 2}) is PlanMatch.NOWHERE
    assert plan.unused_count == 0


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
    files = HeldSideEffect(PlanStep(FILES, "", FILES, ""), {}, "", 2)
    assert Plan([step(1, {}), files], StandIns(), [FILES]).includes_files
    assert not Plan([step(1, {}), files], StandIns(), ["c1"]).includes_files
    assert not Plan([step(1, {})], StandIns(), [FILES]).includes_files


# what a held call is answered with, and how much one plan holds


HELD_MAIL = Tool("s", "send_mail", "", {}, hash="h1", hints=Hints(destructive=True))


class Past:
    """A history of two calls."""

    def __init__(self, fault=None):
        self.fault = fault

    async def find(self, query):
        if self.fault:
            raise self.fault
        return (PastCall(2, 0.0, "s", "send_mail", '{"to": "b"}'), PastCall(1, 0.0, "s", "send_mail", '{"to": "a"}'))

    async def get(self, number):
        return PastCall(
            number, 0.0, "s", "send_mail", "", outcome=Outcome("old", True, (Content("text", str(number)),))
        )


def dry_run(history):
    return HeldSideEffects(history)


async def held(one, arguments, tool=MAIL, number=0):
    call = ToolCall(f"c{number}", tool.server, tool.name, arguments, Origin.PERSON, "person", "r1")
    return await one.hold(call, tool, arguments, Risk.HIGH, (), None)


async def test_without_a_schema_it_is_what_was_answered_before_at_best_to_the_same_arguments():
    one = dry_run(Past())
    same, other = await held(one, {"to": "a"}), await held(one, {"to": "c"}, number=1)
    assert (same.content[0].text, other.content[0].text) == ("1", "2")
    assert (same.call_id, same.held) == ("c0", True)
    assert [step.plan_step.answered for step in one.steps] == ["recorded", "recorded"]
    assert one.plan[0].reversible is False


async def test_without_a_history_it_is_an_empty_object():
    one = dry_run(Past(WorkbenchError("The history cannot be read now.")))
    assert (await held(one, {"to": "a"})).structured == "{}"
    assert one.plan[0].answered == "nothing"


async def test_a_plan_is_short_enough_to_be_read(monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    one = dry_run(Past())
    answers = [await held(one, {"to": "a"}, number=number) for number in range(3)]
    assert [answer.ok for answer in answers] == [True, True, False]
    assert (len(one.plan), one.full) == (2, True)
    big = dry_run(Past())
    assert not (await held(big, {"to": "x" * module.MOST_LETTERS})).ok


@pytest.mark.parametrize("deleted", [(), ("workspace/b",)])
def test_files_are_one_line_that_says_what_happens_to_each(deleted):
    one = dry_run(Past())
    hold_files(one, {}, ())
    assert one.plan == ()
    hold_files(one, {"workspace/a": 1200}, deleted)
    assert json.loads(one.plan[0].arguments)["workspace/a"] == "written, 1,200 bytes"
    assert (one.plan[0].risk is Risk.HIGH) is bool(deleted)


# invented answers have the shape their schema asks for, and are known again wherever they turn up


SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "mail": {"type": "string", "format": "email"},
        "count": {"type": "integer"},
        "few": {"type": "integer", "maximum": 5},
        "state": {"enum": ["sent", "failed"]},
        "when": {"type": "string", "format": "date-time"},
        "maybe": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Box"}]},
        "items": {"type": "array", "items": {"$ref": "#/$defs/Box"}},
    },
    "$defs": {"Box": {"type": "object", "properties": {"key": {"type": "string", "format": "uuid"}}}},
}


def test_each_value_has_its_type_and_is_found_again_with_its_place():
    made = StandIns()
    answer = made.invent(3, SCHEMA)
    assert (answer["id"], answer["mail"]) == ("[held-3-1-id]", "held-3-2@placeholder.invalid")
    assert (answer["few"], answer["state"], answer["when"]) == (5, "sent", "2000-01-01T00:00:00Z")
    assert made.find(f"see {answer['id']} and {answer['items'][0]['key']}") == {
        answer["id"]: (3, "id"),
        answer["items"][0]["key"]: (3, "items[0].key"),
    }
    assert made.find(f"{answer['count']}") == {str(answer["count"]): (3, "count")}
    assert dict(places(answer))["maybe.key"] == answer["maybe"]["key"]
    assert made.find("[held-9-9-id] 7399999999") == {}


def test_a_schema_that_refers_to_itself_ends():
    box = {"type": "object", "properties": {name: {"$ref": "#"} for name in "abcdef"}}
    assert len(json.dumps(StandIns().invent(1, box))) < 100_000


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["object", "string", "#/x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "properties", "items", "enum", "const", "$ref", "anyOf", "maxLength", "maximum"]),
        inner, max_size=4),
    max_leaves=20,
))  # fmt: skip
def test_no_foreign_schema_breaks_it(schema):
    json.dumps(StandIns().invent(1, schema if isinstance(schema, dict) else {"type": "object", "properties": schema}))
