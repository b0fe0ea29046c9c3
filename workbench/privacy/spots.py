"""Finds the places where one of some plain words stands: a pattern is then tried there, and nowhere else.

A search for a plain word reads a text twenty times faster than a pattern of many words does. And a long text is
searched piece by piece: while one search runs, no other thread does, so the loop beside it would stand still.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from workbench.cancellation import check_cancelled

_PIECE: Final = 50_000  # characters that are searched at once
_BEHIND: Final = 4_000  # characters behind a piece that are read with it: no match that begins in it needs more


def each(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
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


def spots(text: str, words: Iterable[str]) -> list[int]:
    """Where the words begin, in order, each place once; for any case give the text in small letters."""
    found: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append(at)
            at = text.find(word, at + 1)
    return sorted(set(found)) if len(found) > 1 else found


def matches(pattern: re.Pattern[str], text: str, words: Iterable[str]) -> Iterator[re.Match[str]]:
    """What a pattern matches that begins with one of these words, in order, not overlapping."""
    end = 0
    for at in spots(text, words):
        check_cancelled()
        if at >= end and (match := pattern.match(text, at)):
            end = max(match.end(), at + 1)
            yield match


def at_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What a pattern matches that begins a line."""
    at = 0
    while True:
        if match := pattern.match(text, at):
            yield match
        at = text.find("\n", at) + 1
        if not at:
            return
