"""The chart is a real PNG."""

from __future__ import annotations

import struct
import zlib

from workbench.demo.chart import HEIGHT, WIDTH, bar_chart


def rows(image: bytes) -> list[bytes]:
    """Decode the one kind of PNG that the chart is, checking every chunk."""
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    at, pixels = 8, b""
    while at < len(image):
        (length,) = struct.unpack(">I", image[at : at + 4])
        kind, data = image[at + 4 : at + 8], image[at + 8 : at + 8 + length]
        assert struct.unpack(">I", image[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + data),)
        pixels += data if kind == b"IDAT" else b""
        at += 12 + length
    raw = zlib.decompress(pixels)
    assert len(raw) == HEIGHT * (WIDTH + 1)
    return [raw[y * (WIDTH + 1) + 1 : (y + 1) * (WIDTH + 1)] for y in range(HEIGHT)]


def test_bars_are_as_tall_as_their_values() -> None:
    picture = rows(bar_chart([("01", 100.0), ("02", 50.0)]))
    tall = sum(1 for row in picture if 3 in row)
    short = sum(1 for row in picture if 2 in row)
    assert abs(tall - 2 * short) <= 2


def test_no_bars_and_no_height_are_still_a_picture() -> None:
    rows(bar_chart([]))
    rows(bar_chart([("01", 0.0)]))
