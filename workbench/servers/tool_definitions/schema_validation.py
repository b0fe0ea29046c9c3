"""Validates a tool's answer against its output schema. Both come from a server, so validating must not be an attack.

Bounded in steps and time; no remote references, no regular expressions, no quadratic comparisons. Plain schemas are
compiled to functions first, because every answer is validated.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from workbench.records import JsonValue, Tool

log = logging.getLogger(__name__)

_STEPS = 50_000  # keyword evaluations
_SECONDS = 0.25
_UNIQUE_ITEMS = 500  # a longer list is not compared pairwise
_NOT_CHECKED = ("pattern", "patternProperties", "format", "contentSchema", "$dynamicRef")
_MESSAGE = 300  # characters


class _Enough(Exception):
    """The budget is used up."""


class _Budget:
    def __init__(self) -> None:
        self.steps = 0
        self.until = 0.0

    def refill(self) -> None:
        self.steps, self.until = _STEPS, time.monotonic() + _SECONDS

    def spend(self) -> None:
        self.steps -= 1
        if self.steps < 0 or (self.steps % 64 == 0 and time.monotonic() > self.until):
            raise _Enough


def departure(tool: Tool, value: JsonValue) -> str:
    """A sentence naming the first place that departs from the output schema; empty when none was found."""
    schema = _Schema(tool.output_schema)
    if _fit(tool.hash, tool.server, schema)(value):
        return ""
    try:
        validator, budget = _validator(tool.hash, tool.server, schema)
        budget.refill()
        fault = next(iter(validator.iter_errors(value)), None)
    except (_Enough, RecursionError):
        return ""  # nothing was found as far as looking is sensible
    except Exception as broken:  # a foreign schema can break a validator in any way; that is its finding
        log.debug("the output schema of %s cannot be used", tool.name, exc_info=True)
        return f"The tool's output schema cannot be used: {type(broken).__name__}."
    if fault is None:
        return ""
    place = ".".join(str(part) for part in fault.absolute_path) or "the answer"
    return f"At {place:.100}: {fault.message[:_MESSAGE]}"


class _Schema:
    """Carries an unhashable schema through the cache; the tool's hash stands for it."""

    def __init__(self, schema: Any) -> None:  # Any: foreign JSON
        self.schema = schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Schema)

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=512)
def _fit(_hash: str, _server: str, schema: _Schema) -> Callable[[Any], bool]:  # Any: foreign JSON
    return fit_of(schema.schema)


@functools.lru_cache(maxsize=512)
def _validator(
    _hash: str, _server: str, schema: _Schema
) -> tuple[Any, _Budget]:  # Any: jsonschema's validator, untyped
    from referencing import Registry

    budget = _Budget()
    return _bounded(budget)(schema.schema, registry=Registry()), budget  # the default registry fetches over the network


def _bounded(budget: _Budget) -> Any:  # Any: a validator class made at run time
    from jsonschema import Draft202012Validator, validators  # type: ignore[import-untyped]  # it has no types

    def counted(keyword: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any] | None]:
        def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            budget.spend()
            yield from keyword(validator, value, instance, schema) or ()

        return check

    keywords = {name: counted(keyword) for name, keyword in Draft202012Validator.VALIDATORS.items()}
    unique = keywords["uniqueItems"]
    keywords["uniqueItems"] = lambda v, value, instance, schema: (
        unique(v, value, instance, schema) if not isinstance(instance, list) or len(instance) <= _UNIQUE_ITEMS else None
    )
    for name in _NOT_CHECKED:
        keywords[name] = lambda *_: None
    return validators.extend(Draft202012Validator, keywords)


_FAST_STEPS = 20_000  # values looked at
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
        fits = _compiled_fit(schema)
    except (RecursionError, TypeError, AttributeError):  # a schema that is none
        return lambda value: False

    def surely(value: Any) -> bool:
        try:
            return fits(value, [_FAST_STEPS])
        except (RecursionError, TypeError, AttributeError):
            return False

    return surely


def surely_fits(schema: Any, value: Any) -> bool:
    """The same for a schema that is met once."""
    return fit_of(schema)(value)


def _compiled_fit(schema: Any) -> Fit:
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
            found.append(_compiled_fit(schema))
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
                    test = met.get(name) or met.setdefault(name, _compiled_fit(wanted[name]))
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
