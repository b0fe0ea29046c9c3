"""Writes type shapes as Python annotations, as syntax trees: text from a schema only becomes constants."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Sequence

from workbench.records import JsonValue
from workbench.wrappers.type_shapes import (
    AliasShape,
    AnyShape,
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
    union,
)

_USED_IN_BODY = frozenset(("str", "int", "float", "bool", "list", "dict", "tuple"))


class PythonTypeWriter:
    """Writes types for one direction: an argument may be a tuple, a result was JSON and is a list."""

    def __init__(self, typing: str, named: Sequence[RecordShape | AliasShape], *, given: bool) -> None:
        self._typing = typing  # name under which the module imports `typing`
        self._given = given
        self._inviting = {one.name for one in named if isinstance(one, RecordShape) and one.more is not None}
        self._hidden = _USED_IN_BODY | {typing} | {one.name for one in named}  # keys that would hide a type

    def special(self, name: str) -> ast.expr:
        return ast.Attribute(ast.Name(self._typing), name)

    def write(self, shape: Shape) -> ast.expr:
        match shape:
            case NothingShape():
                return self.special("Never")
            case ScalarShape(name):
                return ast.Constant(None) if name == "None" else ast.Name(name)
            case ChoiceShape(values):
                return _indexed(self.special("Literal"), [ast.Constant(value) for value in values])
            case ListShape(item):
                return _indexed(ast.Name("list"), [self.write(item)])
            case TupleShape():
                return self._row(shape)
            case MapShape(value):
                return _indexed(ast.Name("dict"), [ast.Name("str"), self.write(value)])
            case UnionShape(members):
                return either([self.write(member) for member in members])
            case NamedShape(name) if self._given and name in self._inviting:
                return either([ast.Name(name), self.write(MapShape(AnyShape()))])
            case NamedShape(name):
                return ast.Name(name)
            case _:
                return self.special("Any")

    def _row(self, row: TupleShape) -> ast.expr:
        rest = [row.rest] if row.rest else []
        as_list = self.write(ListShape(union([*row.items, *rest])))
        if not self._given or rest:
            return as_list
        return either([_indexed(ast.Name("tuple"), [self.write(item) for item in row.items]), as_list])

    def declare(self, named: RecordShape | AliasShape) -> ast.stmt:
        """Return the declaration of a named type.

        Nested types are strings, so that they can name later types and themselves."""
        if isinstance(named, AliasShape):
            kind = self.special("TypeAlias")
            return ast.AnnAssign(ast.Name(named.name), kind, _quoted(self.write(named.shape)), simple=1)
        types = {field.key: self.write(field.shape) for field in named.fields}
        if not self._hidden.isdisjoint(types) or not all(map(_fits_class, types)):
            return self._functional(named, types)
        body = [
            ast.AnnAssign(ast.Name(field.key), self._presence(types[field.key], field.required), None, simple=1)
            for field in named.fields
        ]
        return ast.ClassDef(named.name, [self.special("TypedDict")], [], list(body) or [ast.Pass()], [])

    def _functional(self, record: RecordShape, types: dict[str, ast.expr]) -> ast.stmt:
        values = [self._presence(_quoted(types[field.key]), field.required) for field in record.fields]
        keys: list[ast.expr | None] = [ast.Constant(field.key) for field in record.fields]
        arguments = [ast.Constant(record.name), ast.Dict(keys, values)]
        return ast.Assign([ast.Name(record.name)], ast.Call(self.special("TypedDict"), arguments, []), lineno=0)

    def _presence(self, kind: ast.expr, required: bool) -> ast.expr:
        return kind if required else _indexed(self.special("NotRequired"), [kind])


def either(kinds: list[ast.expr]) -> ast.expr:
    """Return the union `a | b | c` of these types."""
    whole = kinds[0]
    for kind in kinds[1:]:
        whole = ast.BinOp(whole, ast.BitOr(), kind)
    return whole


def literal(value: JsonValue) -> ast.expr:
    """Return a JSON value as the Python expression that makes it."""
    if isinstance(value, dict):
        return ast.Dict([ast.Constant(str(key)) for key in value], [literal(part) for part in value.values()])
    if isinstance(value, list | tuple):
        return ast.List([literal(part) for part in value])
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return ast.Call(ast.Name("float"), [ast.Constant(str(value))], [])
    return ast.Constant(value)


def _indexed(kind: ast.expr, parts: list[ast.expr]) -> ast.expr:
    return ast.Subscript(kind, parts[0] if len(parts) == 1 else ast.Tuple(parts))


def _quoted(kind: ast.expr) -> ast.expr:
    return ast.Constant(ast.unparse(kind))


def _fits_class(key: str) -> bool:
    """Return whether a class body can hold the key without Python changing it."""
    return key.isidentifier() and key.isascii() and not keyword.iskeyword(key) and not key.startswith("__")
