"""Validates a value against a JSON Schema and reports faults as sentences, while the user types.

Bounded for hostile schemas: patterns that could hang the window are not tried, and the number of evaluated schemas is
limited. Numbers are compared exactly, so that a bound of 2**63 is not rounded.
"""

from __future__ import annotations

import datetime
import ipaddress
import json
import re
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Final, TypeAlias

from workbench.gui.forms.schema_shapes import (
    FORMAT_EXAMPLES,
    TYPES,
    number_bounds,
    number_keyword,
    resolve_ref,
    without,
)
from workbench.gui.kit.json_text import is_number
from workbench.records import JsonObject, JsonValue

# A repeated group that contains a repetition or an alternative can take forever on short text.
_SLOW_PATTERN = re.compile(r"[+*}?|][^()]*\)\s*[+*{]|\\[1-9]|\(\?P=")
_LONGEST_PATTERN = 300
_PATTERN_TEXT = 2_000
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_DURATION = re.compile(r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)")


def _text_faults(value: str, schema: JsonObject) -> Iterator[str]:
    shortest, longest = number_keyword(schema, "minLength"), number_keyword(schema, "maxLength")
    if shortest is not None and len(value) < shortest:
        yield "must not be empty." if shortest == 1 else f"must have at least {_number_text(shortest)} characters."
    if longest is not None and len(value) > longest:
        yield f"must have at most {_number_text(longest)} characters; it has {len(value)}."
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not _matches_pattern(pattern, value):
        yield f"must match {pattern[:80]}"
    if fault := _format_fault(value, schema):
        yield fault


def _number_faults(value: float, schema: JsonObject) -> Iterator[str]:
    least, most, above, below = number_bounds(schema)
    if least is not None and value < least:
        yield f"must be at least {_number_text(least)}."
    if most is not None and value > most:
        yield f"must be at most {_number_text(most)}."
    if above is not None and value <= above:
        yield f"must be more than {_number_text(above)}."
    if below is not None and value >= below:
        yield f"must be less than {_number_text(below)}."
    step = number_keyword(schema, "multipleOf")
    if step is not None and step > 0 and not _divides(step, value):
        yield f"must be a multiple of {_number_text(step)}."


def _matches_pattern(pattern: str, value: str) -> bool:
    """Whether the text matches; True if the pattern could be too slow or is not valid in Python."""
    if len(pattern) > _LONGEST_PATTERN or len(value) > _PATTERN_TEXT or _SLOW_PATTERN.search(pattern):
        return True
    try:
        return re.search(pattern, value) is not None
    except (re.error, RecursionError, OverflowError):
        return True


def _divides(step: float, value: float) -> bool:
    """Whether the decimal value is a multiple: 0.3 of 0.1, although not in binary."""
    try:
        return (Fraction(str(value)) / Fraction(str(step))).denominator == 1
    except (ValueError, OverflowError):
        return True


def _number_text(number: float) -> str:
    is_whole = isinstance(number, float) and number.is_integer() and abs(number) < 1e15
    return str(int(number) if is_whole else number)[:60]


def _format_fault(value: str, schema: JsonObject) -> str:
    wanted = schema.get("format")
    if wanted == "byte" or schema.get("contentEncoding") == "base64":
        return "" if _BASE64.fullmatch(value) and len(value) % 4 != 1 else "must be base64."
    if not isinstance(wanted, str) or wanted not in _FORMATS:
        return ""
    name, is_valid = _FORMATS[wanted]
    try:
        valid = is_valid(value)
    except ValueError:
        valid = False
    return "" if valid else f"must be {name} such as {FORMAT_EXAMPLES[wanted]}."


