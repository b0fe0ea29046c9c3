"""Converts any object that a program returns to JSON text. Unusual values are shown as text instead of being lost.

Uses only the standard library.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from typing import Any

_DEPTH = 60
_written = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_text(value: object) -> str:
    """JSON text of any value: fast for plain JSON values, slower for others."""
    try:
        return _written(value)
    except (TypeError, ValueError, RecursionError):
        return _written(plain(value))


def plain(value: object, depth: int = _DEPTH) -> Any:  # Any: JSON
    """Convert a value to the nearest JSON value. Unknown types become their repr."""
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, enum.Enum)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if depth == 0:
        return "…"
    if isinstance(value, dict):
        return {_key(key): plain(inner, depth - 1) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner, depth - 1) for inner in _ordered(value)]
    return _convert_known(value, depth)


def _convert_known(value: object, depth: int) -> Any:  # Any: JSON
    if isinstance(value, enum.Enum):
        return plain(value.value, depth - 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), depth - 1) for field in dataclasses.fields(value)}
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID | pathlib.PurePath | datetime.timedelta):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("utf-8", "backslashreplace")
    for method in ("tolist", "to_dict", "model_dump"):  # numpy, pandas and pydantic objects
        convert = getattr(value, method, None)
        if callable(convert) and not isinstance(value, type):
            return plain(convert(), depth - 1)
    return _safe_repr(value)


def _key(key: object) -> str:
    if isinstance(key, str):
        return str(key)
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return str(key) if isinstance(key, int | float) else str(plain(key, 3))


# Any: values of the program
def _ordered(values: list[Any] | tuple[Any, ...] | set[Any] | frozenset[Any]) -> list[Any]:
    if isinstance(values, set | frozenset):
        try:
            return sorted(values)
        except TypeError:
            return sorted(values, key=repr)
    return list(values)


def _safe_repr(value: object) -> str:
    try:
        return repr(value)
    except Exception as fault:  # a program's __repr__ may raise anything
        return f"<{type(value).__name__}: {type(fault).__name__} in its repr>"
