"""Decodes texts in which values may be disguised: URL, JSON and HTML escapes, base64, hex, other Unicode letters,
invisible characters, missing separators. Positions can be mapped back.

Decoding a text once costs less than encoding every known value in every way, and needs no list of alignments.
"""

from __future__ import annotations

import base64
import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from workbench.privacy.detectors.text_search import find_matches

_ESCAPE = re.compile(
    r"\\{1,8}u[0-9a-fA-F]{4}|\\{1,8}U[0-9a-fA-F]{8}|(?:\\{1,8}x[0-9a-fA-F]{2})+"  # more backslashes: escaped again
    r"|\\[\"'\\/]|&#x[0-9a-fA-F]{2,6};|&#\d{2,7};"
)
_PERCENT = re.compile(r"(?:%[2-9a-fA-F][0-9a-fA-F])+|\+")  # escapes of control characters are not decoded
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_HEX = re.compile(r"[0-9a-fA-F](?:[ :]?[0-9a-fA-F]){11,}")
_NUMBER = re.compile(r"\d(?:[ \u00a0._/()\u2010-\u2013-]{0,2}+\d)*+")
_GROUP = re.compile(r"\d+")
_PIECE = 500  # characters of a text that are handled together
_BETWEEN = re.compile(r"[^\w\0\n\t,;|\"]|_")  # separators that may be missing; those between cells of a table stay
_DROPPED = {code: None for code in range(128) if _BETWEEN.match(chr(code))}
FEWEST = 7  # digits of the shortest number that is searched
_SURE = 10  # letters; shorter values are not found inside a word
_SPREAD = 3  # how many times longer than its letters a spelling may be
GAP = "\0"  # between pieces, so that nothing matches across them


@dataclass(slots=True)
class DecodedText:
    """A decoded text whose pieces map back to the original."""

    text: str
    starts: list[int] = field(default_factory=list)  # start of each piece in this text
    origins: list[tuple[int, int]] = field(default_factory=list)  # span of each piece in the original
    exact: list[bool] = field(default_factory=list)  # whether its characters map one to one

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original for a span of this text."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, end - 1) - 1
        return self._place(first, start)[0], self._place(last, end - 1)[1]

    def _place(self, piece: int, at: int) -> tuple[int, int]:
        begin, finish = self.origins[piece]
        if not self.exact[piece]:
            return begin, finish
        offset = at - self.starts[piece]
        return begin + offset, begin + offset + 1


def decoded_texts(text: str) -> Iterator[DecodedText]:
    """Every decoded form of a text that contains something to decode."""
    if "%" in text:
        yield _replaced(text, _PERCENT, _unquote)
    if "\\" in text or "&#" in text:
        yield _replaced(text, _ESCAPE, _unescape)
    if has_invisible(text):
        yield without_invisible(text)
    if pieces := list(_base64(text)):
        yield _joined(pieces)
    if pieces := list(_hex(text)):
        yield _joined(pieces)


def without_invisible(text: str) -> DecodedText:
    """The text without invisible characters and colour codes."""
    return _replaced(text, INVISIBLE, lambda _: "")


