"""Says what is wrong with a value while it is typed, with the path of each fault.

The server has the last word; this only saves a round trip. So what is not understood is let through, a reference
that recurses is followed only as deep as the value goes, and a pattern that could hang the window is not tried.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from workbench.gui.forms.shape import resolve
from workbench.records import JsonObject, JsonValue

FieldPath: TypeAlias = tuple[str | int, ...]
PathFault: TypeAlias = tuple[FieldPath, str]

_DEPTH = 40
_MOST = 50  # faults told at once
_BRANCHES = 40
# A repeated group that itself repeats or chooses can take forever on a short text.
_SLOW_PATTERN = re.compile(r"[+*}?|][^()]*\)\s*[+*{]|\\[1-9]|\(\?P=")
_PATTERN_TEXT = 2_000
_TYPE_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def faults_of(value: JsonValue, schema: JsonValue, root: JsonObject) -> tuple[PathFault, ...]:
    """Everything wrong with the value, outermost first, at most fifty."""
    found: list[PathFault] = []
    for fault in _faults(value, schema, root, (), 0):
        found.append(fault)
        if len(found) >= _MOST:
            break
    return tuple(found)


def written(path: FieldPath) -> str:
    """A path as people write it: `filter.tags[2]`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else step)
    return text


def is_type(value: JsonValue, word: str) -> bool:
    """Whether the value has the JSON type; 1.0 counts as a whole number, true never as a number."""
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


def _faults(value: JsonValue, schema: JsonValue, root: JsonObject, path: FieldPath, depth: int) -> Iterator[PathFault]:
    if schema is False:
        yield path, "is not allowed here."
    resolved = resolve(schema, root)
    if resolved is None or depth > _DEPTH:
        return
    wrong_type = _type_fault(value, resolved)
    if wrong_type:
        yield path, wrong_type
        return
    yield from ((path, sentence) for sentence in _value_faults(value, resolved))
    if isinstance(value, Mapping):
        yield from _object_faults(value, resolved, root, path, depth)
    elif isinstance(value, list):
        yield from _array_faults(value, resolved, root, path, depth)
    yield from _branch_faults(value, resolved, root, path, depth)


def _type_fault(value: JsonValue, schema: JsonObject) -> str:
    stated = schema.get("type")
    words = [stated] if isinstance(stated, str) else [word for word in stated or () if isinstance(word, str)]
    if not words or any(is_type(value, word) for word in words):
        return ""
    if value is None and schema.get("nullable") is True:
        return ""
    return f"must be {' or '.join(_TYPE_WORDS.get(word, word) for word in words)}."


def _value_faults(value: JsonValue, schema: JsonObject) -> Iterator[str]:
    if "const" in schema and not same(value, schema["const"]):
        yield f"must be {json.dumps(schema['const'], ensure_ascii=False)[:80]}."
    values = schema.get("enum")
    if isinstance(values, list) and not any(same(value, known) for known in values):
        shown = ", ".join(json.dumps(known, ensure_ascii=False) for known in values[:6])
        yield f"must be one of {shown}{' …' if len(values) > 6 else ''}."
    if isinstance(value, str):
        yield from _text_faults(value, schema)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number_faults(value, schema)


