"""Reads a JSON Schema as a person's form would need it: which kind of editor, which choices, which branches.

Real schemas refer, recurse, allow null in four ways and put `anyOf` at the root. Everything is resolved one level at
a time, so a schema that contains itself costs nothing until somebody opens the next level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from workbench.records import JsonObject, JsonValue

_JUMPS = 32  # references followed before a circle of them is given up
_KEYWORDS_OF_OBJECT = ("properties", "additionalProperties", "patternProperties", "required", "propertyNames")
_ANNOTATIONS = ("title", "description", "default", "examples", "deprecated", "$schema", "$id", "$comment")


class Kind(StrEnum):
    """Which editor fits."""

    STRING = "text"
    INTEGER = "whole number"
    NUMBER = "number"
    BOOLEAN = "true or false"
    ENUM = "one of"
    CONST = "fixed"
    OBJECT = "object"
    MAP = "named values"
    ARRAY = "list"
    CHOICE = "either"
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


@dataclass(frozen=True, slots=True)
class Shape:
    """One place of a schema, resolved: the editor's whole brief."""

    kind: Kind
    schema: JsonObject
    nullable: bool = False
    choices: tuple[JsonValue, ...] = ()
    branches: tuple[JsonObject, ...] = ()
    properties: Mapping[str, JsonValue] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    items: JsonValue = True
    extra: JsonValue = None  # schema for names that are not in `properties`; None: the schema does not speak of them

    @property
    def description(self) -> str:
        return str(self.schema.get("description") or self.schema.get("title") or "")

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
    shape = _by_value(resolved) or _by_branches(resolved, root) or _by_type(resolved)
    if resolved.get("nullable") is True and not shape.nullable:
        return replace(shape, nullable=True)
    return shape


def resolve(schema: JsonValue, root: JsonObject) -> JsonObject | None:
    """Follow references and fold `allOf`; None where the schema says nothing a form could use."""
    for _ in range(_JUMPS):
        if not isinstance(schema, Mapping):
            return None
        if isinstance(schema.get("$ref"), str):
            schema = _merged(_pointed(str(schema["$ref"]), root), _without(schema, "$ref"))
        elif isinstance(schema.get("allOf"), list) and schema["allOf"]:
            schema = _fold(schema, root)
        else:
            return schema
    return None


def _fold(schema: JsonObject, root: JsonObject) -> JsonObject:
    whole: JsonValue = _without(schema, "allOf")
    for part in schema["allOf"][:50]:
        seen = part
        for _ in range(_JUMPS):
            if not (isinstance(seen, Mapping) and isinstance(seen.get("$ref"), str)):
                break
            seen = _merged(_pointed(str(seen["$ref"]), root), _without(seen, "$ref"))
        if isinstance(seen, Mapping):
            whole = _merged(seen, whole)
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


def _merged(base: JsonValue, over: JsonValue) -> JsonValue:
    if not isinstance(base, Mapping):
        return over if isinstance(over, Mapping) and over else None
    if not isinstance(over, Mapping):
        return base
    whole: dict[str, Any] = {**base, **over}  # Any: a schema is foreign JSON
    for key in ("properties", "$defs", "patternProperties"):
        if isinstance(base.get(key), Mapping) and isinstance(over.get(key), Mapping):
            whole[key] = {**base[key], **over[key]}
    if isinstance(base.get("required"), list) and isinstance(over.get("required"), list):
        whole["required"] = [*base["required"], *over["required"]]
    return whole


def _by_value(schema: JsonObject) -> Shape | None:
    if "const" in schema:
        return Shape(Kind.CONST, schema, choices=(schema["const"],))
    values = schema.get("enum")
    if not isinstance(values, list) or not values:
        return None
    rest = tuple(value for value in values if value is not None)
    if not rest:
        return Shape(Kind.NULL, schema)
    return Shape(Kind.ENUM, schema, nullable=len(rest) < len(values), choices=rest)


def _by_branches(schema: JsonObject, root: JsonObject) -> Shape | None:
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches and not _only_constrain(branches):
            return _choice(_without(schema, keyword), branches, root)
    return None


def _only_constrain(branches: list[JsonValue]) -> bool:
    """Branches such as {"required": ["a"]} choose between fields; the form shows all of them and the check decides."""
    return all(isinstance(branch, Mapping) and set(branch) <= {"required", "not", *_ANNOTATIONS} for branch in branches)


def _choice(base: JsonObject, branches: list[JsonValue], root: JsonObject) -> Shape:
    structural = {key: value for key, value in base.items() if key not in _ANNOTATIONS}
    resolved = [resolve(branch, root) for branch in branches]
    solid = [branch for branch in resolved if branch is not None and branch.get("type") != "null"]
    nullable = any(branch is not None and branch.get("type") == "null" for branch in resolved)
    full = [_merged(structural, branch) for branch in solid]
    if not full:
        return Shape(Kind.NULL if nullable else Kind.RAW, base)
    if len(full) == 1:
        return replace(shape_of(_merged(full[0], _only(base, _ANNOTATIONS)), root), nullable=nullable)
    if all("const" in branch for branch in full):
        return Shape(Kind.ENUM, base, nullable, choices=tuple(branch["const"] for branch in full))
    return Shape(Kind.CHOICE, base, nullable, branches=tuple(full))


def _by_type(schema: JsonObject) -> Shape:
    stated = schema.get("type")
    if isinstance(stated, list):
        return _by_types([word for word in stated if isinstance(word, str)], schema)
    if stated is None:
        stated = _guessed(schema)
    kind = _KIND_OF_TYPE.get(stated) if isinstance(stated, str) else None
    if kind is Kind.OBJECT:
        return _object(schema)
    if kind is Kind.ARRAY:
        return _array(schema)
    return Shape(kind or Kind.RAW, schema)


def _by_types(words: list[str], schema: JsonObject) -> Shape:
    rest = [word for word in words if word != "null"]
    nullable = len(rest) < len(words)
    if not rest:
        return Shape(Kind.NULL if nullable else Kind.RAW, schema)
    if len(rest) == 1:
        return replace(_by_type({**schema, "type": rest[0]}), nullable=nullable)
    branches = tuple({**_without(schema, *_ANNOTATIONS), "type": word} for word in rest)
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


def _object(schema: JsonObject) -> Shape:
    properties = schema.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    names = frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset()
    extra = schema.get("additionalProperties")
    if extra is None and isinstance(schema.get("patternProperties"), Mapping):
        extra = next(iter(schema["patternProperties"].values()), True)
    if named:
        return Shape(Kind.OBJECT, schema, properties=named, required=names, extra=extra)
    missing: JsonObject = dict.fromkeys(sorted(names), True)
    if missing or extra is False:
        return Shape(Kind.OBJECT, schema, properties=missing, required=names, extra=extra)
    return Shape(Kind.MAP, schema, extra=True if extra is None else extra)


def _array(schema: JsonObject) -> Shape:
    items = schema.get("items", True)
    if "prefixItems" in schema or isinstance(items, list):
        return Shape(Kind.RAW, schema)
    return Shape(Kind.ARRAY, schema, items=items)


def _without(schema: JsonObject, *keys: str) -> dict[str, Any]:  # Any: foreign JSON
    return {key: value for key, value in schema.items() if key not in keys}


def _only(schema: JsonObject, keys: tuple[str, ...]) -> dict[str, Any]:  # Any: foreign JSON
    return {key: value for key, value in schema.items() if key in keys}
