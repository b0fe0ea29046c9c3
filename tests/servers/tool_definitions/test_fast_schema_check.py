"""The quick look at an answer agrees with the real validator whenever it says anything."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types

from workbench.servers.tool_definitions.schema_validation import surely_fits

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