_ADDRESS = ("an address", re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S").match)
_FORMATS: Final[Mapping[str, tuple[str, Callable[[str], object]]]] = {
    "date": ("a date", lambda value: re.fullmatch(r"\d{4}-\d\d-\d\d", value) and datetime.date.fromisoformat(value)),
    "date-time": ("a date-time", lambda value: len(value) > 10 and datetime.datetime.fromisoformat(value)),
    "time": (
        "a time",
        lambda value: re.match(r"\d\d:\d\d", value) and datetime.time.fromisoformat(value) is not None,
    ),
    "duration": ("a duration", _DURATION.fullmatch),
    "email": ("an e-mail address", re.compile(r"[^@\s]+@[^@\s]+").fullmatch),
    "uri": _ADDRESS,
    "url": _ADDRESS,
    "uuid": ("a UUID", lambda value: len(value) == 36 and uuid.UUID(value)),
    "ipv4": ("an IPv4 address", ipaddress.IPv4Address),
    "ipv6": ("an IPv6 address", ipaddress.IPv6Address),
}
"""What a text of a format is called, and whether a text is one; a ValueError is a no."""


FieldPath: TypeAlias = tuple[str | int, ...]
PathFault: TypeAlias = tuple[FieldPath, str]

MISSING = "is required."
"""The fault of a missing value; a form shows it only before sending."""
_DEPTH = 40
_MOST = 50  # faults that are reported
_BRANCHES = 40
_UNDERSTOOD_IN_NOT = frozenset(
    {"type", "const", "enum", "required", "minLength", "maxLength", "minimum", "maximum"}
)  # nothing follows from a `not` with a keyword that is not validated here
_PLACES = 30_000  # schemas evaluated for one value: a hostile one may multiply endlessly


class _TooManySchemas(Exception):
    """The schema needs more evaluations than the window has time for."""


class _Check:
    """One validation: the root for references, and the number of schemas that may still be evaluated."""

    def __init__(self, root: JsonObject, places: int) -> None:
        self.root = root
        self._left = places

    def step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooManySchemas


def find_faults(value: JsonValue, schema: JsonValue, root: JsonObject, places: int = _PLACES) -> tuple[PathFault, ...]:
    """The faults of a value, outermost first, at most fifty; `places` limits how many schemas are evaluated."""
    found: dict[PathFault, None] = {}
    try:
        for fault in _faults(value, schema, _Check(root, places), (), 0):
            found[fault] = None
            if len(found) >= _MOST:
                break
    except (RecursionError, _TooManySchemas):  # too deep or too large: the server decides
        return tuple(found)
    return tuple(found)


def path_text(path: FieldPath) -> str:
    """A path as text: `filter.tags[2]`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else step)
    return text


def _json_equal(first: JsonValue, second: JsonValue) -> bool:
    """Whether two values are equal in JSON: 1 equals 1.0, but true is not 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_json_equal, first, second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_json_equal(first[key], second[key]) for key in first)
    return bool(first == second)


def _faults(value: JsonValue, schema: JsonValue, check: _Check, path: FieldPath, depth: int) -> Iterator[PathFault]:
    check.step()
    if schema is False:
        yield path, "is not allowed here."
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return
    parts = schema.get("allOf")
    if isinstance(parts, list):  # one by one: merged, only one of two `anyOf` would be left
        for part in parts[:_BRANCHES]:
            yield from _faults(value, part, check, path, depth + 1)
    if isinstance(schema.get("$ref"), str):
        pointed = resolve_ref(without(schema, "allOf"), check.root)
        yield from _faults(value, pointed, check, path, depth + 1)
        return
    wrong_type = _type_fault(value, schema)
    if wrong_type:
        yield path, wrong_type
        return
    yield from ((path, sentence) for sentence in _value_faults(value, schema))
    if isinstance(value, Mapping):
        yield from _object_faults(value, schema, check, path, depth)
    elif isinstance(value, list):
        yield from _array_faults(value, schema, check, path, depth)
    yield from _branch_faults(value, schema, check, path, depth)


def _type_fault(value: JsonValue, schema: JsonObject) -> str:
    stated = schema.get("type")
    listed = stated if isinstance(stated, list) else [stated]
    words = [word for word in listed if isinstance(word, str)]
    if not words or any(word not in TYPES or TYPES[word].holds(value) for word in words):
        return ""
    if value is None and schema.get("nullable") is True:
        return ""
    return f"must be {' or '.join(TYPES[word].text for word in words)}."


def _value_faults(value: JsonValue, schema: JsonObject) -> Iterator[str]:
    if "const" in schema and not _json_equal(value, schema["const"]):
        yield f"must be {json.dumps(schema['const'], ensure_ascii=False)[:80]}."
    values = schema.get("enum")
    if isinstance(values, list) and not any(_json_equal(value, known) for known in values):
        shown = ", ".join(json.dumps(known, ensure_ascii=False)[:60] for known in values[:6])
        yield f"must be one of {shown}{' …' if len(values) > 6 else ''}."
    if isinstance(value, str):
        yield from _text_faults(value, schema)
    elif is_number(value):
        yield from _number_faults(value, schema)


