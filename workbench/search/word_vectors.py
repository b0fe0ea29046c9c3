"""Semantic similarity of texts from word vectors that come with the app: no model runs, nothing is downloaded.

The vector of a text is the sum of the vectors of its word pieces, fitted by `tools/train_vectors.py` to agree with a
sentence model; see `resources/LICENSES.md`. numpy is imported on the thread that builds an index.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from workbench.numpy_loading import load_numpy

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[numpy.float32]

VECTORS = "search/vectors.npz"  # path in the app's resources

_WORD = re.compile(r"[^\W_]+|[^\w\s]")
_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONGEST_WORD = 40
_MOST_PIECES = 80  # of one text; later pieces say little about a tool


class WordVectors:
    """The vectors of all word pieces, read from one file."""

    name = "the word vectors that come with the app"
    weight = (0.45, 0.75)

    def __init__(self, file: Path) -> None:
        load_numpy()
        import numpy

        with numpy.load(file, allow_pickle=False) as found:
            words = bytes(found["words"]).decode().split("\n")
            self._rows, self._scale = found["rows"], found["scale"].astype(numpy.float32)
        self._places = {word: place for place, word in enumerate(words)}
        self._pieces = lru_cache(maxsize=50_000)(self._cut)

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return one row of length one for each text. A text without any known piece gives zeros."""
        import numpy

        found = numpy.zeros((len(texts), self._rows.shape[1]), numpy.float32)
        for at, text in enumerate(texts):
            if places := self._of(text):
                found[at] = self._scale[places] @ self._rows[places].astype(numpy.float32)
        lengths = numpy.linalg.norm(found, axis=1, keepdims=True)
        found /= numpy.where(lengths > 0, lengths, 1)
        return found

    def vector(self, question: str) -> Floats:
        row: Floats = self.vectors([question])[0]
        return row

    def _of(self, text: str) -> list[int]:
        places: list[int] = []
        for word in _WORD.findall(_plain(text)):
            places += self._pieces(word)
            if len(places) >= _MOST_PIECES:
                break
        return places[:_MOST_PIECES]

    def _cut(self, word: str) -> tuple[int, ...]:
        """Split a word into the longest known beginning and the longest known continuations.

        Returns nothing if any part is unknown."""
        found: list[int] = []
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            mark = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in self._places), 0)
            if not end:
                return ()
            found.append(self._places[mark + word[start:end]])
            start = end
        return tuple(found)


def _plain(text: str) -> str:
    """Return the text in lower case, without accents, and split at case changes."""
    text = _CASE.sub(" ", text[:4_000])
    if text.isascii():
        return text.lower()
    return "".join(mark for mark in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(mark))
