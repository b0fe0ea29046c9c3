"""What each expression may be: names, attributes, items, displays, operators, comprehensions."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workbench.policy import folding
from workbench.policy.effects import note, note_environment
from workbench.policy.invoke import call
from workbench.policy.lookups import attribute_of, by_key, mention
from workbench.policy.reader import Reader
from workbench.policy.statements import any_of, assign, define, element
from workbench.policy.tables.deeds import Deed
from workbench.policy.tables.modules import CLIENT
from workbench.policy.tampering import note_kept
from workbench.policy.value import HOLE, NO_TAINT, NOTHING, UNKNOWN, Value, iterated, join, tainted

BUILTINS = frozenset(dir(builtins)) | {"execfile", "__builtins__"}
MAX_DISPLAY = 2000  # elements of a display that are kept
_CONSTANTS = frozenset({str, bytes, int, bool, float, type(None)})
_FSTRING_PLACES = sys.version_info >= (3, 12)  # before, the parser misplaces what stands inside f-strings


def _constant(reader: Reader, node: ast.Constant) -> Value:
    return Value((), node.value) if type(node.value) in _CONSTANTS else NOTHING


def _name(reader: Reader, node: ast.Name, called: bool) -> Value:
    found = reader.look(node.id)
    if found is None:
        found = _unbound(reader, node)
    if not called and found.refs:
        mention(reader, node, found)
    return found


def _unbound(reader: Reader, node: ast.Name) -> Value:
    if node.id in ("__loader__", "__spec__"):
        note(reader, Deed.INTERNALS, node, node.id)
    if node.id in CLIENT:
        return Value(refs=(f"client.{node.id}",))
    if node.id == "__builtins__":
        return Value(refs=("builtins",))
    return Value(refs=(f"builtins.{node.id}",)) if node.id in BUILTINS else NOTHING


def _attribute(reader: Reader, node: ast.Attribute, called: bool) -> Value:
    return attribute_of(reader, node, reader.value(node.value, called=True), called=called)


def _item(reader: Reader, node: ast.Subscript) -> Value:
    owner = reader.value(node.value, called=True)
    if isinstance(node.slice, ast.Slice):
        marks = [
            reader.value(mark).const if mark else None for mark in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return folding.cut(owner, *marks) if UNKNOWN not in marks else Value(taint=owner.taint)
    key = reader.value(node.slice)
    for ref in owner.refs:
        if ref == "os.environ":
            return note_environment(reader, node, key)
        if (found := by_key(reader, node, ref, key)) is not None:
            return found
    return _element_at(owner, key)


def _element_at(owner: Value, key: Value) -> Value:
    index = key.const
    if owner.keys is not None and owner.items:
        return _value_at(owner, index)
    if owner.items is not None and owner.items:
        if isinstance(index, int) and -len(owner.items) <= index < len(owner.items):
            return tainted(owner.items[index], owner.taint)
        return any_of(owner, owner.items)
    if (
        isinstance(owner.const, str | bytes)
        and isinstance(index, int)
        and -len(owner.const) <= index < len(owner.const)
    ):
        return Value(const=owner.const[index], taint=owner.taint)
    return Value(taint=owner.taint | key.taint)


def _value_at(owner: Value, index: object) -> Value:
    """Of a dict: the value under this key where every key is known, else any of them."""
    keys = [key.const for key in owner.keys or ()]
    if len(keys) == len(owner.items or ()) and index is not UNKNOWN and UNKNOWN not in keys and HOLE not in keys:
        found = [item for key, item in zip(keys, owner.items or (), strict=True) if key == index]
        if found:
            return tainted(found[-1], owner.taint)
    return any_of(owner, owner.items)


def _sequence(reader: Reader, node: ast.List | ast.Tuple | ast.Set) -> Value:
    items: list[Value] = []
    for part in node.elts:
        value = reader.value(part.value if isinstance(part, ast.Starred) else part)
        spread = iterated(value) if isinstance(part, ast.Starred) else None
        items += [tainted(item, value.taint) for item in spread] if spread else [value]
    return _display(items)


def _mapping(reader: Reader, node: ast.Dict) -> Value:
    keys = [reader.value(key) if key is not None else NOTHING for key in node.keys]
    values = [reader.value(value) for value in node.values]
    taint = NO_TAINT.union(*(key.taint for key in keys))
    return replace(tainted(_display(values), taint), keys=tuple(keys[:MAX_DISPLAY]))


def _display(items: list[Value]) -> Value:
    return Value(items=tuple(items[:MAX_DISPLAY]), taint=NO_TAINT.union(*(item.taint for item in items)))


def _text(reader: Reader, node: ast.JoinedStr) -> Value:
    if _FSTRING_PLACES:
        return _joined_text(reader, node)
    with reader.told_at(reader.span(node)):
        return _joined_text(reader, node)


def _joined_text(reader: Reader, node: ast.JoinedStr) -> Value:
    parts, taint = [], NO_TAINT
    for piece in node.values:
        if isinstance(piece, ast.Constant):
            parts.append(str(piece.value))
        elif isinstance(piece, ast.FormattedValue):
            value = reader.value(piece.value)
            reader.value(piece.format_spec)
            plain = piece.format_spec is None and piece.conversion == -1 and value.const is not UNKNOWN
            parts.append(str(value.const) if plain else HOLE)
            taint |= value.taint
    return Value(const="".join(parts)[: folding.MAX_TEXT], taint=taint)


def _binary(reader: Reader, node: ast.BinOp) -> Value:
    left, right = reader.value(node.left), reader.value(node.right)
    if isinstance(node.op, ast.Pow | ast.Mult | ast.LShift) and _enormous(node.op, left.const, right.const):
        note(reader, Deed.RESOURCE, node, "an enormous number or text")
    return folding.combine(node.op, left, right)


def _enormous(operator: ast.operator, left: object, right: object) -> bool:
    if not isinstance(right, int):
        return False
    if isinstance(operator, ast.Pow):
        return isinstance(left, int) and abs(left) > 1 and right * left.bit_length() > 50_000_000
    if isinstance(operator, ast.LShift):
        return right > 50_000_000
    return isinstance(left, str | bytes) and len(left) * right > 500_000_000


def _either(reader: Reader, node: ast.BoolOp) -> Value:
    found = reader.value(node.values[0])
    for part in node.values[1:]:
        found = join(found, reader.value(part))
    return found


def _compare(reader: Reader, node: ast.Compare) -> Value:
    identity = all(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops)
    taint = reader.value(node.left, called=identity).taint
    for operator, part in zip(node.ops, node.comparators, strict=True):
        # whether a name is in a table, or is a certain thing, gives nothing out of it
        asked = identity or (len(node.ops) == 1 and isinstance(operator, ast.In | ast.NotIn))
        taint |= reader.value(part, called=asked).taint
    return Value(taint=taint) if taint else NOTHING


def _unary(reader: Reader, node: ast.UnaryOp) -> Value:
    value = reader.value(node.operand)
    if isinstance(node.op, ast.USub) and isinstance(value.const, int | float):
        return Value(const=-value.const)
    return Value(taint=value.taint)


def _conditional(reader: Reader, node: ast.IfExp) -> Value:
    reader.value(node.test)
    return join(reader.value(node.body), reader.value(node.orelse))


def _walrus(reader: Reader, node: ast.NamedExpr) -> Value:
    value = reader.value(node.value)
    assign(reader, node.target, value)
    return value


def _inside(reader: Reader, node: ast.Await | ast.Starred | ast.FormattedValue) -> Value:
    return reader.value(node.value)


def _yield(reader: Reader, node: ast.Yield | ast.YieldFrom) -> Value:
    value = reader.value(node.value)
    note_kept(reader, node, value)
    if reader.current is not None:
        learned = reader.learn(reader.current)
        learned.answer = join(learned.answer, value)
    return NOTHING


def _lambda(reader: Reader, node: ast.Lambda) -> Value:
    return define(reader, node)


_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _comprehension(reader: Reader, node: _Comprehension) -> Value:
    with reader.scope({}):
        return _generate(reader, node, node.generators, NOTHING)


def _generate(reader: Reader, node: _Comprehension, left: list[ast.comprehension], source: Value) -> Value:
    if not left:
        return _generated(reader, node, source)
    generator = left[0]
    iterable = reader.value(generator.iter)
    with reader.branch(iterable, loop=True):
        assign(reader, generator.target, element(iterable))
        for condition in generator.ifs:
            reader.value(condition)
        return tainted(_generate(reader, node, left[1:], iterable), iterable.taint)


def _generated(reader: Reader, node: _Comprehension, source: Value) -> Value:
    if isinstance(node, ast.DictComp):
        key, value = reader.value(node.key), reader.value(node.value)
        return Value(items=(value,), keys=(key,), taint=key.taint | value.taint)
    made = reader.value(node.elt)
    only = node.generators[0]
    if len(node.generators) == 1 and not only.ifs and isinstance(only.target, ast.Name):
        items = folding.comprehend(node.elt, only.target.id, source)
        if items:
            return Value(items=items, taint=made.taint)
    return Value(items=(made,), taint=made.taint)


# Any: each entry takes the one kind of node it stands under.
NAMING: dict[type[ast.expr], Callable[[Reader, Any, bool], Value]] = {ast.Name: _name, ast.Attribute: _attribute}
EXPRESSIONS: dict[type[ast.expr], Callable[[Reader, Any], Value]] = {
    ast.Constant: _constant,
    ast.Subscript: _item,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _mapping,
    ast.JoinedStr: _text,
    ast.FormattedValue: _inside,
    ast.BinOp: _binary,
    ast.BoolOp: _either,
    ast.Compare: _compare,
    ast.UnaryOp: _unary,
    ast.IfExp: _conditional,
    ast.NamedExpr: _walrus,
    ast.Await: _inside,
    ast.Starred: _inside,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Lambda: _lambda,
    ast.Call: call,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
}
