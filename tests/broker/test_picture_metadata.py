"""Metadata is removed from pictures, and the visible content stays unchanged."""

from __future__ import annotations

import base64
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QImage

from workbench.broker.picture_metadata import split_picture

MAIL = b"ines.novak@example.org"
GIF = base64.b64decode("R0lGODdhAQABAIABAP///wAAACwAAAAAAQABAAACAkQBADs=")


def drawn(kind):
    """A real file of this format, written by Qt."""
    image = QImage(9, 5, QImage.Format.Format_RGB32)
    image.fill(QColor(10, 200, 90))
    held = QByteArray()
    file = QBuffer(held)
    file.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(file, kind)
    return bytes(held.data())


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def noted():
    """A file of each format with metadata in all the places where cameras and programs write it."""
    png = drawn("PNG")
    notes = chunk(b"tEXt", b"Author\0" + MAIL) + chunk(b"zTXt", b"Comment\0\0" + zlib.compress(MAIL))
    notes += chunk(b"iTXt", b"XML:com.adobe.xmp\0\1\0en\0\0" + zlib.compress(b"<x>" + MAIL)) + chunk(b"eXIf", MAIL)
    yield "PNG", png[:33] + notes + png[33:] + MAIL
    jpeg = drawn("JPEG")
    wide = MAIL.decode().encode("utf-16-le")
    parts = b"".join(
        b"\xff" + bytes((mark,)) + struct.pack(">H", len(data) + 2) + data
        for mark, data in ((0xE1, b"Exif\0\0" + wide), (0xE1, b"http://ns.adobe.com/xap/1.0/\0" + MAIL), (0xFE, MAIL))
    )
    yield "JPEG", jpeg[:2] + parts + jpeg[2:] + MAIL
    yield "GIF", GIF[:19] + b"\x21\xfe" + bytes((len(MAIL),)) + MAIL + b"\0" + GIF[19:] + MAIL
    webp = drawn("WEBP")
    extra = b"EXIF" + struct.pack("<I", len(MAIL)) + MAIL + b"\0" * (len(MAIL) % 2)
    head = b"VP8X" + struct.pack("<I", 10) + bytes((8, 0, 0, 0, 8, 0, 0, 4, 0, 0))
    inner = b"WEBP" + head + webp[12:] + extra
    yield "WEBP", b"RIFF" + struct.pack("<I", len(inner)) + inner


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_what_is_written_into_a_file_is_gone_and_readable_apart_from_it(kind):
    data = dict(noted())[kind]
    found = split_picture(data)
    assert MAIL not in found.bare
    assert MAIL.decode().encode("utf-16-le") not in found.bare
    assert zlib.compress(MAIL) not in found.bare
    notes = "\n".join(found.notes)
    assert notes.count(MAIL.decode()) == {"PNG": 5, "JPEG": 4, "GIF": 2, "WEBP": 1}[kind]
    before, after = QImage.fromData(data), QImage.fromData(found.bare)
    assert not after.isNull()
    assert before == after, "and what is seen is the same"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_without_notes_stays_byte_by_byte(kind):
    data = drawn(kind)
    while split_picture(data).notes:  # Qt may write some metadata
        data = split_picture(data).bare
    assert split_picture(data).bare == data


@given(st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF\x10\0\0\0WEBP", b""]), st.binary())
def test_whatever_the_bytes_are_it_ends_and_adds_nothing(head, rest):
    assert len(split_picture(head + rest).bare) <= len(head + rest)


def test_a_note_that_unpacks_without_end_is_read_to_a_bound():
    bomb = zlib.compress(b"a" * 50_000_000)
    data = drawn("PNG")
    assert sum(map(len, split_picture(data[:33] + chunk(b"zTXt", b"x\0\0" + bomb) + data[33:]).notes)) < 2_000_000
