"""Schemas as they occur become the editor a person would expect."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.gui.forms.shape import Kind, shape_of


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        ({"type": "string"}, Kind.STRING, False),
        ({"type": ["string", "null"]}, Kind.STRING, True),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, Kind.INTEGER, True),
        ({"type": "string", "nullable": True}, Kind.STRING, True),
        ({"enum": [1, "a", None]}, Kind.ENUM, True),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, Kind.ENUM, False),
        ({"type": ["string", "integer"]}, Kind.CHOICE, False),
        ({"properties": {"a": {}}}, Kind.OBJECT, False),
        ({"type": "object", "additionalProperties": {"type": "number"}}, Kind.MAP, False),
        ({"items": {"type": "string"}}, Kind.ARRAY, False),
        ({"type": "array", "prefixItems": [{}]}, Kind.RAW, False),
        ({"const": 3}, Kind.CONST, False),
        (True, Kind.RAW, False),
        ({}, Kind.RAW, False),
        ({"type": 7, "enum": "no"}, Kind.RAW, False),
    ],
)
def test_a_schema_becomes_the_right_kind(schema: Any, kind: Kind, nullable: bool) -> None:
    shape = shape_of(schema, {})
    assert (shape.kind, shape.nullable) == (kind, nullable)


def test_a_branch_that_only_requires_fields_does_not_hide_them() -> None:
    schema = {"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert list(shape_of(schema, schema).properties) == ["a", "b"]


def test_a_schema_that_contains_itself_is_followed_one_level_at_a_time() -> None:
    root = {"$defs": {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}}, "$ref": "#/$defs/N"}
    shape = shape_of(root, root)
    assert shape.kind is Kind.OBJECT
    assert shape_of(shape.properties["next"], root).kind is Kind.OBJECT


def test_references_in_a_circle_end() -> None:
    root = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    assert shape_of({"$ref": "#/$defs/A"}, root).kind is Kind.RAW


def test_all_of_is_folded() -> None:
    schema = {"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {}}}]}
    shape = shape_of(schema, schema)
    assert set(shape.properties) == {"a", "b"}
    assert shape.required == {"a"}


def test_a_foreign_reference_is_not_fetched() -> None:
    assert shape_of({"$ref": "https://example.com/schema.json"}, {}).kind is Kind.RAW
