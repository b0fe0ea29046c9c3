"""A stretch of text that is personal data, and how overlapping stretches become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A stretch of text, what it is, and by what it was known, in short words for a person."""

    start: int
    end: int
    kind: str
    why: str = field(default="", compare=False)


def union(found: Iterable[Found]) -> tuple[Found, ...]:
    """Overlapping stretches become one, so every character that anything found is covered; the longest names it."""
    merged: list[Found] = []
    longest = 0
    for part in sorted(found, key=lambda f: (f.start, -f.end)):
        if merged and part.start < merged[-1].end:
            last = merged[-1]
            named = part if part.end - part.start > longest else last
            longest = max(longest, part.end - part.start)
            merged[-1] = Found(last.start, max(last.end, part.end), named.kind, named.why)
        else:
            merged.append(part)
            longest = part.end - part.start
    return tuple(merged)
