"""Finds words in the names and values of JSON, however deep; pure, and without recursion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from workbench.records import JsonValue

Place: TypeAlias = tuple[int, ...]
"""The way to a value as row numbers from the root."""

_MOST = 10_000  # places told
_LOOKED_AT = 2_000_000  # values looked at


def places_of(value: JsonValue, words: str) -> list[Place]:
    """Where the words occur, from top to bottom."""
    needle = words.casefold()
    found: list[Place] = []
    stack: list[tuple[Place, str, JsonValue]] = [((), "", value)]
    left = _LOOKED_AT
    while stack and left > 0 and len(found) < _MOST:
        place, name, part = stack.pop()
        left -= 1
        if place and (needle in name.casefold() or needle in _said(part)):
            found.append(place)
        stack.extend((((*place, row), inner, item) for row, inner, item in _parts(part)))
    return found


def _parts(value: JsonValue) -> Iterable[tuple[int, str, JsonValue]]:
    """The last part first, because a stack turns them round."""
    if isinstance(value, Mapping):
        rows = list(enumerate(value.items()))
        return ((row, name, item) for row, (name, item) in reversed(rows))
    if isinstance(value, list):
        return ((row, "", value[row]) for row in range(len(value) - 1, -1, -1))
    return ()


def _said(value: JsonValue) -> str:
    if isinstance(value, str):
        return value.casefold()
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int | float) else ""
