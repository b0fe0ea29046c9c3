"""What a result holds and which views suit it; pure, so that choosing a view can be tested without a window."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from workbench.gc_pause import pause_gc
from workbench.gui.forms.json_text import pretty
from workbench.gui.models.records_table import records_of
from workbench.gui.results.parts_in import parts_in
from workbench.gui.results.prose_page import reads_as_markdown
from workbench.gui.results.series import drawable
from workbench.records import Content, JsonValue, Outcome

TABLE, TREE, PLOT, PROSE, IMAGE, PARTS, TEXT, RAW, CHANGES = (
    "Table", "Tree", "Plot", "Prose", "Image", "Parts", "Text", "Raw", "Changes",
)  # fmt: skip


class Contents(Struct, frozen=True):
    """One result, ready to be looked at."""

    value: JsonValue = None
    has_value: bool = False  # the result is JSON; `value` may then be null too
    blocks: tuple[Content, ...] = ()
    words: str = ""  # text for people, where the server sent some beside the value
    outcome: Outcome | None = None
    mime: str = ""

    @property
    def views(self) -> tuple[str, ...]:
        """The ways it can be looked at, the best one first."""
        found = [IMAGE] if self.images else []
        if isinstance(self.value, dict | list):
            found += [TABLE] if records_of(self.value) else []
            found.append(TREE)
            found += [PLOT] if drawable(self.value) else []
        elif reads_as_markdown(self.words, self.mime):
            found.append(PROSE)
        if len(self.blocks) > 1 or any(block.kind not in ("text", "image") for block in self.blocks):
            mixed = not found or len({block.kind for block in self.blocks}) > 1
            found.insert(0 if mixed and TREE not in found else len(found), PARTS)
        if not (found and set(found) <= {IMAGE, PARTS} and not self.words.strip()):
            found.append(TEXT)
        return (*found, RAW) if self.outcome is not None or self.has_value else tuple(found)

    @property
    def images(self) -> tuple[Content, ...]:
        return tuple(block for block in self.blocks if block.kind == "image")

    def text(self) -> str:
        """As text: the words of the server, or the value."""
        if self.words or not self.has_value:
            return self.words
        return self.value if isinstance(self.value, str) else pretty(self.value)

    def raw(self) -> str:
        """Everything as JSON, escaped so that nothing can hide."""
        if self.outcome is None:
            return pretty(self.value) if self.has_value else self.words
        names = ("text", "mime", "uri", "data")
        blocks: list[dict[str, Any]] = [  # Any: JSON
            {"type": block.kind, **{name: getattr(block, name) for name in names if getattr(block, name)}}
            for block in self.blocks
        ]
        structured, readable = parsed(self.outcome.structured)
        whole = {"content": blocks, **({"structuredContent": structured} if readable else {})}
        try:
            return json.dumps(whole, indent=2, ensure_ascii=True)
        except RecursionError:  # nested a few hundred levels deep
            return json.dumps(whole, ensure_ascii=True)


def of_outcome(outcome: Outcome) -> Contents:
    """All of a call's answer; structured content comes first where the server sent some."""
    words = "\n\n".join(block_words(block) for block in outcome.content if block.kind != "image")
    value, readable = parsed(outcome.structured) if outcome.structured else _parsed_block(outcome.content)
    mime = next((block.mime for block in outcome.content if block.text), "")
    if not (readable and isinstance(value, dict | list)):
        value, readable = None, False
    return Contents(value, readable, outcome.content, words, outcome, mime)


def of_json(text: str) -> Contents:
    """A result as JSON text, such as a run's; text that is no JSON is shown as it is. Parts of answers that a program
    handed on, pictures above all, are shown as such."""
    value, readable = parsed(text)
    return Contents(value, True, parts_in(value)) if readable else Contents(words=text)


def parsed(text: str) -> tuple[JsonValue, bool]:
    """The value of JSON text and whether it is some."""
    try:
        with pause_gc():  # in 10 MB the search for garbage took as long as the reading
            return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def block_words(block: Content) -> str:
    """A block as text."""
    if block.text:
        return block.text
    words = [f"({block.kind})", block.uri, block.mime, f"{len(block.data) * 3 // 4:,} bytes" if block.data else ""]
    return " ".join(word for word in words if word)


def _parsed_block(content: tuple[Content, ...]) -> tuple[JsonValue, bool]:
    """A lone text block that is JSON: what servers send that know no structured content."""
    texts = [block.text for block in content if block.kind == "text"]
    if len(texts) != 1 or texts[0].lstrip()[:1] not in ("{", "["):
        return None, False
    return parsed(texts[0])
