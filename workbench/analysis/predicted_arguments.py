"""Returns the arguments of a predicted call as JSON, as far as the program's text determines them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import cast

from workbench.analysis.interpreter.values import HOLE, MAX_ITEMS, UNKNOWN, Arguments, Value, each
from workbench.identifiers import parameter_names
from workbench.permissions.call_rules import REST, KnownArguments
from workbench.records import JsonValue, Tool

MOST = 8  # alternatives of one call, such as the recipients of a loop over a list
_UNSURE = object()
_OF_CLIENT = frozenset({"server", "tool", "tool_id", "id", "name", "arguments"})  # of `call_tool` and `call_mcp_tool`


def known_arguments(tool: Tool, passes: Sequence[Arguments]) -> tuple[KnownArguments, ...]:
    """Return every combination of arguments that a call may have, in any pass of its loop. With too many of them,
    nothing is known."""
    found = dict[str, KnownArguments]()
    for arguments in passes:
        for known in _of_pass(tool, arguments):
            found.setdefault(repr(known), known)
    return tuple(found.values()) if len(found) <= MOST else (KnownArguments({}, frozenset({REST})),)


def _of_pass(tool: Tool, arguments: Arguments) -> Iterator[KnownArguments]:
    fields = tool.input_schema.get("properties")
    keys = tuple(map(str, fields)) if isinstance(fields, dict) else ()
    words = {word: key for key, word in parameter_names(keys).items()}
    named = {words.get(word, word): value for word, value in arguments.named.items() if word != "**"}
    unknown = {REST} if arguments.loose is not None or (arguments.positional and not arguments.keys) else set[str]()
    if keys and not named.keys() <= set(keys) and named.keys() <= _OF_CLIENT:
        named, unknown = {}, unknown if arguments.keys else {REST}
    choices: dict[str, list[JsonValue]] = {}
    for key, value in {**named, **arguments.keys}.items():
        found = [_json(one) for one in each(value)]
        if any(one is _UNSURE for one in found):
            unknown.add(key)
        else:
            choices[key] = cast("list[JsonValue]", found)
    for values in islice(product(*choices.values()), MOST + 1):
        yield KnownArguments(dict(zip(choices, values, strict=True)), frozenset(unknown))


def _json(value: Value) -> JsonValue | object:
    """Return the JSON value; _UNSURE if some part of it is known only at run time, or came from a tool's answer."""
    if value.taint or value.refs or value.functions or value.choices:
        return _UNSURE
    if value.items is not None:
        parts = [_json(item) for item in value.items]
        if len(parts) >= MAX_ITEMS or any(part is _UNSURE for part in parts):
            return _UNSURE
        if value.keys is None:
            return parts
        names = [name.const for name in value.keys]
        if len(names) != len(parts) or not all(isinstance(name, str) and HOLE not in name for name in names):
            return _UNSURE
        return dict(zip(map(str, names), parts, strict=True))
    const = value.const
    if const is UNKNOWN or (isinstance(const, str) and HOLE in const):
        return _UNSURE
    return const if const is None or isinstance(const, str | bool | int | float) else _UNSURE
