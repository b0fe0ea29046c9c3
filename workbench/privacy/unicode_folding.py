"""Letters and digits in other forms (full-width, circled, mathematical, other scripts) as ASCII, at the same positions.

Also invisible characters and colour codes between letters. Values are looked for in the plain form.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache
from typing import Final

_RANGES: Final = (  # of characters that Unicode itself says are a letter, digit or sign of ASCII in another form
    (0xFF01, 0xFF5E),  # full-width
    (0xFE50, 0xFE6B),  # small
    (0x2460, 0x24EA),  # circled
    (0x1D400, 0x1D7FF),  # mathematical
    (0x1F130, 0x1F149),  # squared
)
_WHITE_ON_BLACK: Final = (0x1F150, 0x1F170)  # circled and squared capitals, of which Unicode does not say it
_LAST_DIGIT: Final = 0x1FBF9  # no decimal digit comes after it
_BASIC: Final = 0xFFFF
_SIGNS: Final = "@"  # beside letters and digits: where no other stands, the text is plain enough
_PERHAPS: Final = re.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff\x1b]")  # read four times as fast
INVISIBLE: Final = re.compile(r"(?:[\u00ad\u200b-\u200d\u2060\ufeff]|\x1b\[[0-9;]{0,20}m){1,20}")


def plain(text: str) -> str:
    """The text in plain letters and digits, letter by letter, so that positions stay."""
    if text.isascii() or _odd().search(text) is None:
        return text
    return text.translate(_table())


def has_invisible(text: str) -> bool:
    """Whether something that nobody sees stands in it."""
    if text.isascii():
        return "\x1b[" in text and INVISIBLE.search(text) is not None
    return _PERHAPS.search(text) is not None and INVISIBLE.search(text) is not None


def visible(text: str) -> str:
    """The text without what nobody sees."""
    return INVISIBLE.sub("", text) if has_invisible(text) else text


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    """Each character in another form, and the one of ASCII that it stands for."""
    table: dict[int, str] = {}
    for first, last in _RANGES:
        for code in range(first, last + 1):
            same = unicodedata.normalize("NFKC", chr(code))
            if len(same) == 1 and same.isascii():
                table[code] = same
    for first in _WHITE_ON_BLACK:
        table |= {first + at: chr(ord("A") + at) for at in range(26)}
    for code in range(0x80, min(_LAST_DIGIT, sys.maxunicode) + 1):
        if code not in table and (digit := unicodedata.decimal(chr(code), None)) is not None:
            table[code] = str(digit)
    return table


@lru_cache(maxsize=1)
def _odd() -> re.Pattern[str]:
    """A character whose text is worth being made plain."""
    codes = sorted(code for code, same in _table().items() if same.isalnum() or same in _SIGNS)
    wide = [code for code in codes if code > _BASIC]  # as one range: each further one would cost every other letter
    spans: list[list[int]] = []
    for code in codes[: -len(wide)]:
        if spans and code == spans[-1][1] + 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    spans.append([wide[0], wide[-1]])
    return re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in spans) + "]")
