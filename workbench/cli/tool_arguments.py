"""Turns `--arg k=v` into arguments, typed by the tool's schema; `k:=json` is parsed as JSON.

A value stays a string if the schema says string, whatever it looks like: `zip=01234` is never a number.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.files import read_plain
from workbench.records import JsonObject, JsonValue

PAIR = re.compile(r"(?P<key>.+?)(?P<sign>:=|=)(?P<value>.*)", re.DOTALL)
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
DEPTH = 20  # maximum depth of references; deeper ones are ignored
ORDER = ("null", "boolean", "integer", "number", "array", "object", "string")  # the order in which types are tried


def parse_arguments(source: str) -> dict[str, JsonValue]:
    """The value of `--json`: JSON text, `@file`, or `-` for stdin."""
    text, name = source, "--json"
    if source == "-":
        text, name = sys.stdin.read(), "stdin"
    elif source.startswith("@"):
        name = source[1:]
        try:
            text = read_plain(Path(name).expanduser(), "utf-8-sig")
        except (OSError, UnicodeError) as fault:
            words = fault.strerror if isinstance(fault, OSError) else "it is not UTF-8"
            raise WorkbenchError(f"{name} cannot be read: {words}.") from fault
    value = _parsed(text, name)
    if not isinstance(value, dict):
        raise WorkbenchError(f"{name} does not contain a JSON object.", 'Write arguments like {"limit": 3}.')
    return value


def add_pairs(arguments: dict[str, JsonValue], pairs: Sequence[str], schema: JsonObject) -> list[str]:
    """Add each pair to the arguments and return the keys that the schema does not name. A repeated key makes a list."""
    unknown: list[str] = []
    lists: set[str] = set()
    for pair in pairs:
        match = PAIR.fullmatch(pair)
        if match is None:
            raise WorkbenchError(f"{pair!r:.200} is not an argument.", "Write --arg name=value, or --arg name:=JSON.")
        key, text = match["key"], match["value"]
        wanted = _property(schema, key)
        items = _items(wanted, schema)
        if match["sign"] == ":=":
            arguments[key] = _parsed(text, f"--arg {key}")
        elif items is not None and not text.lstrip().startswith("["):
            before = arguments[key] if key in lists else []
            arguments[key] = [*before, parse_value(key, text, items, schema)]
            lists.add(key)
        else:
            arguments[key] = parse_value(key, text, wanted, schema)
        if not _known(schema, key):
            unknown.append(key)
    return unknown


def parse_value(key: str, text: str, wanted: object, root: JsonObject) -> JsonValue:
    """Convert a text to the type in the schema. Raises a `WorkbenchError` if that is impossible."""
    kinds = _kinds(wanted, root)
    choices = [value for part in kinds.values() for value in _choices(part)]
    for choice in choices:
        if text == (choice if isinstance(choice, str) else json.dumps(choice, ensure_ascii=False)):
            return choice
    for kind in ORDER:
        if kind in kinds and (found := _as_kind(kind, text)) is not _MISFIT:
            return found
    if not kinds or choices:
        return text  # The schema has no type, or has an enum: the server validates the value.
    raise WorkbenchError(
        f"{key} takes {_listed(kinds)}, not {text!r:.100}.",
        f"To send it anyway, write it as JSON: --arg '{key}:=…'.",
    )


_MISFIT = object()


def _as_kind(kind: str, text: str) -> JsonValue:
    if kind == "string":
        return text
    if kind in ("array", "object"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return _MISFIT
        return value if isinstance(value, list if kind == "array" else dict) else _MISFIT
    if kind in ("integer", "number"):
        return _number(kind, text)
    words: JsonObject = {"null": None} if kind == "null" else {"true": True, "false": False}
    return words.get(text.lower(), _MISFIT)


def _number(kind: str, text: str) -> JsonValue:
    match = NUMBER.fullmatch(text)
    if match is None or len(text) > 400:
        return _MISFIT
    if match[2] or match[3]:
        value = float(text)
        return value if kind == "number" or value.is_integer() else _MISFIT
    return int(text)


def _kinds(schema: object, root: JsonObject, depth: int = 0) -> dict[str, Mapping[str, Any]]:  # Any: foreign JSON
    """Each type that a value may have, with the part of the schema that declares it."""
    if not isinstance(schema, Mapping) or depth > DEPTH:
        return {}
    if isinstance(reference := schema.get("$ref"), str):
        return _kinds(_resolve_reference(reference, root), root, depth + 1)
    named = schema.get("type")
    kinds = [named] if isinstance(named, str) else named if isinstance(named, list) else _types(_choices(schema))
    found = {kind: schema for kind in kinds if kind in ORDER}
    for word in ("anyOf", "oneOf", "allOf"):
        parts = schema.get(word)
        for part in parts if isinstance(parts, list) else []:
            for kind, inner in _kinds(part, root, depth + 1).items():
                found.setdefault(kind, inner)
    return found


def _items(schema: object, root: JsonObject) -> object:
    """The schema of a list's items, if the value can only be a list or null; otherwise `None`."""
    kinds = _kinds(schema, root)
    if kinds.keys() - {"null"} != {"array"}:
        return None
    return kinds["array"].get("items", {})


def _types(values: Sequence[JsonValue]) -> list[str]:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    return [names.get(type(value), "object") for value in values]


def _choices(schema: Mapping[str, Any]) -> list[JsonValue]:  # Any: foreign JSON
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else []


def _property(schema: JsonObject, key: str, depth: int = 0) -> object:
    """The schema of one key, in any part of the object's schema."""
    if depth > DEPTH or not isinstance(schema, Mapping):
        return None
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and key in properties:
        return properties[key]
    for word in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(word)
        for part in parts if isinstance(parts, list) else []:
            if (found := _property(part, key, depth + 1)) is not None:
                return found
    return schema.get("additionalProperties")


def _known(schema: JsonObject, key: str) -> bool:
    """Whether the schema declares this key. A schema without any properties declares none."""
    return _property(schema, key) not in (None, False) or not schema.get("properties")


def _resolve_reference(reference: str, root: JsonObject) -> object:
    """The target of a reference within the schema."""
    value: object = root
    if not reference.startswith("#"):
        return None
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _parsed(text: str, name: str) -> JsonValue:
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        where = f"line {fault.lineno}, column {fault.colno}"
        raise WorkbenchError(
            f"{name} is not valid JSON: {where}: {fault.msg}.", "Write texts in double quotes."
        ) from fault
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError(f"{name} is JSON that is nested too deeply or has a number that is too long.") from fault


def _listed(kinds: Mapping[str, object]) -> str:
    names = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "null": "null",
             "array": "a JSON list", "object": "a JSON object"}  # fmt: skip
    return " or ".join(names.get(kind, kind) for kind in kinds)
