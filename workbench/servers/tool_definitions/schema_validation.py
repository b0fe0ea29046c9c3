"""Validates a tool's answer against its output schema. Both come from a server, so validation must resist attacks.

It is bounded in steps and time; no remote references, no regular expressions, no quadratic comparisons. Answers that
fit a plain schema are recognised without the validator, because every answer is validated.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

from workbench.records import JsonObject, JsonValue, Tool

log = logging.getLogger(__name__)

_STEPS = 50_000  # keyword evaluations
_SECONDS = 0.25
_UNIQUE_ITEMS = 500  # a longer list is not compared pairwise
_NOT_CHECKED = ("pattern", "patternProperties", "format", "contentSchema", "$dynamicRef")
_MESSAGE = 300  # characters


class _Enough(Exception):
    """Raised when the step budget of a validation is used up."""


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


def find_departure(tool: Tool, value: JsonValue) -> str:
    """Return a sentence about the first place that departs from the output schema; "" when none was found."""
    return _find_departure(tool, "output", tool.output_schema, value)


def find_argument_departure(tool: Tool, arguments: JsonObject) -> str:
    """Return a sentence about the first place where arguments depart from the input schema; "" when none was found."""
    return _find_departure(tool, "input", tool.input_schema, arguments)


def _find_departure(tool: Tool, which: str, schema: Any, value: JsonValue) -> str:  # Any: untrusted JSON
    if surely_fits(schema, value):
        return ""
    try:
        validator, budget = _validator(f"{which} {tool.hash}", tool.server, _Schema(schema))
        budget.refill()
        fault = next(iter(validator.iter_errors(value)), None)
    except (_Enough, RecursionError):
        return ""  # no departure within the step budget
    except Exception as broken:  # an untrusted schema can fail a validator in any way; the failure is the finding
        log.debug("the %s schema of %s cannot be used", which, tool.name, exc_info=True)
        return f"The tool's {which} schema cannot be used: {type(broken).__name__}."
    if fault is None:
        return ""
    place = ".".join(str(part) for part in fault.absolute_path) or "the top level"
    return f"At {place:.100}: {fault.message[:_MESSAGE]}"


class _Schema:
    """Wraps an unhashable schema for the cache; the tool's hash identifies it."""

    def __init__(self, schema: Any) -> None:  # Any: untrusted JSON
        self.schema = schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Schema)

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=512)
def _validator(
    _hash: str, _server: str, schema: _Schema
) -> tuple[Any, _Budget]:  # Any: jsonschema's validator, untyped
    from referencing import Registry

    budget = _Budget()
    return _bounded(budget)(schema.schema, registry=Registry()), budget  # the default registry fetches over the network


def _bounded(budget: _Budget) -> Any:  # Any: a validator class made at run time
    from jsonschema import Draft202012Validator, validators  # type: ignore[import-untyped]  # it has no types

    def count_steps(keyword: Callable[..., Iterator[Any] | None]) -> Callable[..., Iterator[Any] | None]:
        def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            budget.spend()
            yield from keyword(validator, value, instance, schema) or ()

        return check

    keywords = {name: count_steps(keyword) for name, keyword in Draft202012Validator.VALIDATORS.items()}
    unique = keywords["uniqueItems"]
    keywords["uniqueItems"] = lambda v, value, instance, schema: (
        unique(v, value, instance, schema) if not isinstance(instance, list) or len(instance) <= _UNIQUE_ITEMS else None
    )
    for name in _NOT_CHECKED:
        keywords[name] = lambda *_: None
    return validators.extend(Draft202012Validator, keywords)


_FAST_STEPS = 20_000  # values checked
_KNOWN = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"),
        # Ignored keywords.
        *("title", "description", "default", "examples", "$schema", "$comment", "format", "pattern"),
    }
)
_TYPES: dict[type, frozenset[str]] = {
    dict: frozenset({"object"}),
    list: frozenset({"array"}),
    str: frozenset({"string"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    bool: frozenset({"boolean"}),
    type(None): frozenset({"null"}),
}


def surely_fits(schema: Any, value: Any) -> bool:  # Any: untrusted JSON
    """Whether the validator would find nothing. False means that only the validator can decide."""
    try:
        return _fits(schema, value, [_FAST_STEPS])
    except (RecursionError, TypeError, AttributeError):  # an invalid schema
        return False


def _fits(schema: Any, value: Any, left: list[int]) -> bool:
    """Check a value in one loop instead of a call per value, because every answer is validated. `left`: values still
    allowed."""
    waiting = [(schema, value)]
    while waiting:
        left[0] -= 1
        schema, value = waiting.pop()
        if schema is True:
            continue
        if left[0] < 0 or not isinstance(schema, dict) or not schema.keys() <= _KNOWN:
            return False
        if "type" in schema:
            wanted = schema["type"]
            if _TYPES[type(value)].isdisjoint(wanted if isinstance(wanted, list) else (wanted,)):
                return False
        if "enum" in schema and not (isinstance(value, str) and value in list(schema["enum"])):
            return False
        if "anyOf" in schema and not any(_fits(inner, value, left) for inner in schema["anyOf"]):
            return False
        if isinstance(value, dict):
            known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
            if not isinstance(known, dict) or not set(schema.get("required", ())) <= value.keys():
                return False
            for name, inner in value.items():
                if name in known:
                    waiting.append((known[name], inner))
                elif more is not True:
                    waiting.append((more, inner))
        elif isinstance(value, list) and "items" in schema:
            if len(value) > left[0]:
                return False
            waiting += zip(repeat(schema["items"]), value)
    return True
