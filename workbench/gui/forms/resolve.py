"""Follows references inside a schema and folds `allOf`, one level at a time, so that recursion costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
