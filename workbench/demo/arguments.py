"""Checks a call's arguments against the tool's schema. An error says what is wrong and what would be valid."""

from __future__ import annotations

import difflib
import re
from typing import Any

from workbench.demo.tool import DemoTool, Json, Refused

_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float)}


def check(tool: DemoTool, given: Json) -> None:
    """Raise Refused for arguments that the schema does not allow."""
    for name in given:
        if name not in tool.properties:
            near = difflib.get_close_matches(name, tool.properties, 1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise Refused(f"{tool.name} has no parameter {name!r}.{meant} {_valid(tool)}")
    missing = [name for name in tool.required if name not in given]
    if missing:
        raise Refused(f"{tool.name} needs {' and '.join(missing)}. {_valid(tool)}")
    for name, value in given.items():
        if fault := _fault(tool.properties[name], value):
            raise Refused(f"{name} {fault}.")


def _valid(tool: DemoTool) -> str:
    return f"Its parameters: {', '.join(tool.properties)}." if tool.properties else "It has no parameters."


def _fault(schema: Json, value: Any) -> str:
    """Any: an unchecked JSON value"""
    if fault := _wrong_type(schema["type"], value):
        return fault
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(schema['enum'])}, not {value!r}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"must look like {schema['pattern']}, not {value!r}"
    if isinstance(value, str):
        return _out_of_range(len(value), schema.get("minLength"), schema.get("maxLength"), " characters")
    return _out_of_range(value, schema.get("minimum"), schema.get("maximum"), "")


def _wrong_type(kind: str, value: object) -> str:
    fits = isinstance(value, _TYPES[kind]) and not isinstance(value, bool)
    return "" if fits else f"must be of type {kind}, not {type(value).__name__}"


def _out_of_range(size: float, least: float | None, most: float | None, unit: str) -> str:
    if least is not None and size < least:
        return f"must be at least {least}{unit}"
    return f"must be at most {most}{unit}" if most is not None and size > most else ""
