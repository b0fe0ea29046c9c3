"""Says what is wrong with a value while it is typed, with the path of each fault.

The server has the last word; this only saves a round trip. So what is not understood is let through, and a reference
that recurses is followed only as deep as the value goes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from workbench.gui.forms.plain_check import fits_pattern, number_faults, number_of, text_faults
from workbench.gui.forms.resolve import follow, without
from workbench.records import JsonObject, JsonValue

FieldPath: TypeAlias = tuple[str | int, ...]
PathFault: TypeAlias = tuple[FieldPath, str]

MISSING = "is required."
"""What is said of a value that is not there; a form says it only when somebody wants to send."""
_DEPTH = 40
_MOST = 50  # faults told at once
_BRANCHES = 40
_PLACES = 30_000  # schemas looked at for one value: a hostile one may multiply without end
_TYPE_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class _Enough(Exception):
    """The schema asks for more looking than a window has time for."""


class _Walk:
    """The root that references are looked up in, and how much looking is left."""

    def __init__(self, root: JsonObject, places: int) -> None:
        self.root = root
        self._left = places

    def step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _Enough


def faults_of(value: JsonValue, schema: JsonValue, root: JsonObject, places: int = _PLACES) -> tuple[PathFault, ...]:
    """Everything wrong with the value, outermost first, at most fifty; found by looking at so many schemas at most."""
    found: dict[PathFault, None] = {}
    try:
        for fault in _faults(value, schema, _Walk(root, places), (), 0):
            found[fault] = None
            if len(found) >= _MOST:
                break
    except (RecursionError, _Enough):  # so deep or so large is left to the server
        return tuple(found)
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


def same(first: JsonValue, second: JsonValue) -> bool:
    """Equal as JSON: 1 is 1.0, but true is never 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return bool(first == second)


def _faults(value: JsonValue, schema: JsonValue, walk: _Walk, path: FieldPath, depth: int) -> Iterator[PathFault]:
    walk.step()
    if schema is False:
        yield path, "is not allowed here."
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return
    parts = schema.get("allOf")
    if isinstance(parts, list):  # each for itself: joined into one schema, of two `anyOf` only one would be left
        for part in parts[:_BRANCHES]:
            yield from _faults(value, part, walk, path, depth + 1)
    if isinstance(schema.get("$ref"), str):
        pointed = follow(without(schema, "allOf"), walk.root)
        yield from _faults(value, pointed, walk, path, depth + 1)
        return
    wrong_type = _type_fault(value, schema)
    if wrong_type:
        yield path, wrong_type
        return
    yield from ((path, sentence) for sentence in _value_faults(value, schema))
    if isinstance(value, Mapping):
        yield from _object_faults(value, schema, walk, path, depth)
    elif isinstance(value, list):
        yield from _array_faults(value, schema, walk, path, depth)
    yield from _branch_faults(value, schema, walk, path, depth)


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
    if "const" in schema and not same(value, schema["const"]):
        yield f"must be {json.dumps(schema['const'], ensure_ascii=False)[:80]}."
    values = schema.get("enum")
    if isinstance(values, list) and not any(same(value, known) for known in values):
        shown = ", ".join(json.dumps(known, ensure_ascii=False)[:60] for known in values[:6])
        yield f"must be one of {shown}{' …' if len(values) > 6 else ''}."
    if isinstance(value, str):
        yield from text_faults(value, schema)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from number_faults(value, schema)


