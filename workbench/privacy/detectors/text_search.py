"""Searches long foreign texts without holding the interpreter lock: piece by piece, or only where a plain word stands.

A search for a plain word reads a text twenty times faster than a pattern of many words. While one search runs no other
thread does, so a long text is searched in pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from workbench.thread_cancellation import check_cancelled

_PIECE: Final = 50_000  # characters that are searched at once
_BEHIND: Final = 4_000  # characters behind a piece that are read with it: no match that begins in it needs more


def find_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What `finditer` finds, but not by one search through all of a long text."""
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
    """Where the words begin, in order, each place once; for any case give the text in small letters."""
    found: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append(at)
            at = text.find(word, at + 1)
    return sorted(set(found)) if len(found) > 1 else found


def find_matches_at_words(pattern: re.Pattern[str], text: str, words: Iterable[str]) -> Iterator[re.Match[str]]:
    """What a pattern matches that begins with one of these words, in order, not overlapping."""
    end = 0
    for at in find_words(text, words):
        check_cancelled()
        if at >= end and (match := pattern.match(text, at)):
            end = max(match.end(), at + 1)
            yield match


def find_matches_at_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What a pattern matches that begins a line."""
    at = 0
    while True:
        if match := pattern.match(text, at):
            yield match
        at = text.find("\n", at) + 1
        if not at:
            return
