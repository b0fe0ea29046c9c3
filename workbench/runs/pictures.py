"""Pictures in what a program returns: an agent gets them as pictures, and the text says where each of them stood.

As base64 in a text they would cost a model a hundred times as much, and show it nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable, Sequence

from workbench.broker.picture_metadata import parted
from workbench.records import Content, JsonValue

MOST = 8  # pictures handed on with one answer
LARGEST = 3_500_000  # bytes of one: as base64 it stays below what common models take
TOGETHER = 10_000_000  # bytes of all
_POINTS = 750  # of a picture that cost a model a token
_COSTLIEST = 1_600  # tokens of the largest picture
KEEP = ".save(path) keeps it in the workspace"
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def taken_out(result: str, refusal: Callable[[bytes], str]) -> tuple[str, tuple[Content, ...]]:
    """The result with words in place of pictures and other bytes, and those pictures that may be handed on.
    `refusal` says why one may not; empty: it may."""
    if '"data"' not in result and '"blob"' not in result:
        return result, ()
    try:
        album = _Album(refusal)
        value = album.without(json.loads(result))
        return (json.dumps(value, ensure_ascii=False), tuple(album.pictures)) if album.found else (result, ())
    except (ValueError, RecursionError):
        return result, ()


def cost(pictures: Sequence[Content]) -> int:
    """About how many tokens a model reads in them: one for 750 points, and what is larger is made smaller first."""
    return sum(_cost(base64.b64decode(one.data[:64])) for one in pictures)


def _cost(head: bytes) -> int:
    width: int
    height: int
    if head.startswith(b"\x89PNG") and len(head) >= 24:
        width, height = struct.unpack_from(">II", head, 16)
    elif head.startswith(b"GIF8") and len(head) >= 10:
        width, height = struct.unpack_from("<HH", head, 6)
    else:
        return _COSTLIEST
    return max(1, min(_COSTLIEST, width * height // _POINTS))


class _Album:
    """The pictures met on the way through one value."""

    def __init__(self, refusal: Callable[[bytes], str]) -> None:
        self._refusal = refusal
        self.pictures: list[Content] = []
        self.found = False
        self._bytes = 0

    def without(self, value: JsonValue) -> JsonValue:
        """The value with words where bytes were."""
        if isinstance(value, list):
            return [self.without(item) for item in value]
        if not isinstance(value, dict):
            return value
        if value.get("type") in ("image", "audio") and _are_texts(value, "mimeType", "data"):
            return value | {"data": self._words(value["type"], value["data"])}
        if _are_texts(value, "uri", "blob"):
            return value | {"blob": self._words("resource", value["blob"])}
        return {key: self.without(item) for key, item in value.items()}

    def _words(self, kind: str, text: str) -> str:
        try:
            data = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return text  # no bytes: it stays the text it is
        self.found = True
        data = parted(data).bare  # who took it where, and its preview, are no part of what is shown
        reason = self._reason(kind, data)
        if reason:
            return f"{len(data):,} bytes, not shown here: {reason}; {KEEP}"
        self._bytes += len(data)
        self.pictures.append(Content("image", mime=_kind_of(data), data=base64.b64encode(data).decode()))
        return f"picture {len(self.pictures)} of this answer, {len(data):,} bytes"

    def _reason(self, kind: str, data: bytes) -> str:
        if kind != "image":
            return "only pictures are handed on"
        if not _kind_of(data):
            return "it is no PNG, JPEG, GIF or WebP"
        if len(data) > LARGEST:
            return f"it is larger than {LARGEST:,} bytes"
        if len(self.pictures) >= MOST or self._bytes + len(data) > TOGETHER:
            return "there are too many pictures"
        return self._refusal(data)


def _are_texts(value: dict[str, JsonValue], *keys: str) -> bool:
    return all(isinstance(value.get(key), str) for key in keys)


def _kind_of(data: bytes) -> str:
    """By its first bytes: what it is called decides nothing."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _KINDS.items() if data.startswith(magic)), "")
