"""Separates numbers and Latin words from letters of scripts without spaces, as in `電話は03-1234-5678です`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from workbench.thread_cancellation import check_cancelled

_PIECE: Final = 50_000  # characters that are searched at once
# Thai, Hangul, Kana and Han. Python counts them as letters of a word, in which no number begins.
UNSPACED = "\u0e01-\u0e4e\u1100-\u11ff\u3005-\u3007\u3041-\u30ff\u3131-\u318e\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"


def with_borders(text: str) -> str:
    """The text with a space for each such letter next to a digit or Latin letter; all positions stay."""
    return text if text.isascii() else "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    letter, glued = _patterns()
    for at in range(0, len(text), _PIECE):
        check_cancelled()
        low = max(0, at - 1)  # one letter more on both sides, which decides about the outer ones
        piece = text[low : at + _PIECE + 1]
        yield (glued.sub(" ", piece) if letter.search(piece) else piece)[at - low : at - low + _PIECE]


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Such a letter, and one that must become a border; compiled for the first text that is not ASCII."""
    return (
        re.compile(f"[{UNSPACED}]"),
        re.compile(rf"[{UNSPACED}](?=[A-Za-z0-9+(])|(?<=[A-Za-z0-9)])[{UNSPACED}]"),
    )
