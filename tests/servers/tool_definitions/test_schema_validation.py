"""Validating an answer against an untrusted schema finds deviations, and cannot be abused to use up time or memory."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types

from workbench.records import Tool
from workbench.servers.tool_definitions.schema_validation import find_departure, surely_fits


def check(schema: object, value: object) -> str:
    return find_departure(Tool("one", "tool", output_schema=schema, hash=repr(schema)), value)


def test_a_departure_is_told_with_its_place() -> None:
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "integer"}}}}
    assert check(schema, {"rows": [1, 2]}) == ""
    assert check(schema, {"rows": [1, "x"]}).startswith("At rows.1: 'x' is not of type 'integer'")


def test_references_inside_the_schema_work() -> None:
    schema = {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}}}}
    assert check(schema, {"n": {"n": {}}}) == ""
    assert check(schema, {"n": {"n": 7}}).startswith("At n.n:")


def test_nothing_is_fetched_from_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[object] = []
    monkeypatch.setattr("urllib.request.urlopen", fetched.append)
    assert "cannot be used" in check({"$ref": "http://127.0.0.1:1/schema.json"}, {})
    assert fetched == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 40 + "!"}),
        ({"$ref": "#"}, {}),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, {}),
        (
            {
                "$ref": "#/$defs/l0",
                "$defs": {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}] * 4} for n in range(30)} | {"l30": {}},
            },
            {},
        ),
        ({"properties": {"a": {"uniqueItems": True}}}, {"a": [{"n": [n]} for n in range(20_000)]}),
        ({"properties": {"a": {"items": {"allOf": [{"type": "object"}] * 50}}}}, {"a": [{}] * 100_000}),
    ],
)
def test_hostile_schemas_end_without_a_finding(schema: object, value: object) -> None:
    assert check(schema, value) == ""  # an unbounded validation would not return


@pytest.mark.parametrize("schema", [{"type": 7}, {"properties": 7}, {"required": 7}, {"minimum": "x"}, {"items": 7}])
def test_a_broken_schema_never_raises(schema: object) -> None:
    for value in ({}, [], 7, "x", {"items": [1]}):
        assert isinstance(check(schema, value), str)


names = st.sampled_from(["a", "b", "c"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.just(1.0) | st.sampled_from(["a", "b", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
kinds = st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"])


def described(inner: Any) -> Any:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
            "properties": st.dictionaries(names, inner, max_size=3),
            "required": st.lists(names, max_size=2, unique=True),
            "additionalProperties": inner,
            "items": inner,
            "enum": st.lists(values, min_size=1, max_size=3),
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "minimum": st.integers(0, 2),
            "not": inner,
            "title": st.just("t"),
        },
    )


schemas = st.recursive(st.booleans() | st.just({}), described, max_leaves=6)


@settings(max_examples=300)
@given(schemas, values)
def test_what_surely_fits_fits(schema: Any, value: Any) -> None:
    if surely_fits(schema, value):
        assert Draft202012Validator(schema).is_valid(value)


def test_plain_answers_are_known_to_fit() -> None:
    order = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "lines": {"type": "array", "items": {"type": "number"}}},
        "required": ["id"],
        "additionalProperties": False,
    }
    assert surely_fits(order, {"id": "1", "lines": [1, 2.5]})
    assert not surely_fits(order, {"id": 1})
    assert not surely_fits(order, {"id": "1", "more": 1})


@pytest.mark.parametrize(
    "schema", [{"$ref": "#"}, {"properties": 7}, {"required": 7}, {"anyOf": None}, {"type": 7}, 7, None]
)
def test_an_odd_schema_is_left_to_the_validator(schema: Any) -> None:
    assert not surely_fits(schema, {"a": 1})
