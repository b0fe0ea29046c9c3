"""Normalises text to words for comparison: a value in a different case, spacing or encoding gives the same words."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from workbench.privacy.decoded_text import decoded_texts
from workbench.records import JsonValue

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without spaces between words: each character is a word
_NUMBER = re.compile(r"\d[\d .\-/()]{5,40}\d")
_ACCOUNT = re.compile(r"\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,8}(?: ?[A-Za-z0-9]{1,4})?\b")
_ATOM = re.compile(r"[\w.+-]{1,200}@[\w.-]{3,200}|[\w-]{1,60}(?:[./:\\_-]{1,3}[\w-]{1,60}){1,40}|\w*\d\w*")
_URL = re.compile(r"[A-Za-z][\w+.-]{1,20}://(?:[^/\s@]{0,100}@)?([\w.-]{3,250})")
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    rf"""(?:\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\d{{1,2}}\.?[ ]{_MONTH}(?:[ ]\d{{4}})?
    |{_MONTH}[ ]\d{{1,2}}(?:st|nd|rd|th)?,?(?:[ ]\d{{4}})?)?[T ]{{0,2}}
    (?:\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,9}})?)?(?:[ ]?[ap]m)?)?(?:Z|[ ]?UTC|[+-]\d{{2}}:?\d{{2}})?""",
    re.VERBOSE | re.IGNORECASE,
)
_AMOUNT = re.compile(r"[+-]?\d{1,5}(?:\.\d{1,10})?")
_SHORT = 64  # characters; longer texts may contain a readable part
_LEAF = 200_000  # characters; shorter arguments are also read in other encodings
MOST_LEAVES = 500  # argument values of one call that are checked individually


@cache
def _word_pattern() -> re.Pattern[str]:
    """Return the word pattern, compiled at first use, because such large character classes take 3 ms."""
    return re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def split_words(text: str) -> list[str]:
    """Return the words of a text: letters and digits only, case-folded."""
    return _word_pattern().findall(clean(text).casefold())


def clean(text: str) -> str:
    """Return the text without invisible characters and in Unicode compatibility form (NFKC)."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def decoded_readings(text: str) -> Iterator[str]:
    """Yield the text and its decodings from URL, JSON, HTML, base64, hex and other encodings, also nested ones."""
    yield text
    if len(text) <= _LEAF:
        yield from (view.text for view in decoded_texts(text))


def is_noise(decoded: str) -> bool:
    """Whether a short text is not really encoded: a number, for example, is also valid hexadecimal."""
    odd = sum(not one.isprintable() and not one.isspace() for one in decoded)
    return len(decoded) < _SHORT and 4 * odd > len(decoded)


def is_date_or_amount(text: str) -> bool:
    """Whether a text is a date, a time or a short number and nothing else, which says nothing about its source."""
    bare = text.strip()
    return len(bare) <= 40 and any(form.fullmatch(bare) for form in (_DATE, _AMOUNT))


def joined_numbers(text: str) -> Iterator[str]:
    """Yield numbers and account numbers without the separators between their groups."""
    for pattern in (_NUMBER, _ACCOUNT):
        for match in pattern.finditer(text):
            yield "".join(filter(str.isalnum, match.group())).casefold()


def identifying_parts(text: str) -> Iterator[list[str]]:
    """Yield identifying parts: addresses, numbers, paths, and for a URL also its host."""
    for match in _URL.finditer(text):
        yield split_words(match.group(1))
    for match in _ATOM.finditer(text):
        yield split_words(match.group())


def argument_leaves(value: JsonValue, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and text of each text or number in a call's arguments; names that carry data count too."""
    stack: list[tuple[str, JsonValue]] = [(path, value)]
    while stack:
        place, node = stack.pop()
        if isinstance(node, dict):
            for key, child in node.items():
                name = f"{place}.{key}" if place else str(key)
                stack.append((name, child))
                if place or len(str(key)) > 40:
                    yield name, str(key)
        elif isinstance(node, list | tuple):
            stack.extend((f"{place}[]", child) for child in node)
        elif isinstance(node, str):
            yield place, node
        elif isinstance(node, int | float) and not isinstance(node, bool):
            yield place, str(node)


def answer_text(answer: str) -> str:
    """Return the texts in a JSON answer, one per line; any other answer unchanged."""
    if answer.lstrip()[:1] not in ("{", "[", '"'):
        return answer
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    return "\n".join(_texts(value))


def _texts(value: JsonValue) -> Iterator[str]:
    """Yield the texts in document order, so that the text around a value is what the user would see around it."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            for key, child in reversed(list(node.items())):
                stack.append(child)
                if len(str(key)) > 24:
                    stack.append(str(key))
        elif isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, str):
            yield node
        elif isinstance(node, int | float) and not isinstance(node, bool):
            yield str(node)
