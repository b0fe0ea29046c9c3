"""Each expectation holds where it should, and says in a sentence where it does not."""

from __future__ import annotations

import json

import pytest

from workbench.recordings import regex_subprocess
from workbench.recordings.expectations import check_expectations, same
from workbench.records import Content, Expect, Expectation, Fault, Outcome, SavedCall

ANSWER = {
    "orders": [{"id": "ORD-1", "price": 3.0, "open": True}, {"id": "ORD-2", "price": 4, "open": False}],
    "total": 2,
}
GOOD = Outcome("c", True, (Content("text", "Found 2 orders"),), json.dumps(ANSWER), ms=40)
BAD = Outcome("c", False, (Content("text", "No such order"),), fault=Fault("No such order"), tool_error=True)


def marks(outcome: Outcome, *expectations: Expectation, kept=None, has_schema=True):
    return check_expectations(
        SavedCall("", "a", "s", "t", expectations=expectations, kept=kept), outcome, has_schema=has_schema
    )


def mark(outcome: Outcome, kind: Expect, value=True, path="", **more):
    return marks(outcome, Expectation(kind, value, path), **more)[-1]


@pytest.mark.parametrize(
    ("kind", "value", "path", "holds"),
    [
        (Expect.OK, True, "", True),
        (Expect.ERROR, "", "", False),
        (Expect.EQUALS, 2, "total", True),
        (Expect.EQUALS, 2.0, "total", True),
        (Expect.EQUALS, "2", "total", False),
        (Expect.EQUALS, 1, "orders[0].open", False),
        (Expect.EQUALS, True, "orders[0].open", True),
        (Expect.EQUALS, 2, "nowhere", False),
        (Expect.EXISTS, True, "orders[1].id", True),
        (Expect.EXISTS, False, "orders[2]", True),
        (Expect.EXISTS, True, "orders[2]", False),
        (Expect.MATCHES, "^ORD-[0-9]$", "orders[*].id", True),
        (Expect.MATCHES, "^ORD-1$", "orders[*].id", False),
        (Expect.MATCHES, "x", "nowhere", False),
        (Expect.TYPE, "number", "orders[*].price", True),
        (Expect.TYPE, "integer", "orders[*].price", True),
        (Expect.TYPE, "boolean", "orders[*].open", True),
        (Expect.TYPE, "integer", "orders[0].open", False),
        (Expect.TYPE, "array", "orders", True),
        (Expect.TYPE, "null", "nowhere", False),
        (Expect.COUNT, 2, "orders", True),
        (Expect.COUNT, 3, "orders", False),
        (Expect.COUNT, 2, "orders[*].id", True),
        (Expect.COUNT, 0, "nowhere", True),
        (Expect.TEXT, "2 orders", "", True),
        (Expect.TEXT, "3 orders", "", False),
        (Expect.SCHEMA, True, "", True),
        (Expect.UNDER_MS, 100, "", True),
        (Expect.UNDER_MS, 10, "", False),
    ],
)
def test_an_expectation_holds_or_says_why_not(kind, value, path, holds):
    one = mark(GOOD, kind, value, path)
    assert one.holds is holds
    assert one.words


def test_errors_are_expected_by_a_part_of_their_message():
    assert mark(BAD, Expect.ERROR, "no such").holds
    assert mark(BAD, Expect.ERROR, "").holds
    assert not mark(BAD, Expect.ERROR, "other").holds
    assert not mark(BAD, Expect.OK).holds


def test_without_a_word_about_it_the_call_must_go_well():
    assert [one.holds for one in marks(BAD)] == [False]
    assert [one.holds for one in marks(GOOD)] == [True]
    assert [one.expectation.kind for one in marks(GOOD, Expectation(Expect.TEXT, "2"))] == [Expect.OK, Expect.TEXT]


def test_the_kept_answer_is_compared_apart_from_what_is_ignored():
    kept = json.loads(json.dumps(ANSWER))
    kept["orders"][0]["id"] = "ORD-9"
    kept["orders"][1]["gone"] = 1
    ignoring = Expectation(Expect.KEPT, ignore=("orders[*].id", "orders[1].gone"))
    assert marks(GOOD, ignoring, kept=kept)[-1].holds
    one = mark(GOOD, Expect.KEPT, kept=kept)
    assert not one.holds
    assert "orders[0].id (places that differ: 2)" in one.words
    assert (json.loads(one.expected), json.loads(one.got)) == (kept, ANSWER)
    assert not mark(GOOD, Expect.KEPT).holds


def test_a_list_of_another_length_differs():
    assert not mark(GOOD, Expect.KEPT, kept={**ANSWER, "orders": ANSWER["orders"][:1]}).holds


def test_paths_lead_into_text_that_is_json_and_text_that_is_not_is_the_value():
    assert mark(Outcome("c", True, (Content("text", '{"a": [1]}'),)), Expect.EQUALS, 1, "a[0]").holds
    assert mark(Outcome("c", True, (Content("text", "plain"),)), Expect.EQUALS, "plain").holds


def test_a_schema_that_is_not_kept_or_not_there_is_a_failure():
    departed = Outcome("c", True, structured="{}", schema_fault="At total: missing.")
    assert not mark(departed, Expect.SCHEMA).holds
    assert mark(GOOD, Expect.SCHEMA, has_schema=False).words == "The tool has no output schema."


def test_a_regular_expression_without_end_ends(monkeypatch):
    monkeypatch.setattr(regex_subprocess, "SECONDS", 0.5)
    one = mark(Outcome("c", True, (Content("text", "a" * 40 + "b"),)), Expect.MATCHES, "^(a+)+$")
    assert not one.holds
    assert "took longer" in one.words


def test_what_is_no_regular_expression_says_so():
    assert "not a regular expression" in mark(GOOD, Expect.MATCHES, "(", "orders[0].id").words


@pytest.mark.parametrize(
    ("one", "other", "equal"), [(1, 1.0, True), (1, True, False), ("1", 1, False), ([], {}, False)]
)
def test_equal_means_equal_as_json(one, other, equal):
    assert same(one, other) is equal
