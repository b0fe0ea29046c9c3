"""The check says where and what, and never hangs on a hostile schema."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.gui.forms.validation import find_faults, path_text

LIST = {"items": {"type": "integer"}}


def check(value: Any, schema: Any) -> list[tuple[str, str]]:
    return [
        (path_text(path), words)
        for path, words in find_faults(value, schema, schema if isinstance(schema, dict) else {})
    ]


@pytest.mark.parametrize(
    ("value", "schema", "path"),
    [
        ({}, {"required": ["a"]}, "a"),
        (
            {"a": {"b": [1, "x"]}},
            {"properties": {"a": {"properties": {"b": {"items": {"type": "integer"}}}}}},
            "a.b[1]",
        ),
        ({"z": 1}, {"properties": {}, "additionalProperties": False}, "z"),
        ({"n": True}, {"properties": {"n": {"type": "integer"}}}, "n"),
        ({"d": "yesterday"}, {"properties": {"d": {"type": "string", "format": "date"}}}, "d"),
        ({"e": 4}, {"properties": {"e": {"enum": [1, 2]}}}, "e"),
    ],
)
def test_a_fault_names_its_path(value: Any, schema: Any, path: str) -> None:
    assert [where for where, _ in check(value, schema)] == [path]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (1.0, {"type": "integer"}),
        (None, {"type": ["string", "null"]}),
        ("x", {"pattern": "("}),
        (3, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"a": 1}, True),
        (0.3, {"multipleOf": 0.1}),
    ],
)
def test_what_fits_or_is_not_understood_passes(value: Any, schema: Any) -> None:
    assert check(value, schema) == []


def test_a_pattern_that_could_hang_the_window_is_not_tried() -> None:
    assert check("a" * 60 + "!", {"pattern": "^(a+)+$"}) == []
    assert check("a" * 60 + "!", {"pattern": "^(a|aa)*$"}) == []


def test_a_recursive_schema_is_followed_as_deep_as_the_value() -> None:
    schema = {"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}}
    assert check({"next": {"next": {"n": "x"}}}, schema) == [("next.next.n", "must be a whole number.")]


def test_of_several_branches_the_nearest_one_is_reported() -> None:
    first = {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]}
    second = {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}
    assert check({"kind": "a", "n": "x"}, {"oneOf": [first, second]})[0][0] in ("n", "kind")


def test_required_branches_are_named() -> None:
    assert check({}, {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}) == [("", "needs a or b.")]


@pytest.mark.parametrize(
    ("value", "schema", "fault"),
    [
        ([{}, {"n": -1}], {"items": {"properties": {"n": {"minimum": 0}}}}, ("[1].n", "must be at least 0.")),
        ({"a": 1}, {"dependentRequired": {"a": ["b"]}}, ("b", "is required.")),
        ({"x_1": "t"}, {"patternProperties": {"^x_": {"type": "number"}}}, ("x_1", "must be a number.")),
        ({"Up": 1}, {"propertyNames": {"pattern": "^[a-z]$"}}, ("Up", "is not a valid name: it must match ^[a-z]$")),
        ({"a": 1}, {"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}}, ("b", "is required.")),
        ([1, "x"], {"prefixItems": [{}, {"type": "integer"}]}, ("[1]", "must be a whole number.")),
        ([1, 2, 3], {"prefixItems": [{}, {}], "items": False}, ("[2]", "is not allowed here.")),
        ([1], {"contains": {"type": "string"}}, ("", "contains no item of the required kind.")),
        (5, {"not": {"const": 5}}, ("", "is a value that the schema excludes.")),
        (5, {"minimum": 5, "exclusiveMinimum": True}, ("", "must be more than 5.")),
        (2**63, {"maximum": 2**63 - 1}, ("", "must be at most 9223372036854775807.")),
        (10**400 + 1, {"multipleOf": 2}, ("", "must be a multiple of 2.")),
        ("12:00", {"format": "uuid"}, ("", "must be a UUID such as 123e4567-e89b-12d3-a456-426614174000.")),
        ("25:00", {"format": "time"}, ("", "must be a time such as 09:00:00Z.")),
        ("2026-02-30", {"format": "date"}, ("", "must be a date such as 2026-01-31.")),
        ("a b", {"contentEncoding": "base64"}, ("", "must be base64.")),
        ({"a": 1, "b": 2}, {"maxProperties": 1}, ("", "must have at most 1 entry.")),
    ],
)  # fmt: skip
def test_a_keyword_is_understood_and_its_fault_is_a_sentence(value: Any, schema: Any, fault: tuple[str, str]) -> None:
    assert check(value, schema) == [fault]


def test_all_parts_of_an_all_of_count_also_where_both_choose() -> None:
    schema = {"allOf": [{"anyOf": [{"required": ["a"]}]}, {"anyOf": [{"required": ["b"]}]}]}
    assert check({}, schema) == [("", "needs a."), ("", "needs b.")]


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_a_schema_that_multiplies_without_end_is_given_up(keyword: str) -> None:
    assert len(check({"a": 1}, {keyword: [{"$ref": "#"}, {"$ref": "#"}], "required": ["b"]})) <= 1


def test_a_value_nested_beyond_all_measure_is_left_to_the_server() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    assert check(value, {"const": value[0]}) == []
