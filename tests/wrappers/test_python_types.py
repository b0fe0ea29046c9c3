"""Shapes and values are written as Python."""

from __future__ import annotations

import ast

import pytest

from workbench.records import JsonValue
from workbench.wrappers.python_types import PythonTypeWriter, literal
from workbench.wrappers.type_shapes import RecordField, RecordShape, ScalarShape, TupleShape

TEXT = ScalarShape("str")


def declared(*keys: str) -> str:
    record = RecordShape("Thing", tuple(RecordField(key, TEXT, True) for key in keys))
    return ast.unparse(ast.fix_missing_locations(PythonTypeWriter("typing", [record], given=True).declare(record)))


def test_identifiers_become_a_class() -> None:
    assert declared("id", "type") == "class Thing(typing.TypedDict):\n    id: str\n    type: str"


@pytest.mark.parametrize("key", ["a b", "class", "__private", "str", "typing", "Thing", "größe", ""])
def test_keys_that_a_class_body_would_change_or_hide_take_the_other_form(key: str) -> None:
    assert declared(key) == f"Thing = typing.TypedDict('Thing', {{{key!r}: 'str'}})"


def test_a_row_may_be_given_as_a_tuple_and_comes_back_as_a_list() -> None:
    row = TupleShape((TEXT, ScalarShape("int")))
    assert ast.unparse(PythonTypeWriter("typing", [], given=True).write(row)) == "tuple[str, int] | list[str | int]"
    assert ast.unparse(PythonTypeWriter("typing", [], given=False).write(row)) == "list[str | int]"


@pytest.mark.parametrize("value", [{"a": [1, 2.5, None, True, "x\n\"'\\"]}, [], {}, -1, float("inf"), "\ud800"])
def test_a_value_is_written_as_the_expression_that_makes_it(value: JsonValue) -> None:
    assert eval(ast.unparse(literal(value))) == value
