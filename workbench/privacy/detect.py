"""Finds personal data in a text: by its form, by the key before it or the header above it; not known values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.privacy.kinds import KINDS
from workbench.privacy.pairs import pairs
from workbench.privacy.tables import cells


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A stretch of text and what it is."""

    start: int
    end: int
    kind: str


def detect(text: str) -> tuple[Found, ...]:
    """All stretches, not overlapping, in order; none holds a NUL, with which the vault blanks its tokens out."""
    return union(found for found in _everything(text) if "\0" not in text[found.start : found.end])


def _everything(text: str) -> Iterator[Found]:
    for kind in KINDS:
        yield from (Found(start, end, kind.name) for start, end in kind.find(text))
    yield from (Found(start, end, kind.name) for start, end, kind in pairs(text))
    yield from (Found(start, end, kind.name) for start, end, kind in cells(text))


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
