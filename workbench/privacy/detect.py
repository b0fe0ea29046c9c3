"""Finds personal data in a text by its form alone; keys and known values are found elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.privacy.kinds import KINDS


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A stretch of text and what it is."""

    start: int
    end: int
    kind: str


def detect(text: str) -> tuple[Found, ...]:
    """All stretches, not overlapping, in order."""
    return union(Found(start, end, kind.name) for kind in KINDS for start, end in kind.find(text))


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
