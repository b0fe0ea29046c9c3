"""The content of a result: its value, its parts, the views that suit it; Base64 is decoded within bounds."""

from __future__ import annotations

import base64
import binascii
import io
import json
import wave
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader

from workbench.gc_pause import pause_gc
from workbench.gui.kit.json_text import pretty
from workbench.gui.results.charts import drawable
from workbench.gui.results.table_page import records_of
from workbench.gui.results.text_pages import reads_as_markdown
from workbench.gui.shell.long_text import size_words
from workbench.records import Content, JsonValue, Outcome

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
    """The decoded data of a block; None if it is too large or not Base64."""
    if len(block.data) > _LARGEST:
        return None
    try:
        return base64.b64decode(block.data, validate=True)
    except (binascii.Error, ValueError):
        return None


def image_of(block: Content) -> QImage | None:
    """The picture; None if its format could load other files or if it is too large."""
    data = bytes_of(block)
    if not data:
        return None
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    kind = bytes(reader.format().data()).decode("ascii", "replace").lower()
    if kind not in _FORMATS:  # checked first: even to tell its size, Qt reads all of an SVG
        return None
    size = reader.size()
    if size.isValid() and size.width() * size.height() > _PIXELS:
        return None
    image = reader.read()
    return None if image.isNull() else image


def seconds_of(data: bytes) -> float:
    """The length of a WAV file; 0 for other formats."""
    try:
        with wave.open(io.BytesIO(data)) as sound:
            return float(sound.getnframes() / max(1, sound.getframerate()))
    except (wave.Error, EOFError, ValueError, ZeroDivisionError):
        return 0.0


def ending_of(mime: str) -> str:
    """The file name extension for a MIME type."""
    kind = mime.split(";")[0].strip().lower()
    if kind in _ENDINGS:
        return _ENDINGS[kind]
    tail = kind.rpartition("/")[2]
    return f".{tail}" if tail.isalnum() and len(tail) <= 5 else ".bin"


def file_of(block: Content, stem: str) -> tuple[str, bytes]:
    """The file name and content for a part of a result."""
    if block.data:
        data = bytes_of(block)
        return stem + ending_of(block.mime), data if data is not None else block.data.encode("ascii", "replace")
    return stem + (ending_of(block.mime) if block.mime else ".txt"), block.text.encode("utf-8", "surrogatepass")


_MOST = 60  # parts
_COMPARED = 200_000  # characters of text that are compared with the structured content
_DEEPEST = 8  # levels of lists and objects


def parts_in(value: JsonValue) -> tuple[Content, ...]:
    """The entries of a list of MCP content blocks; of any other value its pictures and sounds."""
    if isinstance(value, list) and value and all(_is_part(item) for item in value):
        return tuple(_part(item) for item in value[:_MOST])
    return tuple(part for part, _ in zip(_media(value, _DEEPEST), range(_MOST), strict=False))


def _media(value: JsonValue, deepest: int) -> Iterator[Content]:
    if isinstance(value, Mapping) and value.get("type") in ("image", "audio") and _is_part(value):
        yield _part(value)
    elif deepest and isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _media(item, deepest - 1)


