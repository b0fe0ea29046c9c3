"""Cuts a hostile byte stream into frames: four bytes length, then JSON; no input may cost more than it weighs."""

from __future__ import annotations

import json
import struct
from typing import Any, NoReturn

LONGEST = 32 << 20  # bytes of one frame
DEEPEST = 100  # lists and objects inside each other
_HEAD = 4


class FrameFault(Exception):
    """The other side does not speak the language; nothing more of it is read."""


class FrameReader:
    """Feed it bytes as they come; it answers the frames that are complete."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[dict[str, Any]]:  # Any: JSON, checked by whoever asked
        self._bytes += data
        frames, at = [], 0
        while len(self._bytes) - at >= _HEAD:
            (length,) = struct.unpack_from(">I", self._bytes, at)
            if length > LONGEST:
                raise FrameFault(f"a frame of {length} bytes")
            if len(self._bytes) - at - _HEAD < length:
                break
            frames.append(decode(bytes(memoryview(self._bytes)[at + _HEAD : at + _HEAD + length])))
            at += _HEAD + length
        del self._bytes[:at]
        return frames


def encode(frame: dict[str, Any]) -> bytes:  # Any: JSON
    data = json.dumps(frame, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(data) > LONGEST:
        raise FrameFault(f"a frame of {len(data)} bytes")
    return struct.pack(">I", len(data)) + data


def decode(data: bytes) -> dict[str, Any]:  # Any: JSON
    """One frame's value, refused when it is no object, too deep, or holds what cannot be written down again."""
    try:
        value = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as fault:
        raise FrameFault(f"a frame that is not JSON: {type(fault).__name__}") from None
    if not isinstance(value, dict):
        raise FrameFault("a frame that is no object")
    if data.count(b"[") + data.count(b"{") > DEEPEST and _depth(value) > DEEPEST:
        raise FrameFault("a frame nested too deeply")
    if b"\\u" in data:
        _refuse_half_characters(value)
    return value


def _depth(value: Any) -> int:  # Any: JSON
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        depth += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return depth


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse_half_characters(value: Any) -> None:  # Any: JSON
    """Half of a surrogate pair is a character for Python and for nobody else."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise FrameFault("a frame with half a character") from None
