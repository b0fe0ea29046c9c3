"""Walks a JSON value and says for each leaf which kind of data its key, its column or its neighbours announce."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from workbench.privacy.kinds import Kind, settled
from workbench.privacy.layout import Layout, Told, placed
from workbench.privacy.rules import PLAIN, Rules
from workbench.records import JsonValue

MOST_TRIES = 50  # places of a text where JSON may begin and does not

_OPENING = re.compile(r"[{\[](?:(?<=\{)\s{0,40}[\"}]|(?<=\[)\s{0,40}[\[{\"])")
_BEFORE = re.compile(r"(?:^|[\n:>`=(])[ \t]{0,9}\Z")
_LOOK_BACK = 10
_DECODER = json.JSONDecoder()

Leaf: TypeAlias = tuple[JsonValue, Kind | None]
Change: TypeAlias = Callable[[JsonValue, Kind | None], JsonValue]


def leaves(value: JsonValue, rules: Rules = PLAIN) -> Iterator[Leaf]:
    """Every string and number with the kind its key, or the key around it, announces; keys are leaves too."""
    stack: list[tuple[JsonValue, Told]] = [(value, Told())]
    while stack:
        node, told = stack.pop()
        if isinstance(node, dict):
            yield from ((key, None) for key in node)
            layout = Layout(node, told, rules)
            stack.extend((child, layout.told(key)) for key, child in node.items())
        elif isinstance(node, list | tuple):
            stack.extend(placed(node, told, rules))
        elif isinstance(node, str | int | float) and not isinstance(node, bool):
            yield node, settled(told.kind, as_text(node)) if told.kind else None


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


def rebuild(value: JsonValue, change: Change, rules: Rules = PLAIN) -> JsonValue:
    """The same structure with every leaf and every key changed."""
    return _rebuilt(value, change, Told(), rules)


def _rebuilt(value: JsonValue, change: Change, told: Told, rules: Rules) -> JsonValue:
    if isinstance(value, dict):
        layout = Layout(value, told, rules)
        return {_key(key, change): _rebuilt(child, change, layout.told(key), rules) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(child, change, below, rules) for child, below in placed(value, told, rules)]
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return change(value, settled(told.kind, as_text(value)) if told.kind else None)
    return value


def parsed(text: str) -> JsonValue:
    """The value of a text that holds a JSON object or list; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def embedded(text: str) -> list[JsonValue]:
    """The JSON objects and lists in a text: the whole of it, one a line, or between words."""
    if "{" not in text and "[" not in text:
        return []
    if (whole := parsed(text)) is not None:
        return [whole]
    found: list[JsonValue] = []
    at = tries = 0
    while tries < MOST_TRIES and (opening := _OPENING.search(text, at)):
        at = opening.start() + 1
        if _BEFORE.search(text, max(0, opening.start() - _LOOK_BACK), opening.start()) is None:
            continue
        tries += 1
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at = opening.end()
            continue
        tries -= 1
        found.append(value)
    return found


def as_text(leaf: JsonValue) -> str:
    """A leaf as text; a whole float is written without its zero, as phone numbers out of tables are."""
    if isinstance(leaf, float):
        return str(int(leaf)) if math.isfinite(leaf) and leaf.is_integer() and abs(leaf) < 1e18 else repr(leaf)
    return str(leaf)


def _key(key: JsonValue, change: Change) -> JsonValue:
    return change(key, None) if isinstance(key, str) else key
