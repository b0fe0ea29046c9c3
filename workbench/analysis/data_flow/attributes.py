"""Data flow out of names and attributes: what a name or an attribute leads to."""

from __future__ import annotations

import ast
import builtins
from typing import Final

from workbench.analysis.data_flow.value_origins import (
    EMPTY,
    TABLE,
    UNKNOWN,
    TrackedValue,
    change_each,
    element,
    field_named,
    unknown_value,
)
from workbench.analysis.data_flow.value_tracker import ANY_ATTRIBUTE, ValueTracker
from workbench.analysis.tables.modules import CLIENT

_BUILTINS: Final = frozenset(dir(builtins))
_READY: Final = {name: name for name in ("asyncio", "datetime", "json", "math", "re")} | {
    name: f"client.{name}" for name in (*CLIENT, "ToolError", "Image", "tool_discovery")
}  # what a program finds without importing it


def value_of_name(tracker: ValueTracker, name: str) -> TrackedValue:
    for inner in reversed(tracker.comprehension_names):
        if name in inner:
            return inner[name]
    variable = tracker.variable(name)
    if variable is None:
        if name in _READY:
            return tracker.reference(_READY[name])
        if name in _BUILTINS:
            return TrackedValue(refs=frozenset({f"builtins.{name}"}))
        return unknown_value(tracker.tree, f"the name {name}")
    here = variable[0] is tracker.scope and name in tracker.names
    data = tracker.names[name] if here else tracker.variables.ask(variable)
    return data | tracker.contents.ask(variable)


def attribute(tracker: ValueTracker, node: ast.Attribute) -> TrackedValue:
    return attribute_of(tracker, tracker.value(node.value), node)


def attribute_of(tracker: ValueTracker, owner: TrackedValue, node: ast.Attribute) -> TrackedValue:
    many = len(owner.refs)  # every branch may double them: 2,000 names are read to the end, and no more
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
