"""A finding: a stretch of text that is personal data, and how overlapping findings become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A stretch of text, what it is, and by what it was known, in short words for a person."""

    start: int
    end: int
    kind: str
    why: str = field(default="", compare=False)


def merge_findings(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Overlapping stretches become one, so every character that anything found is covered; the longest names it."""
    merged: list[Finding] = []
    longest = 0
    for part in sorted(found, key=lambda f: (f.start, -f.end)):
        if merged and part.start < merged[-1].end:
            last = merged[-1]
            named = part if part.end - part.start > longest else last
            longest = max(longest, part.end - part.start)
            merged[-1] = Finding(last.start, max(last.end, part.end), named.kind, named.why)
        else:
            merged.append(part)
            longest = part.end - part.start
    return tuple(merged)
