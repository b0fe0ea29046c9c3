"""A text in words that compare: one value written in another case, spacing or encoding gives the same ones."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from workbench.privacy.decoded_text import decoded_texts
from workbench.records import JsonValue

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts that put no space between words: each sign is one
_NUMBER = re.compile(r"\d[\d .\-/()]{5,40}\d")
_ACCOUNT = re.compile(r"\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,8}(?: ?[A-Za-z0-9]{1,4})?\b")
_ATOM = re.compile(r"[\w.+-]{1,200}@[\w.-]{3,200}|[\w-]{1,60}(?:[./:\\_-]{1,3}[\w-]{1,60}){1,40}|\w*\d\w*")
_URL = re.compile(r"[A-Za-z][\w+.-]{1,20}://(?:[^/\s@]{0,100}@)?([\w.-]{3,250})")
_UNSEEN = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_TWICE = 20_000  # characters of a decoded text that are decoded once more
_LEAF = 200_000  # characters of one argument that are read in other encodings
MOST_LEAVES = 500  # values of one call's arguments that are looked at one by one


@cache
def _word_pattern() -> re.Pattern[str]:
    """Compiled at first use: classes of that many characters take 3 ms."""
    return re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def words(text: str) -> list[str]:
    """Letters and digits only, in one case."""
    return _word_pattern().findall(clean(text).casefold())


def clean(text: str) -> str:
    """The text without invisible letters, and without other forms of the same letters."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def readings(text: str) -> Iterator[str]:
    """The text, and whatever it is in another encoding: of URLs, JSON, HTML, base64, hex, or two of them."""
    yield text
    if len(text) <= _LEAF:
        for view in decoded_texts(text):
            yield view.text
            if len(view.text) <= _TWICE:
                yield from (inner.text for inner in decoded_texts(view.text))


def joined(text: str) -> Iterator[str]:
    """Numbers and accounts whose groups are written apart, without what separates them."""
    for pattern in (_NUMBER, _ACCOUNT):
        for match in pattern.finditer(text):
            yield "".join(filter(str.isalnum, match.group())).casefold()


def atoms(text: str) -> Iterator[list[str]]:
    """Parts that identify something: addresses, numbers, paths, and of a URL its host too."""
    for match in _URL.finditer(text):
        yield words(match.group(1))
    for match in _ATOM.finditer(text):
        yield words(match.group())


def leaves(value: JsonValue, path: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of each text or number in a call's arguments; names that carry data count too."""
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


def plain(answer: str) -> str:
    """The texts in an answer that is JSON, a line each; any other answer as it is."""
    if answer.lstrip()[:1] not in ("{", "[", '"'):
        return answer
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    return "\n".join(_texts(value))


def _texts(value: JsonValue) -> Iterator[str]:
    """In the order of the document, so that the text around a value is what the user would see around it."""
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
