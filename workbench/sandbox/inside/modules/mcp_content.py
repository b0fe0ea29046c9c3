"""The parts of a tool's answer that is more than JSON or one text: pictures, sounds, files, links.

Each part is the dict that the protocol has, so it can be kept, passed on or returned as it is; what programs want of it
stands beside that as attributes.

chart = await order_chart()
chart.images[0].save("chart.png")
result = chart.images[0]            # whoever proposed the program gets the picture
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Callable, Iterable
from typing import Any  # Any: parts hold JSON, read with distrust

_MAGIC = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_in_workspace: Callable[[str], Any] | None = None  # whoever runs programs says where files may be written


class Block(dict[str, Any]):
    """One part of an answer."""

    @property
    def type(self) -> str:
        return _text(self, "type")

    @property
    def text(self) -> str:
        """Its words; empty where it has none."""
        return _text(self, "text")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{_shown(self._about())}>"

    def _about(self) -> Iterable[str]:
        return (_text(self, "type"),)


class Text(Block):
    """Words."""

    def json(self) -> Any:
        """The value, where the words are JSON."""
        return json.loads(self.text)

    def __str__(self) -> str:
        return self.text

    def _about(self) -> Iterable[str]:
        return (repr(self.text if len(self.text) <= 80 else f"{self.text[:79]}…"),)


class _Bytes(Block):
    """Bytes with a type; in the dict they stand as base64, as the protocol has them."""

    _made: bytes | None = None

    @property
    def base64(self) -> str:
        return _text(self, "data")

    @property
    def data(self) -> bytes:
        if self._made is None:
            try:
                self._made = binascii.a2b_base64(self.base64)
            except (binascii.Error, ValueError):
                raise ValueError("What the server sent as base64 is none, so there are no bytes.") from None
        return self._made

    @property
    def mime_type(self) -> str:
        return _text(self, "mimeType")

    def save(self, path: str) -> str:
        """Write the bytes to a file in the workspace, with its folders; answers its path there."""
        return _save(path, self.data)

    def _about(self) -> Iterable[str]:
        text = self.base64
        return self.mime_type, f"{len(text) * 3 // 4 - text[-2:].count('='):,} bytes" if text else ""


class Image(_Bytes):
    """A picture. Programs make their own from bytes: `result = Image(open("workspace/plot.png", "rb").read())`."""

    def __init__(self, data: bytes, mime_type: str = "") -> None:
        super().__init__(type="image", mimeType=mime_type or _kind_of(data), data=_base64(data))


class Audio(_Bytes):
    """A sound."""

    def __init__(self, data: bytes, mime_type: str = "audio/wav") -> None:
        super().__init__(type="audio", mimeType=mime_type, data=_base64(data))


class Resource(_Bytes):
    """A file that the server put into its answer: text, or bytes."""

    @property
    def _inner(self) -> dict[str, Any]:
        inner = self.get("resource")
        return inner if isinstance(inner, dict) else {}

    @property
    def uri(self) -> str:
        return _text(self._inner, "uri")

    @property
    def text(self) -> str:
        return _text(self._inner, "text")

    @property
    def base64(self) -> str:
        return _text(self._inner, "blob") or _base64(self.text.encode("utf-8", "replace"))

    @property
    def mime_type(self) -> str:
        return _text(self._inner, "mimeType")

    def _about(self) -> Iterable[str]:
        return self.uri, *super()._about()


class Link(Block):
    """Where something is that the server did not send along."""

    @property
    def uri(self) -> str:
        return _text(self, "uri")

    @property
    def name(self) -> str:
        return _text(self, "name")

    @property
    def title(self) -> str:
        return _text(self, "title") or self.name

    @property
    def description(self) -> str:
        return _text(self, "description")

    @property
    def mime_type(self) -> str:
        return _text(self, "mimeType")

    def _about(self) -> Iterable[str]:
        return self.uri, self.title


class Blocks(list[Block]):
    """All parts of an answer, in their order. Where only one holds bytes, they can be taken from here."""

    @property
    def text(self) -> str:
        """The words of all parts."""
        return "\n".join(block.text for block in self if block.text)

    @property
    def images(self) -> list[Image]:
        return [block for block in self if isinstance(block, Image)]

    @property
    def audio(self) -> list[Audio]:
        return [block for block in self if isinstance(block, Audio)]

    @property
    def resources(self) -> list[Resource]:
        return [block for block in self if isinstance(block, Resource)]

    @property
    def links(self) -> list[Link]:
        return [block for block in self if isinstance(block, Link)]

    @property
    def data(self) -> bytes:
        return self._only.data

    @property
    def mime_type(self) -> str:
        return self._only.mime_type

    def save(self, path: str) -> str:
        return self._only.save(path)

    @property
    def _only(self) -> _Bytes:
        found = [block for block in self if isinstance(block, _Bytes)]
        if len(found) != 1:
            raise ValueError(f"{len(found)} parts of this answer hold bytes; say which, for example .images[0].")
        return found[0]


class Structured(dict[str, Any]):
    """A structured answer beside which the server sent more than its text: the other parts are `content`."""

    content = Blocks()


_CLASSES: dict[str, type[Block]] = {
    "text": Text,
    "image": Image,
    "audio": Audio,
    "resource": Resource,
    "resource_link": Link,
}


def shaped(shape: str, value: Any) -> Any:
    """An answer of the host as programs get it."""
    if shape == "blocks":
        return _blocks(value)
    if shape == "structured":
        whole = Structured(value[0])
        whole.content = _blocks(value[1])
        return whole
    return value


def _blocks(parts: list[dict[str, Any]]) -> Blocks:
    return Blocks(_block(part) for part in parts)


def _block(part: dict[str, Any]) -> Block:
    kind = _CLASSES.get(_text(part, "type"), Block)
    made: Block = kind.__new__(kind)
    made.update(part)
    return made


def _save(path: str, data: bytes) -> str:
    if _in_workspace is None:
        raise ValueError("There is no workspace here.")
    target = _in_workspace(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return str(target.relative_to(_in_workspace("")))


def _kind_of(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), "image/png")


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _text(part: dict[str, Any], key: str) -> str:
    found = part.get(key)
    return found if isinstance(found, str) else ""


def _shown(words: Iterable[str]) -> str:
    return "".join(f" {word}," for word in words if word).rstrip(",")
