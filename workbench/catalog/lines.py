"""Cuts a byte stream into lines in linear time, whatever their length, and gives up on one that is too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_HEAD = 512  # bytes kept of a line that was too long


@dataclass(frozen=True, slots=True)
class Oversize:
    """A line that was longer than the limit; only its beginning is known."""

    head: bytes
    size: int


class Lines:
    """Feed chunks, get whole lines. Each byte is looked at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | Oversize]:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._add(chunk[start:end])
            yield self._finish()
            start = end + 1
        self._add(chunk[start:])

    def rest(self) -> bytes | Oversize | None:
        """What came without a line end before the stream closed."""
        return self._finish() if self._size else None

    def _add(self, part: bytes) -> None:
        before, self._size = self._size, self._size + len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        elif before <= self._limit:
            self._parts = [b"".join([*self._parts, part[:_HEAD]])[:_HEAD]]

    def _finish(self) -> bytes | Oversize:
        parts, size = self._parts, self._size
        self._parts, self._size = [], 0
        line = b"".join(parts)
        return Oversize(line[:_HEAD], size) if size > self._limit else line