class DigitsOnly:
    """The digits of a text, without separators between groups."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []  # start of each group in these digits
        self._spans: list[tuple[int, int]] = []  # span of each group in the original text
        self._edges: set[int] = set()  # positions in these digits where a group begins or ends
        parts, length = [], 0
        for run in find_matches(_NUMBER, text):
            if run.end() - run.start() < FEWEST:
                continue
            groups = [group.span() for group in _GROUP.finditer(text, *run.span())]
            if sum(end - start for start, end in groups) < FEWEST:
                continue
            for start, end in groups:
                self._starts.append(length)
                self._spans.append((start, end))
                parts.append(text[start:end])
                self._edges.add(length)
                length += end - start
                self._edges.add(length)
            parts.append(GAP)
            length += 1
        self.text = "".join(parts)

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """The span of the text for a match; None if it begins and ends inside groups."""
        if start not in self._edges and end not in self._edges:
            return None
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        group = bisect_right(self._starts, at) - 1
        return self._spans[group][0] + at - self._starts[group]


class WithoutSeparators:
    """A text without separators: `Rosa-Lund` and `RosaLund` are equal."""

    def __init__(self, text: str) -> None:
        self._whole = text
        self._starts: list[int] = []  # start of each piece in this text
        self._kept: dict[int, list[int]] = {}  # positions of the letters of pieces with matches
        parts, length = [], 0
        for at in range(0, len(text), _PIECE):
            parts.append(drop_separators(text[at : at + _PIECE]))
            self._starts.append(length)
            length += len(parts[-1])
        self.text = "".join(parts)

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """The span of the text for a match; None inside a longer word and for words far apart."""
        first, last = self._place(start), self._place(end - 1) + 1
        inside = self._whole[max(0, first - 1) : first].isalnum(), self._whole[last : last + 1].isalnum()
        few = any(inside) if end - start < _SURE else all(inside)
        return None if few or last - first > _SPREAD * (end - start) else (first, last)

    def _place(self, at: int) -> int:
        piece = bisect_right(self._starts, at) - 1
        kept = self._kept.get(piece)
        if kept is None:
            begin = piece * _PIECE
            letters = self._whole[begin : begin + _PIECE]
            dropped = {letter for letter in set(letters) if not drop_separators(letter)}
            kept = [place for place, letter in enumerate(letters, begin) if letter not in dropped]
            self._kept[piece] = kept
        return kept[at - self._starts[piece]]


def drop_separators(text: str) -> str:
    """A short text without its separators."""
    return text.translate(_DROPPED) if text.isascii() else _BETWEEN.sub("", text)


def _replaced(text: str, pattern: re.Pattern[str], decode: Callable[[str], str]) -> DecodedText:
    view, parts, at, length = DecodedText(""), [], 0, 0
    for match in find_matches(pattern, text):
        plain, decoded = text[at : match.start()], decode(match.group())
        for piece, span, exact in ((plain, (at, match.start()), True), (decoded, match.span(), False)):
            if piece:
                view.starts.append(length)
                view.origins.append(span)
                view.exact.append(exact)
                parts.append(piece)
                length += len(piece)
        at = match.end()
    view.starts.append(length)
    view.origins.append((at, len(text)))
    view.exact.append(True)
    view.text = "".join([*parts, text[at:]])
    return view


def _joined(pieces: list[tuple[str, tuple[int, int]]]) -> DecodedText:
    view, length = DecodedText(""), 0
    for piece, span in pieces:
        view.starts.append(length)
        view.origins.append(span)
        view.exact.append(False)
        length += len(piece) + 1
    view.text = GAP.join(piece for piece, _ in pieces)
    return view


def _unquote(escape: str) -> str:
    if escape == "+":
        return " "
    return bytes.fromhex(escape.replace("%", "")).decode("utf-8", "replace")


def _unescape(escape: str) -> str:
    if escape.startswith("&#"):
        code = int(escape[3:-1], 16) if escape[2] in "xX" else int(escape[2:-1])
        return chr(code) if code < 0x110000 else " "
    drop_separators = escape.lstrip("\\")
    if drop_separators[:1] == "x":
        data = bytes.fromhex(drop_separators.replace("\\", "").replace("x", ""))
        return _text(data)
    if drop_separators[:1] in ("u", "U"):
        code = int(drop_separators[1:], 16)
        return chr(code) if code < 0x110000 else " "
    return escape[1]


def _text(data: bytes) -> str:
    """The text of escaped bytes: as UTF-8, else one character for each byte."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _base64(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in find_matches(_BASE64, text):
        run = match.group()
        if not _mixed(run):
            continue
        plain = run.replace("-", "+").replace("_", "/")
        for offset in range(4):
            piece = plain[offset:]
            piece = piece[: len(piece) - 1] if len(piece) % 4 == 1 else piece
            data = base64.b64decode(piece + "=" * (-len(piece) % 4))
            yield data.decode("utf-8", "replace"), match.span()


def _mixed(run: str) -> bool:
    """Whether a run may be base64 of a text: that mixes upper and lower case, unlike words, dates, paths and names."""
    return run != run.lower() and run != run.upper() and not run[1:].islower()


def _hex(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in find_matches(_HEX, text):
        drop_separators = match.group().replace(" ", "").replace(":", "")
        for offset in (0, 1):
            piece = drop_separators[offset:]
            yield bytes.fromhex(piece[: len(piece) // 2 * 2]).decode("utf-8", "replace"), match.span()


_RANGES: Final = (  # characters that Unicode maps to an ASCII character
    (0xFF01, 0xFF5E),  # full-width
    (0xFE50, 0xFE6B),  # small
    (0x2460, 0x24EA),  # circled
    (0x1D400, 0x1D7FF),  # mathematical
    (0x1F130, 0x1F149),  # squared
)
_WHITE_ON_BLACK: Final = (0x1F150, 0x1F170)  # circled and squared capitals, which Unicode does not map
_LAST_DIGIT: Final = 0x1FBF9  # the last decimal digit of Unicode
_BASIC: Final = 0xFFFF
_SIGNS: Final = "@"  # also searched for by `plain`; other signs are replaced only along with these
_PERHAPS: Final = re.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff\x1b]")  # four times faster than INVISIBLE
INVISIBLE: Final = re.compile(r"(?:[\u00ad\u200b-\u200d\u2060\ufeff]|\x1b\[[0-9;]{0,20}m){1,20}")


def plain(text: str) -> str:
    """The text with full-width, circled, mathematical and other letters and digits as ASCII, at the same positions."""
    if text.isascii() or _odd().search(text) is None:
        return text
    return text.translate(_table())


def has_invisible(text: str) -> bool:
    """Whether the text contains invisible characters or colour codes."""
    if text.isascii():
        return "\x1b[" in text and INVISIBLE.search(text) is not None
    return _PERHAPS.search(text) is not None and INVISIBLE.search(text) is not None


def visible(text: str) -> str:
    """The text without invisible characters and colour codes."""
    return INVISIBLE.sub("", text) if has_invisible(text) else text


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    """Characters that are forms of an ASCII character, with that character."""
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
    """Matches letters, digits and signs for which `plain` translates a text."""
    codes = sorted(code for code, same in _table().items() if same.isalnum() or same in _SIGNS)
    wide = [code for code in codes if code > _BASIC]  # one range: each further range slows all texts
    spans: list[list[int]] = []
    for code in codes[: -len(wide)]:
        if spans and code == spans[-1][1] + 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    spans.append([wide[0], wide[-1]])
    return re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in spans) + "]")
