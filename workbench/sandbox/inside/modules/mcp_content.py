"""Typed parts of a tool's answer that is more than JSON or text: images, audio, files, links.

Each part is a dict as defined by the protocol, so it can be stored, passed on or returned unchanged. Attributes give
access to its content.

    chart = await order_chart()
    chart.images[0].save("chart.png")
    result = chart.images[0]            # the agent that proposed the program receives the image
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Callable, Iterable
from typing import Any  # Any: parts are untrusted JSON

_MAGIC = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_in_workspace: Callable[[str], Any] | None = None  # set by `runner`: resolves a path in the workspace


class Block(dict[str, Any]):
    """One part of an answer."""

    @property
    def type(self) -> str:
        return _text(self, "type")

    @property
    def text(self) -> str:
        """Text of the part; "" if it has none."""
        return _text(self, "text")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{_format_facts(self._about())}>"

    def _about(self) -> Iterable[str]:
        return (_text(self, "type"),)


class Text(Block):
    """A text part."""

    def json(self) -> Any:
        """Parse the text as JSON."""
        return json.loads(self.text)

    def __str__(self) -> str:
        return self.text

    def _about(self) -> Iterable[str]:
        return (repr(self.text if len(self.text) <= 80 else f"{self.text[:79]}…"),)


class _Bytes(Block):
    """A part with bytes and their MIME type. The dict holds them as base64, as in the protocol."""

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
                raise ValueError("The server sent invalid base64, so there are no bytes.") from None
        return self._made

    @property
    def mime_type(self) -> str:
        return _text(self, "mimeType")

    def save(self, path: str) -> str:
        """Write the bytes to a file in the workspace and create missing folders. Returns the path in the workspace."""
        return _save(path, self.data)

    def _about(self) -> Iterable[str]:
        text = self.base64
        return self.mime_type, f"{len(text) * 3 // 4 - text[-2:].count('='):,} bytes" if text else ""


class Image(_Bytes):
    """An image. Programs can create one from bytes: `result = Image(open("workspace/plot.png", "rb").read())`."""

    def __init__(self, data: bytes, mime_type: str = "") -> None:
        super().__init__(type="image", mimeType=mime_type or _kind_of(data), data=_base64(data))


class Audio(_Bytes):
    """An audio part."""

    def __init__(self, data: bytes, mime_type: str = "audio/wav") -> None:
        super().__init__(type="audio", mimeType=mime_type, data=_base64(data))


class Resource(_Bytes):
    """An embedded file, as text or bytes."""

    @property
    def _resource(self) -> dict[str, Any]:
        inner = self.get("resource")
        return inner if isinstance(inner, dict) else {}

    @property
    def uri(self) -> str:
        return _text(self._resource, "uri")

    @property
    def text(self) -> str:
        return _text(self._resource, "text")

    @property
    def base64(self) -> str:
        return _text(self._resource, "blob") or _base64(self.text.encode("utf-8", "replace"))

    @property
    def mime_type(self) -> str:
        return _text(self._resource, "mimeType")

    def _about(self) -> Iterable[str]:
        return self.uri, *super()._about()


class Link(Block):
    """Link to a resource that the server did not include in the answer."""

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
    """All parts of an answer in order. If only one part has bytes, they are available on this list directly."""

    @property
    def text(self) -> str:
        """Text of all parts, joined by line breaks."""
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
            raise ValueError(f"{len(found)} parts of this answer hold bytes; choose one, for example .images[0].")
        return found[0]


class Structured(dict[str, Any]):
    """Structured answer with additional parts besides its text. They are in `content`."""

    content = Blocks()


_CLASSES: dict[str, type[Block]] = {
    "text": Text,
    "image": Image,
    "audio": Audio,
    "resource": Resource,
    "resource_link": Link,
}


def shaped(shape: str, value: Any) -> Any:
    """Convert an answer of the core to the form that programs receive."""
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
        raise ValueError("This program has no workspace.")
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


def _format_facts(words: Iterable[str]) -> str:
    return "".join(f" {word}," for word in words if word).rstrip(",")
