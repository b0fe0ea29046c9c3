"""Data flow into and out of names, attributes and containers, and which names may mean the same object."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from typing import Final

from workbench.analysis.data_flow.program_scopes import Variable
from workbench.analysis.data_flow.value_origins import (
    EMPTY,
    TABLE,
    UNKNOWN,
    TrackedValue,
    change_each,
    derived,
    element,
    field_named,
    field_of,
    unknown_value,
    without_details,
    wrapped,
)
from workbench.analysis.data_flow.value_tracker import ANY_ATTRIBUTE, ValueTracker
from workbench.analysis.tables.modules import CLIENT

_SCALARS: Final = frozenset({"len", "str", "int", "float", "bool", "ord", "chr", "repr", "hash", "sum", "abs", "round"})


def assign(tracker: ValueTracker, target: ast.expr, data: TrackedValue, source: ast.expr) -> None:
    match target:
        case ast.Name():
            bind(tracker, target.id, data, source)
        case ast.Tuple() | ast.List():
            _unpack(tracker, target.elts, data, source)
        case ast.Starred():
            assign(
                tracker,
                target.value,
                TrackedValue(change_each(data.origins, wrapped), data.functions, data.tools),
                source,
            )
        case ast.Attribute():
            if tracker.value(target.value).refs:  # an imported module is changed; its users are unknown
                tracker.found.complete = False
            set_attribute(tracker, target.value, target.attr, data)
            put_into(tracker, target.value, data, source)
        case ast.Subscript():
            tracker.value(target.value)
            key = tracker.value(target.slice)
            if isinstance(target.value, ast.Call) or _mentions_dict(target.value):
                tracker.attributes.learn(ANY_ATTRIBUTE, data)
            put_into(
                tracker,
                target.value,
                TrackedValue(change_each(data.origins | key.origins, wrapped), data.functions, data.tools),
                source,
            )


def bind(tracker: ValueTracker, name: str, data: TrackedValue, source: ast.expr | None) -> None:
    """Bind a name to a value, including the conditions of the line.

    Replaces the old value if the variable belongs to the current scope; otherwise adds to it."""
    now = tracker.conditions()
    if now:
        data = TrackedValue(data.origins | change_each(now, derived), data.functions, data.tools, data.refs)
    if tracker.comprehension_names and name in tracker.comprehension_names[-1]:
        tracker.comprehension_names[-1][name] |= data
        return
    variable = tracker.variable(name)
    if variable is None:
        return
    if variable[0] is tracker.scope:
        tracker.names[name] = data
        tracker.variables.learn(variable, data)
    else:
        tracker.contents.learn(variable, data)
        tracker.variables.learn(variable, data)
    if source is not None:
        link(tracker, variable, source)
    if name == "result" and tracker.scope is None:
        tracker.add_output(source if source is not None else tracker.tree, data.origins)


def _unpack(tracker: ValueTracker, targets: list[ast.expr], data: TrackedValue, source: ast.expr) -> None:
    if isinstance(source, ast.Tuple | ast.List) and len(source.elts) == len(targets):
        plain = not any(isinstance(one, ast.Starred) for one in (*source.elts, *targets))
        for target, value in zip(targets, source.elts, strict=True) if plain else ():
            assign(tracker, target, tracker.value(value), value)
        if plain:
            return
    inside = TrackedValue(change_each(data.origins, element), data.functions, data.tools, data.refs)
    for target in targets:
        assign(tracker, target, inside, source)


def take_element(tracker: ValueTracker, target: ast.expr, source: ast.expr, data: TrackedValue) -> None:
    """Bind the target of a loop to an element of the iterated value."""
    inside = TrackedValue(change_each(data.origins, element), data.functions, data.tools)
    if isinstance(target, ast.Tuple | ast.List):
        deeper = TrackedValue(change_each(inside.origins, field_of), data.functions, data.tools)
        for one in target.elts:
            assign(tracker, one, deeper, source)
        return
    assign(tracker, target, inside, source)


def set_attribute(tracker: ValueTracker, owner: ast.expr, name: str, data: TrackedValue) -> None:
    tracker.progress.learned = note_attribute_name(tracker, name) or tracker.progress.learned
    tracker.attributes.learn(name, data)
    kind = (
        tracker.scopes.class_of.get(tracker.scope)
        if tracker.scope is not None and isinstance(owner, ast.Name)
        else None
    )
    if kind is not None:
        tracker.objects.learn(kind, data)


def note_attribute_name(tracker: ValueTracker, name: str) -> bool:
    """Record that the program sets attributes of this name. Returns whether the name is new."""
    if name in tracker.assigned_attributes:
        return False
    tracker.assigned_attributes[name] = EMPTY
    tracker.assigned_attributes.changed(name)
    return True


def put_into(tracker: ValueTracker, container: ast.expr, data: TrackedValue, source: ast.expr | None = None) -> None:
    """Add a value to the object that an expression refers to."""
    root = container
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call | ast.Await):
        if isinstance(root, ast.Call):
            root = root.func.value if isinstance(root.func, ast.Attribute) else (root.args or [root.func])[0]
        else:
            if isinstance(root, ast.Attribute) and tracker.assigned_attributes.holds(root.attr):
                tracker.attributes.learn(root.attr, data)
            root = root.value
    data = TrackedValue(
        data.origins | change_each(tracker.conditions(), derived), data.functions, data.tools, data.refs
    )
    for name in [root.id] if isinstance(root, ast.Name) else names_of_object(tracker, root):
        for inner in tracker.comprehension_names:
            if name in inner:
                inner[name] |= data
        if (variable := tracker.variable(name)) is not None:
            put_into_variable(tracker, variable, data)
            if source is not None:
                link(tracker, variable, source)


def put_into_variable(tracker: ValueTracker, variable: Variable, data: TrackedValue) -> None:
    """Add a value to the contents of a variable and of all variables that may refer to the same object."""
    tracker.contents.learn(variable, data)
    for other in _linked_variables(tracker, variable, tracker.same_objects):
        tracker.contents.learn(other, data)
    if data.origins or data.tools:
        vague = without_details(data)
        for other in _linked_variables(tracker, variable, tracker.shared_objects):
            tracker.contents.learn(other, vague)


def link(tracker: ValueTracker, variable: Variable, source: ast.expr) -> None:
    """Record that a variable and an expression may be the same object, or that one may hold the other."""
    if (variable, source) in tracker.linked:
        return
    tracker.linked.add((variable, source))
    exact = isinstance(source, ast.Name)
    for name in names_of_object(tracker, source):
        other = tracker.variable(name)
        if (
            other is None
            or other == variable
            or other in (tracker.same_objects if exact else tracker.shared_objects)[variable]
        ):
            continue
        tracker.progress.learned = True
        for links in (tracker.shared_objects, tracker.same_objects) if exact else (tracker.shared_objects,):
            links[variable].add(other)
            links[other].add(variable)
        tracker.links.changed(variable)
        tracker.links.changed(other)
        for one, two in ((variable, other), (other, variable)):
            if data := tracker.contents.get(one):
                vague = without_details(data)
                tracker.contents.learn(two, data if exact else vague)


def names_of_object(tracker: ValueTracker, node: ast.expr) -> Iterator[str]:
    """Yield the names whose object this expression may return or hold."""
    match node:
        case ast.Name():
            yield node.id
        case ast.Attribute() | ast.Subscript() | ast.Await() | ast.Starred() | ast.NamedExpr():
            yield from names_of_object(tracker, node.value)
        case ast.IfExp():
            yield from (*names_of_object(tracker, node.body), *names_of_object(tracker, node.orelse))
        case ast.BoolOp():
            for one in node.values:
                yield from names_of_object(tracker, one)
        case ast.List() | ast.Tuple() | ast.Set():
            for one in node.elts:
                yield from names_of_object(tracker, one)
        case ast.Dict():
            for one in node.values:
                yield from names_of_object(tracker, one)
        case ast.BinOp(op=ast.Add() | ast.BitOr()):
            yield from (*names_of_object(tracker, node.left), *names_of_object(tracker, node.right))
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            yield from names_of_object(tracker, node.elt)
            for generator in node.generators:
                yield from names_of_object(tracker, generator.iter)
        case ast.DictComp():
            yield from names_of_object(tracker, node.value)
            for generator in node.generators:
                yield from names_of_object(tracker, generator.iter)
        case ast.Call():
            if node in tracker.known_calls or (isinstance(node.func, ast.Name) and node.func.id in _SCALARS):
                return  # a tool answer is a copy, and so is a number
            if isinstance(node.func, ast.Attribute):
                yield from names_of_object(tracker, node.func.value)
            for one in (*node.args, *(word.value for word in node.keywords)):
                yield from names_of_object(tracker, one)


def _linked_variables(
    tracker: ValueTracker, variable: Variable, links: Mapping[Variable, set[Variable]]
) -> Iterator[Variable]:
    seen, waiting = {variable}, [variable]
    while waiting:
        near = waiting.pop()
        tracker.links.holds(near)
        for other in links.get(near, set()) - seen:
            seen.add(other)
            waiting.append(other)
            yield other
    tracker.progress.spend(len(seen) >> 2)


def names_assigned_by(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _mentions_dict(node: ast.expr) -> bool:
    """Return whether `__dict__` occurs anywhere in the expression, including in strings."""
    words = (value for part in ast.walk(node) for _, value in ast.iter_fields(part))
    return any("__dict__" in one for one in words if isinstance(one, str))


# ── Values of names and attributes ──────────────────────────────────────────────────────────────────────
_BUILTINS: Final = frozenset(dir(builtins))
READY_NAMES: Final = {name: name for name in ("asyncio", "datetime", "json", "math", "re")} | {
    name: f"client.{name}" for name in (*CLIENT, "ToolError", "Image", "tool_discovery")
}  # names that a program can use without importing them


def value_of_name(tracker: ValueTracker, name: str) -> TrackedValue:
    for inner in reversed(tracker.comprehension_names):
        if name in inner:
            return inner[name]
    variable = tracker.variable(name)
    if variable is None:
        if name in READY_NAMES:
            return tracker.reference(READY_NAMES[name])
        if name in _BUILTINS:
            return TrackedValue(refs=frozenset({f"builtins.{name}"}))
        return unknown_value(tracker.tree, f"the name {name}")
    here = variable[0] is tracker.scope and name in tracker.names
    data = tracker.names[name] if here else tracker.variables.ask(variable)
    return data | tracker.contents.ask(variable)


def attribute(tracker: ValueTracker, node: ast.Attribute) -> TrackedValue:
    return attribute_of(tracker, tracker.value(node.value), node)


def attribute_of(tracker: ValueTracker, owner: TrackedValue, node: ast.Attribute) -> TrackedValue:
    # every branch may double the references; the cost keeps about 2,000 of them within the work limit
    many = len(owner.refs)
    tracker.progress.spend(1 + many + (many * many >> 7) + (sum(map(len, owner.refs)) >> 6))
    found = tracker.attributes.ask(node.attr)
    found |= tracker.attributes.ask(ANY_ATTRIBUTE)
    parts = [tracker.reference(f"{ref}.{node.attr}") for ref in owner.refs]
    if parts:
        refs, tools = ((one.refs for one in parts), (one.tools for one in parts))
        found |= TrackedValue(refs=frozenset().union(*refs), tools=frozenset().union(*tools))
    methods = tracker.scopes.methods.get(node.attr, set())
    if methods and not owner.refs:
        found |= TrackedValue(functions=frozenset(methods))
        for method in methods:
            if not isinstance(method, ast.Lambda) and getattr(method, "decorator_list", None):
                found |= tracker.answers.ask(method)
    if node.attr.startswith("__"):
        found |= unknown_value(node, f"the special attribute {node.attr}") if owner.functions or owner.refs else EMPTY
    in_table = node.attr in ("str", "dt", "values", "loc", "iloc", "at", "T")
    if tracker.assigned_attributes.holds(node.attr) and not owner.refs:
        origins = frozenset(one for one in owner.origins if one.kind == UNKNOWN or one.form == TABLE)
    elif node.attr == "str":
        origins = change_each(owner.origins, lambda one: element(one) if one.depth > 0 else one)
    elif in_table:
        origins = owner.origins
    else:
        origins = change_each(owner.origins, lambda one: field_named(one, node.attr))
    return TrackedValue(origins, frozenset(), owner.tools) | found
