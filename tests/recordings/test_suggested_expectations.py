"""What is expected of an answer that was just got holds for that answer, and not for a broken one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.calls.saved_call_format import read, write
from workbench.errors import WorkbenchError
from workbench.recordings.expectations import check_expectations
from workbench.recordings.suggested_expectations import keep_answer, suggest_expectations
from workbench.records import Content, Expect, Fault, Outcome, SavedCall


def structured(value) -> Outcome:
    return Outcome("c", True, structured=json.dumps(value))


def held(expectations, outcome, kept=None) -> bool:
    call = SavedCall("", "a", "s", "t", expectations=tuple(expectations), kept=kept)
    return all(mark.holds for mark in check_expectations(read(write(call), "", "a", "f"), outcome, has_schema=True))


def test_each_key_of_an_answer_is_expected_by_its_type():
    value = {"orders": [{"id": 1}], "total": 2, "name": "x", "open": True, "more": {}, "next": None, "none": []}
    found = suggest_expectations(structured(value), has_schema=True)
    assert {(one.kind, one.path, one.value) for one in found} == {
        (Expect.OK, "", True), (Expect.SCHEMA, "", True), (Expect.COUNT, "orders", 1), (Expect.TYPE, "total", "number"),
        (Expect.TYPE, "name", "string"), (Expect.TYPE, "open", "boolean"), (Expect.TYPE, "more", "object"),
        (Expect.EXISTS, "next", True), (Expect.TYPE, "none", "array"),
    }  # fmt: skip
    assert held(found, structured({**value, "total": 9, "orders": [{"id": 5}, {"id": 6}]}))
    assert not held(found, structured({**value, "total": "9"}))
    assert not held(found, structured({**value, "orders": []}))


def test_of_a_text_the_part_without_numbers_is_expected():
    outcome = Outcome("c", True, (Content("text", "Created ticket 4711 for the customer\nmore"),))
    found = suggest_expectations(outcome, has_schema=False)
    assert [(one.kind, one.value) for one in found][-1] == (Expect.TEXT, "for the customer")
    assert held(found, Outcome("c", True, (Content("text", "Created ticket 4712 for the customer"),)))


def test_of_an_error_its_words_are_expected():
    outcome = Outcome("c", False, fault=Fault("Order 17 was not found."), tool_error=True)
    (one,) = suggest_expectations(outcome, has_schema=True)
    assert (one.kind, one.value) == (Expect.ERROR, "was not found.")


def test_a_kept_answer_ignores_what_changes_with_time():
    value = {
        "items": [{"id": "0b9f0b1e-7a51-4a35-9e39-1c2f3d4e5f60", "name": "a"}, {"created_at": 17, "name": "b"}],
        "date": "x",
        "when": "2026-01-02T03:04:05Z",
        "hash": "deadbeefdeadbeef00",
    }
    kept, one = keep_answer(structured(value))
    assert kept == value
    assert set(one.ignore) == {"items[*].id", "items[*].created_at", "date", "when", "hash"}
    later = json.loads(json.dumps(value).replace("0b9f", "1c9f").replace("03:04", "05:06"))
    assert held([one], structured(later), kept)
    later["items"][0]["name"] = "c"
    assert not held([one], structured(later), kept)


def test_an_answer_too_large_for_a_file_is_a_sentence():
    with pytest.raises(WorkbenchError, match="too long for a file"):
        keep_answer(structured(["x" * 300_000]))


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) |
                    st.dictionaries(st.text(), inner), max_leaves=8)  # fmt: skip


@given(JSON)
def test_what_was_got_is_what_is_expected(value):
    outcome = structured(value)
    assert held(suggest_expectations(outcome, has_schema=True), outcome)
    kept, one = keep_answer(outcome)
    assert kept is None or held([one], outcome, kept)
