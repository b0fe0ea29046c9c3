"""Separates numbers and Latin words from letters of scripts without spaces, as in `電話は03-1234-5678です`."""

from __future__ import annotations

import re

# Thai, Hangul, Kana and Han. Python counts them as letters of a word, in which no number begins.
UNSPACED = "\u0e01-\u0e4e\u1100-\u11ff\u3005-\u3007\u3041-\u30ff\u3131-\u318e\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_LETTER = re.compile(f"[{UNSPACED}]")
_GLUED = re.compile(rf"[{UNSPACED}](?=[A-Za-z0-9+(])|(?<=[A-Za-z0-9)])[{UNSPACED}]")


def with_borders(text: str) -> str:
    """The text with a space for each such letter next to a digit or Latin letter; all positions stay."""
    return _GLUED.sub(" ", text) if not text.isascii() and _LETTER.search(text) else text
