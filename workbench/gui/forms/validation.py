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
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from workbench.gui.forms.schema_shapes import resolve_ref, without
from workbench.records import JsonObject, JsonValue

# A repeated group that contains a repetition or an alternative can take forever on short text.
_SLOW_PATTERN = re.compile(r"[+*}?|][^()]*\)\s*[+*{]|\\[1-9]|\(\?P=")
_LONGEST_PATTERN = 300
_PATTERN_TEXT = 2_000
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_DURATION = re.compile(r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)")


def text_faults(value: str, schema: JsonObject) -> Iterator[str]:
    """Faults of a text: length, pattern, format."""
    shortest, longest = number_keyword(schema, "minLength"), number_keyword(schema, "maxLength")
    if shortest is not None and len(value) < shortest:
        yield "must not be empty." if shortest == 1 else f"must have at least {_number_text(shortest)} characters."
    if longest is not None and len(value) > longest:
        yield f"must have at most {_number_text(longest)} characters; it has {len(value)}."
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not matches_pattern(pattern, value):
        yield f"must match {pattern[:80]}"
    if wrong := _format_fault(value, schema):
        yield wrong


def number_faults(value: float, schema: JsonObject) -> Iterator[str]:
    """Faults of a number: bounds and step."""
    least, most = number_keyword(schema, "minimum"), number_keyword(schema, "maximum")
    above, below = number_keyword(schema, "exclusiveMinimum"), number_keyword(schema, "exclusiveMaximum")
    if schema.get("exclusiveMinimum") is True:  # as in draft 4
        least, above = None, least
    if schema.get("exclusiveMaximum") is True:
        most, below = None, most
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


def number_keyword(schema: JsonObject, key: str) -> int | float | None:
    """The number of a keyword; None if it is missing or not a number."""
    value = schema.get(key)
    usable = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return value if usable else None


def matches_pattern(pattern: str, value: str) -> bool:
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
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 1e15
    return str(int(number) if whole else number)[:60]


def _format_fault(value: str, schema: JsonObject) -> str:
    wanted = schema.get("format")
    encoded = wanted == "byte" or schema.get("contentEncoding") == "base64"
    if encoded and not (_BASE64.fullmatch(value) and len(value) % 4 != 1):
        return "must be base64."
    check = _FORMATS.get(wanted) if isinstance(wanted, str) else None
    if check is None:
        return ""
    try:
        fits = check[0](value)
    except ValueError:
        fits = False
    return "" if fits else check[1]


def _is_date(value: str) -> bool:
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value)) and bool(datetime.date.fromisoformat(value))


def _is_moment(value: str) -> bool:
    return len(value) > 10 and bool(datetime.datetime.fromisoformat(value))


def _is_time(value: str) -> bool:
    return bool(re.match(r"\d\d:\d\d", value)) and datetime.time.fromisoformat(value) is not None


def _is_uuid(value: str) -> bool:
    return len(value) == 36 and uuid.UUID(value) is not None


