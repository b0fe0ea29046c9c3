"""Frames of copied files, for both directions: a JSON head and optional bytes. Uses only the standard library.

Format: four bytes with the length of the head, the head, then `size` bytes. Files are sent in pieces, so no large file
is in memory as a whole.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

LONGEST_HEAD = 1 << 16
LARGEST_PIECE = 1 << 18
DEEPEST = 64  # maximum number of parts in a path
AREAS = ("workspace", "servers", "skills")
BEAT = 5.0  # seconds between two heartbeats of each side
FAILED = 70  # exit code of a container whose multiplexer failed

Head = dict[str, Any]  # Any: JSON, checked by the receiver


class TransferFault(Exception):
    """The other side violated the protocol. Nothing more is read from it."""


def pack(kind: str, data: bytes = b"", **head: Any) -> bytes:  # Any: JSON
    words = json.dumps({"kind": kind, **head, **({"size": len(data)} if data else {})}).encode()
    return struct.pack(">I", len(words)) + words + data


class TransferReader:
    """Splits a byte stream into transfer frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Head, bytes]]:
        self._bytes += data
        while (found := self._next()) is not None:
            yield found

    def _next(self) -> tuple[Head, bytes] | None:
        if len(self._bytes) < 4:
            return None
        (length,) = struct.unpack_from(">I", self._bytes)
        if length > LONGEST_HEAD:
            raise TransferFault(f"a head of {length:,} bytes, which is too long")
        if len(self._bytes) < 4 + length:
            return None
        head = _head(bytes(self._bytes[4 : 4 + length]))
        size = head.get("size", 0)
        if type(size) is not int or not 0 <= size <= LARGEST_PIECE:
            raise TransferFault("a frame with an invalid data size")
        end = 4 + length + size
        if len(self._bytes) < end:
            return None
        data = bytes(self._bytes[4 + length : end])
        del self._bytes[:end]
        return head, data


def _head(words: bytes) -> Head:
    try:
        head = json.loads(words)
    except (ValueError, RecursionError):
        raise TransferFault("a head that is not JSON") from None
    if not isinstance(head, dict) or not isinstance(head.get("kind"), str):
        raise TransferFault("a head without a kind")
    return head
