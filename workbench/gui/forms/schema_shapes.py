"""Reads JSON Schemas as a form needs them: references, kinds of editors, choices, purposes, hints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from workbench.gui.kit.text import one_line
from workbench.records import JsonObject, JsonValue

ANNOTATIONS: Final = ("title", "description", "default", "examples", "deprecated", "$schema", "$id", "$comment")
"""Keywords that say something without constraining anything."""
_JUMPS = 32  # references followed before a circle of them is given up
_PARTS = 50  # parts of an `allOf` that are looked at
_DEEPEST = 12  # levels to which two schemas are merged


def resolve(schema: JsonValue, root: JsonObject) -> JsonObject | None:
    """Follow references and fold `allOf`; None where the schema says nothing a form could use."""
    for _ in range(_JUMPS):
        if not isinstance(schema, Mapping):
            return None
        if isinstance(schema.get("$ref"), str):
            schema = follow(schema, root)
        elif isinstance(schema.get("allOf"), list) and schema["allOf"]:
            schema = _fold(schema, root)
        else:
            return schema
    return None


def follow(schema: JsonObject, root: JsonObject) -> JsonValue:
    """The schema with its reference replaced by what that points at; what stands beside a reference counts too."""
    return merged(_pointed(str(schema["$ref"]), root), without(schema, "$ref"))


def merged(base: JsonValue, over: JsonValue, depth: int = 0) -> JsonValue:
    """Both schemas at once, as far as one can say so; None where neither says anything."""
    if not isinstance(base, Mapping):
        return over if isinstance(over, Mapping) and over else None
    if not isinstance(over, Mapping):
        return base
    whole: dict[str, Any] = {**base, **over}  # Any: a schema is foreign JSON
    for key in ("properties", "$defs", "patternProperties"):
        if isinstance(base.get(key), Mapping) and isinstance(over.get(key), Mapping):
            whole[key] = _both(base[key], over[key], depth)
    for key in ("required", "allOf"):
        if isinstance(base.get(key), list) and isinstance(over.get(key), list):
            whole[key] = [*base[key], *over[key]]
    return whole


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
            seen = follow(seen, root)
        if isinstance(seen, Mapping):
            whole = merged(seen, whole)
    return whole if isinstance(whole, Mapping) else {}


def _pointed(reference: str, root: JsonObject) -> JsonValue:
    """What a local reference points at; a foreign one is never fetched."""
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
    """Which editor fits."""

    STRING = "text"
    INTEGER = "whole number"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ENUM = "choice"
    CONST = "fixed"
    OBJECT = "object"
    MAP = "named values"
    ARRAY = "list"
    CHOICE = "one of several shapes"
    NULL = "null"
    RAW = "any JSON"


_KIND_OF_TYPE: Final[Mapping[str, Kind]] = {
    "string": Kind.STRING,
    "integer": Kind.INTEGER,
    "number": Kind.NUMBER,
    "boolean": Kind.BOOLEAN,
    "array": Kind.ARRAY,
    "object": Kind.OBJECT,
    "null": Kind.NULL,
}


class Shape(Struct, frozen=True):
    """One place of a schema, resolved: the editor's whole brief."""

    kind: Kind
    schema: JsonObject
    nullable: bool = False
    choices: tuple[JsonValue, ...] = ()
    labels: tuple[str, ...] = ()  # what the schema calls each choice; empty where it gives them no names
    branches: tuple[JsonObject, ...] = ()
    properties: Mapping[str, JsonValue] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    items: JsonValue = True  # schema of a list's entries, of those after `heads`; False: there are no such
    heads: tuple[JsonValue, ...] = ()  # schemas of a tuple's places
    extra: JsonValue = None  # schema for names that are not in `properties`; None: the schema does not speak of them

    @property
    def description(self) -> str:
        return str(self.schema.get("description") or self.schema.get("title") or "")

    @property
    def deprecated(self) -> bool:
        return self.schema.get("deprecated") is True

    @property
    def type_word(self) -> str:
        """The kind as a person reads it beside a field's name."""
        word = self._plain_word()
        return f"{word} or null" if self.nullable else word

    def _plain_word(self) -> str:
        if self.kind is Kind.STRING and isinstance(self.schema.get("format"), str):
            return str(self.schema["format"])[:40]
        return str(self.kind)


def shape_of(schema: JsonValue, root: JsonObject) -> Shape:
    """The shape of a schema as found inside `root`; anything not understood is RAW, never an error."""
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
    """Names for enum values, as older generators write them."""
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
    """Branches such as {"required": ["a"]} choose between fields; the form shows all of them and the check decides."""
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
    kind = _KIND_OF_TYPE.get(stated) if isinstance(stated, str) else None
    if kind is Kind.OBJECT:
        return _object(schema, root)
    if kind is Kind.ARRAY:
        return _array(schema)
    return Shape(kind or Kind.RAW, schema)


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
    """All names that are spoken of, also only under a condition: the check says when they are wanted."""
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
    if isinstance(items, list):  # how drafts before 2020 write a tuple
        heads, items = items, schema.get("additionalItems", True)
    return Shape(Kind.ARRAY, schema, items=items, heads=tuple(heads) if isinstance(heads, list) else ())


_LONGEST = 60


def hint_of(shape: Shape) -> str:
    """What to show while nothing is entered; "" where the schema gives nothing to say."""
    schema = shape.schema
    if "default" in schema and schema["default"] is not None:
        return f"default {_shown(schema['default'])}"
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        return f"for example {_shown(examples[0])}"
    if "example" in schema:
        return f"for example {_shown(schema['example'])}"
    if shape.kind in (Kind.INTEGER, Kind.NUMBER):
        return _bounds(shape)
    return {"date": "2026-01-31", "date-time": "2026-01-31T09:00:00Z", "email": "name@example.com"}.get(
        str(schema.get("format", "")), ""
    )


def _bounds(shape: Shape) -> str:
    least = shape.schema.get("minimum", shape.schema.get("exclusiveMinimum"))
    most = shape.schema.get("maximum", shape.schema.get("exclusiveMaximum"))
    if least is not None and most is not None:
        return f"{least} … {most}"
    if least is not None:
        return f"{least} or more"
    return f"{most} or less" if most is not None else ""


def _shown(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, _LONGEST)
