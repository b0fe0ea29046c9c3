"""Decodes texts in which values may be disguised: URL, JSON and HTML escapes, base64, hex, other Unicode letters,
invisible characters, missing separators. Positions can be mapped back.

Decoding a text once costs less than encoding every known value in every way, and needs no list of alignments.
"""

from __future__ import annotations

import base64
import html
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
    r"|(?:\\{1,8}[0-3][0-7]{2})+|\\{1,8}u\{[0-9a-fA-F]{2,6}\}|(?<!\\)\\[0-9a-fA-F]{2,6} |\\{1,8}n|\\[\"'\\/]"
    r"|&#[xX][0-9a-fA-F]{2,6};|&#\d{2,7};|&[A-Za-z]{2,8};"
)
_PERCENT = re.compile(r"(?:%[2-9a-fA-F][0-9a-fA-F])+|\+")  # escapes of control characters are not decoded
_QUOTED = re.compile(r"(?:=[2-9A-F][0-9A-F]){3,}|(?:=[C-F][0-9A-F](?:=[89AB][0-9A-F]){1,3})+|=\r?\n")
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]{4,76}|[A-Za-z0-9+/_-]{8,}")
_BASE32 = re.compile(r"(?<![A-Z0-9])[A-Z2-7]{12,}")
_HEX = re.compile(r"0x[0-9a-fA-F]{2}(?:[ ,]{0,3}0x[0-9a-fA-F]{2}){5,}|[0-9a-fA-F](?:[ :]?[0-9a-fA-F]){11,}")
_CODES = re.compile(r"(?<!\d)\d{2,3}(?:[ ,;]{1,2}\d{2,3}){5,}(?!\d)")  # character codes
_LETTERS = re.compile(r"(?<!\w)\w(?:[^\w\0\n]{1,16}\w){4,}(?!\w)")  # single letters with separators
_LETTER = re.compile(r"\w")
_SHORT_LINES = re.compile(r"(?:(?<=[\n\"'])|\A)(?:[^\n\0]{1,24}\n){1,}[^\n\0]{1,24}")  # words may be broken
_COMBINED = re.compile(r"\w[\u0300-\u036f]{1,4}")
_FOREIGN = re.compile(r"[\u0370-\u04ff]")
_NESTED = 60_000  # characters; a shorter decoded text is decoded again
_NEAR = 100  # characters before and after a decoded part that are decoded again with it
_LEVELS = 3  # encodings of an encoding
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

    def add_original(self, text: str) -> None:
        """Map all characters one to one."""
        self.starts, self.origins, self.exact = [0], [(0, len(text))], [True]

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


