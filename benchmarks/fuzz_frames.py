"""Fuzzes the sandbox's frame reader with hostile streams: `fuzz_frames.py [STREAMS] [SEED]`.

The reader must return objects or one fault and raise nothing; return the same for any split of the stream; return
objects that can be written and read again unchanged; and store no more than it received. Every tenth stream also goes
through a channel during a run.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any  # Any: JSON, everywhere in this file

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import contextlib

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.channel import frames
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.channel.frames import BULK, Bulk, FrameFault, FrameReader

USUAL = 1_000_000
MOST_MEMORY = 400 << 20  # maximum growth of the process in bytes
CHANNEL_EVERY = 10
Maker = Callable[[random.Random], bytes]
_WORDS = (
    "kind",
    "id",
    "what",
    "wish",
    "call",
    "ask",
    "answer",
    "end",
    "ok",
    "result",
    "output",
    "stdout",
    "bulk",
    "é",
    "",
)


def main() -> None:
    streams = int(sys.argv[1]) if len(sys.argv) > 1 else USUAL
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    print(f"{streams:,} streams, seed {seed}")
    began = time.monotonic()
    faults, whole = asyncio.run(fuzz(streams, seed, show=True))
    took = time.monotonic() - began
    print(f"{whole:,} frames were answered, {faults:,} streams refused, nothing else happened, in {took:.0f} s")


async def fuzz(streams: int, seed: int, *, show: bool = False) -> tuple[int, int]:
    """The number of refused streams and of returned frames. Raises an AssertionError with the stream that failed."""
    chance, before = random.Random(seed), _memory()
    faults = whole = 0
    for number in range(streams):
        stream = _stream(chance)
        try:
            found, fault = _checked(stream, chance)
            if number % CHANNEL_EVERY == 0:
                _through_a_channel(stream, chance)
        except Exception as broken:
            raise AssertionError(f"stream {number} of seed {seed}: {stream[:4000].hex()}") from broken
        faults += fault is not None
        whole += found
        if show and number % 100_000 == 99_999:
            print(f"{number + 1:,} …", flush=True)
    grown = _memory() - before
    assert grown < MOST_MEMORY, f"the process grew by {grown >> 20} MB"
    return faults, whole


# ── invariants ───────────────────────────────────────────────────────────────────────────────────────────────────────
def _checked(stream: bytes, chance: random.Random) -> tuple[int, FrameFault | None]:
    whole, pieces = FrameReader(), FrameReader()
    found = whole.feed(stream)
    parts = [frame for piece in _cut(stream, chance) for frame in pieces.feed(piece)]
    assert found == parts, "another way of cutting gave other frames"
    assert str(whole.fault) == str(pieces.fault), "another way of cutting gave another fault"
    for reader in (whole, pieces):
        assert len(reader._bytes) <= len(stream)
        assert reader.fault is None or not reader._bytes, "a reader that has given up keeps nothing"
    for frame in found:
        _check_frame(frame)
    return len(found), whole.fault


def _check_frame(frame: dict[str, Any]) -> None:
    assert isinstance(frame, dict)
    bulk = frame.get("bulk")
    assert bulk is None or isinstance(bulk, Bulk), "a plain frame holds no bulk"
    if bulk is None:
        again = frames.encode(frame)
    else:
        head = {key: value for key, value in frame.items() if key != "bulk"}
        again = frames.pack_bulk(head, bulk.text, is_json=bulk.is_json)
        with contextlib.suppress(FrameFault):
            frames.read_json(bulk.text)
    assert FrameReader().feed(again) == [frame], "what was read cannot be written again"
    assert _depth(frame) <= frames.DEEPEST


def _depth(value: Any) -> int:
    """The depth of a value, computed from the parsed value; the reader computes it from the text."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, dict | list) + max(map(_depth, inner), default=0)


class _Nowhere(asyncio.Transport):
    """A transport that discards what a channel writes, and is sometimes slow."""

    def __init__(self, channel: Channel, chance: random.Random) -> None:
        super().__init__()
        self._channel, self._chance, self.reading, self.closed = channel, chance, True, False

    def write(self, data: Any) -> None:
        assert self._chance.random() > 1 or isinstance(data, bytes)

    def is_closing(self) -> bool:
        return self.closed

    def abort(self) -> None:
        self.closed = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        return

    def is_reading(self) -> bool:
        return self.reading

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


def _through_a_channel(stream: bytes, chance: random.Random) -> None:
    """Feed a channel. It must end the run or continue, and raise nothing into the event loop."""
    channel = Channel()
    transport = _Nowhere(channel, chance)
    channel.connection_made(transport)
    if chance.random() < 0.9:
        channel.data_received(frames.encode({"kind": "ready"}))
        channel.begin("", Limits(calls=50, output_bytes=10_000), _echo, lambda stream, text: None)
    for piece in _cut(stream, chance):
        if not transport.closed:
            channel.data_received(piece)
    channel.connection_lost(None)
    assert channel.ended.done()
    assert channel.ready.done()
    if (end := channel.ended.result()) is not None and end["result"]:
        json.loads(end["result"])
    assert sum(map(len, channel.output)) <= 10_000


def _echo(what: str, wish: JsonObject) -> JsonValue:
    return dict(wish)


