"""Data flow through statements: branches, loops, handlers and assignments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from workbench.analysis.data_flow.calls import called_references
from workbench.analysis.data_flow.expressions import operate
from workbench.analysis.data_flow.functions import define_class, define_function
from workbench.analysis.data_flow.names_and_attributes import assign, bind, put_into, take_element
from workbench.analysis.data_flow.value_origins import (
    EMPTY,
    NOTHING,
    Origins,
    TrackedValue,
    change_each,
    derived,
    element,
    field_of,
    wrapped,
)
from workbench.analysis.data_flow.value_tracker import ValueTracker

_Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
MOST_TURNS: Final = 4  # maximum number of passes over a loop's body


def _expression(tracker: ValueTracker, node: ast.Expr) -> None:
    tracker.value(node.value)


def _assignment(tracker: ValueTracker, node: ast.Assign) -> None:
    data = tracker.value(node.value)
    for target in node.targets:
        assign(tracker, target, data, node.value)


def _annotated_assignment(tracker: ValueTracker, node: ast.AnnAssign) -> None:
    tracker.value(node.annotation)  # evaluating the annotation may bind names
    if node.value is not None:
        assign(tracker, node.target, tracker.value(node.value), node.value)


def _augmented_assignment(tracker: ValueTracker, node: ast.AugAssign) -> None:
    value = tracker.value(node.value)
    loaded = ast.copy_location(_load(node.target), node.target)
    old = tracker.value(loaded)
    found = TrackedValue(operate(node.op, loaded, old, node.value, value), old.functions | value.functions)
    assign(tracker, node.target, found, node.value)
    if isinstance(node.target, ast.Subscript) and not isinstance(node.target.slice, ast.Slice):
        found = found.changed(wrapped)  # `put_into` adds it to the container, of which it is an entry
    put_into(tracker, node.target, found, node.value)


def _if(tracker: ValueTracker, node: ast.If) -> None:
    names, decides = tracker.scopes.statement_names[node], tracker.value(node.test).origins
    start = tracker.current_values(names)
    outer = tracker.decide_by(decides)
    tracker.block(node.body)
    after = tracker.current_values(names)
    tracker.restore(names, start)
    tracker.block(node.orelse)
    tracker.control = outer
    tracker.join(names, after)


def _while(tracker: ValueTracker, node: ast.While) -> None:
    tracker.whiles += 1
    _loop(tracker, node, lambda: tracker.value(node.test).origins, lambda: None)
    tracker.whiles -= 1


def _for(tracker: ValueTracker, node: ast.For | ast.AsyncFor) -> None:
    found: list[TrackedValue] = [EMPTY]

    def decides() -> Origins:
        found[0] = tracker.value(node.iter)
        return change_each(found[0].origins, element)

    _loop(tracker, node, decides, lambda: take_element(tracker, node.target, node.iter, found[0]))


def _loop(tracker: ValueTracker, node: _Loop, decides: Callable[[], Origins], begin: Callable[[], None]) -> None:
    names = tracker.scopes.statement_names[node]
    tracker.skipping.append(NOTHING)
    tracker.loops += 1
    for _ in range(MOST_TURNS):
        before, skipped = tracker.current_values(names), tracker.skipping[-1]
        outer = tracker.decide_by(decides())
        begin()
        tracker.block(node.body)
        tracker.control = outer
        tracker.join(names, before)
        if tracker.current_values(names) == before and tracker.skipping[-1] == skipped:
            break
    tracker.loops -= 1
    tracker.block(node.orelse)
    tracker.skipping.pop()


def _break_or_continue(tracker: ValueTracker, node: ast.Break | ast.Continue) -> None:
    if tracker.skipping:
        tracker.skipping[-1] |= tracker.control


def _with(tracker: ValueTracker, node: ast.With | ast.AsyncWith) -> None:
    tries = tracker.tries
    for item in node.items:
        data = tracker.value(item.context_expr)
        if "contextlib.suppress" in called_references(tracker, item.context_expr):
            tracker.tries += 1
        if item.optional_vars is not None:
            assign(tracker, item.optional_vars, data, item.context_expr)
    tracker.block(node.body)
    tracker.tries = tries


def _try(tracker: ValueTracker, node: ast.Try | ast.TryStar) -> None:
    names, touched = tracker.scopes.statement_names[node], tracker.touched
    start = tracker.current_values(names)
    tracker.touched, tracker.tries = NOTHING, tracker.tries + 1
    tracker.block(node.body)
    inside, tracker.touched, tracker.tries = tracker.touched, touched | tracker.touched, tracker.tries - 1
    after = tracker.current_values(names)
    ends = [after]
    outer = tracker.decide_by(inside if tracker.loops else NOTHING)
    for handler in node.handlers:
        tracker.restore(names, after)
        tracker.join(names, start)
        if handler.type is not None:
            tracker.value(handler.type)
        if handler.name:
            bind(tracker, handler.name, TrackedValue(change_each(inside, derived)), None)
        tracker.block(handler.body)
        ends.append(tracker.current_values(names))
    tracker.restore(names, after)
    tracker.block(node.orelse)
    for values in ends:
        tracker.join(names, values)
    tracker.control = outer
    tracker.block(node.finalbody)


def _match(tracker: ValueTracker, node: ast.Match) -> None:
    subject = tracker.value(node.subject)
    names, decides = tracker.scopes.statement_names[node], subject.origins
    start = tracker.current_values(names)
    ends = [start]
    for case in node.cases:
        tracker.restore(names, start)
        for pattern in ast.walk(case.pattern):
            name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
            if isinstance(name, str) and isinstance(pattern, ast.MatchAs | ast.MatchStar | ast.MatchMapping):
                whole = pattern is case.pattern
                origins = subject.origins if whole else change_each(subject.origins, field_of)
                bind(tracker, name, subject.made_of(origins), node.subject)
        if case.guard is not None:
            decides |= tracker.value(case.guard).origins
        outer = tracker.decide_by(decides)
        tracker.block(case.body)
        tracker.control = outer
        ends.append(tracker.current_values(names))
    tracker.restore(names, start)
    for values in ends:
        tracker.join(names, values)


def _return(tracker: ValueTracker, node: ast.Return) -> None:
    data = tracker.value(node.value) if node.value is not None else EMPTY
    if tracker.scope is None:
        tracker.add_output(node, data.origins)
    else:
        tracker.return_value(data)
    tracker.leaving |= tracker.control


def _raise_or_assert(tracker: ValueTracker, node: ast.Raise | ast.Assert) -> None:
    said, decides = NOTHING, tracker.control
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            data = tracker.value(child)
            if isinstance(node, ast.Assert) and child is node.test:
                decides |= data.origins
            else:
                said |= data.origins
    tracker.add_output(node, said)
    tracker.touched |= said | decides
    if tracker.tries or tracker.scope is not None:
        tracker.leaving |= decides


def _import(tracker: ValueTracker, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        if isinstance(node, ast.Import):
            full = alias.name if alias.asname else alias.name.split(".")[0]
            bind(tracker, alias.asname or full, tracker.reference(full), None)
        elif alias.name == "*":
            continue
        else:
            module = "." * node.level + (node.module or "")
            bind(tracker, alias.asname or alias.name, tracker.reference(f"{module}.{alias.name}"), None)


def _load(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name():
            return ast.Name(target.id, ast.Load())
        case ast.Attribute():
            return ast.Attribute(target.value, target.attr, ast.Load())
        case ast.Subscript():
            return ast.Subscript(target.value, target.slice, ast.Load())
    return target


# Any: each handler accepts only the node type of its key.
STATEMENTS: Final[Mapping[type[ast.stmt], Callable[[ValueTracker, Any], None]]] = {
    ast.Expr: _expression,
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated_assignment,
    ast.AugAssign: _augmented_assignment,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Return: _return,
    ast.Raise: _raise_or_assert,
    ast.Assert: _raise_or_assert,
    ast.Break: _break_or_continue,
    ast.Continue: _break_or_continue,
    ast.FunctionDef: define_function,
    ast.AsyncFunctionDef: define_function,
    ast.ClassDef: define_class,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