_ADDRESS = "must be an address such as https://example.com."
_FORMATS: Final[Mapping[str, tuple[Callable[[str], object], str]]] = {
    "date": (_is_date, "must be a date such as 2026-01-31."),
    "date-time": (_is_moment, "must be a date-time such as 2026-01-31T09:00:00Z."),
    "time": (_is_time, "must be a time such as 09:00:00Z."),
    "duration": (_DURATION.fullmatch, "must be a duration such as P1DT12H."),
    "email": (re.compile(r"[^@\s]+@[^@\s]+").fullmatch, "must be an e-mail address."),
    "uri": (re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S").match, _ADDRESS),
    "url": (re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S").match, _ADDRESS),
    "uuid": (_is_uuid, "must be a UUID such as 123e4567-e89b-12d3-a456-426614174000."),
    "ipv4": (ipaddress.IPv4Address, "must be an IPv4 address such as 192.0.2.1."),
    "ipv6": (ipaddress.IPv6Address, "must be an IPv6 address such as 2001:db8::1."),
}


FieldPath: TypeAlias = tuple[str | int, ...]
PathFault: TypeAlias = tuple[FieldPath, str]

MISSING = "is required."
"""The fault of a missing value; a form shows it only before sending."""
_DEPTH = 40
_MOST = 50  # faults that are reported
_BRANCHES = 40
_PLACES = 30_000  # schemas evaluated for one value: a hostile one may multiply endlessly
_TYPE_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


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


def is_type(value: JsonValue, word: str) -> bool:
    """Whether the value has the JSON type; 1.0 is a whole number, true is no number."""
    if word == "integer":
        return not isinstance(value, bool) and (
            isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        )
    if word == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    types: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "boolean": bool,
        "array": list,
        "object": Mapping,
        "null": type(None),
    }
    return isinstance(value, types[word]) if word in types else True


def json_equal(first: JsonValue, second: JsonValue) -> bool:
    """Whether two values are equal in JSON: 1 equals 1.0, but true is not 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(json_equal, first, second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(json_equal(first[key], second[key]) for key in first)
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
    if not words or any(is_type(value, word) for word in words):
        return ""
    if value is None and schema.get("nullable") is True:
        return ""
    return f"must be {' or '.join(_TYPE_WORDS.get(word, word) for word in words)}."


def _value_faults(value: JsonValue, schema: JsonObject) -> Iterator[str]:
    if "const" in schema and not json_equal(value, schema["const"]):
        yield f"must be {json.dumps(schema['const'], ensure_ascii=False)[:80]}."
    values = schema.get("enum")
    if isinstance(values, list) and not any(json_equal(value, known) for known in values):
        shown = ", ".join(json.dumps(known, ensure_ascii=False)[:60] for known in values[:6])
        yield f"must be one of {shown}{' …' if len(values) > 6 else ''}."
    if isinstance(value, str):
        yield from text_faults(value, schema)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from number_faults(value, schema)


def _object_faults(
    value: Mapping[str, JsonValue], schema: JsonObject, check: _Check, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    yield from _missing(value, schema.get("required"), path)
    dependent = schema.get("dependentRequired")
    for name, names in dependent.items() if isinstance(dependent, Mapping) else ():
        if name in value:
            yield from _missing(value, names, path)
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
    fewest, most = number_keyword(schema, "minProperties"), number_keyword(schema, "maxProperties")
    if fewest is not None and len(value) < fewest:
        yield path, f"must have at least {_count_text(fewest, 'entry', 'entries')}."
    if most is not None and len(value) > most:
        yield path, f"must have at most {_count_text(most, 'entry', 'entries')}."


def _missing(value: Mapping[str, JsonValue], names: JsonValue, path: FieldPath) -> Iterator[PathFault]:
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and name not in value:
            yield (*path, name), MISSING


def _schemas_of(name: str, schema: JsonObject) -> list[JsonValue] | None:
    """The schemas for the value of this name; None if the name is not allowed."""
    properties, patterns = schema.get("properties"), schema.get("patternProperties")
    found = [properties[name]] if isinstance(properties, Mapping) and name in properties else []
    for pattern, part in patterns.items() if isinstance(patterns, Mapping) else ():
        if matches_pattern(pattern, name):
            found.append(part)
    if found:
        return found
    extra = schema.get("additionalProperties", True)
    return None if extra is False else [extra]


def _array_faults(
    value: list[JsonValue], schema: JsonObject, check: _Check, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    fewest, most = number_keyword(schema, "minItems"), number_keyword(schema, "maxItems")
    if fewest is not None and len(value) < fewest:
        yield path, f"must have at least {_count_text(fewest, 'item', 'items')}."
    if most is not None and len(value) > most:
        yield path, f"must have at most {_count_text(most, 'item', 'items')}."
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


def _count_text(number: float, one: str, many: str) -> str:
    return f"{number:g} {one if number == 1 else many}" if abs(number) < 1e15 else f"{number} {many}"


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
    if isinstance(ruled_out, Mapping) and _understood(ruled_out) and not _wrong(value, ruled_out, check, depth):
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
        yield from min(tried, key=lambda faults: (_misses(faults, path), len(faults)))


def _misses(faults: list[PathFault], path: FieldPath) -> int:
    """Number of faults in type or constant: they make a branch less likely than a wrong detail does."""
    return sum(1 for place, sentence in faults if place == path or sentence.startswith('must be "'))


def _wrong(value: JsonValue, schema: JsonValue, check: _Check, depth: int) -> bool:
    return next(_faults(value, schema, check, (), depth + 1), None) is not None


def _understood(schema: JsonObject) -> bool:
    """Whether all keywords of a `not` are validated here; otherwise nothing follows from it."""
    return bool(schema) and schema.keys() <= {
        "type",
        "const",
        "enum",
        "required",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
    }


def _limited(value: JsonValue, schema: JsonValue, check: _Check, path: FieldPath, depth: int) -> Iterator[PathFault]:
    for number, fault in enumerate(_faults(value, schema, check, path, depth)):
        if number >= _MOST:
            return
        yield fault
