"""Cuts a byte stream into lines in linear time, whatever their length, and gives up on one that is too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_HEAD = 512  # bytes kept of a line that was too long


@dataclass(frozen=True, slots=True)
class Oversize:
    """A line that grew past the limit: told as soon as it does, its rest is thrown away unseen."""

    head: bytes


class Lines:
    """Feed chunks, get whole lines. Each byte is looked at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False  # within the rest of an oversized line

    def feed(self, chunk: bytes) -> Iterator[bytes | Oversize]:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            if (fault := self._add(chunk[start:end])) is not None:
                yield fault
            if not self._skipping:
                yield b"".join(self._parts)
            self._parts, self._size, self._skipping = [], 0, False
            start = end + 1
        if (fault := self._add(chunk[start:])) is not None:
            yield fault

    def rest(self) -> bytes:
        """What came without a line end before the stream closed."""
        return b"".join(self._parts)

    def _add(self, part: bytes) -> Oversize | None:
        if self._skipping:
            return None
        self._parts.append(part)
        self._size += len(part)
        if self._size <= self._limit:
            return None
        head = b"".join(self._parts)[:_HEAD]
        self._parts, self._skipping = [], True
        return Oversize(head)
