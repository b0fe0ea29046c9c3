r"""Makes the canonical text of a program: the one that is analyzed, hashed, shown and run.

A line ends at "\n" and nowhere else. Characters that an editor, Python or Qt would split or hide differently are
refused instead of repaired, because a repair would run a program that nobody wrote.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
import unicodedata

from msgspec import Struct

from workbench.analysis.parsed_program import UNREADABLE, parse
from workbench.permissions.word_sets import names
from workbench.records import Finding, Risk, Span

MAX_BYTES = 400_000  # larger programs are not reviewable, and the analysis would cost too much
MAX_FAULTS = 50  # the first 50 faults are enough to refuse a text

_SUSPECTS = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LINE_END = re.compile(r"\r+\n")  # some editors write two carriage returns
_FENCE = re.compile(r"```[ \t]*(?:python|py|python3)?", re.IGNORECASE)
_COOKIE = re.compile(r"^[ \t]*#.*?coding[:=][ \t]*([-\w.]+)")
_OWN_COOKIES = names("utf-8 utf8 utf-8-sig ascii us-ascii")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = frozenset("\u0085\u2028\u2029\u000b\u000c\u001c\u001d\u001e")
_JOINERS = frozenset("\u200c\u200d")
_EMOJI_STYLES = frozenset("\ufe0e\ufe0f")


class CanonicalText(Struct, frozen=True):
    """The canonical text of a program with its hash. A text with faults must not be run."""

    text: str
    sha: str
    faults: tuple[Finding, ...] = ()


def canonicalize(text: str) -> CanonicalText:
    """Return the text with "\\n" line ends, no byte order mark and one final line end, with its hash and its faults."""
    clean = _clean(text)
    data = clean.encode("utf-8", "surrogatepass")
    sha = hashlib.sha256(data).hexdigest()
    if len(data) > MAX_BYTES:
        return CanonicalText(clean, sha, (_too_large(len(data)),))
    return CanonicalText(clean, sha, (*_hidden(clean), *_cookies(clean)))


def strip_code_fence(text: str) -> str:
    """Remove the code fence that models put around a program, and the indentation that all its lines share.

    The indentation is removed only if the text does not parse with it. Each line keeps its number."""
    lines = text.split("\n")
    full = [number for number, line in enumerate(lines) if line.strip()]
    if len(full) > 1 and _FENCE.fullmatch(lines[full[0]].strip()) and lines[full[-1]].strip() == "```":
        lines[full[0]] = lines[full[-1]] = ""
        return strip_code_fence("\n".join(lines))
    first = lines[full[0]] if full else ""
    return textwrap.dedent(text) if first[:1] in (" ", "\t") and not _parses(text) else text


def _parses(text: str) -> bool:
    try:
        parse(text)
    except UNREADABLE:
        return False
    return True


def clean_text(text: str) -> str:
    """Return the text without the characters that make it unfit to run.

    Hidden characters are removed, a carriage return becomes a line end, and a character that only editors treat as a
    line break becomes a space. The user sees the difference."""
    body = _LINE_END.sub("\n", text.lstrip("\ufeff"))
    first = _SUSPECTS.sub(lambda match: _instead(body, match.start()), body)
    body = _SUSPECTS.sub("", first) if _hidden(first) else first  # a joiner may have lost the characters that it joined
    lines = _clean(body).split("\n")
    for number, line in enumerate(lines[:2]):
        if (match := _COOKIE.match(line)) and match.group(1).lower().replace("_", "-") not in _OWN_COOKIES:
            lines[number] = line[: match.start(1)] + "utf-8" + line[match.end(1) :]
    return "\n".join(lines)


def _instead(text: str, at: int) -> str:
    character = text[at]
    if _harmless(text, at):
        return character
    if character == "\r":
        return "\n"
    if 0xD800 <= ord(character) <= 0xDFFF:
        return "\ufffd"
    return " " if character in _BREAKS else ""


def find_hidden_characters(text: str) -> tuple[Finding, ...]:
    """Return findings for invisible characters and characters that change the reading order.

    Legitimate joiners are allowed."""
    return () if text.isascii() and text.isprintable() else _hidden(_LINE_END.sub("\n", text))


def _clean(text: str) -> str:
    body = _LINE_END.sub("\n", text).lstrip("\ufeff").rstrip("\r\n")
    return body + "\n" if body else ""


def _too_large(size: int) -> Finding:
    words = f"The program is {size // 1000} kB long; the limit is {MAX_BYTES // 1000} kB"
    return Finding("text.size", Risk.HIGH, words, Span(1, 0, 1, 0))


def _hidden(text: str) -> tuple[Finding, ...]:
    found: list[Finding] = []
    line, start = 1, 0
    for match in _SUSPECTS.finditer(text):
        if _harmless(text, match.start()):
            continue
        line += text.count("\n", start, match.start())
        start = match.start()
        column = start - (text.rfind("\n", 0, start) + 1)
        found.append(_fault(match.group(), Span(line, column, line, column + 1)))
        if len(found) == MAX_FAULTS:
            break
    return tuple(found)


def _fault(character: str, span: Span) -> Finding:
    rule, words = _describe(character)
    code = f"U+{ord(character):04X}"
    return Finding(rule, Risk.HIGH, f"{words} ({code})", span, code)


def _describe(character: str) -> tuple[str, str]:
    if character in _BIDI:
        return (
            "text.bidi",
            "A character that reverses the direction of text: the program may run differently than it reads",
        )
    if character == "\0":
        return "text.control", "A NUL character"
    if character == "\r":
        return "text.control", "A carriage return inside a line: the text after it can hide the text before it"
    if character in _BREAKS:
        return "text.break", "An unusual line break: editors and Python count lines differently"
    if 0xD800 <= ord(character) <= 0xDFFF:
        return "text.surrogate", "A lone surrogate, which is not a valid character"
    if unicodedata.category(character) == "Cc":
        return "text.control", "A control character"
    return "text.invisible", "An invisible character"


def _harmless(text: str, at: int) -> bool:
    """Return whether an emoji style or joiner is legitimate.

    It is legitimate inside an emoji, and between letters of a joining script."""
    character = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if character in _EMOJI_STYLES:
        return bool(before) and (_pictorial(before) or before in "#*0123456789©®")
    if character == "\u200d" and _pictorial(before):
        return _pictorial(after)
    return character in _JOINERS and _joining(before) and _joining(after)


def _pictorial(character: str) -> bool:
    if not character:
        return False
    return (
        character == "\ufe0f"
        or unicodedata.category(character) in ("So", "Sk", "Sm")
        or ord(character) in (0x203C, 0x2049)
    )


def _joining(character: str) -> bool:
    return bool(character) and 0x0600 <= ord(character) <= 0x0DFF and unicodedata.category(character)[0] in "LM"


def _cookies(text: str) -> tuple[Finding, ...]:
    found = []
    for number, line in enumerate(text.split("\n", 2)[:2], 1):
        match = _COOKIE.match(line)
        if match and match.group(1).lower().replace("_", "-") not in _OWN_COOKIES:
            words = f"The encoding declaration {match.group(1)!r} would make Python read a different text than is shown"
            found.append(
                Finding(
                    "text.cookie", Risk.HIGH, words, Span(number, match.start(1), number, match.end(1)), match.group(1)
                )
            )
    return tuple(found)
