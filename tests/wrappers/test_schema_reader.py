"""Schemas are read into shapes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records import JsonValue, Tool
from workbench.wrappers.generated_comments import TOO_LARGE
from workbench.wrappers.python_source import signature, wrapper_and_stub
from workbench.wrappers.schema_reader import read_definition, result_schema, wraps_result
from workbench.wrappers.type_shapes import AnyShape, NamedShape, RecordField, RecordShape, ScalarShape
from workbench.wrappers.typescript_source import typescript_source


def test_a_field_keeps_what_types_cannot_say() -> None:
    schema = {"properties": {"n": {"type": "integer", "minimum": 0, "description": "how many", "default": 3}}}
    (field,) = read_definition(Tool("s", "t", input_schema=schema), "t").fields
    assert field == RecordField("n", ScalarShape("int"), False, "how many", "at least 0", 3, True)


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
    assert [field.shape for field in definition.fields] == [NamedShape("Place"), NamedShape("Place")]
    assert len(definition.given) == 1
    assert isinstance(definition.given[0], RecordShape)


def test_a_pointer_may_hold_escaped_signs() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/x~1y~0z"}}, "$defs": {"x/y~z": {"type": "boolean"}}}
    assert read_definition(Tool("s", "t", input_schema=schema), "t").fields[0].shape == ScalarShape("bool")


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


def _doubling(word: str, steps: int) -> dict[str, JsonValue]:
    parts: dict[str, JsonValue] = {f"d{at}": {word: [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(steps)}
    return {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**parts, f"d{steps}": {"type": "string"}}}


def _inside(steps: int, outer: Callable[[JsonValue], JsonValue]) -> dict[str, JsonValue]:
    schema: JsonValue = {"type": "string"}
    for _ in range(steps):
        schema = outer(schema)
    return {"properties": {"a": schema}}


def _places(steps: int, number: int) -> dict[str, JsonValue]:
    parts: dict[str, JsonValue] = {
        f"d{at}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/d{at + 1}"}] * number} for at in range(steps)
    }
    return {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**parts, f"d{steps}": {"type": "string"}}}


def _fields(steps: int, number: int) -> dict[str, JsonValue]:
    parts: dict[str, JsonValue] = {
        f"d{at}": {"type": "object", "properties": {f"p{n}": {"$ref": f"#/$defs/d{at + 1}"} for n in range(number)}}
        for at in range(steps)
    }
    return {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**parts, f"d{steps}": {"type": "string"}}}


HOSTILE: dict[str, dict[str, JsonValue]] = {
    "allOf that doubles": _doubling("allOf", 30),
    "allOf at the root": {**_doubling("allOf", 30), "allOf": [{"$ref": "#/$defs/d0"}]},
    "anyOf that doubles": _doubling("anyOf", 30),
    "lists with one place each": _inside(24, lambda inner: {"type": "array", "prefixItems": [inner]}),
    "lists with ten places each": _places(12, 10),
    "lists inside lists": _inside(24, lambda inner: {"type": "array", "items": inner}),
    "records of 300 keys in each other": _fields(3, 300),
    "4,000 records of one name": {
        "properties": {"a": {"anyOf": [{"type": "object", "properties": {f"p{n}": {}}} for n in range(4_000)]}}
    },
    "2,000 keys times 2,000 choices": {
        "properties": {f"p{n}": {"type": "string"} for n in range(2_000)},
        "anyOf": [{"properties": {f"q{n}": {}}, "required": [f"q{n}"]} for n in range(2_000)],
    },
    "100,000 values": {"properties": {"a": {"enum": [f"v{n}" for n in range(100_000)]}}},
}


@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE)
def test_a_small_schema_never_becomes_a_giant(schema: dict[str, JsonValue]) -> None:
    """What is written stays in proportion to what was sent; the writing of each would not end otherwise."""
    tool = Tool("s", "t", input_schema=schema, output_schema=schema)
    sent = len(json.dumps(schema))
    source, stub = wrapper_and_stub(tool, "t")
    written = (source, stub, signature(tool, "t"), typescript_source(tool, "t", "now"))
    assert max(map(len, written)) < 20_000 + 20 * sent
    compile(source, "t", "exec")


def test_a_schema_of_doubling_parts_takes_anything_and_says_so() -> None:
    tool = Tool("s", "t", input_schema=HOSTILE["allOf at the root"])
    definition = read_definition(tool, "t")
    assert (definition.fields, definition.more, definition.too_large) == ((), AnyShape(), True)
    assert TOO_LARGE in wrapper_and_stub(tool, "t")[0]
    assert TOO_LARGE in signature(tool, "t")


@given(
    st.recursive(
        st.sampled_from([{"type": "string"}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}, True]),
        lambda inner: st.one_of(
            st.builds(lambda word, parts: {word: parts}, st.sampled_from(["allOf", "anyOf", "oneOf"]), st.lists(inner)),
            st.builds(lambda places: {"type": "array", "prefixItems": places}, st.lists(inner)),
            st.builds(lambda keys: {"type": "object", "properties": keys}, st.dictionaries(st.text(max_size=3), inner)),
        ),
        max_leaves=12,
    ).flatmap(
        lambda one: st.builds(
            lambda a, b: {"properties": {"x": a}, "$defs": {"a": a, "b": b}},
            st.just(one),
            st.just({"allOf": [one, one]}),
        )
    )
)
def test_any_schema_is_written_with_bounded_work(schema: dict[str, JsonValue]) -> None:
    source, stub = wrapper_and_stub(Tool("s", "t", input_schema=schema, output_schema=schema), "t")
    assert len(source) + len(stub) < 2_000_000
    compile(source, "t", "exec")
