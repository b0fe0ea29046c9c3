"""Just enough of protobuf's wire format to write a model file, so that building one needs no package for it."""

from __future__ import annotations

from collections.abc import Iterable

_VARINT, _LENGTH = 0, 2


def number(field: int, value: int) -> bytes:
    """An integer that is not negative."""
    return _varint(field << 3 | _VARINT) + _varint(value)


def text(field: int, value: str) -> bytes:
    return block(field, value.encode())


def block(field: int, *parts: bytes) -> bytes:
    """Bytes, or a message made of its fields."""
    return b"".join((_varint(field << 3 | _LENGTH), _varint(sum(map(len, parts))), *parts))


def packed(field: int, values: Iterable[int]) -> bytes:
    return block(field, *map(_varint, values))


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
