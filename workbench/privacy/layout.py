"""Reads how data lies in JSON: records with keys, rows below a list of columns, a header row, pairs of name and value.

What a column or a pair announces is handed down to where its values stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.privacy.consensus import agreed
from workbench.privacy.keys import inherited, kind_of, spelling
from workbench.privacy.kinds import Kind
from workbench.privacy.record_keys import kinds_of
from workbench.privacy.rules import Rules
from workbench.quick_records import dataclass
from workbench.records import JsonValue

MOST_COLUMNS = 200

_HEADER_CELL = re.compile(r"[^\W\d_][\w .()/#-]{0,40}")
_COLUMN_KEYS_WORDS = "columns column_names cols headers header fields schema field_names keys attributes"
_COLUMN_KEYS = frozenset(_COLUMN_KEYS_WORDS.split())
# `{"name": "From", "value": …}`: what says which value it is, in the order of how well it says it, and the value.
_LABELS_WORDS = "name key field label header property attribute question column title system type kind id"
_LABELS = tuple(_LABELS_WORDS.split())
_VALUES_WORDS = "value values answer text content string_value stringvalue val data current_value display_value"
_VALUES = frozenset(_VALUES_WORDS.split())
_LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of a node from above: its kind, the kinds of the columns of its rows, the key around it."""

    kind: Kind | None = None
    columns: tuple[Kind | None, ...] = ()
    around: str = ""
    keys: tuple[tuple[str, Kind], ...] = ()  # what the rows of a list agree on


class Layout:
    """One record and what each of its values is."""

    def __init__(self, node: dict[str, JsonValue], told: Told, rules: Rules) -> None:
        self._above = told
        self._kinds = kinds_of(map(str, node), told.around, rules)
        self._agreed = dict(told.keys)
        self._columns = _columns(node, rules)
        self._pair = _labelled(node, rules)

    def told(self, key: str) -> Told:
        """What is known of the value under a key."""
        name = str(key)
        kind = self._kinds[name] or self._pair.get(name) or inherited(self._above.kind, name) or self._agreed.get(name)
        return Told(kind, self._columns if spelling(name) not in _COLUMN_KEYS else (), name)


def placed(node: Sequence[JsonValue], told: Told, rules: Rules) -> Iterator[tuple[JsonValue, Told]]:
    """The members of a list, each with what is known of it."""
    columns = told.columns
    if columns and len(node) == len(columns) and not any(isinstance(child, list | dict) for child in node):
        yield from ((child, Told(kind)) for child, kind in zip(node, columns, strict=True))
        return
    if not columns and told.kind is None and (columns := _header_row(node, rules)):
        yield node[0], Told(around=told.around)
        node = node[1:]
    keys = agreed(node, rules) if told.kind is None else ()
    below = Told(told.kind, columns, told.around, keys)
    yield from ((child, below) for child in node)


def _columns(node: dict[str, JsonValue], rules: Rules) -> tuple[Kind | None, ...]:
    """What the columns hold that a record names in a list beside its rows."""
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


def _header_row(node: Sequence[JsonValue], rules: Rules) -> tuple[Kind | None, ...]:
    """What the columns of a table hold whose first row names them."""
    if len(node) < 2 or not isinstance(first := node[0], list) or not 2 <= len(first) <= MOST_COLUMNS:
        return ()
    names = [cell if isinstance(cell, str) and _HEADER_CELL.fullmatch(cell) else "" for cell in first]
    second = node[1]
    if not all(names) or not isinstance(second, list) or len(second) != len(first):
        return ()
    return _kinds(names, rules)


def _kinds(names: Sequence[str], rules: Rules) -> tuple[Kind | None, ...]:
    kinds = kinds_of(names, rules=rules)
    columns = tuple(kinds[name] for name in names)
    return columns if any(columns) else ()


def _labelled(node: dict[str, JsonValue], rules: Rules) -> dict[str, Kind]:
    """What the value of a pair is, by the label beside it."""
    values = [key for key in node if spelling(str(key)) in _VALUES] if 2 <= len(node) <= 12 else []
    if not values:
        return {}
    spelled = {spelling(str(key)): child for key, child in node.items()}
    for label in _LABELS:
        said = spelled.get(label)
        kind = kind_of(said, rules) if isinstance(said, str) and len(said) <= _LONGEST_LABEL else None
        if kind is not None:
            return dict.fromkeys(values, kind)
    return {}
