"""Names that fit what is being typed; pure, so that what is shown first can be tested without a window."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.records import Candidate

MOST = 100


def fitting(found: Sequence[Candidate], typed: str) -> list[Candidate]:
    """Those that begin with the letters come first, then those that begin so in any case, then those that hold them in
    their order; the order of the answer decides among equals."""
    ranked = [(rank, place, one) for place, one in enumerate(found) if (rank := _rank(one.name, typed)) is not None]
    return [one for _, _, one in sorted(ranked, key=lambda each: each[:2])[:MOST]]


def word_before(line: str, place: int) -> str:
    """The letters of a name that end at this place."""
    start = place
    while start > 0 and (line[start - 1].isalnum() or line[start - 1] == "_"):
        start -= 1
    word = line[start:place]
    return "" if word[:1].isdigit() else word


def _rank(name: str, typed: str) -> int | None:
    if name.startswith(typed):
        return 0
    held, wanted = name.casefold(), typed.casefold()
    if held.startswith(wanted):
        return 1
    if len(typed) < 2:
        return None
    place = -1
    for letter in wanted:
        place = held.find(letter, place + 1)
        if place < 0:
            return None
    return 2 if held[0] == wanted[0] else 3
