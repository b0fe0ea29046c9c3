"""Finds personal data in a text: by its form, by the key before it or the header above it; not known values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from workbench.privacy.kinds import KINDS
from workbench.privacy.pairs import pairs
from workbench.privacy.tables import cells

_FINDERS = tuple((kind.name, kind.find) for kind in KINDS)


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A stretch of text and what it is."""

    start: int
    end: int
    kind: str


_SHORT = 120  # characters of a text that is remembered: names of fields, states and labels come again and again


def detect(text: str) -> tuple[Found, ...]:
    """All stretches, not overlapping, in order; none holds a NUL, with which the vault blanks its tokens out."""
    return _remembered(text) if len(text) <= _SHORT else _detect(text)


def _detect(text: str) -> tuple[Found, ...]:
    found = _everything(text)
    return union(one for one in found if "\0" not in text[one.start : one.end]) if found else ()


_remembered = lru_cache(maxsize=8192)(_detect)


def _everything(text: str) -> list[Found]:
    found = [Found(start, end, name) for name, find in _FINDERS for start, end in find(text)]
    found += [Found(start, end, kind.name) for start, end, kind in pairs(text)]
    found += [Found(start, end, kind.name) for start, end, kind in cells(text)]
    return found


def union(found: Iterable[Found]) -> tuple[Found, ...]:
    """Overlapping stretches become one, so every character that anything found is covered; the longest names it."""
    merged: list[Found] = []
    longest = 0
    for part in sorted(found, key=lambda f: (f.start, -f.end)):
        if merged and part.start < merged[-1].end:
            last = merged[-1]
            name = part.kind if part.end - part.start > longest else last.kind
            longest = max(longest, part.end - part.start)
            merged[-1] = Found(last.start, max(last.end, part.end), name)
        else:
            merged.append(part)
            longest = part.end - part.start
    return tuple(merged)
