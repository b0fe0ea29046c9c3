"""Whatever schema comes and whatever value fits it: form → JSON → form gives the value back, letter by letter."""

from __future__ import annotations

from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.json_text import ExactNumber, dump

Pair: TypeAlias = tuple[Any, Any]
"""A schema and a value that fits it."""

NAMES = st.sampled_from(["a", "b", "x-y", "from", "", "ü", "$ref", "a b", "token", "file_path", "body"])
NUMBERS = (
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(["1e5", "0.10"]).map(ExactNumber)
)
PLAIN: st.SearchStrategy[Pair] = st.one_of(
    st.text().map(lambda text: ({"type": "string"}, text)),
    st.integers().map(lambda number: ({"type": "integer"}, number)),
    NUMBERS.map(lambda number: ({"type": "number"}, number)),
    st.booleans().map(lambda word: ({"type": "boolean"}, word)),
    st.dates().map(lambda date: ({"type": "string", "format": "date"}, date.isoformat())),
    st.binary(max_size=9).map(lambda data: ({"type": "string", "contentEncoding": "base64"}, data.hex() + "==")),
    st.just(({"type": ["string", "null"]}, None)),
    st.just(({"const": {"k": [1]}}, {"k": [1]})),
    st.sampled_from(["p", "q"]).map(lambda word: ({"oneOf": [{"const": "p", "title": "P"}, {"const": "q"}]}, word)),
    st.just((True, {"any": [None, {"thing": 1.5}]})),
)  # fmt: skip


def list_of(pairs: list[Pair]) -> Pair:
    schemas = [schema for schema, _ in pairs]
    return {"type": "array", "items": {"anyOf": schemas} if schemas else True}, [value for _, value in pairs]


def tuple_of(pairs: list[Pair]) -> Pair:
    return {"type": "array", "prefixItems": [schema for schema, _ in pairs]}, [value for _, value in pairs]


def object_of(pairs: dict[str, Pair]) -> Pair:
    required = [name for name in pairs if len(name) == 1]
    properties = {name: schema for name, (schema, _) in sorted(pairs.items())}
    value = {name: value for name, (_, value) in pairs.items()}
    return {"type": "object", "properties": properties, "required": required}, value


def map_of(pairs: dict[str, Pair]) -> Pair:
    extra = {"anyOf": [schema for schema, _ in pairs.values()]} if pairs else True
    return {"type": "object", "additionalProperties": extra}, {name: value for name, (_, value) in pairs.items()}


PAIRS = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(list_of),
        st.lists(inner, max_size=3).map(tuple_of),
        st.dictionaries(NAMES, inner, max_size=3).map(object_of),
        st.dictionaries(NAMES, inner, max_size=3).map(map_of),
        inner.map(lambda pair: ({"anyOf": [{"type": "null"}, pair[0]]}, pair[1])),
        inner.map(lambda pair: ({"allOf": [pair[0], {"description": "More."}]}, pair[1])),
    ),
    max_leaves=6,
)
OBJECTS = st.dictionaries(NAMES, PAIRS, max_size=4).map(object_of)


@pytest.fixture(scope="module")
def theme_of_all(qapp: Any) -> Any:
    from workbench.gui.kit.theme import Theme

    return Theme("dark")


@settings(max_examples=50, deadline=None)
@given(OBJECTS)
def test_what_is_set_comes_back_letter_by_letter(theme_of_all: Any, qtbot: Any, pair: Pair) -> None:
    schema, value = pair
    form = SchemaForm(theme_of_all)
    try:
        form.set_schema(schema)
        form.set_value(value)
        assert dump(form.value()) == dump(value)
        form.show_json(True)
        assert dump(form.value()) == dump(value)
        form.show_json(False)
        assert dump(form.value()) == dump(value)
    finally:
        form.close()
        form.deleteLater()
