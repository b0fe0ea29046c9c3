"""Estimates the memory of a JSON message before it is parsed, and rejects giants.

9 MB of JSON can hold 3,000,000 empty lists, which take 1 GB and block the loop while they are parsed. The SDK has no
such limit.
"""

from __future__ import annotations

import re
from typing import Final

MOST_LISTS: Final = 300_000  # lists and objects in one message
MOST_VALUES: Final = 1_000_000  # values in them
_PIECE: Final = 1 << 20  # bytes looked at once: other threads get their turn between two
_ESCAPE: Final = re.compile(rb"\\.", re.DOTALL)


class MessageWeight:
    """Counts lists, objects and values as bytes of JSON come; what stands in texts does not count."""

    def __init__(self) -> None:
        self._lists = self._values = 0
        self._in_text = self._escaped = False

    def add(self, data: bytes) -> str:
        """Why the message is too heavy so far; empty where it is not."""
        if self._escaped:
            data = data[1:]
        if b"\\" in data:
            data = _ESCAPE.sub(b"", data)
        self._escaped = data.endswith(b"\\")
        pieces = data.split(b'"')
        outside = b"".join(pieces[1 if self._in_text else 0 :: 2])
        self._in_text ^= len(pieces) % 2 == 0
        self._lists += outside.count(b"[") + outside.count(b"{")
        self._values += outside.count(b",")
        return self._words()

    def _words(self) -> str:
        if self._lists > MOST_LISTS:
            return f"It holds more than {MOST_LISTS:,} lists and objects."
        return f"It holds more than {MOST_VALUES:,} values." if self._values > MOST_VALUES else ""


def may_be_heavy(data: bytes) -> bool:
    """Whether `too_heavy` has to look: short messages never are, and counting signs costs nearly nothing."""
    if len(data) <= MOST_LISTS:
        return False
    return data.count(b"[") + data.count(b"{") > MOST_LISTS or data.count(b",") > MOST_VALUES


def too_heavy(data: bytes) -> str:
    """Why a whole message is too heavy to be read; empty where it is not."""
    scale = MessageWeight()
    for at in range(0, len(data), _PIECE):
        if words := scale.add(data[at : at + _PIECE]):
            return words
    return ""
