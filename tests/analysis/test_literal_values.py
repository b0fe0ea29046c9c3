"""Values as a program writes them, and the shapes they may be of."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from workbench.analysis.literal_values import UNSURE, fits_shape, literal_value
from workbench.wrappers.type_shapes import (
    AliasShape,
    AnyShape,
    ChoiceShape,
    ListShape,
    MapShape,
    NamedShape,
    NothingShape,
    RecordField,
    RecordShape,
    ScalarShape,
    Shape,
    TupleShape,
    UnionShape,
)

TEXT, WHOLE, NUMBER = ScalarShape("str"), ScalarShape("int"), ScalarShape("float")
NAMED = {
    "Point": RecordShape("Point", (RecordField("x", WHOLE, True), RecordField("y", WHOLE, False))),
    "Tree": AliasShape("Tree", UnionShape((TEXT, ListShape(NamedShape("Tree"))))),
}


def written(text: str) -> Any:
    return literal_value(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize("text", ["'a'", "1", "-1.5", "True", "None", "[1, ['a']]", "{'a': {'b': [None]}}"])
def test_what_is_written_out_is_known(text: str) -> None:
    assert written(text) == ast.literal_eval(text)


def test_a_tuple_is_sent_as_a_list() -> None:
    assert written("(1, 'a')") == [1, "a"]


@pytest.mark.parametrize(
    "text", ["name", "f'{x}'", "1 + 1", "[*a]", "{**a}", "{1: 2}", "b'a'", "...", "'a [EMAIL_1.k7q2]'"]
)
def test_what_is_not_written_out_is_unsure(text: str) -> None:
    assert written(text) is UNSURE


def test_what_is_unsure_inside_leaves_the_rest_known() -> None:
    assert written("{'a': name, 'b': [1, f()]}") == {"a": UNSURE, "b": [1, UNSURE]}


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("a", TEXT),
        (1, WHOLE),
        (1.0, WHOLE),
        (1, NUMBER),
        (None, ScalarShape("None")),
        (1.0, ChoiceShape((1,))),
        ([], ListShape(TEXT)),
        (["a", UNSURE], ListShape(TEXT)),
        (["a"], TupleShape((TEXT, WHOLE))),
        (["a", 1, object], TupleShape((TEXT, WHOLE))),
        ({"k": 1}, MapShape(WHOLE)),
        ("a", UnionShape((WHOLE, TEXT))),
        ({"x": 1, "more": 2}, NamedShape("Point")),
        ([["a"], "b"], NamedShape("Tree")),
        (object, AnyShape()),
        (object, NamedShape("Unheard")),
        (UNSURE, NothingShape()),
    ],
)
def test_a_value_fits(value: Any, shape: Shape) -> None:
    assert fits_shape(value, shape, NAMED)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (1, TEXT),
        (True, WHOLE),
        (1.5, WHOLE),
        (True, NUMBER),
        (True, ChoiceShape((1,))),
        (1, ChoiceShape((True,))),
        ("a", ListShape(TEXT)),
        (["a", 1], ListShape(TEXT)),
        ([1], TupleShape((TEXT,))),
        (["a", "b"], TupleShape((TEXT,), WHOLE)),
        ({"k": "v"}, MapShape(WHOLE)),
        (None, UnionShape((WHOLE, TEXT))),
        ({"y": 1}, NamedShape("Point")),
        ({"x": "a"}, NamedShape("Point")),
        ([[1]], NamedShape("Tree")),
        (0, NothingShape()),
    ],
)
def test_a_value_does_not_fit(value: Any, shape: Shape) -> None:
    assert not fits_shape(value, shape, NAMED)
