"""Separates numbers and Latin words from letters of scripts without spaces, as in `電話は03-1234-5678です`."""

from __future__ import annotations

import re
from functools import lru_cache

# Thai, Hangul, Kana and Han. Python counts them as letters of a word, in which no number begins.
UNSPACED = "\u0e01-\u0e4e\u1100-\u11ff\u3005-\u3007\u3041-\u30ff\u3131-\u318e\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"


def with_borders(text: str) -> str:
    """The text with a space for each such letter next to a digit or Latin letter; all positions stay."""
    if text.isascii():
        return text
    letter, glued = _patterns()
    return glued.sub(" ", text) if letter.search(text) else text


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Such a letter, and one that must become a border; compiled for the first text that is not ASCII."""
    return (
        re.compile(f"[{UNSPACED}]"),
        re.compile(rf"[{UNSPACED}](?=[A-Za-z0-9+(])|(?<=[A-Za-z0-9)])[{UNSPACED}]"),
    )
