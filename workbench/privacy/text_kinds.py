"""How the parts of an outgoing text are masked (not at all, known values, everything), and how parts are marked.

Personal data is detected in data only. Definitions of tools, skills and the workbench's own sentences are public text:
in them only known values are replaced, as `name: str` would be taken for a person. Definitions that the user has seen
and our own constants are not changed.
"""

from __future__ import annotations

import builtins
import keyword
import re
import secrets
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final

from workbench.privacy.detectors.name_model import listed
from workbench.privacy.detectors.word_lists import COMMON_WORDS
from workbench.records import JsonObject, JsonValue

# Unicode noncharacters: no text contains them, and the random word after them is secret.
_OPEN: Final = "\ufdd0"
_CLOSE: Final = "\ufdd1"
SCHEMA_KEYWORDS: Final = frozenset({"type", "object", "properties", "required", "$schema", "$defs", "$ref"})


class TextKind(StrEnum):
    """How a part of a text is masked before it is sent."""

    FIXED = "fixed"  # constants, and definitions that the user has seen: not changed
    PUBLIC = "public"  # other definitions, skills, our sentences: known values are replaced
    DATA = "data"  # everything else: known values and findings are replaced


Part = tuple[str, TextKind]  # a stretch of text and its kind


class KindMarks:
    """Marks stretches of text with their kinds, for one session.

    The MCP SDK passes plain texts only, so marks with a random word in the text carry the kinds. Text without a mark,
    or with a mark whose end was cut off, is data.
    """

    def __init__(self) -> None:
        self._word = secrets.token_hex(12)
        self._end = f"{_OPEN}{self._word}{_CLOSE}"
        self._begins = {kind: f"{_OPEN}{self._word}{kind}{_CLOSE}" for kind in TextKind if kind is not TextKind.DATA}

    def mark(self, text: str, kind: TextKind) -> str:
        """The text between marks of this kind; marks are not nested."""
        return f"{self._begins[kind]}{text}{self._end}" if text and kind is not TextKind.DATA else text

    def mark_json(self, value: JsonValue, kind: TextKind) -> JsonValue:
        """Every text and key of a value, marked."""
        if isinstance(value, str):
            return self.mark(value, kind)
        if isinstance(value, dict):
            return {self.mark(key, kind): self.mark_json(item, kind) for key, item in value.items()}
        return [self.mark_json(item, kind) for item in value] if isinstance(value, list | tuple) else value

    def mark_schema(self, schema: JsonObject, kind: TextKind) -> dict[str, JsonValue]:
        """A JSON schema, marked, except its outermost keywords, which the SDK reads."""
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


_WORD: Final = re.compile(r"[^\W\d_]+")
_OWN_WORDS: Final = """
mcp workbench sandbox typescript javascript python asyncio await gather import stdout stderr filesystem json schema
param params parameter parameters boolean integer unapproved traceback timeout iban pii readme utf
token tokens toolerror queue delete propose https org equals initials masked
"""
_OWN: Final = frozenset(
    {*_OWN_WORDS.split(), *map(str.lower, keyword.kwlist), *(name.lower() for name in dir(builtins))}
)
_PRODUCT: Final = frozenset(("mcp", "workbench"))


def is_ordinary(written: str) -> bool:
    """Whether a known value is an ordinary word, or several that are not written as a name: `Personal data` is
    ordinary, `Grace Hall` is a name. Ordinary words are not masked in public text.

    `/home/program` makes "program" a user name. It is masked in the output of programs; in "The program was not run"
    the sentence would become unclear, and a function of that name could not be called.
    """
    if not _plain(written):
        return False
    words = _WORD.findall(written)
    if _PRODUCT.issuperset(word.lower() for word in words):
        return True
    if len(words) > 1 and any(word[0].isupper() for word in words[1:]):
        return False
    return bool(words) and all(map(_is_ordinary, words))


def _plain(written: str) -> bool:
    """Whether a value consists of words only: an address or number is never ordinary."""
    return not any(sign.isdigit() or sign in "@\\%&" for sign in written)


@lru_cache(maxsize=4096)
def _is_ordinary(word: str) -> bool:
    folded, lists = word.lower(), listed(word)
    if word[0].isupper() and "F" in lists and folded not in _OWN:
        return False
    return "C" in lists or folded in COMMON_WORDS or folded in _OWN
