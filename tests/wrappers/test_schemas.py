"""Schemas are read into shapes."""

from __future__ import annotations

import pytest

from workbench.records import JsonValue, Tool
from workbench.wrappers.schemas import read_definition, result_schema, wraps_result
from workbench.wrappers.shapes import Field, Named, Record, Scalar


def test_a_field_keeps_what_types_cannot_say() -> None:
    schema = {"properties": {"n": {"type": "integer", "minimum": 0, "description": "how many", "default": 3}}}
    (field,) = read_definition(Tool("s", "t", input_schema=schema), "t").fields
    assert field == Field("n", Scalar("int"), False, "how many", "at least 0", 3, True)


def test_a_key_that_is_required_without_being_described_is_a_field() -> None:
    definition = read_definition(Tool("s", "t", input_schema={"properties": {}, "required": ["ghost"]}), "t")
    assert [(field.key, field.required) for field in definition.fields] == [("ghost", True)]


def test_equal_nested_names_get_different_types() -> None:
    inner = {"type": "object", "properties": {"x": {}}}
    schema = {"properties": {"a": {"type": "array", "items": inner}, "a_item": inner}}
    definition = read_definition(Tool("s", "t", input_schema=schema), "t")
    assert [one.name for one in definition.given] == ["TAItem", "TAItem2"]


def test_a_definition_is_read_once_however_often_it_is_named() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/Place"}, "b": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }
    definition = read_definition(Tool("s", "t", input_schema=schema), "t")
    assert [field.shape for field in definition.fields] == [Named("Place"), Named("Place")]
    assert len(definition.given) == 1
    assert isinstance(definition.given[0], Record)


def test_a_pointer_may_hold_escaped_signs() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/x~1y~0z"}}, "$defs": {"x/y~z": {"type": "boolean"}}}
    assert read_definition(Tool("s", "t", input_schema=schema), "t").fields[0].shape == Scalar("bool")


@pytest.mark.parametrize(
    ("schema", "wraps"),
    [
        ({"properties": {"result": {"type": "string"}}}, True),
        ({"properties": {"result": {}, "more": {}}}, False),
        ({"properties": {}}, False),
        ({"type": "object"}, False),
        (None, False),
        (True, False),
    ],
)
def test_only_a_lone_result_is_unwrapped(schema: JsonValue, wraps: bool) -> None:
    assert wraps_result(schema) is wraps
    if wraps:
        assert result_schema(schema) == {"type": "string"}
