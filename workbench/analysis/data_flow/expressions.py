"""Data flow through expressions: operators, subscripts, displays, comprehensions and formatted texts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from workbench.analysis.data_flow.calls import argument, call
from workbench.analysis.data_flow.functions import define_lambda, yield_value
from workbench.analysis.data_flow.names_and_attributes import (
    assign,
    attribute,
    names_assigned_by,
    take_element,
    value_of_name,
)
from workbench.analysis.data_flow.value_origins import (
    EMPTY,
    NOTHING,
    PIECES,
    PLAIN,
    TEXT,
    Origins,
    TrackedValue,
    as_text,
    at_unknown_key,
    change_each,
    compared,
    computed,
    cuts_text,
    derived,
    element,
    part,
    under,
    unknown_value,
    wrapped,
)
from workbench.analysis.data_flow.value_tracker import ValueTracker
from workbench.analysis.tables import function_data_flow as table

# maximum length in characters of a slice that counts as a part of the value and not as a shortened text
SMALL: Final = 8


def _binary(tracker: ValueTracker, node: ast.BinOp) -> TrackedValue:
    left, right = tracker.value(node.left), tracker.value(node.right)
    origins = operate(node.op, node.left, left, node.right, right)
    return TrackedValue(origins, left.functions | right.functions, left.tools | right.tools)


def _unary(tracker: ValueTracker, node: ast.UnaryOp) -> TrackedValue:
    inner = tracker.value(node.operand)
    return TrackedValue(change_each(inner.origins, derived if isinstance(node.op, ast.Not) else computed))


def _comparison(tracker: ValueTracker, node: ast.Compare) -> TrackedValue:
    origins = tracker.value(node.left).origins.union(*(tracker.value(one).origins for one in node.comparators))
    return TrackedValue(
        change_each(change_each(origins, computed) if _compares_anew(tracker, node) else origins, compared)
    )


def _compares_anew(tracker: ValueTracker, node: ast.Compare) -> bool:
    """Return whether a `while` compares with a different value each time. Enough answers reveal the whole value."""
    return tracker.whiles > 0 and not any(isinstance(one, ast.Constant) for one in (node.left, *node.comparators))


def _boolean(tracker: ValueTracker, node: ast.BoolOp) -> TrackedValue:
    found, decides = EMPTY, NOTHING
    for one in node.values:
        outer = tracker.decide_by(decides)
        data = tracker.value(one)
        tracker.control = outer
        found |= data
        decides |= data.origins
    return found


def _conditional(tracker: ValueTracker, node: ast.IfExp) -> TrackedValue:
    decides = tracker.value(node.test).origins
    outer = tracker.decide_by(decides)
    found = tracker.value(node.body) | tracker.value(node.orelse)
    tracker.control = outer
    return found.made_of(found.origins | change_each(decides, compared))


def operate(
    operator: ast.operator, left: ast.expr, first: TrackedValue, right: ast.expr, second: TrackedValue
) -> Origins:
    origins = first.origins | second.origins
    if isinstance(operator, ast.Mod) and _is_text(left):
        inside = second.origins
        return first.origins | change_each(change_each(inside, part) if cuts_text(left) else inside, as_text)
    if isinstance(operator, ast.Add):
        text = _is_text(left) or _is_text(right) or any(one.form == TEXT and one.depth == 0 for one in origins)
        return change_each(origins, lambda one: as_text(one) if one.depth == 0 and text else one)
    if isinstance(operator, ast.BitOr | ast.Mult):
        return (
            origins
            if isinstance(operator, ast.BitOr) or _is_text(left) or _is_text(right)
            else change_each(origins, computed)
        )
    return change_each(origins, computed)


def _subscript(tracker: ValueTracker, node: ast.Subscript) -> TrackedValue:
    owner, key = tracker.value(node.value), tracker.value(node.slice)
    origins = owner.origins
    if isinstance(node.slice, ast.Slice):
        found = origins if not _is_short(node.slice) else change_each(origins, part)
    elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        name = node.slice.value
        found = change_each(origins, lambda one: under(one, name))
    elif _is_domain(node):
        found = change_each(
            origins, lambda one: one._replace(key="domain", depth=0, form=PLAIN) if one.form == PIECES else one
        )
    elif isinstance(node.slice, ast.Constant | ast.UnaryOp) or key.origins:
        found = change_each(origins, element)
    else:
        found = change_each(origins, at_unknown_key)
    opaque = EMPTY
    for ref in owner.refs:
        if ref.split(".")[0] in ("sys", "os") or ref.endswith(".__dict__"):
            opaque |= unknown_value(node, ref)
    return TrackedValue(found | change_each(key.origins, compared), owner.functions, owner.tools) | opaque


def _formatted_text(tracker: ValueTracker, node: ast.JoinedStr) -> TrackedValue:
    origins = NOTHING
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            short = value.format_spec is not None and cuts_text(value.format_spec)
            inside = tracker.value(value.value).origins
            origins |= change_each(change_each(inside, part) if short else inside, as_text)
            if value.format_spec is not None:
                origins |= change_each(tracker.value(value.format_spec).origins, derived)
    return TrackedValue(origins)


def _sequence(tracker: ValueTracker, node: ast.List | ast.Tuple | ast.Set) -> TrackedValue:
    return _display(tracker, node.elts)


def _display(tracker: ValueTracker, parts: Iterable[ast.expr]) -> TrackedValue:
    found = EMPTY
    for one in parts:
        data = argument(tracker, one)
        found |= data.changed(wrapped)
    return found


def _dictionary(tracker: ValueTracker, node: ast.Dict) -> TrackedValue:
    found = _display(tracker, (key for key in node.keys if key is not None))
    for key, value in zip(node.keys, node.values, strict=True):
        data = tracker.value(value)
        found |= data if key is None else data.changed(wrapped)
    return found


def _comprehension(
    tracker: ValueTracker, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> TrackedValue:
    made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    kept = tracker.control
    tracker.comprehension_names.append(
        {name: EMPTY for one in node.generators for name in names_assigned_by(one.target)}
    )
    tracker.loops += 1
    decides = NOTHING
    for one in node.generators:
        data = tracker.value(one.iter)
        take_element(tracker, one.target, one.iter, data)
        turns = change_each(data.origins, element)
        tracker.control |= turns
        decides |= change_each(turns, derived)
        for condition in one.ifs:
            asked = tracker.value(condition).origins
            tracker.control |= asked
            decides |= change_each(asked, compared)
    found = EMPTY
    for one_made in made:
        data = tracker.value(one_made)
        found |= data.changed(wrapped)
    tracker.loops -= 1
    tracker.comprehension_names.pop()
    tracker.control = kept
    return found.made_of(found.origins | decides)


def _named_expression(tracker: ValueTracker, node: ast.NamedExpr) -> TrackedValue:
    data = tracker.value(node.value)
    assign(tracker, node.target, data, node.value)
    return data


def _inner_expression(tracker: ValueTracker, node: ast.FormattedValue | ast.Await | ast.Starred) -> TrackedValue:
    return tracker.value(node.value)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _is_short(node: ast.Slice) -> bool:
    """Return whether a slice takes a few characters, or a number known only at run time. `[::-1]` takes all of them."""
    marks = [_number(mark) if mark is not None else None for mark in (node.lower, node.upper)]
    if node.lower is None and node.upper is None:
        return node.step is not None and _number(node.step) != -1
    if any(mark is not None and _number(mark) is None for mark in (node.lower, node.upper)):
        return True
    lower, upper = marks
    if upper is None:
        return lower is not None and -SMALL <= lower < 0
    width = upper - (lower or 0) if (upper >= 0) == ((lower or 0) >= 0) else SMALL + 1
    return width <= SMALL


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return -inner if inner is not None else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _is_domain(node: ast.Subscript) -> bool:
    """Return whether the subscript takes the domain of an address, which many addresses share:
    `address.split("@")[1]`."""
    call = node.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
        return False
    first = call.args[0]
    at = isinstance(first, ast.Constant) and first.value == "@"
    return at and call.func.attr in table.PIECE_METHODS and _number(node.slice) in (-1, 1, 2)


# Any: each handler accepts only the node type of its key.
EXPRESSIONS: Final[Mapping[type[ast.expr], Callable[[ValueTracker, Any], TrackedValue]]] = {
    ast.Constant: lambda tracker, node: EMPTY,
    ast.Name: lambda tracker, node: value_of_name(tracker, node.id),
    ast.Call: call,
    ast.Attribute: attribute,
    ast.Subscript: _subscript,
    ast.JoinedStr: _formatted_text,
    ast.FormattedValue: _inner_expression,
    ast.Await: _inner_expression,
    ast.Starred: _inner_expression,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _comparison,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dictionary,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.NamedExpr: _named_expression,
    ast.Lambda: define_lambda,
    ast.Yield: yield_value,
    ast.YieldFrom: yield_value,
}
