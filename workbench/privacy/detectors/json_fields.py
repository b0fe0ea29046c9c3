"""Walks a JSON value and determines for each leaf the kind that its key, column or neighbours announce."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from workbench.privacy.detection_rules import DEFAULT_RULES, DetectionRules
from workbench.privacy.detectors.field_names import (
    FEWEST_ROWS,
    ROWS_READ,
    agreed,
    decided,
    inherited,
    is_of_column,
    kind_of,
    kinds_of,
    spelling,
)
from workbench.privacy.detectors.key_words import WORD_SIGNS
from workbench.privacy.detectors.kinds import BY_NAME, Kind, settled
from workbench.records import JsonValue

MOST_COLUMNS = 200

_HEADER_CELL = re.compile(rf"[^\W\d_][{WORD_SIGNS} .()/#'’-]{{0,40}}")
_COLUMN_KEYS_WORDS = "columns column_names cols headers header fields schema field_names keys attributes"
_COLUMN_KEYS = frozenset(_COLUMN_KEYS_WORDS.split())
# `{"name": "From", "value": …}`: keys of labels, best first, and keys of values.
_LABELS_WORDS = "name key field label header property attribute question column title system type kind id"
_LABELS = tuple(_LABELS_WORDS.split())
_VALUES_WORDS = "value values answer text content string_value stringvalue val data current_value display_value"
_VALUES = frozenset(_VALUES_WORDS.split())
_TYPES = frozenset({"system", "type", "kind", "id"})  # labels that name a type of thing as often as a value
_LONGEST_LABEL = 60
_CONTAINERS = (dict, list, tuple)  # a union in `isinstance` is made anew at each call
_LEAVES = (str, int, float)
_MOST_OF_PAIR = 12  # keys of a record that is a pair


class FieldContext(Struct, frozen=True):
    """What a node inherits from its parents: its kind, the kinds of its columns, the key around it."""

    kind: Kind | None = None
    columns: tuple[Kind | None, ...] = ()
    around: str = ""
    keys: Mapping[str, Kind] = MappingProxyType({})  # kinds of most values in the rows of a list


class RecordLayout:
    """The kinds of the values of one record."""

    def __init__(self, node: dict[str, JsonValue], context: FieldContext, rules: DetectionRules) -> None:
        self._above = context
        self._kinds = kinds_of(map(str, node), context.around, rules)
        self._agreed = context.keys
        self._columns = _columns(node, rules)
        self._pair = _labelled(node, rules)

    def kind(self, key: str) -> Kind | None:
        """The kind of the value under a key."""
        name = str(key)
        kind = self._kinds[name] or self._pair.get(name)
        if kind is None and self._above.kind is not None:
            kind = inherited(self._above.kind, name)
        if self._agreed and (agreed := self._agreed.get(name)) is not None:
            return agreed if kind is None or (agreed.name == kind.name and is_of_column(agreed)) else kind
        return kind

    def context(self, key: str) -> FieldContext:
        """The context of the record or list under a key."""
        name = str(key)
        return FieldContext(self.kind(key), self._columns if spelling(name) not in _COLUMN_KEYS else (), name)


def list_members(
    node: Sequence[JsonValue], context: FieldContext, rules: DetectionRules
) -> Iterator[tuple[JsonValue, FieldContext]]:
    """The members of a list, each with its context."""
    columns = context.columns
    if context.kind is None and len(node) >= _JCARD and (cards := _of_contact_card(node)):
        yield from zip(node, cards, strict=True)
        return
    if context.kind is None and (kind := _kind_of_reference(node, context.around, rules)):
        yield from ((child, FieldContext(kind if isinstance(child, str) else None)) for child in node)
        return
    if columns and len(node) == len(columns) and not any(isinstance(child, list | dict) for child in node):
        yield from ((child, FieldContext(kind)) for child, kind in zip(node, columns, strict=True))
        return
    if not columns and context.kind is None and (columns := _header_row(node, rules)):
        yield node[0], FieldContext(around=context.around)
        node = node[1:]
    keys = agreed(node, rules) if context.kind is None else {}
    kind = context.kind
    if kind is not None and len(node) >= FEWEST_ROWS:
        kind = decided(kind, lambda: node[:ROWS_READ])
    below = FieldContext(kind, _decided_columns(columns, node), context.around, keys)
    yield from ((child, below) for child in node)


_JCARD = 4  # members of a property: name, parameters, type, value
_JCARD_KINDS = {
    "fn": "NAME", "n": "NAME", "nickname": "NAME", "tel": "PHONE", "email": "EMAIL", "bday": "DOB", "org": "COMPANY",
}  # fmt: skip
_JCARD_ADDRESS = (None, None, "ADDRESS", None, None, "ADDRESS", None)  # street and postal code


def _of_contact_card(node: Sequence[JsonValue]) -> list[FieldContext]:
    """The contexts of the members of a property of a contact card in JSON (jCard), if it is one."""
    name = node[0]
    if not (isinstance(name, str) and isinstance(node[1], dict) and isinstance(node[2], str)):
        return []
    first = [FieldContext()] * (_JCARD - 1)
    if name == "adr":
        parts = tuple(BY_NAME[kind] if kind else None for kind in _JCARD_ADDRESS)
        return [*first, *(FieldContext(columns=parts) for _ in node[3:])]
    kind = _JCARD_KINDS.get(name)
    return [*first, *(FieldContext(BY_NAME[kind]) for _ in node[3:])] if kind else []


_REFERENCE = re.compile(r"(?<=\w)_?u?id\Z", re.IGNORECASE)


def _kind_of_reference(node: Sequence[JsonValue], around: str, rules: DetectionRules) -> Kind | None:
    """The kind of a record that is referred to by id and name, as in Odoo: `"user_id": [2, "Rosa Lund"]`."""
    if len(node) != 2 or not isinstance(node[0], int) or not isinstance(node[1], str) or not _REFERENCE.search(around):
        return None
    kind = kind_of(_REFERENCE.sub("", around), rules)
    return kind if kind is not None and kind.name == "NAME" else kind_of("any_name", rules)


def _decided_columns(columns: tuple[Kind | None, ...], rows: Sequence[JsonValue]) -> tuple[Kind | None, ...]:
    """The kinds of columns, where the rows below them agree for odd values too."""
    read = [row for row in rows[:ROWS_READ] if isinstance(row, list) and len(row) == len(columns)] if columns else []
    if len(read) < FEWEST_ROWS:
        return columns

    def of_column(place: int, kind: Kind | None) -> Kind | None:
        return decided(kind, lambda: [row[place] for row in read]) if kind is not None else None

    return tuple(of_column(place, kind) for place, kind in enumerate(columns))


def _columns(node: dict[str, JsonValue], rules: DetectionRules) -> tuple[Kind | None, ...]:
    """The kinds of the columns that a record lists next to its rows."""
    for key, child in node.items():
        if isinstance(child, list) and 2 <= len(child) <= MOST_COLUMNS and spelling(str(key)) in _COLUMN_KEYS:
            names = [_name_of(column) for column in child]
            if all(names):
                return _kinds(names, rules)
    return ()


def _name_of(column: JsonValue) -> str:
    if isinstance(column, dict):
        named = (column.get(key) for key in ("name", "key", "field", "header", "label", "title", "id"))
        column = next((name for name in named if isinstance(name, str)), None)
    return column if isinstance(column, str) else ""


def _header_row(node: Sequence[JsonValue], rules: DetectionRules) -> tuple[Kind | None, ...]:
    """The kinds of the columns of a table whose first row names them."""
    if len(node) < 2 or not isinstance(first := node[0], list) or not 2 <= len(first) <= MOST_COLUMNS:
        return ()
    names = [cell if isinstance(cell, str) and _HEADER_CELL.fullmatch(cell) else "" for cell in first]
    second = node[1]
    if not all(names) or not isinstance(second, list) or len(second) != len(first):
        return ()
    return _kinds(names, rules)


def _kinds(names: Sequence[str], rules: DetectionRules) -> tuple[Kind | None, ...]:
    kinds = kinds_of(names, rules=rules)
    columns = tuple(kinds[name] for name in names)
    return columns if any(columns) else ()


@lru_cache(maxsize=2048)
def _value_keys(*keys: str) -> tuple[str, ...]:
    """The keys that may contain the value of a pair."""
    return tuple(key for key in keys if spelling(str(key)) in _VALUES)


def _labelled(node: dict[str, JsonValue], rules: DetectionRules) -> dict[str, Kind]:
    """The kind of the value of a pair, by its label."""
    values = _value_keys(*node) if 2 <= len(node) <= _MOST_OF_PAIR else ()
    if not values:
        return {}
    spelled = {spelling(str(key)): child for key, child in node.items()}
    for label in _LABELS:
        said = spelled.get(label)
        kind = kind_of(said, rules) if isinstance(said, str) and len(said) <= _LONGEST_LABEL else None
        if kind is not None and not (kind.name == "COMPANY" and label in _TYPES):
            return dict.fromkeys(values, kind)
    return {}


MOST_TRIES = 50  # failed attempts to read JSON in a text

_OPENING = re.compile(r"[{\[](?:(?<=\{)\s{0,40}[\"}]|(?<=\[)\s{0,40}[\[{\"])")
_BEFORE = re.compile(r"(?:^|[\n:>`=(])[ \t]{0,9}\Z")
_LOOK_BACK = 10
_DECODER = json.JSONDecoder()

Leaf: TypeAlias = tuple[JsonValue, Kind | None]
Change: TypeAlias = Callable[[JsonValue, Kind | None], JsonValue]


def leaves(value: JsonValue, rules: DetectionRules = DEFAULT_RULES) -> Iterator[Leaf]:
    """Every string and number with the kind that its key announces. Keys are leaves too."""
    return ((leaf, kind) for leaf, kind, _ in leaves_with_keys(value, rules))


def leaves_with_keys(
    value: JsonValue, rules: DetectionRules = DEFAULT_RULES
) -> Iterator[tuple[JsonValue, Kind | None, str]]:
    """The same, with the key of each leaf; no key for a key itself and for a cell below a header."""
    stack: list[tuple[JsonValue, FieldContext]] = [(value, FieldContext())]
    while stack:
        node, context = stack.pop()
        if isinstance(node, dict):
            layout = RecordLayout(node, context, rules)
            for key, child in node.items():
                yield key, None, ""
                if isinstance(child, _CONTAINERS):
                    stack.append((child, layout.context(key)))
                elif is_leaf(child):
                    kind = layout.kind(key)
                    kind = settled(kind, as_text(child)) if kind is not None and kind.also else kind
                    yield child, kind, str(key)
        elif isinstance(node, list | tuple):
            stack.extend(list_members(node, context, rules))
        elif is_leaf(node):
            yield node, settled(context.kind, as_text(node)) if context.kind else None, context.around


def is_leaf(node: JsonValue) -> bool:
    """Whether a value is a string or a number."""
    return isinstance(node, _LEAVES) and not isinstance(node, bool)


def texts(value: JsonValue) -> Iterator[str]:
    """Every string in a value, including keys."""
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


def texts_and_numbers(value: JsonValue) -> Iterator[str]:
    """Every string and number in a value, including keys, as text."""
    stack: list[JsonValue] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack += node
            stack += node.values()
        elif isinstance(node, list | tuple):
            stack += node
        elif is_leaf(node):
            yield as_text(node)


def rebuild(value: JsonValue, change: Change, rules: DetectionRules = DEFAULT_RULES) -> JsonValue:
    """The same structure with every leaf and every key changed."""
    return _rebuilt(value, change, FieldContext(), rules)


def _rebuilt(value: JsonValue, change: Change, context: FieldContext, rules: DetectionRules) -> JsonValue:
    if isinstance(value, dict):
        layout = RecordLayout(value, context, rules)
        return {_key(key, change): _rebuilt(child, change, layout.context(key), rules) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_rebuilt(child, change, below, rules) for child, below in list_members(value, context, rules)]
    if is_leaf(value):
        return change(value, settled(context.kind, as_text(value)) if context.kind else None)
    return value


def parsed(text: str) -> JsonValue:
    """A text parsed as a JSON object or list; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def embedded(text: str) -> list[JsonValue]:
    """The JSON objects and lists in a text: all of it, one per line, or between words."""
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
    """A leaf as text; whole floats without ".0", because phone numbers in tables become floats."""
    if isinstance(leaf, float):
        return str(int(leaf)) if math.isfinite(leaf) and leaf.is_integer() and abs(leaf) < 1e18 else repr(leaf)
    return str(leaf)


def _key(key: JsonValue, change: Change) -> JsonValue:
    return change(key, None) if isinstance(key, str) else key
