"""Evaluates literal expressions of a program as JSON values, and checks such values against a tool's schema.

A value may be known in part: `{"title": name}` has a certain key and a value that is known only at run time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from workbench.records import JsonValue
from workbench.wrappers.type_shapes import (
    AliasShape,
    ChoiceShape,
    ListShape,
    MapShape,
    NamedShape,
    NothingShape,
    RecordShape,
    ScalarShape,
    Shape,
    TupleShape,
    UnionShape,
)


class _Unsure:
    """Type of UNSURE, a value that the program text does not determine."""


UNSURE = _Unsure()

Written = Callable[[ast.expr | None], ast.expr | None]

_TOKEN = re.compile(r"_\d+\.[0-9a-z]{4}", re.IGNORECASE)  # a PII token, which may represent a number
_DEEPEST = 40
_TRUTHS = frozenset(("true", "false", "yes", "no", "on", "off", "0", "1", "t", "f", "y", "n"))


def _as_it_is(node: ast.expr | None) -> ast.expr | None:
    return node


def literal_value(node: ast.expr | None, written: Written = _as_it_is, depth: int = 0) -> JsonValue:
    """Return the JSON value of a literal expression. Unknown parts are UNSURE, also inside containers.

    `written` returns the expression that a name always refers to. A named list or dict may be changed, so its value is
    not certain."""
    named, node = node, written(node)
    if node is not named and not isinstance(node, ast.Constant | ast.UnaryOp):
        return UNSURE
    match node:
        case ast.Constant(str(value)):
            return UNSURE if _TOKEN.search(value) else value
        case ast.Constant(None | bool() | int() | float() as value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)) if not isinstance(value, bool):
            return -value
        case ast.List(parts) | ast.Tuple(parts) if depth < _DEEPEST and not _has_star(parts):
            return [literal_value(part, written, depth + 1) for part in parts]
        case ast.Dict(keys, values) if depth < _DEEPEST and all(map(_is_text, keys)):
            pairs = zip(keys, values, strict=True)
            return {
                key.value: literal_value(value, written, depth + 1)
                for key, value in pairs
                if isinstance(key, ast.Constant)
            }
        case _:
            return UNSURE


def fits_shape(
    value: JsonValue, shape: Shape, named: Mapping[str, RecordShape | AliasShape], *, loose: bool = False
) -> bool:
    """Return whether a value may have a shape. Keys and fields that the schema does not mention are left to the server.

    `loose`: also accept values that servers are known to accept against their schema, such as "5" for a number."""
    if value is UNSURE:
        return True
    match shape:
        case ScalarShape(name):
            return _is_scalar(value, name) or (loose and _is_taken(value, name))
        case ChoiceShape(values):
            return any(_is_same(value, one) or (loose and _reads_same(value, one)) for one in values)
        case ListShape(item):
            return isinstance(value, list) and all(fits_shape(part, item, named, loose=loose) for part in value)
        case TupleShape(items, rest):
            shapes = [*items, *([rest] * len(value) if rest and isinstance(value, list) else [])]
            return isinstance(value, list) and all(
                map(lambda part, one: fits_shape(part, one, named, loose=loose), value, shapes)
            )
        case MapShape(inner):
            return isinstance(value, dict) and all(
                fits_shape(part, inner, named, loose=loose) for part in value.values()
            )
        case UnionShape(members):
            return any(fits_shape(value, member, named, loose=loose) for member in members)
        case NamedShape(name):
            return _fits_named(value, named.get(name), named, loose=loose)
        case NothingShape():
            return False
        case _:
            return True


def _fits_named(
    value: JsonValue,
    one: RecordShape | AliasShape | None,
    named: Mapping[str, RecordShape | AliasShape],
    *,
    loose: bool,
) -> bool:
    if isinstance(one, AliasShape):
        return fits_shape(value, one.shape, named, loose=loose)
    if one is None or not isinstance(value, dict):
        return one is None
    return all(
        fits_shape(value[field.key], field.shape, named, loose=loose) if field.key in value else not field.required
        for field in one.fields
    )


def _is_scalar(value: JsonValue, name: str) -> bool:
    """Return whether a value has a scalar type by JSON rules: 1.0 is an integer, true is not a number."""
    match name:
        case "str":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "None":
            return value is None
        case _:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and (name == "float" or isinstance(value, int) or value.is_integer())


def _is_taken(value: JsonValue, name: str) -> bool:
    """Return whether a lenient server may accept a scalar of a different type."""
    if not isinstance(value, str | int | float):
        return False
    if name == "bool":
        return str(value).casefold() in _TRUTHS
    if name in ("int", "float"):
        return isinstance(value, bool) or (isinstance(value, str) and _reads_as_number(value))
    return False  # every server that validates refuses a number for a text


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _reads_same(value: JsonValue, other: JsonValue) -> bool:
    plain = isinstance(value, str | int | float) and isinstance(other, str | int | float)
    return plain and str(value).casefold() == str(other).casefold()


def _is_same(value: JsonValue, other: JsonValue) -> bool:
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _is_text(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def _has_star(parts: list[ast.expr]) -> bool:
    return any(isinstance(part, ast.Starred) for part in parts)
