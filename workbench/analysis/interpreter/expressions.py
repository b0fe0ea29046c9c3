"""Interprets expressions: names, attributes, items, displays, operators and comprehensions."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from msgspec.structs import replace

from workbench.analysis.interpreter import constant_folding
from workbench.analysis.interpreter.calls import call
from workbench.analysis.interpreter.effects import note, note_environment
from workbench.analysis.interpreter.indirect_names import attribute_of, by_key, mention
from workbench.analysis.interpreter.interpreter import Interpreter
from workbench.analysis.interpreter.statements import any_of, assign, define, element
from workbench.analysis.interpreter.tampering import note_kept
from workbench.analysis.interpreter.values import HOLE, NO_TAINT, NOTHING, UNKNOWN, Value, iterated, join, tainted
from workbench.analysis.tables.modules import CLIENT
from workbench.analysis.tables.program_actions import ProgramAction

BUILTINS = frozenset(dir(builtins)) | {"execfile", "__builtins__"}
MAX_DISPLAY = 2000  # maximum number of tracked elements of a display
_CONSTANTS = frozenset({str, bytes, int, bool, float, type(None)})
_FSTRING_PLACES = sys.version_info >= (3, 12)  # older parsers give wrong positions inside f-strings


def _constant(interpreter: Interpreter, node: ast.Constant) -> Value:
    return Value((), node.value) if type(node.value) in _CONSTANTS else NOTHING


def _name(interpreter: Interpreter, node: ast.Name, called: bool) -> Value:
    found = interpreter.find_name(node.id)
    if found is None:
        found = _unbound(interpreter, node)
    if not called and found.refs:
        mention(interpreter, node, found)
    return found


def _unbound(interpreter: Interpreter, node: ast.Name) -> Value:
    if node.id in ("__loader__", "__spec__"):
        note(interpreter, ProgramAction.INTERNALS, node, node.id)
    if node.id in CLIENT:
        return Value(refs=(f"client.{node.id}",))
    if node.id == "__builtins__":
        return Value(refs=("builtins",))
    return Value(refs=(f"builtins.{node.id}",)) if node.id in BUILTINS else NOTHING


def _attribute(interpreter: Interpreter, node: ast.Attribute, called: bool) -> Value:
    return attribute_of(interpreter, node, interpreter.value(node.value, called=True), called=called)


def _item(interpreter: Interpreter, node: ast.Subscript) -> Value:
    owner = interpreter.value(node.value, called=True)
    if isinstance(node.slice, ast.Slice):
        marks = [
            interpreter.value(mark).const if mark else None
            for mark in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return constant_folding.cut(owner, *marks) if UNKNOWN not in marks else Value(taint=owner.taint)
    key = interpreter.value(node.slice)
    interpreter.note_compared(node, key)
    for ref in owner.refs:
        if ref == "os.environ":
            return note_environment(interpreter, node, key)
        if (found := by_key(interpreter, node, ref, key)) is not None:
            return found
    return _element_at(owner, key)


def _element_at(owner: Value, key: Value) -> Value:
    index = key.const
    if owner.keys is not None and owner.items:
        return _value_at(owner, index)
    if owner.items is not None and owner.items:
        if isinstance(index, int) and not owner.unordered and -len(owner.items) <= index < len(owner.items):
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
    """Return the value of a dict under this key if every key is known, else any of its values."""
    keys = [key.const for key in owner.keys or ()]
    if len(keys) == len(owner.items or ()) and index is not UNKNOWN and UNKNOWN not in keys and not _have_holes(keys):
        found = [item for key, item in zip(keys, owner.items or (), strict=True) if key == index]
        if found:
            return tainted(reduce(join, found) if owner.unordered else found[-1], owner.taint)
    return any_of(owner, owner.items)


def _have_holes(keys: Iterable[object]) -> bool:
    return any(isinstance(key, str) and HOLE in key for key in keys)


def _sequence(interpreter: Interpreter, node: ast.List | ast.Tuple | ast.Set) -> Value:
    items: list[Value] = []
    unordered = isinstance(node, ast.Set)
    for part in node.elts:
        value = interpreter.value(part.value if isinstance(part, ast.Starred) else part)
        spread = iterated(value) if isinstance(part, ast.Starred) else None
        items += [tainted(item, value.taint) for item in spread] if spread else [value]
        unordered = unordered or (isinstance(part, ast.Starred) and (not spread or value.unordered))
    made = _display(items)
    return replace(made, unordered=True) if unordered else made


def _mapping(interpreter: Interpreter, node: ast.Dict) -> Value:
    keys = [interpreter.value(key) if key is not None else NOTHING for key in node.keys]
    values = [interpreter.value(value) for value in node.values]
    taint = NO_TAINT.union(*(key.taint for key in keys))
    return replace(tainted(_display(values), taint), keys=tuple(keys[:MAX_DISPLAY]))


def _display(items: list[Value]) -> Value:
    if len(items) > MAX_DISPLAY:
        items = [*items[: MAX_DISPLAY - 1], NOTHING]
    return Value(items=tuple(items), taint=NO_TAINT.union(*(item.taint for item in items)))


def _text(interpreter: Interpreter, node: ast.JoinedStr) -> Value:
    if _FSTRING_PLACES:
        return _joined_text(interpreter, node)
    with interpreter.report_at(interpreter.span(node)):
        return _joined_text(interpreter, node)


def _joined_text(interpreter: Interpreter, node: ast.JoinedStr) -> Value:
    parts, taint = [], NO_TAINT
    for piece in node.values:
        if isinstance(piece, ast.Constant):
            parts.append(str(piece.value))
        elif isinstance(piece, ast.FormattedValue):
            value = interpreter.value(piece.value)
            interpreter.value(piece.format_spec)
            plain = piece.format_spec is None and piece.conversion == -1 and value.const is not UNKNOWN
            parts.append(str(value.const) if plain else HOLE)
            taint |= value.taint
    return Value(const="".join(parts)[: constant_folding.MAX_TEXT], taint=taint)


def _binary(interpreter: Interpreter, node: ast.BinOp) -> Value:
    left, right = interpreter.value(node.left), interpreter.value(node.right)
    if isinstance(node.op, ast.Pow | ast.Mult | ast.LShift) and _enormous(node.op, left.const, right.const):
        note(interpreter, ProgramAction.RESOURCE, node, "an enormous number or text")
    return constant_folding.combine(node.op, left, right)


def _enormous(operator: ast.operator, left: object, right: object) -> bool:
    if not isinstance(right, int):
        return False
    if isinstance(operator, ast.Pow):
        return isinstance(left, int) and abs(left) > 1 and right * left.bit_length() > 50_000_000
    if isinstance(operator, ast.LShift):
        return right > 50_000_000
    return isinstance(left, str | bytes) and len(left) * right > 500_000_000


def _either(interpreter: Interpreter, node: ast.BoolOp) -> Value:
    found = interpreter.value(node.values[0])
    for part in node.values[1:]:
        found = join(found, interpreter.value(part))
    return found


def _compare(interpreter: Interpreter, node: ast.Compare) -> Value:
    identity = all(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops)
    left = interpreter.value(node.left, called=identity)
    taint = left.taint
    for operator, part in zip(node.ops, node.comparators, strict=True):
        # a membership or identity test does not pass the value on
        asked = identity or (len(node.ops) == 1 and isinstance(operator, ast.In | ast.NotIn))
        right = interpreter.value(part, called=asked)
        taint |= right.taint
        restores = isinstance(operator, ast.Eq | ast.NotEq) or (len(node.ops) == 1 and asked)
        interpreter.note_compared(node, left, right, restores=restores and not identity)
        left = right
    return Value(taint=taint) if taint else NOTHING


def _unary(interpreter: Interpreter, node: ast.UnaryOp) -> Value:
    value = interpreter.value(node.operand)
    if isinstance(node.op, ast.USub) and isinstance(value.const, int | float):
        return Value(const=-value.const)
    return Value(taint=value.taint)


def _conditional(interpreter: Interpreter, node: ast.IfExp) -> Value:
    interpreter.value(node.test)
    return join(interpreter.value(node.body), interpreter.value(node.orelse))


def _walrus(interpreter: Interpreter, node: ast.NamedExpr) -> Value:
    value = interpreter.value(node.value)
    assign(interpreter, node.target, value)
    return value


def _inside(interpreter: Interpreter, node: ast.Await | ast.Starred | ast.FormattedValue) -> Value:
    return interpreter.value(node.value)


def _yield(interpreter: Interpreter, node: ast.Yield | ast.YieldFrom) -> Value:
    value = interpreter.value(node.value)
    note_kept(interpreter, node, value)
    if interpreter.current is not None:
        learned = interpreter.facts_of(interpreter.current)
        learned.answer = join(learned.answer, value)
    return NOTHING


def _lambda(interpreter: Interpreter, node: ast.Lambda) -> Value:
    return define(interpreter, node)


_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _comprehension(interpreter: Interpreter, node: _Comprehension) -> Value:
    with interpreter.scope({}):
        return _generate(interpreter, node, node.generators, NOTHING)


def _generate(interpreter: Interpreter, node: _Comprehension, left: list[ast.comprehension], source: Value) -> Value:
    if not left:
        return _generated(interpreter, node, source)
    generator = left[0]
    iterable = interpreter.value(generator.iter)
    with interpreter.branch(iterable, loop=True):
        assign(interpreter, generator.target, element(iterable))
        for condition in generator.ifs:
            interpreter.value(condition)
        return tainted(_generate(interpreter, node, left[1:], iterable), iterable.taint)


def _generated(interpreter: Interpreter, node: _Comprehension, source: Value) -> Value:
    if isinstance(node, ast.DictComp):
        key, value = interpreter.value(node.key), interpreter.value(node.value)
        return Value(items=(value,), keys=(key,), taint=key.taint | value.taint, unordered=True)
    made = interpreter.value(node.elt)
    only = node.generators[0]
    if len(node.generators) == 1 and not only.ifs and isinstance(only.target, ast.Name):
        items = constant_folding.comprehend(node.elt, only.target.id, source)
        if items:
            return Value(items=items, taint=made.taint)
    return Value(items=(made,), taint=made.taint, unordered=True)


# Any: each handler accepts only the node type of its key.
NAMING: dict[type[ast.expr], Callable[[Interpreter, Any, bool], Value]] = {ast.Name: _name, ast.Attribute: _attribute}
EXPRESSIONS: dict[type[ast.expr], Callable[[Interpreter, Any], Value]] = {
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
