"""How the parts of an outgoing text are masked (not at all, known values, everything), and how parts keep their level.

Personal data is looked for in data only. Names and descriptions of tools, skills and our own sentences are public text:
in them nothing is guessed and nothing is learnt, or `name: str` would become a person; values that are known are still
replaced. What the user has seen before, and our own constants, leave unchanged.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from workbench.records import JsonObject, JsonValue

# Noncharacters of Unicode: no text has them, and with the random word after them nobody else can write them.
_OPEN: Final = "\ufdd0"
_CLOSE: Final = "\ufdd1"
SCHEMA_KEYWORDS: Final = frozenset({"type", "object", "properties", "required", "$schema", "$defs", "$ref"})


class TextKind(StrEnum):
    """How a part of a text is looked through before it leaves."""

    FIXED = "fixed"  # our own constants, and definitions that the user has seen: as they are
    PUBLIC = "public"  # other definitions, skills, our sentences with values in them: known values are replaced
    DATA = "data"  # anything else: known values are replaced, and whatever the detector finds


Part = tuple[str, TextKind]  # a stretch of text and what it is


class KindMarks:
    """Marks stretches of text with their kinds, for one session.

    The protocol's library carries plain texts only, so the kinds travel inside of them, between marks that hold a
    random word. What is not marked, and what a cut left without an end, is data.
    """

    def __init__(self) -> None:
        self._word = secrets.token_hex(12)
        self._end = f"{_OPEN}{self._word}{_CLOSE}"
        self._begins = {kind: f"{_OPEN}{self._word}{kind}{_CLOSE}" for kind in TextKind if kind is not TextKind.DATA}

    def mark(self, text: str, kind: TextKind) -> str:
        """The text as a stretch of this kind; marks are never nested."""
        return f"{self._begins[kind]}{text}{self._end}" if text and kind is not TextKind.DATA else text

    def mark_json(self, value: JsonValue, kind: TextKind) -> JsonValue:
        """Every text and key of a value, marked."""
        if isinstance(value, str):
            return self.mark(value, kind)
        if isinstance(value, dict):
            return {self.mark(key, kind): self.mark_json(item, kind) for key, item in value.items()}
        return [self.mark_json(item, kind) for item in value] if isinstance(value, list | tuple) else value

    def mark_schema(self, schema: JsonObject, kind: TextKind) -> dict[str, JsonValue]:
        """A JSON schema, marked; the protocol's library wants to read its outermost keywords itself."""
        return {
            key if key in SCHEMA_KEYWORDS else self.mark(key, kind): one if key == "type" else self.mark_json(one, kind)
            for key, one in schema.items()
        }

    def parts(self, text: str) -> Iterator[Part]:
        """The stretches of a text, in order and without their marks."""
        if self._word not in text:
            yield text, TextKind.DATA
            return
        pieces = text.split(f"{_OPEN}{self._word}")
        yield pieces[0], TextKind.DATA
        for piece, following in zip(pieces[1:], [*pieces[2:], None], strict=True):
            named, closed, rest = piece.partition(_CLOSE)
            ended = following is not None and following.startswith(_CLOSE)
            kind = TextKind(named) if named and closed and ended else TextKind.DATA
            yield (rest if closed else ""), kind
