"""The check says where and what, and never hangs on a hostile schema."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.gui.forms.check import faults_of, written

LIST = {"items": {"type": "integer"}}


def check(value: Any, schema: Any) -> list[tuple[str, str]]:
    return [
        (written(path), words) for path, words in faults_of(value, schema, schema if isinstance(schema, dict) else {})
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


def test_of_several_branches_the_nearest_one_speaks() -> None:
    first = {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]}
    second = {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}
    assert check({"kind": "a", "n": "x"}, {"oneOf": [first, second]})[0][0] in ("n", "kind")


def test_required_branches_are_told_in_words() -> None:
    assert check({}, {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}) == [("", "needs a or b.")]