def _is_part(value: JsonValue) -> bool:
    """Whether the value is an MCP content block."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind == "resource":
        return isinstance(value.get("resource"), Mapping)
    texts = _TEXTS_OF.get(kind, ()) if isinstance(kind, str) else ()
    return bool(texts) and all(isinstance(value.get(key), str) for key in texts)


def _part(value: Mapping[str, JsonValue]) -> Content:
    inner = value["resource"] if value["type"] == "resource" else value
    texts = {key: found if isinstance(found := inner.get(key), str) else "" for key in _KEYS}
    kind = "link" if value["type"] == "resource_link" else str(value["type"])
    text = texts["text"] or ((texts["title"] or texts["name"]) if kind == "link" else "")
    return Content(kind, text, texts["mimeType"], texts["data"] or texts["blob"], texts["uri"])


_KEYS = ("text", "title", "name", "mimeType", "data", "blob", "uri")
_TEXTS_OF = {"text": ("text",), "image": ("data", "mimeType"), "audio": ("data", "mimeType"), "resource_link": ("uri",)}


VIEWS = ("Table", "Tree", "Plot", "Prose", "Image", "Parts", "JSON", "Text", "Raw", "Changes")
TABLE, TREE, PLOT, PROSE, IMAGE, PARTS, JSON, TEXT, RAW, CHANGES = VIEWS


class Contents(Struct, frozen=True):
    """One result, ready to be shown."""

    value: JsonValue = None
    has_value: bool = False  # the result is JSON; `value` may then be null too
    blocks: tuple[Content, ...] = ()
    server_text: str = ""  # the text that the server sent, also beside the value
    outcome: Outcome | None = None
    mime: str = ""

    @property
    def views(self) -> tuple[str, ...]:
        """The views that suit it, the best one first."""
        found = [IMAGE] if self.images else []
        if isinstance(self.value, dict | list):
            found += [TABLE] if records_of(self.value) else []
            found.append(TREE)
            found += [PLOT] if drawable(self.value) else []
            found.append(JSON)
        elif reads_as_markdown(self.server_text, self.mime):
            found.append(PROSE)
        if len(self.blocks) > 1 or any(block.kind not in ("text", "image") for block in self.blocks):
            mixed = not found or len({block.kind for block in self.blocks}) > 1
            found.insert(0 if mixed and TREE not in found else len(found), PARTS)
        if self.server_text.strip() if found and set(found) <= {IMAGE, PARTS} else self._has_own_text():
            found.append(TEXT)
        return (*found, RAW) if self.outcome is not None or self.has_value else tuple(found)

    @property
    def images(self) -> tuple[Content, ...]:
        return tuple(block for block in self.blocks if block.kind == "image")

    def _has_own_text(self) -> bool:
        """Whether the text says more than the view JSON."""
        if not isinstance(self.value, dict | list):
            return True
        if self.server_text.lstrip()[:1] not in ("{", "["):
            return bool(self.server_text.strip())
        if len(self.server_text) > _COMPARED or (self.outcome is not None and not self.outcome.structured):
            return False  # servers repeat structured content as text
        return parsed(self.server_text) != (self.value, True)

    def text(self) -> str:
        """The text of the server, or else the value as JSON."""
        if self.server_text or not self.has_value:
            return self.server_text
        return self.value if isinstance(self.value, str) else pretty(self.value)

    def raw(self) -> str:
        """The complete result as JSON; hidden characters are escaped."""
        if self.outcome is None:
            return pretty(self.value) if self.has_value else self.server_text
        names = ("text", "mime", "uri", "data")
        blocks: list[dict[str, Any]] = [  # Any: JSON
            {"type": block.kind, **{name: getattr(block, name) for name in names if getattr(block, name)}}
            for block in self.blocks
        ]
        structured, readable = parsed(self.outcome.structured)
        whole = {"content": blocks, **({"structuredContent": structured} if readable else {})}
        try:
            return json.dumps(whole, indent=2, ensure_ascii=True)
        except RecursionError:  # some hundred levels
            return json.dumps(whole, ensure_ascii=True)


def of_outcome(outcome: Outcome) -> Contents:
    """The answer of a call; structured content is preferred to text."""
    text = "\n\n".join(block_text(block) for block in outcome.content if block.kind != "image")
    value, readable = parsed(outcome.structured) if outcome.structured else _parsed_block(outcome.content)
    mime = next((block.mime for block in outcome.content if block.text), "")
    if not (readable and isinstance(value, dict | list)):
        value, readable = None, False
    return Contents(value, readable, outcome.content, text, outcome, mime)


def of_json(text: str) -> Contents:
    """A result as JSON text, for example of a run; other text is shown as it is. Content blocks in it, above all
    pictures, are shown as such."""
    value, readable = parsed(text)
    return Contents(value, True, parts_in(value)) if readable else Contents(server_text=text)


def parsed(text: str) -> tuple[JsonValue, bool]:
    """The value of JSON text, and whether the text is JSON."""
    try:
        with pause_gc():  # with 10 MB, garbage collection took as long as parsing
            return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def block_text(block: Content) -> str:
    """The text of a content block, or a description of it."""
    if block.text:
        return block.text
    parts = (f"({block.kind})", block.uri, block.mime, size_text(block) if block.data else "")
    return " ".join(part for part in parts if part)


def size_text(block: Content) -> str:
    """The size of a block's data or text."""
    return size_words(len(block.data) * 3 // 4 if block.data else len(block.text.encode("utf-8", "replace")))


def _parsed_block(content: tuple[Content, ...]) -> tuple[JsonValue, bool]:
    """The value of a single text block that is JSON, as sent by servers without structured content."""
    texts = [block.text for block in content if block.kind == "text"]
    if len(texts) != 1 or texts[0].lstrip()[:1] not in ("{", "["):
        return None, False
    return parsed(texts[0])
