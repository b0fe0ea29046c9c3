"""Mends JSON that holds half a character, so that one word cut through its emoji never costs a server its tools.

A program that counts in UTF-16 and cuts a text may cut a pair in two; what is left is written as an escape that JSON's
grammar has and no text can hold. Strict readers refuse the whole message for it.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_OPEN = re.compile(rb"\\+(?:u(?:[0-9a-fA-F]{0,3}|[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?))?\Z")
_LONGEST = 64  # bytes at the end of a piece in which an escape may have begun


def whole(data: bytes) -> bytes:
    """The same JSON, with U+FFFD in place of each half."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)


class Pieces:
    """The same for JSON that comes in pieces; an escape that is cut in two waits for its other part."""

    def __init__(self) -> None:
        self._kept = b""

    def feed(self, piece: bytes) -> bytes:
        data = self._kept + piece
        cut = _OPEN.search(data, max(0, len(data) - _LONGEST))
        end = cut.start() if cut else len(data)
        while cut and end and data[end - 1 : end] == b"\\":  # the first of a row of backslashes is never escaped
            end -= 1
        self._kept = data[end:]
        return whole(data[:end])

    def rest(self) -> bytes:
        """What waits when nothing more comes."""
        return whole(self._kept)
