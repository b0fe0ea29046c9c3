"""Data flow through a call: finds out what is called, and what becomes of its arguments."""

from __future__ import annotations

import ast
from typing import Final

from workbench.analysis.data_flow.assignments import put_into
from workbench.analysis.data_flow.attributes import attribute_of
from workbench.analysis.data_flow.functions import call_back, call_function, call_tool
from workbench.analysis.data_flow.library_functions import call_library_function, call_method, is_pure
from workbench.analysis.data_flow.value_origins import (
    EMPTY,
    UNFOLLOWED,
    TrackedValue,
    change_each,
    derived,
    element,
    origins_of,
    unknown_value,
)
from workbench.analysis.data_flow.value_tracker import ValueTracker
from workbench.analysis.tables import function_data_flow as table

_CHANCE: Final = ("random.", "time.", "datetime.", "asyncio.sleep")  # chance, and the clock
_DRIVING: Final = ("random.seed", "random.setstate", "time.sleep", "asyncio.sleep")  # decides what those say next


def call(tracker: ValueTracker, node: ast.Call) -> TrackedValue:
    receiver, target = _callee(tracker, node.func)
    positional = [argument(tracker, one) for one in node.args]
    named = {word.arg or f"**{number}": tracker.value(word.value) for number, word in enumerate(node.keywords)}
    every = [*positional, *named.values()]
    tools = {(one.server, one.name): one for one in tracker.known_calls.get(node, ())}
    tools |= {key: one for key in target.tools if (one := tracker.tool(key)) is not None}
    found = EMPTY
    for tool in tools.values():
        found |= call_tool(tracker, node, tool, positional, named)
    for function in target.functions:
        found |= call_function(tracker, function, positional, named, receiver, node)
    if tools and not target.functions:
        return found
    for name, data in named.items():
        if tracker.assigned_attributes.holds(name):
            tracker.attributes.learn(name, data)
    tracker.progress.spend(2 * max(len(target.refs) - 1, 0))
    for ref in target.refs:
        found |= call_library_function(tracker, node, ref, positional, named)
        if ref.startswith(_CHANCE):
            found |= tracker.chance.ask(None)
            if ref in _DRIVING and origins_of(positional):
                old = tracker.chance.get(None, EMPTY)
                new = tracker.chance[None] = old | TrackedValue(change_each(origins_of(positional), derived))
                if new != old:
                    tracker.chance.changed(None)
        if not table.keeps_its_arguments(ref) or "file" in named:
            _mix_arguments(tracker, node, every, known=is_pure(ref))
    handed = [data for data in every if data.functions or data.tools]
    if handed:
        keyed = named.get("key", EMPTY)
        back = call_back(tracker, handed, receiver.origins.union(*(data.origins for data in every)), node, keyed)
        found |= back
        if back.origins and isinstance(node.func, ast.Attribute):
            put_into(tracker, node.func.value, TrackedValue(change_each(back.origins, derived)))
    if target.functions or target.refs:
        return found
    if isinstance(node.func, ast.Attribute):
        return found | call_method(tracker, node, node.func, receiver, positional, named)
    origins = target.origins.union(*(data.origins for data in every))
    tracker.unresolved = True
    if not tracker.strict:
        return found | TrackedValue(origins)
    tracker.found.blind |= origins | tracker.conditions()
    _mix_arguments(tracker, node, every, known=False)
    return found | TrackedValue(origins) | unknown_value(node, UNFOLLOWED)


def _callee(tracker: ValueTracker, node: ast.expr) -> tuple[TrackedValue, TrackedValue]:
    """What a method is called of, and what is called."""
    if not isinstance(node, ast.Attribute):
        return EMPTY, tracker.value(node)
    receiver = tracker.value(node.value)
    return receiver, tracker.touch(attribute_of(tracker, receiver, node))


def called_references(tracker: ValueTracker, node: ast.expr) -> frozenset[str]:
    return tracker.value(node.func).refs if isinstance(node, ast.Call) else frozenset()


def argument(tracker: ValueTracker, node: ast.expr) -> TrackedValue:
    """`f(*x)` hands on the elements of x."""
    data = tracker.value(node)
    return data.changed(element) if isinstance(node, ast.Starred) else data


def _mix_arguments(tracker: ValueTracker, node: ast.Call, every: list[TrackedValue], *, known: bool) -> None:
    """A function that may put any of its arguments into any other one."""
    origins = change_each(origins_of(every), derived)
    given = TrackedValue(origins) if known else TrackedValue(origins) | unknown_value(node, UNFOLLOWED)
    if not given.origins or (known and len(every) < 2):
        return
    for source in (*node.args, *(word.value for word in node.keywords)):
        if not isinstance(source, ast.Constant):
            put_into(tracker, source, given)
