"""Generates stand-in values as the answer of a call that a dry run held back, so that its program can continue.

A stand-in value has the type that its schema requires and is recognisable wherever it occurs again, so that the real
run can replace it with the real value. Values for which the schema leaves no choice are not recognisable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from workbench.records import JsonValue

_DEPTH: Final = 12
_MOST: Final = 400  # stand-in values in one answer
_NUMBERS: Final = 7_300_000_000  # larger than usual counts, and exact in JavaScript
_PICKS: Final = ("anyOf", "oneOf", "allOf")
Place: TypeAlias = str  # path in an answer: `items[0].id`
Where: TypeAlias = tuple[int, Place]  # number of the call, and path in its answer
_INVENTED = re.compile(
    r"\[held-\d{1,9}-\d{1,9}-[\w-]{1,60}\]|https://placeholder\.invalid/held-\d{1,9}-\d{1,9}"
    r"|held-\d{1,9}-\d{1,9}(?:@placeholder\.invalid)?|0{8}-0000-4000-8\d{3}-\d{12}|(?<!\d)73\d{8}(?!\d)"
)


class StandIns:
    """The stand-in values of one dry run, with an index by value."""

    def __init__(self) -> None:
        self.texts: dict[str, Where] = {}
        self.numbers: dict[int, Where] = {}
        self._left = 0

    def invent(self, number: int, schema: Mapping[str, Any]) -> JsonValue:  # Any: foreign JSON
        """Return the answer to the call of this number, generated from the tool's output schema."""
        self._left = _MOST
        return self._value(number, schema, schema, "", 0)

    def find(self, text: str) -> dict[str, Where]:
        """Return the stand-in values that a text contains."""
        found: dict[str, Where] = {}
        for match in _INVENTED.finditer(text):
            word = match.group()
            where = self.texts.get(word) or (self.numbers.get(int(word)) if word.isdecimal() else None)
            if where is not None:
                found[word] = where
        return found

    def _value(self, number: int, schema: object, root: Mapping[str, Any], place: Place, depth: int) -> JsonValue:
        self._left -= 1
        if not isinstance(schema, Mapping) or depth > _DEPTH or self._left < 0:
            return None
        if isinstance(reference := schema.get("$ref"), str):
            return self._value(number, _resolve_reference(reference, root), root, place, depth + 1)
        if (fixed := _fixed(schema)) is not None:
            return fixed
        for word in _PICKS:
            if (part := _picked(schema.get(word))) is not None and "properties" not in schema:
                return self._value(number, part, root, place, depth + 1)
        match _kind(schema):
            case "object":
                return self._object(number, schema, root, place, depth)
            case "array":
                items = schema.get("items", {})
                return [self._value(number, items, root, f"{place}[0]", depth + 1)] if _wants_item(schema) else []
            case "string":
                return self._text(number, schema, place)
            case "integer" | "number":
                return self._number(number, schema, place)
            case "boolean":
                return True
        return None

    def _object(
        self, number: int, schema: Mapping[str, Any], root: Mapping[str, Any], place: Place, depth: int
    ) -> JsonValue:
        parts = schema.get("properties")
        names = list(parts) if isinstance(parts, Mapping) else []
        values: dict[str, JsonValue] = {}
        for name in names:
            inner = f"{place}.{name}" if place else str(name)
            values[str(name)] = self._value(number, parts[name] if parts else {}, root, inner, depth + 1)
        return values

    def _text(self, number: int, schema: Mapping[str, Any], place: Place) -> str:
        name = f"held-{number}-{len(self.texts) + 1}"
        tail = "".join(sign if sign.isalnum() or sign in "_-" else "-" for sign in place)[-40:].strip("-")
        text = (
            _formatted(str(schema.get("format", "")), name, len(self.texts) + 1, number) or f"[{name}-{tail or 'text'}]"
        )
        most = schema.get("maxLength")
        if isinstance(most, int) and len(text) > most:
            text = name if len(name) <= most else ""
        if text and "pattern" not in schema and not text.startswith("20"):
            self.texts[text] = (number, place)
        return text

    def _number(self, number: int, schema: Mapping[str, Any], place: Place) -> JsonValue:
        value = _NUMBERS + number * 1_000 + len(self.numbers) % 1_000
        most, least = schema.get("maximum"), schema.get("minimum")
        if isinstance(most, int | float) and value > most:
            return most
        if isinstance(least, int | float) and value < least:
            return least
        self.numbers[value] = (number, place)
        return value


def places(value: JsonValue, place: Place = "") -> Iterator[tuple[Place, JsonValue]]:
    """Yield each value of an answer that is neither a list nor an object, with its path."""
    stack: list[tuple[Place, JsonValue]] = [(place, value)]
    while stack:
        where, node = stack.pop()
        if isinstance(node, dict):
            stack.extend((f"{where}.{key}" if where else str(key), child) for key, child in node.items())
        elif isinstance(node, list):
            stack.extend((f"{where}[{at}]", child) for at, child in enumerate(node))
        else:
            yield where, node


def _formatted(kind: str, name: str, count: int, number: int) -> str:
    match kind:
        case "email":
            return f"{name}@placeholder.invalid"
        case "uri" | "url" | "uri-reference":
            return f"https://placeholder.invalid/{name}"
        case "uuid":
            return f"00000000-0000-4000-8{number % 1000:03d}-{count:012d}"
        case "date":
            return "2000-01-01"
        case "date-time":
            return "2000-01-01T00:00:00Z"
    return ""


def _fixed(schema: Mapping[str, Any]) -> JsonValue:
    if "const" in schema:
        return schema["const"]
    for word in ("enum", "examples"):
        values = schema.get(word)
        if isinstance(values, list) and values and word == "enum":
            return values[0]
    return None


def _picked(parts: object) -> object:
    """Return the first of several schemas that does not describe null."""
    if not isinstance(parts, list):
        return None
    return next((one for one in parts if isinstance(one, Mapping) and one.get("type") != "null"), None)


def _kind(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return next((str(one) for one in kinds if one != "null"), "null")
    return str(kinds) if isinstance(kinds, str) else "object" if "properties" in schema else ""


def _wants_item(schema: Mapping[str, Any]) -> bool:
    return "items" in schema and schema.get("maxItems") != 0


def _resolve_reference(reference: str, root: Mapping[str, Any]) -> object:
    value: object = root
    for step in reference.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
