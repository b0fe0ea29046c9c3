"""What differs between two definitions: descriptions word by word, everything else place by place. Pure, no Qt."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from msgspec import Struct

from workbench.gui.forms.json_text import identical
from workbench.records import JsonValue

_WORDS = 3_000  # more of them are compared line by line
_ROWS = 500
_VALUE = 300  # characters of a value in its row
_DEEP = 60
_MISSING = object()


class Piece(Struct, frozen=True):
    """A stretch of a text: kept, gone or come."""

    kind: str  # "=", "-", "+"
    text: str


class Spot(Struct, frozen=True):
    """A place of a definition whose value is another one."""

    path: str
    before: str  # JSON text; empty: it was not there
    after: str


def words_changed(before: str, after: str) -> tuple[Piece, ...]:
    """Both texts in one: what left stands before what came in its place."""
    old, new = _pieces(before), _pieces(after)
    if max(len(old), len(new)) > _WORDS:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return tuple(_joined(_raw_pieces(old, new)))


def _joined(pieces: list[Piece]) -> Iterator[Piece]:
    """Blanks between two changes belong to them: a replaced sentence reads as one that left and one that came."""
    gone, come, waiting = "", "", ""
    for piece in pieces:
        if piece.kind == "=" and (gone or come) and piece.text.isspace() and "\n" not in piece.text:
            waiting += piece.text
        elif piece.kind == "=":
            yield from _change(gone, come)
            yield Piece("=", waiting + piece.text)
            gone, come, waiting = "", "", ""
        else:
            gone, come, waiting = gone + waiting, come + waiting, ""
            gone, come = (gone + piece.text, come) if piece.kind == "-" else (gone, come + piece.text)
    yield from _change(gone, come)
    if waiting:
        yield Piece("=", waiting)


def _change(gone: str, come: str) -> Iterator[Piece]:
    if gone:
        yield Piece("-", gone)
    if come:
        yield Piece("+", come)


def _raw_pieces(old: list[str], new: list[str]) -> list[Piece]:
    found: list[Piece] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=len(old) > _WORDS).get_opcodes():
        if kind == "equal":
            found.append(Piece("=", "".join(old[a:b])))
            continue
        if a < b:
            found.append(Piece("-", "".join(old[a:b])))
        if c < d:
            found.append(Piece("+", "".join(new[c:d])))
    return found


def places_changed(before: JsonValue, after: JsonValue, *, without: frozenset[str] = frozenset()) -> tuple[Spot, ...]:
    """By path, in the order of the new definition; the named places at the top are left out."""
    found = []
    for spot in _compare("", before, after, without, 0):
        found.append(spot)
        if len(found) >= _ROWS:
            break
    return tuple(found)


def _compare(path: str, before: JsonValue, after: JsonValue, without: frozenset[str], depth: int) -> Iterator[Spot]:
    if identical(before, after):
        return
    if depth < _DEEP and isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*after, *before)):
            if path or key not in without:
                yield from _compare(
                    f"{path}.{key}" if path else str(key),
                    before.get(key, _MISSING), after.get(key, _MISSING), without, depth + 1,
                )  # fmt: skip
    elif depth < _DEEP and isinstance(before, list) and isinstance(after, list) and _worth(before, after):
        for place, (one, other) in enumerate(zip_longest(before, after, fillvalue=_MISSING)):
            yield from _compare(f"{path}[{place}]", one, other, without, depth + 1)
    else:
        yield Spot(path, _shown(before), _shown(after))


def _worth(before: list[JsonValue], after: list[JsonValue]) -> bool:
    """Lists of objects are looked into; lists of words are told whole."""
    return any(isinstance(item, Mapping | list) for item in (*before, *after))


def _shown(value: object) -> str:
    if value is _MISSING:
        return ""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}…"


def _pieces(text: str) -> list[str]:
    return [part for part in re.split(r"(\s+|[^\w\s])", text) if part]
