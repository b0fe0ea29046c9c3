"""Schemas as they occur become the expected editors."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.gui.forms.schema_shapes import Kind, shape_of


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
        ({"type": "array", "prefixItems": [{}]}, Kind.ARRAY, False),
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


def test_titles_of_choices_are_kept() -> None:
    schema = {"oneOf": [{"const": 1, "title": "Low"}, {"const": 2, "description": "High"}, {"const": 3}]}
    assert shape_of(schema, {}).labels == ("Low", "High", "")
    assert shape_of({"enum": ["a", None], "enumNames": ["A", "none"]}, {}).labels == ("A",)
    assert shape_of({"enum": [1, 2], "enumNames": ["one"]}, {}).labels == ()


def test_a_tuple_has_places_in_both_spellings() -> None:
    new = shape_of({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, {})
    old = shape_of({"type": "array", "items": [{"type": "string"}], "additionalItems": False}, {})
    assert new.heads == old.heads == ({"type": "string"},)
    assert new.items is old.items is False


def test_names_that_only_a_condition_mentions_get_a_field() -> None:
    schema = {
        "properties": {"kind": {}},
        "then": {"properties": {"size": {"type": "integer"}}},
        "dependentSchemas": {"kind": {"properties": {"more": {}}}},
    }
    assert list(shape_of(schema, schema).properties) == ["kind", "size", "more"]


def test_two_halves_of_one_property_are_joined() -> None:
    schema = {"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"maxLength": 3}}}]}
    assert shape_of(schema, schema).properties["a"] == {"type": "string", "maxLength": 3}
