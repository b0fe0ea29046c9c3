"""Draws a small bar chart as a PNG with only zlib, so that the demo can return a real image."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

WIDTH, HEIGHT, MARGIN, LABELS = 480, 240, 16, 28

_PAPER, _AXIS, _BAR, _BEST = range(4)
_COLOURS = bytes((250, 250, 248, 110, 110, 120, 76, 120, 168, 214, 120, 56))  # one RGB triple for each of the four
_DIGITS = {  # five rows of three bits
    "0": (7, 5, 5, 5, 7),
    "1": (2, 6, 2, 2, 7),
    "2": (7, 1, 7, 4, 7),
    "3": (7, 1, 7, 1, 7),
    "4": (5, 5, 7, 1, 1),
    "5": (7, 4, 7, 1, 7),
    "6": (7, 4, 7, 5, 7),
    "7": (7, 1, 2, 2, 2),
    "8": (7, 5, 7, 5, 7),
    "9": (7, 5, 7, 1, 7),
}


def bar_chart(bars: Sequence[tuple[str, float]]) -> bytes:
    """Draw bars with digits below them; the tallest bar has its own colour."""
    canvas = [bytearray(WIDTH) for _ in range(HEIGHT)]
    most = max((value for _, value in bars), default=0) or 1
    step = (WIDTH - 2 * MARGIN) // max(1, len(bars))
    floor = HEIGHT - LABELS
    for at, (label, value) in enumerate(bars):
        left = MARGIN + at * step + step // 6
        top = floor - round((floor - MARGIN) * value / most)
        _fill(canvas, left, top, step * 2 // 3, floor - top, _BEST if value == most else _BAR)
        _write(canvas, left + step // 3 - 7 * len(label) // 2, floor + 8, label)
    _fill(canvas, MARGIN, floor, WIDTH - 2 * MARGIN, 2, _AXIS)
    return _png(canvas)


def _fill(canvas: list[bytearray], left: int, top: int, width: int, height: int, colour: int) -> None:
    for row in canvas[top : top + height]:
        row[left : left + width] = bytes((colour,)) * len(row[left : left + width])


def _write(canvas: list[bytearray], left: int, top: int, label: str) -> None:
    for place, digit in enumerate(label):
        for y, bits in enumerate(_DIGITS.get(digit, ())):
            for x in range(3):
                if bits >> (2 - x) & 1:
                    _fill(canvas, left + place * 8 + 2 * x, top + 2 * y, 2, 2, _AXIS)


def _png(canvas: list[bytearray]) -> bytes:
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)  # eight bits per pixel, palette colours
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in canvas), 9)
    parts = ((b"IHDR", header), (b"PLTE", _COLOURS), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
