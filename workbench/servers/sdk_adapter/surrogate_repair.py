"""Replaces lone surrogates in JSON, so that one truncated emoji does not invalidate a message.

WORKAROUND(the SDK refuses the whole message, so that its call is never answered, mcp > 2.3): see
`tests/servers/test_plain_sdk.py`. A program that counts in UTF-16 and truncates a text may cut a surrogate pair.
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


class SurrogateRepair:
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