def _object_faults(
    value: Mapping[str, JsonValue], schema: JsonObject, check: _Check, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    yield from _missing_names(value, schema.get("required"), path)
    dependent = schema.get("dependentRequired")
    for name, names in dependent.items() if isinstance(dependent, Mapping) else ():
        if name in value:
            yield from _missing_names(value, names, path)
    for name, part in value.items():
        schemas = _schemas_of(name, schema)
        if schemas is None:
            yield (
                (*path, name),
                "is not a parameter of this tool." if depth == 0 else "is not a property of this object.",
            )
        for inner in schemas or ():
            yield from _faults(part, inner, check, (*path, name), depth + 1)
        names = schema.get("propertyNames")
        for _, sentence in _limited(name, names, check, (), depth + 1):
            yield (*path, name), f"is not a valid name: it {sentence}"
    yield from _size_faults(value, schema, "Properties", ("entry", "entries"), path)


def _size_faults(
    value: Collection[JsonValue], schema: JsonObject, keyword: str, nouns: tuple[str, str], path: FieldPath
) -> Iterator[PathFault]:
    fewest, most = number_keyword(schema, f"min{keyword}"), number_keyword(schema, f"max{keyword}")
    if fewest is not None and len(value) < fewest:
        yield path, f"must have at least {_number_text(fewest)} {nouns[fewest != 1]}."
    if most is not None and len(value) > most:
        yield path, f"must have at most {_number_text(most)} {nouns[most != 1]}."


def _missing_names(value: Mapping[str, JsonValue], names: JsonValue, path: FieldPath) -> Iterator[PathFault]:
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and name not in value:
            yield (*path, name), MISSING


def _schemas_of(name: str, schema: JsonObject) -> list[JsonValue] | None:
    """The schemas for the value of this name; None if the name is not allowed."""
    properties, patterns = schema.get("properties"), schema.get("patternProperties")
    found = [properties[name]] if isinstance(properties, Mapping) and name in properties else []
    for pattern, part in patterns.items() if isinstance(patterns, Mapping) else ():
        if _matches_pattern(pattern, name):
            found.append(part)
    if found:
        return found
    extra = schema.get("additionalProperties", True)
    return None if extra is False else [extra]


def _array_faults(
    value: list[JsonValue], schema: JsonObject, check: _Check, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    yield from _size_faults(value, schema, "Items", ("item", "items"), path)
    if schema.get("uniqueItems") is True and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
        yield path, "must not contain an item twice."
    head = schema.get("prefixItems") or schema.get("items")
    parts: Sequence[JsonValue] = head if isinstance(head, list) else ()
    rest = schema.get("additionalItems") if isinstance(schema.get("items"), list) else schema.get("items")
    for index, item in enumerate(value):
        yield from _faults(item, parts[index] if index < len(parts) else rest, check, (*path, index), depth + 1)
    wanted = schema.get("contains")
    needed = isinstance(wanted, Mapping) and schema.get("minContains") != 0
    if needed and all(_wrong(item, wanted, check, depth) for item in value):
        yield path, "contains no item of the required kind."


def _branch_faults(
    value: JsonValue, schema: JsonObject, check: _Check, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            yield from _no_branch(value, branches, check, path, depth)
    if isinstance(schema.get("if"), Mapping):
        chosen = schema.get("else" if _wrong(value, schema["if"], check, depth) else "then")
        yield from _faults(value, chosen, check, path, depth + 1)
    dependent = schema.get("dependentSchemas")
    for name, part in dependent.items() if isinstance(dependent, Mapping) else ():
        if isinstance(value, Mapping) and name in value:
            yield from _faults(value, part, check, path, depth + 1)
    ruled_out = schema.get("not")
    understood = isinstance(ruled_out, Mapping) and ruled_out and ruled_out.keys() <= _UNDERSTOOD_IN_NOT
    if understood and not _wrong(value, ruled_out, check, depth):
        yield path, "is a value that the schema excludes."


def _no_branch(
    value: JsonValue, branches: list[JsonValue], check: _Check, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    """A value must match a branch; if it matches none, report the faults of the nearest one."""
    tried = [list(_limited(value, branch, check, path, depth + 1)) for branch in branches[:_BRANCHES]]
    if any(not faults for faults in tried):
        return
    if all(isinstance(branch, Mapping) and set(branch) == {"required"} for branch in branches):
        names = " or ".join(" and ".join(map(str, branch["required"])) for branch in branches)
        yield path, f"needs {names}."
    else:
        yield from min(tried, key=lambda faults: (_mismatches(faults, path), len(faults)))


def _mismatches(faults: list[PathFault], path: FieldPath) -> int:
    """Number of faults in type or constant: they make a branch less likely than a wrong detail does."""
    return sum(1 for place, sentence in faults if place == path or sentence.startswith('must be "'))


def _wrong(value: JsonValue, schema: JsonValue, check: _Check, depth: int) -> bool:
    return next(_faults(value, schema, check, (), depth + 1), None) is not None


def _limited(value: JsonValue, schema: JsonValue, check: _Check, path: FieldPath, depth: int) -> Iterator[PathFault]:
    return islice(_faults(value, schema, check, path, depth), _MOST)
