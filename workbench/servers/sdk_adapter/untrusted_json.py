"""Prepares JSON of servers for parsing: replaces lone surrogates, and rejects messages that take too much memory.

WORKAROUND(the SDK drops a message with a lone surrogate, so that its call is never answered, and parses messages of any
size, python-sdk#3330; mcp > 2.3): see `tests/servers/test_plain_sdk.py`. A server that counts in UTF-16 may cut a
surrogate pair. 9 MB of JSON can hold 3,000,000 empty lists, which take 1 GB and block the event loop while they are
parsed.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_OPEN = re.compile(rb"\\+(?:u(?:[0-9a-fA-F]{0,3}|[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?))?\Z")
_LONGEST = 64  # bytes at the end of a chunk in which an escape may have begun


def replace_lone_surrogates(data: bytes) -> bytes:
    """Replace each lone surrogate in JSON by U+FFFD."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)


class SurrogateRepair:
    """Replaces lone surrogates in JSON that arrives in chunks; an escape that is cut waits for its other part."""

    def __init__(self) -> None:
        self._kept = b""

    def feed(self, piece: bytes) -> bytes:
        data = self._kept + piece
        cut = _OPEN.search(data, max(0, len(data) - _LONGEST))
        end = cut.start() if cut else len(data)
        while cut and end and data[end - 1 : end] == b"\\":  # the first of a row of backslashes is never escaped
            end -= 1
        self._kept = data[end:]
        return replace_lone_surrogates(data[:end])

    def rest(self) -> bytes:
        """Return the buffered bytes at the end of the data."""
        return replace_lone_surrogates(self._kept)


MOST_LISTS: Final = 300_000  # lists and objects in one message
MOST_VALUES: Final = 1_000_000  # values in one message
_PIECE: Final = 1 << 20  # bytes scanned at once; other threads run between two pieces
_BACKSLASH_PAIR: Final = re.compile(rb"\\.", re.DOTALL)


class MessageWeight:
    """Counts lists, objects and values as bytes of JSON arrive; the contents of strings do not count."""

    def __init__(self) -> None:
        self._lists = self._values = 0
        self._in_text = self._escaped = False

    def add(self, data: bytes) -> str:
        """Count a chunk. Returns why the message is too heavy, or ""."""
        if self._escaped:
            data = data[1:]
        if b"\\" in data:
            data = _BACKSLASH_PAIR.sub(b"", data)
        self._escaped = data.endswith(b"\\")
        pieces = data.split(b'"')
        outside = b"".join(pieces[1 if self._in_text else 0 :: 2])
        self._in_text ^= len(pieces) % 2 == 0
        self._lists += outside.count(b"[") + outside.count(b"{")
        self._values += outside.count(b",")
        return self._excess()

    def _excess(self) -> str:
        if self._lists > MOST_LISTS:
            return f"It contains more than {MOST_LISTS:,} lists and objects."
        return f"It contains more than {MOST_VALUES:,} values." if self._values > MOST_VALUES else ""


def may_be_heavy(data: bytes) -> bool:
    """Whether `too_heavy` must be called: short messages are never heavy, and counting brackets and commas is cheap."""
    if len(data) <= MOST_LISTS:
        return False
    return data.count(b"[") + data.count(b"{") > MOST_LISTS or data.count(b",") > MOST_VALUES


def too_heavy(data: bytes) -> str:
    """Return why a complete message is too heavy to be parsed, or ""."""
    scale = MessageWeight()
    for at in range(0, len(data), _PIECE):
        if words := scale.add(data[at : at + _PIECE]):
            return words
    return ""
