"""Walks a JSON value and says for each leaf which kind of data its key announces."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TypeAlias

from workbench.privacy.keys import kind_of
from workbench.privacy.kinds import Kind
from workbench.records import JsonValue

Leaf: TypeAlias = tuple[JsonValue, Kind | None]


def leaves(value: JsonValue, kind: Kind | None = None) -> Iterator[Leaf]:
    """Every string and number with the kind its key, or the key around it, announces; keys are leaves too."""
    stack: list[Leaf] = [(value, kind)]
    while stack:
        node, announced = stack.pop()
        if isinstance(node, dict):
            for key, child in node.items():
                yield key, None
                stack.append((child, kind_of(str(key)) or announced))
        elif isinstance(node, list | tuple):
            stack.extend((child, announced) for child in node)
        elif isinstance(node, str | int | float) and not isinstance(node, bool):
            yield node, announced


def rebuild(
    value: JsonValue, change: Callable[[JsonValue, Kind | None], JsonValue], kind: Kind | None = None
) -> JsonValue:
    """The same structure with every leaf and every key changed."""
    if isinstance(value, dict):
        return {_key(key, change): rebuild(child, change, kind_of(str(key)) or kind) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [rebuild(child, change, kind) for child in value]
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return change(value, kind)
    return value


def parsed(text: str) -> JsonValue:
    """The value of a text that holds a JSON object or list; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _key(key: JsonValue, change: Callable[[JsonValue, Kind | None], JsonValue]) -> JsonValue:
    return change(key, None) if isinstance(key, str) else key