def _cut(stream: bytes, chance: random.Random) -> list[bytes]:
    """Split a stream at random places, sometimes at every byte."""
    if len(stream) < 200 and chance.random() < 0.1:
        return [stream[at : at + 1] for at in range(len(stream))]
    places = sorted(chance.randrange(len(stream) + 1) for _ in range(chance.randrange(5)))
    return [stream[a:b] for a, b in zip([0, *places], [*places, len(stream)], strict=True)]


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


# ── generators ───────────────────────────────────────────────────────────────────────────────────────────────────────
def _stream(chance: random.Random) -> bytes:
    stream = chance.choice(MAKERS)(chance)
    turn = chance.random()
    if turn < 0.3:
        stream = _mutated(stream, chance)
    elif turn < 0.45:
        stream = stream[: chance.randrange(len(stream) + 1)]
    elif turn < 0.6:
        stream = _plain(chance) + stream + _plain(chance)
    return stream


def _mutated(stream: bytes, chance: random.Random) -> bytes:
    data = bytearray(stream)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[at:at] = chance.randbytes(chance.randrange(1, 5))
            case 1:
                del data[at : at + chance.randrange(1, 9)]
            case 2:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case _:
                data[at:at] = data[at : at + chance.randrange(1, 30)]
    return bytes(data)


def _body(data: bytes, flag: int = 0) -> bytes:
    return struct.pack(">I", flag | len(data)) + data


def _noise(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(64))


def _value(chance: random.Random, depth: int = 3) -> Any:
    match chance.randrange(9 if depth else 6):
        case 0:
            return None
        case 1:
            return chance.random() < 0.5
        case 2:
            return chance.randrange(-(1 << 60), 1 << 60)
        case 3:
            return chance.random() * 10 ** chance.randrange(-300, 300)
        case 4 | 5:
            return "".join(chance.choice('ab"\\\n\0é漢𐍈[{,}]') for _ in range(chance.randrange(8)))
        case 6 | 7:
            return [_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice(_WORDS): _value(chance, depth - 1) for _ in range(chance.randrange(4))}


def _object(chance: random.Random) -> dict[str, Any]:
    match chance.randrange(5):
        case 0:
            return {
                "kind": "ask",
                "id": chance.randrange(-2, 9),
                "what": chance.choice(("call", "skill", 7)),
                "wish": {},
            }
        case 1:
            return {"kind": "output", "stream": chance.choice(("stdout", "stderr", 1)), "text": _value(chance)}
        case 2:
            return {"kind": "end", "ok": chance.choice((True, 1)), "result": chance.choice(("1", "[", "NaN", 1))}
    return {chance.choice(_WORDS): _value(chance) for _ in range(chance.randrange(4))}


def _plain(chance: random.Random) -> bytes:
    return frames.encode(_object(chance))


def _deep(chance: random.Random) -> bytes:
    depth = chance.choice((99, 100, 101, 500, 3000))
    opened, closed = chance.choice((("[", "]"), ('{"a":', "}"), ("[[],", "]")))
    return _body(f'{{"a":{opened * depth}1{closed * (depth - chance.randrange(2))}}}'.encode())


def _huge(chance: random.Random) -> bytes:
    digits = "9" * chance.choice((18, 20, 300, 4300, 4301, 6000))
    return _body(f'{{"id":{digits}{chance.choice(("", ".0", "e5", "e999999"))}}}'.encode())


def _halves(chance: random.Random) -> bytes:
    text = "".join(chance.choice(("\\ud800", "\\udc00", "\\uDBFF\\uDFFF", "\\u0000", "a")) for _ in range(3))
    raw = chance.choice((b"", b"\xed\xa0\x80", b"\xff", b"\xc0\x80", b"\xef\xbb\xbf"))
    return _body(b'{"a":"' + text.encode() + raw + b'"}')


def _constants(chance: random.Random) -> bytes:
    return _body(f'{{"a":{chance.choice(("NaN", "-Infinity", "Infinity", "1e999", "-0"))}}}'.encode())


def _lie(chance: random.Random) -> bytes:
    length = chance.choice((0, 1, 5, 1000, frames.LONGEST_PLAIN, frames.LONGEST_PLAIN + 1, frames.LONGEST, BULK - 1))
    return struct.pack(">I", chance.choice((0, BULK)) | length) + chance.randbytes(chance.randrange(20))


def _flood(chance: random.Random) -> bytes:
    one = chance.choice((_body(b"{}"), _body(b""), _body(b"", BULK), _plain(chance)))
    return one * chance.randrange(1, 100)


def _bulk(chance: random.Random) -> bytes:
    text = chance.choice(("", "1", '"a"', "[" * chance.choice((3, 101)), json.dumps(_value(chance)), "\\ud800", "NaN"))
    return frames.pack_bulk(_object(chance), text, is_json=chance.random() < 0.7)


def _forged_bulk(chance: random.Random) -> bytes:
    word = chance.choice(('"json"', '"text"', '"pickle"', "7", "{}", "null", "[]"))
    head = f'{{"bulk":{word},"kind":"ask","id":1,"what":"call","wish":{{}}}}'.encode()
    said = chance.choice((len(head), len(head) + 1, 0, 1 << 16, (1 << 16) + 1, (1 << 32) - 1))
    return _body(struct.pack(">I", said) + head + chance.randbytes(chance.randrange(9)), BULK)


MAKERS: tuple[Maker, ...] = (
    _noise, _plain, _plain, _plain, _deep, _huge, _halves, _constants, _lie, _flood, _bulk, _bulk, _forged_bulk,
)  # fmt: skip

if __name__ == "__main__":
    main()
