"""Finds the places where one of some plain words stands: a pattern is then tried there, and nowhere else.

A search for a plain word reads a text twenty times faster than a pattern of many words does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator


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
