"""WordPiece tokenizer of the sentence model, in plain Python.

It also splits names at case and punctuation: `createIssue` and `create_issue` are two words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_IDEOGRAPHS = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LONGEST_TEXT, _LONGEST_WORD = 4_000, 100
_BEGIN, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


class WordpieceTokenizer:
    """Splits texts into word pieces, given as positions in the vocabulary."""

    def __init__(self, words: Sequence[str]) -> None:
        """Raise ValueError if `words` is not a WordPiece vocabulary."""
        self._places = {word: place for place, word in enumerate(words)}
        if missing := [word for word in (_BEGIN, _END, _UNKNOWN) if word not in self._places]:
            raise ValueError(f"{missing[0]} is missing")
        self._begin, self._end, self._unknown = (self._places[word] for word in (_BEGIN, _END, _UNKNOWN))
        self._word = re.compile(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}]+|[^\w\s]")
        self._of = lru_cache(maxsize=50_000)(self._cut)

    def of(self, text: str, most: int) -> list[int]:
        """Return the pieces of a text with start and end marks, at most `most` in all."""
        found = [self._begin]
        for word in self._word.findall(_plain(text)):
            found += self._of(word)
            if len(found) >= most:
                break
        return [*found[: most - 1], self._end]

    def _cut(self, word: str) -> tuple[int, ...]:
        """Split a word into the longest known beginning and the longest known continuations.

        Returns the mark for unknown words if any part is unknown."""
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in self._places), 0)
            if not end or len(word) > _LONGEST_WORD:
                return (self._unknown,)
            found.append(self._places[mark + word[start:end]])
            start = end
        return tuple(found)


def _plain(text: str) -> str:
    """Return the text in lower case, without accents, and split at case changes."""
    text = _CASE.sub(" ", text[:_LONGEST_TEXT]).lower()
    if text.isascii():
        return text
    return "".join(mark for mark in unicodedata.normalize("NFD", text) if not unicodedata.combining(mark))