@dataclass(frozen=True, slots=True)
class NestedText:
    """A decoded form of a decoded text."""

    outer: DecodedText | NestedText
    inner: DecodedText | NestedText

    @property
    def text(self) -> str:
        return self.inner.text

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original for a span of this text."""
        return self.outer.origin(*self.inner.origin(start, end))


def decoded_texts(text: str, levels: int = _LEVELS, *, broken: bool = True) -> Iterator[DecodedText | NestedText]:
    """Every decoded form of a text that contains something to decode, also of what is encoded several times. `broken`:
    also the text without the breaks of short lines."""
    for view in _decoded_once(text):
        yield view
        if levels > 1 and (parts := _decoded_parts(view)).text and len(parts.text) <= _NESTED:
            outer = NestedText(view, parts)
            yield from (NestedText(outer, inner) for inner in decoded_texts(parts.text, levels - 1))
    if levels >= _LEVELS - 1:
        yield from _respelled(text)
        if broken and "\n" in text and (lines := without_breaks(text)).text:
            yield lines


def _decoded_parts(view: DecodedText) -> DecodedText:
    """What was decoded, with what is near: only that is decoded again."""
    near: list[tuple[int, int]] = []
    for start, exact, end in zip(view.starts, view.exact, [*view.starts[1:], len(view.text)], strict=True):
        if not exact:
            if near and start - _NEAR <= near[-1][1]:
                near[-1] = near[-1][0], end + _NEAR
            else:
                near.append((max(0, start - _NEAR), end + _NEAR))
    parts = DecodedText("")
    texts: list[str] = []
    length = 0
    for start, end in near:
        text = view.text[start:end]
        for piece, exact in ((text, True), (GAP, False)):
            parts.starts.append(length)
            parts.origins.append((start, start + len(text)))
            parts.exact.append(exact)
            texts.append(piece)
            length += len(piece)
    parts.text = "".join(texts)
    return parts


def _decoded_once(text: str) -> Iterator[DecodedText]:
    """The text with escapes decoded, and the texts that runs of letters and digits encode."""
    if "%" in text:
        yield _replaced(text, _PERCENT, _unquote)
    if "=" in text and _QUOTED.search(text):
        yield _replaced(text, _QUOTED, _unquote_printable)
    if "\\" in text or "&" in text:
        yield _replaced(text, _ESCAPE, _unescape)
    if has_invisible(text):
        yield without_invisible(text)
    for decode in (_base64, _hex, _base32, _character_codes):
        if pieces := list(decode(text)):
            yield _joined(pieces)


def _respelled(text: str) -> Iterator[DecodedText]:
    """The text with other letters: of other scripts, composed, with separators or breaks between them."""
    if not text.isascii():
        if _FOREIGN.search(text):
            view = DecodedText(text.translate(_LOOKALIKES))
            view.add_original(text)
            yield view
        if _COMBINED.search(text):
            yield _replaced(text, _COMBINED, lambda letters: unicodedata.normalize("NFC", letters))
    if (view := _separated_letters(text)).text:
        yield view


def _separated_letters(text: str) -> DecodedText:
    """The single letters of the text without the separators between them."""
    view = DecodedText("")
    parts: list[str] = []
    for run in find_matches(_LETTERS, text):
        for match in [*_LETTER.finditer(text, *run.span()), None]:
            view.starts.append(len(parts))
            view.origins.append(match.span() if match else run.span())
            view.exact.append(match is not None)
            parts.append(match.group() if match else GAP)
    view.text = "".join(parts)
    return view


def without_breaks(text: str) -> DecodedText:
    """The blocks of short lines without line breaks."""
    view, length = DecodedText(""), 0
    parts: list[str] = []
    for block in find_matches(_SHORT_LINES, text):
        at = block.start()
        for line in [*block.group().split("\n"), GAP]:
            view.starts.append(length)
            view.origins.append((at, at + len(line)))
            view.exact.append(line != GAP)
            parts.append(line)
            length, at = length + len(line), at + len(line) + 1
    view.text = "".join(parts)
    return view


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


def _unquote_printable(escape: str) -> str:
    return bytes.fromhex(escape.replace("=", "")).decode("utf-8", "replace") if escape[1:2].isalnum() else ""


def _unescape(escape: str) -> str:
    if escape.startswith("&#"):
        return _letter(escape[3:-1], 16) if escape[2] in "xX" else _letter(escape[2:-1], 10)
    if escape.startswith("&"):
        return html.unescape(escape)
    bare = escape.lstrip("\\")
    if bare[:1] == "x":
        return _text(bytes.fromhex(bare.replace("\\", "").replace("x", "")))
    if bare == "n":
        return "\n"
    if bare[:2] == "u{":
        return _letter(bare[2:-1], 16)
    if bare[:1] in ("u", "U"):
        return _letter(bare[1:], 16)
    if bare[:1].isalnum():
        return _letter(bare.strip(), 16) if bare.endswith(" ") else _text(_octal_bytes(bare))
    return escape[1]


def _letter(code: str, base: int) -> str:
    number = int(code, base)
    return chr(number) if number < 0x110000 else " "


def _octal_bytes(escapes: str) -> bytes:
    return bytes(int(code, 8) for code in escapes.split("\\") if code)


def _text(data: bytes) -> str:
    """The text of escaped bytes: as UTF-8, else one character for each byte."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _text_of_bytes(data: bytes) -> str:
    """The text of decoded bytes, which may be UTF-16."""
    if len(data) >= 8 and 2 * data.count(0) >= len(data) - 2:
        return data.decode("utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be", "replace")
    return data.decode("utf-8", "replace")


def _base64(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in find_matches(_BASE64, text):
        run = match.group()
        if not _mixed(run):
            continue
        plain = run.replace("-", "+").replace("_", "/").replace("\n", "").replace("\r", "")
        for offset in range(4):
            piece = plain[offset:]
            piece = piece[: len(piece) - 1] if len(piece) % 4 == 1 else piece
            data = base64.b64decode(piece + "=" * (-len(piece) % 4))
            yield _text_of_bytes(data), match.span()


def _base32(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in find_matches(_BASE32, text):
        run = match.group()
        if run.isalpha() and len(run) < _SURE_BASE32:
            continue
        for offset in range(8):
            piece = run[offset:]
            piece = piece[: len(piece) - len(piece) % 8 + _BASE32_BYTES[len(piece) % 8]]
            yield base64.b32decode(piece + "=" * (-len(piece) % 8)).decode("utf-8", "replace"), match.span()


def _character_codes(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in find_matches(_CODES, text):
        codes = [int(code) for code in _GROUP.findall(match.group())]
        yield "".join(chr(code) if code < _LAST_CODE else GAP for code in codes), match.span()


def _mixed(run: str) -> bool:
    """Whether a run may be base64 of a text: that mixes upper and lower case, unlike words, dates, paths and names."""
    return run != run.lower() and run != run.upper() and not run[1:].islower()


def _hex(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for match in find_matches(_HEX, text):
        digits = _HEX_SEPARATORS.sub("", match.group())
        for offset in (0, 1):
            piece = digits[offset:]
            yield _text_of_bytes(bytes.fromhex(piece[: len(piece) // 2 * 2])), match.span()


_HEX_SEPARATORS: Final = re.compile(r"0x|[ :,]")
_SURE_BASE32: Final = 24  # letters without a digit that are read as base32
_BASE32_BYTES: Final = (0, 0, 2, 2, 4, 5, 5, 7)  # letters of an incomplete group of base32 that make whole bytes
_LAST_CODE: Final = 256  # larger numbers are no character codes
# Cyrillic and Greek letters that look like Latin ones.
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u0410\u0412\u0415\u041a\u041c\u041d"
    "\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f"
    "\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd\u03b1\u03b9",
    "aeopcyxijsdqABEKMHOPCTXIJSABEZHIKMNOPTYXovai",
)


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
