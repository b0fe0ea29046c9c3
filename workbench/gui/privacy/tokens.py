"""Finds what is written as a token in a text, for drawing; whether one stands for something only the core knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?:\[|%5B)(?P<kind>[A-Z][A-Z_]{1,20})_[1-9]\d{0,6}\.[0-9a-z]{4}(?:\]|%5D)", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class Written:
    """A token in a text; start and end count as Qt does, in UTF-16 units."""

    start: int
    end: int
    token: str
    kind: str


def written(text: str) -> Iterator[Written]:
    """All tokens in a text, in order."""
    if "_" not in text:
        return
    plain = text.isascii()
    for match in _TOKEN.finditer(text):
        start = match.start() if plain else units(text[: match.start()])
        yield Written(start, start + len(match.group()), match.group(), match["kind"].upper())


def units(text: str) -> int:
    """How long Qt takes a text for."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