def _object_faults(
    value: Mapping[str, JsonValue], schema: JsonObject, walk: _Walk, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    yield from _missing(value, schema.get("required"), path)
    dependent = schema.get("dependentRequired")
    for name, names in dependent.items() if isinstance(dependent, Mapping) else ():
        if name in value:
            yield from _missing(value, names, path)
    for name, part in value.items():
        schemas = _schemas_of(name, schema)
        if schemas is None:
            yield (*path, name), "is not a parameter of this tool." if depth == 0 else "is not a name of this object."
        for inner in schemas or ():
            yield from _faults(part, inner, walk, (*path, name), depth + 1)
        names = schema.get("propertyNames")
        for _, sentence in _limited(name, names, walk, (), depth + 1):
            yield (*path, name), f"is not a fitting name: it {sentence}"
    fewest, most = number_of(schema, "minProperties"), number_of(schema, "maxProperties")
    if fewest is not None and len(value) < fewest:
        yield path, f"must have at least {_counted(fewest, 'entry', 'entries')}."
    if most is not None and len(value) > most:
        yield path, f"must have at most {_counted(most, 'entry', 'entries')}."


def _missing(value: Mapping[str, JsonValue], names: JsonValue, path: FieldPath) -> Iterator[PathFault]:
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and name not in value:
            yield (*path, name), MISSING


def _schemas_of(name: str, schema: JsonObject) -> list[JsonValue] | None:
    """What must hold for the value of that name; None where the name is not allowed."""
    properties, patterns = schema.get("properties"), schema.get("patternProperties")
    found = [properties[name]] if isinstance(properties, Mapping) and name in properties else []
    for pattern, part in patterns.items() if isinstance(patterns, Mapping) else ():
        if fits_pattern(pattern, name):
            found.append(part)
    if found:
        return found
    extra = schema.get("additionalProperties", True)
    return None if extra is False else [extra]


def _array_faults(
    value: list[JsonValue], schema: JsonObject, walk: _Walk, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    fewest, most = number_of(schema, "minItems"), number_of(schema, "maxItems")
    if fewest is not None and len(value) < fewest:
        yield path, f"must have at least {_counted(fewest, 'item', 'items')}."
    if most is not None and len(value) > most:
        yield path, f"must have at most {_counted(most, 'item', 'items')}."
    if schema.get("uniqueItems") is True and len({json.dumps(item, sort_keys=True) for item in value}) < len(value):
        yield path, "must not repeat an item."
    head = schema.get("prefixItems") or schema.get("items")
    parts: Sequence[JsonValue] = head if isinstance(head, list) else ()
    rest = schema.get("additionalItems") if isinstance(schema.get("items"), list) else schema.get("items")
    for index, item in enumerate(value):
        yield from _faults(item, parts[index] if index < len(parts) else rest, walk, (*path, index), depth + 1)
    wanted = schema.get("contains")
    needed = isinstance(wanted, Mapping) and schema.get("minContains") != 0
    if needed and all(_wrong(item, wanted, walk, depth) for item in value):
        yield path, "has no item of the kind it must contain."


def _counted(number: float, one: str, many: str) -> str:
    return f"{number:g} {one if number == 1 else many}" if abs(number) < 1e15 else f"{number} {many}"


def _branch_faults(
    value: JsonValue, schema: JsonObject, walk: _Walk, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            yield from _no_branch(value, branches, walk, path, depth)
    if isinstance(schema.get("if"), Mapping):
        chosen = schema.get("else" if _wrong(value, schema["if"], walk, depth) else "then")
        yield from _faults(value, chosen, walk, path, depth + 1)
    dependent = schema.get("dependentSchemas")
    for name, part in dependent.items() if isinstance(dependent, Mapping) else ():
        if isinstance(value, Mapping) and name in value:
            yield from _faults(value, part, walk, path, depth + 1)
    ruled_out = schema.get("not")
    if isinstance(ruled_out, Mapping) and _understood(ruled_out) and not _wrong(value, ruled_out, walk, depth):
        yield path, "is a value that the schema rules out."


def _no_branch(
    value: JsonValue, branches: list[JsonValue], walk: _Walk, path: FieldPath, depth: int
) -> Iterator[PathFault]:
    """A value must fit a branch; where none fits, the nearest one's faults say the most."""
    tried = [list(_limited(value, branch, walk, path, depth + 1)) for branch in branches[:_BRANCHES]]
    if any(not faults for faults in tried):
        return
    if all(isinstance(branch, Mapping) and set(branch) == {"required"} for branch in branches):
        names = " or ".join(" and ".join(map(str, branch["required"])) for branch in branches)
        yield path, f"needs {names}."
    else:
        yield from min(tried, key=lambda faults: (_misses(faults, path), len(faults)))


def _misses(faults: list[PathFault], path: FieldPath) -> int:
    """How many faults say that this is the wrong kind of thing: such a branch is further away than a wrong detail."""
    return sum(1 for place, sentence in faults if place == path or sentence.startswith('must be "'))


def _wrong(value: JsonValue, schema: JsonValue, walk: _Walk, depth: int) -> bool:
    return next(_faults(value, schema, walk, (), depth + 1), None) is not None


def _understood(schema: JsonObject) -> bool:
    """Whether a `not` consists of what is checked here; of anything else nothing can be concluded."""
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


def _limited(value: JsonValue, schema: JsonValue, walk: _Walk, path: FieldPath, depth: int) -> Iterator[PathFault]:
    for number, fault in enumerate(_faults(value, schema, walk, path, depth)):
        if number >= _MOST:
            return
        yield fault
