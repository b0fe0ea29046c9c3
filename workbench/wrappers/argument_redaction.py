"""Removes arguments that the tool's schema marks as secret, before a call is stored.

Arguments with the format `password` or with `writeOnly` are secret; other secrets cannot be recognized here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.records import JsonObject, JsonValue

DEPTH = 24  # maximum depth of stored arguments; deeper parts are removed
PARTS = 500  # maximum number of schema parts that are read for one value


def without_secrets(arguments: JsonObject, schema: JsonObject) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
    """Return the arguments without their secrets, and the paths of the removed parts."""
    taken: list[str] = []
    left = _Walk(schema, taken).strip(arguments, [schema], "", 0)
    return left if isinstance(left, dict) else {}, tuple(taken)


class _Walk:
    def __init__(self, whole: JsonObject, taken: list[str]) -> None:
        self._whole = whole
        self._taken = taken

    def strip(self, value: JsonValue, schemas: list[object], path: str, depth: int) -> JsonValue:
        """Return the value without its secrets; None for a removed value."""
        seen: set[int] = set()
        parts = [part for schema in schemas for part in self._parts(schema, seen)]
        if depth > DEPTH or any(_secret(part) for part in parts):
            self._taken.append(path)
            return None
        if isinstance(value, Mapping):
            inner = {key: [found for part in parts for found in _of_key(part, key)] for key in value}
            before, kept = self._taken, {}
            for key, item in value.items():
                here = f"{path}.{key}" if path else str(key)
                left = self.strip(item, inner[key], here, depth + 1)
                if not (before and before[-1] == here):
                    kept[key] = left
            return kept
        if isinstance(value, list):
            items = [[found for part in parts for found in _of_place(part, at)] for at in range(len(value))]
            return [self.strip(item, items[at], f"{path}[{at}]", depth + 1) for at, item in enumerate(value)]
        return value

    def _parts(self, schema: object, seen: set[int]) -> Iterator[Mapping[str, Any]]:  # Any: JSON from a server
        """Yield a schema and every part of it that may apply to the same value, each once."""
        if not isinstance(schema, Mapping) or id(schema) in seen or len(seen) > PARTS:
            return
        seen.add(id(schema))
        yield schema
        if isinstance(reference := schema.get("$ref"), str):
            yield from self._parts(self._resolve(reference), seen)
        for word in ("allOf", "anyOf", "oneOf"):
            parts = schema.get(word)
            for part in parts if isinstance(parts, list) else []:
                yield from self._parts(part, seen)

    def _resolve(self, reference: str) -> object:
        value: object = self._whole
        if not reference.startswith("#"):
            return None
        for step in reference[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            value = value.get(name) if isinstance(value, Mapping) else None
        return value


def _secret(schema: Mapping[str, Any]) -> bool:  # Any: JSON from a server
    return schema.get("format") == "password" or schema.get("writeOnly") is True


def _of_key(schema: Mapping[str, Any], key: str) -> list[object]:  # Any: JSON from a server
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and key in properties:
        return [properties[key]]
    more = schema.get("patternProperties")
    patterned = list(more.values()) if isinstance(more, Mapping) else []  # all patterns count, matching or not
    return [*patterned, schema.get("additionalProperties")]


def _of_place(schema: Mapping[str, Any], at: int) -> list[object]:  # Any: JSON from a server
    first = schema.get("prefixItems")
    if isinstance(first, list) and at < len(first):
        return [first[at]]
    return [schema.get("items")]
