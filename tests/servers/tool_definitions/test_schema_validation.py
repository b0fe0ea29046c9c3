"""Checking an answer against a foreign schema must find departures and must never be a weapon."""

from __future__ import annotations

import pytest

from workbench.records import Tool
from workbench.servers.tool_definitions.schema_validation import find_departure


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
    assert check(schema, value) == ""  # a check without bounds would never come back here


@pytest.mark.parametrize("schema", [{"type": 7}, {"properties": 7}, {"required": 7}, {"minimum": "x"}, {"items": 7}])
def test_a_broken_schema_never_raises(schema: object) -> None:
    for value in ({}, [], 7, "x", {"items": [1]}):
        assert isinstance(check(schema, value), str)
