"""Says quickly that a value keeps to a schema, where both are as plain as nearly all are. It never says so wrongly.

A value that departs, and a schema with words this does not know, are for the real validator: `schema_check.py`. A
schema becomes a function, because each answer of its tool is held to it; each part of it when a value first meets it,
so that a giant one costs no more than the values do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

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
Fit: TypeAlias = Callable[[Any, list[int]], bool]  # a value, and how many may still be looked at
_UNKNOWN: Fit = lambda value, left: False  # noqa: E731  # nobody knows yet


def fit_of(schema: Any) -> Callable[[Any], bool]:
    """True of a value: the validator would find nothing. False: nobody knows yet."""
    try:
        fits = _fit(schema)
    except (RecursionError, TypeError, AttributeError):  # a schema that is none
        return lambda value: False

    def surely(value: Any) -> bool:
        try:
            return fits(value, [_STEPS])
        except (RecursionError, TypeError, AttributeError):
            return False

    return surely


def surely_fits(schema: Any, value: Any) -> bool:
    """The same for a schema that is met once."""
    return fit_of(schema)(value)


def _fit(schema: Any) -> Fit:
    if isinstance(schema, bool):
        return _counted([] if schema else [_UNKNOWN])
    if not isinstance(schema, dict) or not all(word in _SAYS_NOTHING or word in _WORDS for word in schema):
        return _UNKNOWN
    return _counted([_WORDS[word](schema[word], schema) for word in schema if word not in _SAYS_NOTHING])


def _counted(tests: list[Fit]) -> Fit:
    def fits(value: Any, left: list[int]) -> bool:
        left[0] -= 1
        if left[0] < 0:
            return False
        return all(test(value, left) for test in tests)

    return fits


def _later(schema: Any) -> Fit:
    found: list[Fit] = []

    def fits(value: Any, left: list[int]) -> bool:
        if not found:
            found.append(_fit(schema))
        return found[0](value, left)

    return fits


def _type(wanted: Any, schema: Any) -> Fit:
    kinds = [_KINDS[name] for name in (wanted if isinstance(wanted, list) else [wanted]) if name in _KINDS]
    if len(kinds) == 1:
        only = kinds[0]
        return lambda value, left: only(value)
    return lambda value, left: any(kind(value) for kind in kinds)


def _properties(wanted: Any, schema: Any) -> Fit:
    met: dict[str, Fit] = {}

    def fits(value: Any, left: list[int]) -> bool:
        if isinstance(value, dict):
            for name in value:
                if name in wanted:
                    test = met.get(name) or met.setdefault(name, _fit(wanted[name]))
                    if not test(value[name], left):
                        return False
        return True

    return fits if isinstance(wanted, dict) else _UNKNOWN


def _required(wanted: Any, schema: Any) -> Fit:
    names = list(wanted)
    return lambda value, left: not isinstance(value, dict) or all(name in value for name in names)


def _more(wanted: Any, schema: Any) -> Fit:
    if wanted is True:
        return lambda value, left: True
    test, known = _later(wanted), schema.get("properties", {})
    return lambda value, left: (
        not isinstance(value, dict) or all(test(value[name], left) for name in value if name not in known)
    )


def _items(wanted: Any, schema: Any) -> Fit:
    test = _later(wanted)
    return lambda value, left: not isinstance(value, list) or all(test(item, left) for item in value)


def _enum(wanted: Any, schema: Any) -> Fit:
    return lambda value, left: isinstance(value, str) and isinstance(wanted, list) and value in wanted


def _any_of(wanted: Any, schema: Any) -> Fit:
    tests = [_later(inner) for inner in wanted]
    return lambda value, left: any(test(value, left) for test in tests)


_WORDS: dict[str, Callable[[Any, Any], Fit]] = {
    "type": _type,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _more,
    "items": _items,
    "enum": _enum,
    "anyOf": _any_of,
}
