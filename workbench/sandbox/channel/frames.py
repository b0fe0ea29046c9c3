"""Splits an untrusted byte stream into frames, with limits on the memory and time that input of any kind can cost.

Numbers are four bytes, big-endian; text is UTF-8. There are two kinds of frames:

    length         JSON object                       plain frame
    length + 2³¹   head length   JSON object   text  bulk frame: one long value of the object follows as text, so that
                                                     it is not written as JSON inside JSON

In a bulk frame, the object's "bulk" field gives the format of the text: "json", or "text" for plain text. The "kind"
field decides which value the text is: the arguments of a request, the value of an answer, the result of an end frame.
Senders need not write bulk frames, but receivers must read them.
"""

from __future__ import annotations

import gc
import itertools
import json
import math
import re
import struct
from dataclasses import dataclass
from typing import Any, NoReturn

LONGEST = 32 << 20  # maximum bytes of a bulk frame
LONGEST_PLAIN = 8 << 20  # maximum bytes of a plain frame: parsing creates objects many times its size
LONGEST_HEAD = 1 << 16  # maximum bytes of the object in a bulk frame
BULKY = 1 << 16  # characters from which a value is sent as a bulk frame
DEEPEST = 100  # maximum nesting depth of lists and objects
MOST = 1_000_000  # lists and objects in one value: each takes thirty times the memory of its two characters
BULK = 1 << 31
_HEAD = 4
_HEAVY = 1 << 20  # characters of JSON from which garbage collection is paused while parsing
_word = struct.Struct(">I")
# an unterminated string extends to the last character
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BEGINS, _ENDS = b"\x01", b"\xff"  # +1 and -1
_SIGNS, _NO_SIGNS = bytes.maketrans(b"[{]}", _BEGINS * 2 + _ENDS * 2), bytes({*range(256)} - {*b"[{]}"})
written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode  # encodes a value as compact JSON


class FrameFault(Exception):
    """The other side violated the protocol. Nothing more is read from it."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """Long value of a bulk frame, which replaces the value of "bulk". A plain frame cannot contain one."""

    text: str
    is_json: bool


class FrameReader:
    """Incremental parser of frames. Returns complete frames, and none after the first invalid one."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.fault: FrameFault | None = None  # why reading stopped

    def feed(self, data: bytes) -> list[dict[str, Any]]:  # Any: JSON, checked by the caller
        """Add received bytes and return the frames that are complete.

        Results do not depend on how the stream is split.
        """
        frames: list[dict[str, Any]] = []
        if self.fault is not None:
            return frames
        try:
            self._collect(data, frames)
        except FrameFault as fault:
            self._bytes = bytearray()
            # a new exception, because the original one holds a reference to the received bytes
            self.fault = FrameFault(str(fault))
        return frames

    def _collect(self, data: bytes, frames: list[dict[str, Any]]) -> None:  # Any: JSON
        if not self._bytes:
            at = _split_frames(data, frames)
            if at < len(data):
                self._bytes += data[at:]
            return
        self._bytes += data
        with memoryview(self._bytes) as view:
            at = _split_frames(view, frames)
        del self._bytes[:at]


def _split_frames(data: bytes | memoryview, frames: list[dict[str, Any]]) -> int:  # Any: JSON
    """Append all complete frames at the beginning. Returns the position of the first incomplete frame."""
    at, there = 0, len(data)
    while there - at >= _HEAD:
        (word,) = _word.unpack_from(data, at)
        length = word & ~BULK
        if length > (LONGEST if word & BULK else LONGEST_PLAIN):
            raise FrameFault(f"a frame of {length:,} bytes, which is too long")
        end = at + _HEAD + length
        if end > there:
            break
        body = data[at + _HEAD : end]
        frames.append(_bulk_frame(body) if word & BULK else _plain_frame(body))
        at = end
    return at


def encode(frame: dict[str, Any]) -> bytes:  # Any: JSON
    return pack(written(frame))


