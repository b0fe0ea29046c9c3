"""Findings, and searches in long texts that do not hold the interpreter lock for long.

No other thread runs during one search, so a long text is searched in pieces. A search for a plain word is twenty times
faster than one for a pattern of many words, so patterns are tried only where such a word occurs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from workbench.thread_cancellation import check_cancelled

_PIECE: Final = 50_000  # characters that are searched at once
_BEHIND: Final = 4_000  # characters after a piece that are read with it, more than any match needs


def find_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of `finditer`, searched in pieces if the text is long."""
    return pattern.finditer(text) if len(text) <= _PIECE else _by_pieces(pattern, text)


def _by_pieces(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = 0
    for end in range(_PIECE, len(text) + _PIECE, _PIECE):
        check_cancelled()
        while at < end:
            beyond = None
            for match in pattern.finditer(text, at, end + _BEHIND):
                if match.end() > end:
                    beyond = match.start()
                    break
                yield match
            if beyond is None or beyond >= end:
                at = end
            elif whole := pattern.match(text, beyond):
                yield whole
                at = max(whole.end(), beyond + 1)
            else:
                at = beyond + 1


def find_words(text: str, words: Iterable[str]) -> list[int]:
    """The positions of the words, sorted, each once. Case-sensitive: pass the text in lower case for any case."""
    found: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append(at)
            at = text.find(word, at + 1)
    return sorted(set(found)) if len(found) > 1 else found


def find_matches_at_words(pattern: re.Pattern[str], text: str, words: Iterable[str]) -> Iterator[re.Match[str]]:
    """The matches of a pattern that begin with one of these words, sorted, not overlapping."""
    end = 0
    for at in find_words(text, words):
        check_cancelled()
        if at >= end and (match := pattern.match(text, at)):
            end = max(match.end(), at + 1)
            yield match


def find_matches_at_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern at the beginning of a line."""
    at = 0
    while True:
        if match := pattern.match(text, at):
            yield match
        at = text.find("\n", at) + 1
        if not at:
            return


@dataclass(frozen=True, slots=True, order=True)
class DetectedSpan:
    """A stretch of text that is personal data, its kind, and a short reason for the user."""

    start: int
    end: int
    kind: str
    why: str = field(default="", compare=False)


def merge_findings(found: Iterable[DetectedSpan]) -> tuple[DetectedSpan, ...]:
    """Join overlapping findings, so that each found character is covered; the longest decides kind and reason."""
    merged: list[DetectedSpan] = []
    longest = 0
    for part in sorted(found, key=lambda f: (f.start, -f.end)):
        if merged and part.start < merged[-1].end:
            last = merged[-1]
            named = part if part.end - part.start > longest else last
            longest = max(longest, part.end - part.start)
            merged[-1] = DetectedSpan(last.start, max(last.end, part.end), named.kind, named.why)
        else:
            merged.append(part)
            longest = part.end - part.start
    return tuple(merged)
