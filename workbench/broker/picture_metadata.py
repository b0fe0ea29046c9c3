"""Separates the image data of a picture file from its metadata: names, places, comments and previews that are not
visible in the picture.

Only the parts needed for drawing are kept, by an allow list; a file that cannot be parsed to its end is left
unchanged. Texts in the metadata can be searched for personal data like any text.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_MOST: Final = 1_000_000  # maximum bytes of one decompressed metadata text
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_DRAWN: Final = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"pHYs", b"bKGD"}
    | {b"acTL", b"fcTL", b"fdAT"}
)
_WEBP_DRAWN: Final = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"})
_WEBP_NOTES: Final = 0x08 | 0x04 | 0x20  # VP8X flags for EXIF, XMP and a colour profile
_JPEG_DRAWN: Final = frozenset({0xE0, 0xEE})  # application segments that are kept: JFIF, and Adobe's colour transform
_GIF_LOOP: Final = b"NETSCAPE2.0"
_WORDS: Final = re.compile(rb"[\x20-\x7e\x80-\xff]{4,4000}")
_WIDE: Final = re.compile(rb"(?:[\x20-\x7e\xa0-\xff]\x00){4,4000}")


@dataclass(frozen=True, slots=True)
class SplitPicture:
    """A picture file split into image data and the texts in its metadata."""

    bare: bytes
    notes: tuple[str, ...] = ()


def split_picture(data: bytes) -> SplitPicture:
    """Return the picture without its metadata, and the readable texts in the metadata."""
    try:
        pieces = list(_pieces(data))
    except (struct.error, IndexError, ValueError):
        return SplitPicture(data)  # invalid format: all of its bytes are searched before it is shown
    notes = [text for kept, piece in pieces if not kept for text in _texts(piece)]
    bare = b"".join(piece for kept, piece in pieces if kept)
    return SplitPicture(_with_size(bare) if bare[:4] == b"RIFF" else bare, tuple(notes))


def _pieces(data: bytes) -> Iterator[tuple[bool, bytes]]:
    """Yield the parts of a file in order, and whether each is needed to draw it."""
    if data.startswith(_PNG):
        return _png_pieces(data)
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg_pieces(data)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _gif_pieces(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp_pieces(data)
    raise ValueError("unknown picture format")


def _png_pieces(data: bytes) -> Iterator[tuple[bool, bytes]]:
    yield True, _PNG
    at, kind = len(_PNG), b""
    while kind != b"IEND":
        size, kind = struct.unpack_from(">I4s", data, at)
        end = at + size + 12
        if end > len(data):
            raise ValueError("a chunk is longer than the file")
        yield (True, data[at:end]) if kind in _DRAWN else (False, _unpacked(kind, data[at + 8 : end - 4]))
        at = end
    yield False, data[at:]


def _unpacked(kind: bytes, note: bytes) -> bytes:
    """Return the text of a PNG chunk, which may be compressed."""
    if kind not in (b"zTXt", b"iTXt"):
        return note
    start = note.find(b"\x78")  # the first byte of zlib data
    while start >= 0:
        try:
            return note[:start] + b"\n" + zlib.decompressobj().decompress(note[start:], _MOST)
        except zlib.error:
            start = note.find(b"\x78", start + 1) if start < 200 else -1
    return note


def _jpeg_pieces(data: bytes) -> Iterator[tuple[bool, bytes]]:
    yield True, data[:2]
    at = 2
    while True:
        sign, marker, size = struct.unpack_from(">BBH", data, at)
        if sign != 0xFF or size < 2 or at + 2 + size > len(data):
            raise ValueError("an invalid segment")
        if marker == 0xDA:  # start of scan: the rest is image data
            end = data.rfind(b"\xff\xd9") + 2
            if end < at:
                raise ValueError("the image data has no end")
            yield True, data[at:end]
            yield False, data[end:]
            return
        note = 0xE0 <= marker <= 0xEF or marker == 0xFE
        yield not note or marker in _JPEG_DRAWN, data[at : at + 2 + size]
        at += 2 + size


def _gif_pieces(data: bytes) -> Iterator[tuple[bool, bytes]]:
    at = 13 + _colours(data[10])
    yield True, data[:at]
    while data[at] != 0x3B:
        if data[at] == 0x2C:
            end = _after_blocks(data, at + 10 + _colours(data[at + 9]) + 1)
            yield True, data[at:end]
        elif data[at] == 0x21:
            end = _after_blocks(data, at + 2)
            loop = data[at + 1] == 0xFF and data[at + 3 : at + 14] == _GIF_LOOP
            yield data[at + 1] == 0xF9 or loop, data[at:end]
        else:
            raise ValueError("an invalid block")
        at = end
    yield True, data[at : at + 1]
    yield False, data[at + 1 :]


def _colours(flags: int) -> int:
    """Return the size in bytes of the colour table that follows, if there is one."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _after_blocks(data: bytes, at: int) -> int:
    while data[at]:
        at += data[at] + 1
    return at + 1


def _webp_pieces(data: bytes) -> Iterator[tuple[bool, bytes]]:
    yield True, data[:12]
    at, end = 12, min(len(data), struct.unpack_from("<I", data, 4)[0] + 8)
    while at < end:
        kind, size = struct.unpack_from("<4sI", data, at)
        after = at + 8 + size + size % 2
        if after > len(data):
            raise ValueError("a chunk is longer than the file")
        chunk = data[at:after]
        if kind == b"VP8X" and size >= 1:
            chunk = chunk[:8] + bytes((chunk[8] & ~_WEBP_NOTES,)) + chunk[9:]
        yield kind in _WEBP_DRAWN, chunk
        at = after
    yield False, data[at:]


def _with_size(riff: bytes) -> bytes:
    return riff[:4] + struct.pack("<I", len(riff) - 8) + riff[8:]


def _texts(note: bytes) -> Iterator[str]:
    """Yield the readable texts in bytes: as UTF-8, and as UTF-16, which Windows writes."""
    for match in _WORDS.finditer(note):
        yield match.group().decode("utf-8", "replace")
    for match in _WIDE.finditer(note):
        yield match.group().decode("utf-16-le", "replace")