def pack(text: str) -> bytes:
    """Encode a plain frame from JSON text."""
    data = text.encode("utf-8", "replace")
    if len(data) > LONGEST_PLAIN:
        raise FrameFault(f"a frame of {len(data):,} bytes, which is too long")
    return _word.pack(len(data)) + data


def pack_bulk(frame: dict[str, Any], text: str, *, is_json: bool) -> bytes:  # Any: JSON
    """Encode a bulk frame from a small object and its long value."""
    head = written({**frame, "bulk": "json" if is_json else "text"}).encode("utf-8", "replace")
    data = text.encode("utf-8", "replace")
    length = _HEAD + len(head) + len(data)
    if length > LONGEST:
        raise FrameFault(f"a frame of {length:,} bytes, which is too long")
    return b"".join((_word.pack(BULK | length), _word.pack(len(head)), head, data))


def decode(data: bytes | memoryview) -> dict[str, Any]:  # Any: JSON
    """Decode the object of a plain frame.

    Raises FrameFault if it is not an object, too deep, or cannot be encoded again.
    """
    value = read_json(_text(data))
    if not isinstance(value, dict):
        raise FrameFault("a frame that is not a JSON object")
    return value


def _plain_frame(body: bytes | memoryview) -> dict[str, Any]:  # Any: JSON
    frame = decode(body)
    if "bulk" in frame:
        raise FrameFault("a plain frame with a bulk field")
    return frame


def _bulk_frame(body: bytes | memoryview) -> dict[str, Any]:  # Any: JSON
    if len(body) < _HEAD:
        raise FrameFault("a bulk frame without a head")
    (length,) = _word.unpack_from(body)
    if length > LONGEST_HEAD or length > len(body) - _HEAD:
        raise FrameFault(f"a bulk frame whose head has an invalid length, {length:,} bytes")
    frame = decode(body[_HEAD : _HEAD + length])
    if frame.get("bulk") not in ("json", "text"):
        raise FrameFault("a bulk frame without a known format")
    frame["bulk"] = Bulk(_text(body[_HEAD + length :]), frame["bulk"] == "json")
    return frame


def read_json(text: str, deepest: int = DEEPEST) -> Any:  # Any: JSON
    """Parse untrusted JSON with limits on size and depth. `deepest` 0: no limit on depth."""
    if text.count("[") + text.count("{") > (deepest or MOST):
        _check_size_and_depth(text, deepest)
    value = _parse(text)
    if "\\u" in text:
        _refuse_surrogates(value)
    return value


def _parse(text: str) -> Any:  # Any: JSON
    paused = len(text) > _HEAVY and gc.isenabled()
    if paused:
        gc.disable()
    try:
        return _decoder.decode(text)
    except (ValueError, RecursionError) as fault:
        raise FrameFault(f"text that is not JSON ({type(fault).__name__})") from None
    finally:
        if paused:
            gc.enable()


def _text(data: bytes | memoryview) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise FrameFault("a frame that is not UTF-8") from None


def _check_size_and_depth(text: str, deepest: int) -> None:
    """Count lists and objects, and their depth, before any of them is created."""
    marks = _STRING.sub("", text).encode("utf-8", "replace").translate(_SIGNS, _NO_SIGNS)
    if marks.count(_BEGINS) > MOST:
        raise FrameFault(f"more than {MOST:,} lists and objects in one value")
    if deepest and max(itertools.accumulate(memoryview(marks).cast("b")), default=0) > deepest:
        raise FrameFault("a value that is nested too deeply")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(digits: str) -> float:
    """Reject numbers such as 1e999, which are valid JSON but would become infinite."""
    if math.isinf(value := float(digits)):
        raise ValueError(digits)
    return value


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _refuse_surrogates(value: Any) -> None:  # Any: JSON
    """Reject unpaired surrogates, which Python strings accept but UTF-8 cannot encode."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise FrameFault("a frame with an unpaired surrogate") from None
