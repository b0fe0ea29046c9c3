"""Walks a JSON value and says for each leaf which kind of data its key announces."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

from workbench.privacy.keys import inherited, kinds_of
from workbench.privacy.kinds import Kind
from workbench.privacy.rules import PLAIN, Rules
from workbench.records import JsonValue

Leaf: TypeAlias = tuple[JsonValue, Kind | None]
Change: TypeAlias = Callable[[JsonValue, Kind | None], JsonValue]


def leaves(value: JsonValue, rules: Rules = PLAIN) -> Iterator[Leaf]:
    """Every string and number with the kind its key, or the key around it, announces; keys are leaves too."""
    stack: list[tuple[JsonValue, Kind | None, str]] = [(value, None, "")]
    while stack:
        node, announced, around = stack.pop()
        if isinstance(node, dict):
            kinds = kinds_of(map(str, node), around, rules)
            for key, child in node.items():
                yield key, None
                stack.append((child, kinds[str(key)] or inherited(announced, str(key)), str(key)))
        elif isinstance(node, list | tuple):
            stack.extend((child, announced, around) for child in node)
        elif isinstance(node, str | int | float) and not isinstance(node, bool):
            yield node, announced


def texts(value: JsonValue) -> Iterator[str]:
    """Every string in a value, keys among them."""
    stack: list[JsonValue] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            stack += node
            stack += node.values()
        elif isinstance(node, list | tuple):
            stack += node


def rebuild(
    value: JsonValue, change: Change, kind: Kind | None = None, around: str = "", rules: Rules = PLAIN
) -> JsonValue:
    """The same structure with every leaf and every key changed."""
    if isinstance(value, dict):
        kinds = kinds_of(map(str, value), around, rules)
        return {
            _key(key, change): rebuild(child, change, kinds[str(key)] or inherited(kind, str(key)), str(key), rules)
            for key, child in value.items()
        }
    if isinstance(value, list | tuple):
        return [rebuild(child, change, kind, around, rules) for child in value]
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


def as_text(leaf: JsonValue) -> str:
    """A leaf as text; a whole float is written without its zero, as phone numbers out of tables are."""
    if isinstance(leaf, float):
        return str(int(leaf)) if math.isfinite(leaf) and leaf.is_integer() and abs(leaf) < 1e18 else repr(leaf)
    return str(leaf)


def _key(key: JsonValue, change: Change) -> JsonValue:
    return change(key, None) if isinstance(key, str) else key
