"""Values as a program writes them, and the shapes they may be of."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from workbench.analysis.literal_values import UNSURE, fits_shape, literal_value
from workbench.wrappers.shapes import (
    Alias,
    Anything,
    Choice,
    Field,
    Listing,
    Named,
    Nothing,
    Record,
    Row,
    Scalar,
    Shape,
    Table,
    Union,
)

TEXT, WHOLE, NUMBER = Scalar("str"), Scalar("int"), Scalar("float")
NAMED = {
    "Point": Record("Point", (Field("x", WHOLE, True), Field("y", WHOLE, False))),
    "Tree": Alias("Tree", Union((TEXT, Listing(Named("Tree"))))),
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
        (None, Scalar("None")),
        (1.0, Choice((1,))),
        ([], Listing(TEXT)),
        (["a", UNSURE], Listing(TEXT)),
        (["a"], Row((TEXT, WHOLE))),
        (["a", 1, object], Row((TEXT, WHOLE))),
        ({"k": 1}, Table(WHOLE)),
        ("a", Union((WHOLE, TEXT))),
        ({"x": 1, "more": 2}, Named("Point")),
        ([["a"], "b"], Named("Tree")),
        (object, Anything()),
        (object, Named("Unheard")),
        (UNSURE, Nothing()),
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
        (True, Choice((1,))),
        (1, Choice((True,))),
        ("a", Listing(TEXT)),
        (["a", 1], Listing(TEXT)),
        ([1], Row((TEXT,))),
        (["a", "b"], Row((TEXT,), WHOLE)),
        ({"k": "v"}, Table(WHOLE)),
        (None, Union((WHOLE, TEXT))),
        ({"y": 1}, Named("Point")),
        ({"x": "a"}, Named("Point")),
        ([[1]], Named("Tree")),
        (0, Nothing()),
    ],
)
def test_a_value_does_not_fit(value: Any, shape: Shape) -> None:
    assert not fits_shape(value, shape, NAMED)
