"""Says quickly that a value keeps to a schema, where both are as plain as nearly all are. It never says so wrongly.

A value that departs, and a schema with words this does not know, are for the real validator: `schema_check.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_STEPS = 20_000  # values looked at
_SAYS_NOTHING = frozenset({"title", "description", "default", "examples", "$schema", "$comment", "format", "pattern"})
_KINDS: dict[str, Callable[[Any], bool]] = {  # Any: foreign JSON, here and below
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def surely_fits(schema: Any, value: Any) -> bool:
    """True: the validator would find nothing. False: nobody knows yet."""
    try:
        return _fits(schema, value, [_STEPS])
    except (RecursionError, TypeError, AttributeError):  # a schema that is none
        return False


def _fits(schema: Any, value: Any, left: list[int]) -> bool:
    left[0] -= 1
    if left[0] < 0:
        return False
    if isinstance(schema, bool):
        return schema
    return isinstance(schema, dict) and all(
        word in _SAYS_NOTHING or (word in _WORDS and _WORDS[word](schema[word], value, schema, left)) for word in schema
    )


def _type(wanted: Any, value: Any, schema: Any, left: list[int]) -> bool:
    names = wanted if isinstance(wanted, list) else [wanted]
    return any(name in _KINDS and _KINDS[name](value) for name in names)


def _properties(wanted: Any, value: Any, schema: Any, left: list[int]) -> bool:
    return not isinstance(value, dict) or all(
        _fits(inner, value[name], left) for name, inner in wanted.items() if name in value
    )


def _required(wanted: Any, value: Any, schema: Any, left: list[int]) -> bool:
    return not isinstance(value, dict) or all(name in value for name in wanted)


def _more(wanted: Any, value: Any, schema: Any, left: list[int]) -> bool:
    if not isinstance(value, dict) or wanted is True:
        return True
    known = schema.get("properties", {})
    return all(_fits(wanted, value[name], left) for name in value if name not in known)


def _items(wanted: Any, value: Any, schema: Any, left: list[int]) -> bool:
    return not isinstance(value, list) or all(_fits(wanted, item, left) for item in value)


def _enum(wanted: Any, value: Any, schema: Any, left: list[int]) -> bool:
    return isinstance(value, str) and isinstance(wanted, list) and value in wanted


def _any_of(wanted: Any, value: Any, schema: Any, left: list[int]) -> bool:
    return any(_fits(inner, value, left) for inner in wanted)


_WORDS: dict[str, Callable[[Any, Any, Any, list[int]], bool]] = {
    "type": _type,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _more,
    "items": _items,
    "enum": _enum,
    "anyOf": _any_of,
}