def same(first: JsonValue, second: JsonValue) -> bool:
    """Equal as JSON: 1 is 1.0, but true is never 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return bool(first == second)


def _text_faults(value: str, schema: JsonObject) -> Iterator[str]:
    shortest, longest = _number(schema, "minLength"), _number(schema, "maxLength")
    if shortest is not None and len(value) < shortest:
        yield "must not be empty." if shortest == 1 else f"must have at least {shortest:g} characters."
    if longest is not None and len(value) > longest:
        yield f"must have at most {longest:g} characters; it has {len(value)}."
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and not _fits(pattern, value):
        yield f"must match {pattern[:80]}"
    wrong = _format_fault(value, schema.get("format"))
    if wrong:
        yield wrong


def _fits(pattern: str, value: str) -> bool:
    if len(pattern) > 300 or len(value) > _PATTERN_TEXT or _SLOW_PATTERN.search(pattern):
        return True
    try:
        return re.search(pattern, value) is not None
    except (re.error, RecursionError, OverflowError):
        return True


def _format_fault(value: str, wanted: JsonValue) -> str:
    try:
        if wanted == "date":
            datetime.date.fromisoformat(value)
        elif wanted == "date-time":
            datetime.datetime.fromisoformat(value)
    except ValueError:
        example = "2026-01-31" if wanted == "date" else "2026-01-31T09:00:00Z"
        return f"must be a {wanted} such as {example}."
    if wanted == "email" and not re.fullmatch(r"[^@\s]+@[^@\s]+", value):
        return "must be an e-mail address."
    if wanted in ("uri", "url") and not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:\S", value):
        return "must be an address such as https://example.com."
    return ""


def _number_faults(value: float, schema: JsonObject) -> Iterator[str]:
    least, most = _number(schema, "minimum"), _number(schema, "maximum")
    above, below = _number(schema, "exclusiveMinimum"), _number(schema, "exclusiveMaximum")
    if least is not None and value < least:
        yield f"must be at least {least:g}."
    if most is not None and value > most:
        yield f"must be at most {most:g}."
    if above is not None and value <= above:
        yield f"must be more than {above:g}."
    if below is not None and value >= below:
        yield f"must be less than {below:g}."
    step = _number(schema, "multipleOf")
    if step is not None and step > 0 and abs(value / step - round(value / step)) > 1e-9:
        yield f"must be a multiple of {step:g}."


def _number(schema: JsonObject, key: str) -> float | None:
    value = schema.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _object_faults(
    value: Mapping[str, JsonValue], schema: JsonObject, root: JsonObject, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in value:
            yield (*path, name), "is required."
    properties = schema.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    extra = schema.get("additionalProperties", True)
    patterned = isinstance(schema.get("patternProperties"), Mapping)
    for name, part in value.items():
        if name in named:
            yield from _faults(part, named[name], root, (*path, name), depth + 1)
        elif extra is False and not patterned:
            yield (*path, name), "is not a parameter of this tool."
        elif isinstance(extra, Mapping):
            yield from _faults(part, extra, root, (*path, name), depth + 1)
    fewest = _number(schema, "minProperties")
    if fewest is not None and len(value) < fewest:
        yield path, f"must have at least {fewest:g} entries."


def _array_faults(
    value: list[JsonValue], schema: JsonObject, root: JsonObject, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    fewest, most = _number(schema, "minItems"), _number(schema, "maxItems")
    if fewest is not None and len(value) < fewest:
        yield path, f"must have at least {_items(fewest)}."
    if most is not None and len(value) > most:
        yield path, f"must have at most {_items(most)}."
    if schema.get("uniqueItems") is True and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
        yield path, "must not repeat an item."
    head = schema.get("prefixItems") or schema.get("items")
    parts: Sequence[JsonValue] = head if isinstance(head, list) else ()
    rest = schema.get("items") if not isinstance(schema.get("items"), list) else True
    for index, item in enumerate(value):
        yield from _faults(item, parts[index] if index < len(parts) else rest, root, (*path, index), depth + 1)


def _items(number: float) -> str:
    return "1 item" if number == 1 else f"{number:g} items"


def _branch_faults(
    value: JsonValue, schema: JsonObject, root: JsonObject, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    """A value must fit a branch; where none fits, the nearest one's faults say the most."""
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if not isinstance(branches, list) or not branches:
            continue
        tried = [list(_limited(value, branch, root, path, depth + 1)) for branch in branches[:_BRANCHES]]
        if any(not faults for faults in tried):
            continue
        if all(isinstance(branch, Mapping) and set(branch) == {"required"} for branch in branches):
            names = " or ".join(" and ".join(map(str, branch["required"])) for branch in branches)
            yield path, f"needs {names}."
        else:
            yield from min(tried, key=len)


def _limited(value: JsonValue, schema: JsonValue, root: JsonObject, path: FieldPath, depth: int) -> Iterator[PathFault]:
    for number, fault in enumerate(_faults(value, schema, root, path, depth)):
        if number >= _MOST:
            return
        yield fault
