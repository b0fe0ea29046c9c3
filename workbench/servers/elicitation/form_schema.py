"""Validates the form schema of an elicitation, and the user's answer against it.

The protocol allows an object of plain fields: text, number, boolean, one or several choices of a list. Regular
expressions of the server are never run, so no schema can block the core.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from workbench.records import JsonObject, JsonValue

LONGEST_SCHEMA = 64_000  # characters of JSON
MOST_FIELDS = 60
MOST_CHOICES = 500
LONGEST_TEXT = 100_000  # characters of one answer
_PLAIN = ("string", "number", "integer", "boolean")
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,40}:\S+")


def flaw(schema: JsonValue) -> str:
    """Explain why a schema cannot be shown as a form; "" when it can."""
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return "requestedSchema must be an object schema."
    fields = schema.get("properties", {})
    if not isinstance(fields, Mapping) or not all(isinstance(field, Mapping) for field in fields.values()):
        return "requestedSchema.properties must be an object of schemas."
    if len(fields) > MOST_FIELDS:
        return f"A form may have at most {MOST_FIELDS} fields."
    if not isinstance(schema.get("required", []), list):
        return "requestedSchema.required must be a list."
    if len(json.dumps(schema, ensure_ascii=False)) > LONGEST_SCHEMA:
        return f"A form's schema may have at most {LONGEST_SCHEMA:,} characters."
    return next((f"Field {name!r:.60} {why}" for name, field in fields.items() if (why := _field_flaw(field))), "")


def faults(schema: JsonObject, content: JsonValue) -> tuple[str, ...]:
    """Return a sentence for each invalid field of an answer."""
    if not isinstance(content, Mapping):
        return ("The answer must be an object.",)
    return tuple(_faults(schema, content))


def defaults(schema: JsonObject) -> dict[str, JsonValue]:
    """Return the server's default values that would be valid answers."""
    fields = schema.get("properties", {})
    given = {name: field["default"] for name, field in fields.items() if "default" in field}
    return {name: value for name, value in given.items() if not next(_value_faults(value, fields[name]), "")}


def _field_flaw(field: JsonObject) -> str:
    choices = _choices(field) or (_choices(field["items"]) if isinstance(field.get("items"), Mapping) else None)
    if choices is not None and len(choices) > MOST_CHOICES:
        return f"has more than {MOST_CHOICES} choices."
    if field.get("type") == "array":
        items = field.get("items")
        several = isinstance(items, Mapping) and _choices(items) is not None
        return "" if several else "is a list without choices; a form supports only lists of given choices."
    if field.get("type") in _PLAIN or choices is not None:
        return ""
    return "is not a supported field (text, number, boolean, choices)."


def _choices(field: JsonObject) -> list[JsonValue] | None:
    """Return the choices of a field; None when any value is allowed."""
    if isinstance(field.get("enum"), list):
        return list(field["enum"])
    for word in ("oneOf", "anyOf"):
        options = field.get(word)
        if isinstance(options, list) and all(isinstance(one, Mapping) and "const" in one for one in options):
            return [one["const"] for one in options]
    return None


def _faults(schema: JsonObject, content: JsonObject) -> Iterator[str]:
    fields = schema.get("properties", {})
    for name in schema.get("required", []):
        if isinstance(name, str) and name not in content:
            yield f"{name:.60} is required."
    for name, value in content.items():
        if name not in fields:
            yield f"{name!s:.60} is not a field of the form."
        else:
            yield from (f"{name:.60} {words}" for words in _value_faults(value, fields[name]))


def _value_faults(value: JsonValue, field: JsonObject) -> Iterator[str]:
    choices = _choices(field)
    if choices is not None and field.get("type") != "array":
        if not any(value is one or (type(value) is type(one) and value == one) for one in choices):
            yield "must be one of the choices."
        return
    check = _CHECKS.get(str(field.get("type")))
    if check is not None:
        yield from check(value, field)


def _text_faults(value: JsonValue, field: JsonObject) -> Iterator[str]:
    if not isinstance(value, str):
        yield "must be text."
        return
    if len(value) > LONGEST_TEXT:
        yield f"must have at most {LONGEST_TEXT:,} characters."
    if (fewest := _figure(field, "minLength")) is not None and len(value) < fewest:
        yield f"must have at least {fewest:g} characters."
    if (most := _figure(field, "maxLength")) is not None and len(value) > most:
        yield f"must have at most {most:g} characters."
    if words := _format_fault(value, field.get("format")):
        yield words


def _format_fault(value: str, wanted: JsonValue) -> str:
    if wanted == "date" and not _is_date(value):
        return "must be a date such as 2026-01-31."
    if wanted == "date-time" and not _is_moment(value):
        return "must be a date with time and time zone, such as 2026-01-31T09:00:00Z."
    if wanted == "email" and not _EMAIL.fullmatch(value):
        return "must be an e-mail address."
    if wanted == "uri" and not _URI.fullmatch(value):
        return "must be an address such as https://example.com."
    return ""


def _is_date(value: str) -> bool:
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return len(value) == 10


def _is_moment(value: str) -> bool:
    try:
        return len(value) >= 16 and datetime.datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _number_faults(value: JsonValue, field: JsonObject) -> Iterator[str]:
    whole = field.get("type") == "integer"
    number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e308
    if not number or (whole and not float(value).is_integer()):
        yield "must be a whole number." if whole else "must be a number."
        return
    if (least := _figure(field, "minimum")) is not None and value < least:
        yield f"must be at least {least:g}."
    if (most := _figure(field, "maximum")) is not None and value > most:
        yield f"must be at most {most:g}."


def _boolean_faults(value: JsonValue, field: JsonObject) -> Iterator[str]:
    if not isinstance(value, bool):
        yield "must be true or false."


def _several_faults(value: JsonValue, field: JsonObject) -> Iterator[str]:
    choices = _choices(field.get("items", {})) or []
    if not isinstance(value, list):
        yield "must be a list."
        return
    if any(one not in choices for one in value):
        yield "must contain only given choices."
    if (fewest := _figure(field, "minItems")) is not None and len(value) < fewest:
        yield f"must have at least {fewest:g} entries."
    if (most := _figure(field, "maxItems")) is not None and len(value) > most:
        yield f"must have at most {most:g} entries."
    if len(value) > MOST_CHOICES:
        yield f"must have at most {MOST_CHOICES} entries."


def _figure(field: JsonObject, key: str) -> float | None:
    value = field.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


_CHECKS: Final[Mapping[str, Callable[[JsonValue, JsonObject], Iterator[str]]]] = {
    "string": _text_faults,
    "number": _number_faults,
    "integer": _number_faults,
    "boolean": _boolean_faults,
    "array": _several_faults,
}
