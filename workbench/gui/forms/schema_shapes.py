"""Interprets JSON Schemas for a form: references, kinds of values, choices, hints."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from workbench.gui.kit.json_text import is_number
from workbench.gui.kit.text import one_line
from workbench.records import JsonObject, JsonValue

ANNOTATIONS: Final = ("title", "description", "default", "examples", "deprecated", "$schema", "$id", "$comment")
"""Keywords that describe a value without restricting it."""
_JUMPS = 32  # references that are followed, in case they form a circle
_PARTS = 50  # parts of an `allOf` that are merged
_DEEPEST = 12  # levels to which two schemas are merged


def resolve(schema: JsonValue, root: JsonObject) -> JsonObject | None:
    """Follow references and merge `allOf`; None if the schema contains nothing that a form can use."""
    for _ in range(_JUMPS):
        if not isinstance(schema, Mapping):
            return None
        if isinstance(schema.get("$ref"), str):
            schema = resolve_ref(schema, root)
        elif isinstance(schema.get("allOf"), list) and schema["allOf"]:
            schema = _fold(schema, root)
        else:
            return schema
    return None


def resolve_ref(schema: JsonObject, root: JsonObject) -> JsonValue:
    """Replace the reference of a schema by its target, merged with the keywords beside the reference."""
    return merged(_pointed(str(schema["$ref"]), root), without(schema, "$ref"))


def merged(base: JsonValue, over: JsonValue, depth: int = 0) -> JsonValue:
    """Merge two schemas as far as possible; None if both are empty."""
    if not isinstance(base, Mapping):
        return over if isinstance(over, Mapping) and over else None
    if not isinstance(over, Mapping):
        return base
    joined: dict[str, Any] = {**base, **over}  # Any: a schema is foreign JSON
    for key in ("properties", "$defs", "patternProperties"):
        if isinstance(base.get(key), Mapping) and isinstance(over.get(key), Mapping):
            joined[key] = _both(base[key], over[key], depth)
    for key in ("required", "allOf"):
        if isinstance(base.get(key), list) and isinstance(over.get(key), list):
            joined[key] = [*base[key], *over[key]]
    return joined


def without(schema: JsonObject, *keys: str) -> dict[str, Any]:  # Any: foreign JSON
    return {key: value for key, value in schema.items() if key not in keys}


def only(schema: JsonObject, *keys: str) -> dict[str, Any]:  # Any: foreign JSON
    return {key: value for key, value in schema.items() if key in keys}


def _both(first: JsonObject, second: JsonObject, depth: int) -> JsonObject:
    both = {**first, **second}
    for name in first.keys() & second.keys():
        if isinstance(first[name], Mapping) and isinstance(second[name], Mapping) and depth < _DEEPEST:
            both[name] = merged(first[name], second[name], depth + 1)
    return both


def _fold(schema: JsonObject, root: JsonObject) -> JsonObject:
    whole: JsonValue = without(schema, "allOf")
    for part in schema["allOf"][:_PARTS]:
        seen = part
        for _ in range(_JUMPS):
            if not (isinstance(seen, Mapping) and isinstance(seen.get("$ref"), str)):
                break
            seen = resolve_ref(seen, root)
        if isinstance(seen, Mapping):
            whole = merged(seen, whole)
    return whole if isinstance(whole, Mapping) else {}


def _pointed(reference: str, root: JsonObject) -> JsonValue:
    """The target of a local reference; a remote one is never fetched."""
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        return _anchored(reference, root)
    place: JsonValue = root
    for step in reference[2:].split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(place, Mapping) and step in place:
            place = place[step]
        elif isinstance(place, list) and step.isdecimal() and int(step) < len(place):
            place = place[int(step)]
        else:
            return None
    return place


def _anchored(reference: str, root: JsonObject) -> JsonValue:
    for group in ("$defs", "definitions"):
        named = root.get(group)
        for part in named.values() if isinstance(named, Mapping) else ():
            names = (part.get("$id"), f"#{part.get('$anchor')}") if isinstance(part, Mapping) else ()
            if reference in names:
                return part
    return None


_KEYWORDS_OF_OBJECT = ("properties", "additionalProperties", "patternProperties", "required", "propertyNames")
_MOST_BRANCHES = 100  # shapes to choose from
_CONDITIONAL = ("then", "else")


class Kind(StrEnum):
    """The kind of a value, as shown beside the name of its field."""

    STRING = "text"
    INTEGER = "whole number"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ENUM = "choice"
    CONST = "fixed"
    OBJECT = "object"
    MAP = "named values"
    ARRAY = "list"
    CHOICE = "one of several types"
    NULL = "null"
    RAW = "any JSON"


class JsonType(Struct, frozen=True):
    """A type that a schema can name."""

    kind: Kind
    text: str  # as in "must be a list"
    holds: Callable[[JsonValue], bool]


TYPES: Final[Mapping[str, JsonType]] = {
    "string": JsonType(Kind.STRING, "text", lambda value: isinstance(value, str)),
    "integer": JsonType(Kind.INTEGER, "a whole number", lambda value: is_number(value) and value == value // 1),
    "number": JsonType(Kind.NUMBER, "a number", is_number),
    "boolean": JsonType(Kind.BOOLEAN, "true or false", lambda value: isinstance(value, bool)),
    "array": JsonType(Kind.ARRAY, "a list", lambda value: isinstance(value, list)),
    "object": JsonType(Kind.OBJECT, "an object", lambda value: isinstance(value, Mapping)),
    "null": JsonType(Kind.NULL, "null", lambda value: value is None),
}
"""The types of JSON Schema; 1.0 is a whole number."""
FORMAT_EXAMPLES: Final[Mapping[str, str]] = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:00:00Z",
    "time": "09:00:00Z",
    "duration": "P1DT12H",
    "email": "name@example.com",
    "uri": "https://example.com",
    "url": "https://example.com",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}


class Shape(Struct, frozen=True):
    """A schema, resolved: everything that an editor needs to know of it."""

    kind: Kind
    schema: JsonObject
    nullable: bool = False
    choices: tuple[JsonValue, ...] = ()
    labels: tuple[str, ...] = ()  # names of the choices; empty if the schema has none
    branches: tuple[JsonObject, ...] = ()
    properties: Mapping[str, JsonValue] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    items: JsonValue = True  # schema of the entries of a list after `heads`; False: there are none
    heads: tuple[JsonValue, ...] = ()  # schemas of the first entries, in a tuple
    extra: JsonValue = None  # schema for names that are not in `properties`; None: not mentioned

    @property
    def default(self) -> JsonValue:
        return self.schema.get("default")

    @property
    def example(self) -> JsonValue:
        """The first example; None without one."""
        examples = self.schema.get("examples")
        return examples[0] if isinstance(examples, list) and examples else self.schema.get("example")

    @property
    def description(self) -> str:
        return str(self.schema.get("description") or self.schema.get("title") or "")

    @property
    def deprecated(self) -> bool:
        return self.schema.get("deprecated") is True

    @property
    def type_text(self) -> str:
        """The kind or format as shown beside the name of a field."""
        wanted = self.schema.get("format")
        text = wanted[:40] if self.kind is Kind.STRING and isinstance(wanted, str) else str(self.kind)
        return f"{text} or null" if self.nullable else text


def shape_of(schema: JsonValue, root: JsonObject) -> Shape:
    """The shape of a schema inside `root`; one that is not understood is RAW, never an error."""
    resolved = resolve(schema, root)
    if resolved is None:
        return Shape(Kind.RAW, {})
    shape = _by_value(resolved) or _by_branches(resolved, root) or _by_type(resolved, root)
    if resolved.get("nullable") is True and not shape.nullable:
        return replace(shape, nullable=True)
    return shape


def _by_value(schema: JsonObject) -> Shape | None:
    if "const" in schema:
        return Shape(Kind.CONST, schema, choices=(schema["const"],))
    values = schema.get("enum")
    if not isinstance(values, list) or not values:
        return None
    rest = tuple(value for value in values if value is not None)
    if not rest:
        return Shape(Kind.NULL, schema)
    return Shape(Kind.ENUM, schema, nullable=len(rest) < len(values), choices=rest, labels=_enum_labels(schema, values))


def _enum_labels(schema: JsonObject, values: list[JsonValue]) -> tuple[str, ...]:
    """Names of enum values, in the keywords of older generators."""
    for key in ("enumNames", "x-enumNames", "x-enum-varnames", "enumDescriptions"):
        names = schema.get(key)
        if isinstance(names, list) and len(names) == len(values):
            return tuple(str(name) for name, value in zip(names, values, strict=True) if value is not None)
    return ()


def _by_branches(schema: JsonObject, root: JsonObject) -> Shape | None:
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches and not _only_constrain(branches):
            return _choice(without(schema, keyword), branches, root)
    return None


def _only_constrain(branches: list[JsonValue]) -> bool:
    """Branches such as {"required": ["a"]} choose between fields: the form shows all fields, validation decides."""
    return all(isinstance(branch, Mapping) and set(branch) <= {"required", "not", *ANNOTATIONS} for branch in branches)


def _choice(base: JsonObject, branches: list[JsonValue], root: JsonObject) -> Shape:
    structural = {key: value for key, value in base.items() if key not in ANNOTATIONS}
    resolved = [resolve(branch, root) for branch in branches[:_MOST_BRANCHES]]
    solid = [branch for branch in resolved if branch is not None and branch.get("type") != "null"]
    nullable = any(branch is not None and branch.get("type") == "null" for branch in resolved)
    full = [merged(structural, branch) for branch in solid]
    if not full:
        return Shape(Kind.NULL if nullable else Kind.RAW, base)
    if len(full) == 1:
        return replace(shape_of(merged(full[0], only(base, *ANNOTATIONS)), root), nullable=nullable)
    if all("const" in branch for branch in full):
        labels = tuple(str(branch.get("title") or branch.get("description") or "") for branch in full)
        choices = tuple(branch["const"] for branch in full)
        return Shape(Kind.ENUM, base, nullable, choices=choices, labels=labels if any(labels) else ())
    return Shape(Kind.CHOICE, base, nullable, branches=tuple(full))


def _by_type(schema: JsonObject, root: JsonObject) -> Shape:
    stated = schema.get("type")
    if isinstance(stated, list):
        return _by_types([word for word in stated if isinstance(word, str)], schema, root)
    if stated is None:
        stated = _guessed(schema)
    kind = TYPES[stated].kind if isinstance(stated, str) and stated in TYPES else Kind.RAW
    if kind is Kind.OBJECT:
        return _object(schema, root)
    if kind is Kind.ARRAY:
        return _array(schema)
    return Shape(kind, schema)


def _by_types(words: list[str], schema: JsonObject, root: JsonObject) -> Shape:
    rest = [word for word in words if word != "null"]
    nullable = len(rest) < len(words)
    if not rest:
        return Shape(Kind.NULL if nullable else Kind.RAW, schema)
    if len(rest) == 1:
        return replace(_by_type({**schema, "type": rest[0]}, root), nullable=nullable)
    branches = tuple({**without(schema, *ANNOTATIONS), "type": word} for word in rest)
    return Shape(Kind.CHOICE, schema, nullable, branches=branches)


def _guessed(schema: JsonObject) -> str | None:
    if any(key in schema for key in _KEYWORDS_OF_OBJECT):
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    if "pattern" in schema or "minLength" in schema or "maxLength" in schema:
        return "string"
    if "minimum" in schema or "maximum" in schema:
        return "number"
    return None


def _object(schema: JsonObject, root: JsonObject) -> Shape:
    named = _properties(schema, root)
    required = schema.get("required")
    names = frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset()
    extra = schema.get("additionalProperties")
    patterns = schema.get("patternProperties")
    if not extra and isinstance(patterns, Mapping) and patterns:
        extra = next(iter(patterns.values()))
    missing: JsonObject = dict.fromkeys(sorted(names - named.keys()), True)
    if named or missing or extra is False:
        return Shape(Kind.OBJECT, schema, properties={**named, **missing}, required=names, extra=extra)
    return Shape(Kind.MAP, schema, extra=True if extra is None else extra)


def _properties(schema: JsonObject, root: JsonObject) -> dict[str, JsonValue]:
    """All names that occur, also those under a condition: validation says when they are required."""
    stated = schema.get("properties")
    named = dict(stated) if isinstance(stated, Mapping) else {}
    dependent = schema.get("dependentSchemas")
    parts = [schema[key] for key in _CONDITIONAL if key in schema]
    for part in (*parts, *(dependent.values() if isinstance(dependent, Mapping) else ())):
        found = resolve(part, root)
        inner = found.get("properties") if found is not None else None
        for name, place in inner.items() if isinstance(inner, Mapping) else ():
            named.setdefault(name, place)
    return named


def _array(schema: JsonObject) -> Shape:
    items = schema.get("items", True)
    heads = schema.get("prefixItems")
    if isinstance(items, list):  # a tuple in drafts before 2020
        heads, items = items, schema.get("additionalItems", True)
    return Shape(Kind.ARRAY, schema, items=items, heads=tuple(heads) if isinstance(heads, list) else ())


def number_keyword(schema: JsonObject, key: str) -> int | float | None:
    """The number of a keyword; None if it is missing or not a number."""
    value = schema.get(key)
    return value if is_number(value) and value == value else None


def number_bounds(schema: JsonObject) -> tuple[int | float | None, ...]:
    """Minimum, maximum, exclusive minimum and exclusive maximum; in draft 4, the exclusive ones are booleans."""
    least, most = number_keyword(schema, "minimum"), number_keyword(schema, "maximum")
    above, below = number_keyword(schema, "exclusiveMinimum"), number_keyword(schema, "exclusiveMaximum")
    if schema.get("exclusiveMinimum") is True:
        least, above = None, least
    if schema.get("exclusiveMaximum") is True:
        most, below = None, most
    return least, most, above, below


_LONGEST_HINT = 60


def hint_of(shape: Shape) -> str:
    """The hint for an empty field; "" if the schema contains none."""
    if shape.default is not None:
        return f"default {_shorten(shape.default)}"
    if shape.example is not None:
        return f"for example {_shorten(shape.example)}"
    if shape.kind in (Kind.INTEGER, Kind.NUMBER):
        return _bounds_text(shape.schema)
    return FORMAT_EXAMPLES.get(str(shape.schema.get("format", "")), "")


def _bounds_text(schema: JsonObject) -> str:
    least, most, above, below = number_bounds(schema)
    low, high = (above if least is None else least), (below if most is None else most)
    if low is not None and high is not None:
        return f"{low} … {high}"
    if low is not None:
        return f"{low} or more"
    return f"{high} or less" if high is not None else ""


def _shorten(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, _LONGEST_HINT)
