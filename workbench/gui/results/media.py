"""What is inside a block of base64: decoded within bounds, and named as far as that is safe to find out."""

from __future__ import annotations

import base64
import binascii
import io
import wave
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader

from workbench.records import Content

_LARGEST: Final = 40_000_000  # characters of base64; more is not decoded in the window
_PIXELS: Final = 80_000_000
# SVG is not among them: a drawing may name files of this machine, and Qt would read them.
_FORMATS: Final = frozenset({"png", "jpeg", "jpg", "gif", "webp", "bmp", "ico", "tiff", "tif", "pbm", "pgm", "ppm"})
_ENDINGS: Final = {
    "image/jpeg": ".jpg",
    "image/svg+xml": ".svg",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "audio/x-wav": ".wav",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "application/json": ".json",
    "application/pdf": ".pdf",
}


def bytes_of(block: Content) -> bytes | None:
    """The data of a block; None where it is too large or no base64."""
    if len(block.data) > _LARGEST:
        return None
    try:
        return base64.b64decode(block.data, validate=True)
    except (binascii.Error, ValueError):
        return None


def image_of(block: Content) -> QImage | None:
    """The picture, if it is of a format that loads nothing else and of a size one can look at."""
    data = bytes_of(block)
    if not data:
        return None
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    kind = bytes(reader.format().data()).decode("ascii", "replace").lower()
    if kind not in _FORMATS:  # asked before anything of it is read: even the size of a drawing costs reading it
        return None
    size = reader.size()
    if size.isValid() and size.width() * size.height() > _PIXELS:
        return None
    image = reader.read()
    return None if image.isNull() else image


def seconds_of(data: bytes) -> float:
    """How long a sound is; 0 where only a player could tell (anything but WAV)."""
    try:
        with wave.open(io.BytesIO(data)) as sound:
            return float(sound.getnframes() / max(1, sound.getframerate()))
    except (wave.Error, EOFError, ValueError, ZeroDivisionError):
        return 0.0


def ending_of(mime: str) -> str:
    """The ending of a file of that type."""
    kind = mime.split(";")[0].strip().lower()
    if kind in _ENDINGS:
        return _ENDINGS[kind]
    tail = kind.rpartition("/")[2]
    return f".{tail}" if tail.isalnum() and len(tail) <= 5 else ".bin"
