"""Searches hundreds of words in one pass; searching each word alone takes 0.5 ms a word and megabyte."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from workbench.numpy_loading import load_numpy
from workbench.thread_cancellation import check_cancelled

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

_LETTERS: Final = 3  # first letters of a word that are searched at all positions at once
_SHORT: Final = 1_500  # characters of a text in which each word is searched alone
_BRIEF: Final = 300  # characters of a text in which the first letters of words are looked up at each position
_PIECE: Final = 200_000  # characters that are searched at once
_OVERLAP: Final = 64  # more than the longest word
_NEAR: Final = 40  # characters before and after the beginning of a word that must contain a sign
_SLOTS: Final = 1 << 16


class KeywordFinder:
    """Finds words of a list, in lower case. In long texts, only those with one of the signs near them."""

    def __init__(self, words: Iterable[str], signs: str = "0123456789") -> None:
        self._signs = signs
        self._words = tuple(dict.fromkeys(words))
        self._brief = tuple(word for word in self._words if len(word) < _LETTERS)
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for word in self._words:
            if len(word) >= _LETTERS:
                self._by_start[word[:_LETTERS]].append(word)
        self._table: Array | None = None

    def find(self, small: str) -> Iterator[tuple[int, str]]:
        """Positions with the word found there; a position may have several words. `small` is a folded text."""
        if len(small) <= _BRIEF:
            yield from _search(small, self._brief)
            for at in range(len(small) - _LETTERS + 1):
                for word in self._by_start.get(small[at : at + _LETTERS], ()):
                    if small.startswith(word, at):
                        yield at, word
            return
        if len(small) <= _SHORT:
            yield from _search(small, self._words)
            return
        yield from _search(small, self._brief)
        for start in range(0, len(small), _PIECE):
            check_cancelled()
            for at in self._candidates(small[start : start + _PIECE + _OVERLAP]):
                if at < _PIECE:
                    for word in self._by_start.get(small[start + at : start + at + _LETTERS], ()):
                        if small.startswith(word, start + at):
                            yield start + at, word

    def _candidates(self, piece: str) -> list[int]:
        """Positions where the first letters of a word may be, with a sign near them."""
        if len(piece) < _LETTERS:
            return []
        load_numpy()
        import numpy as np

        codes = np.frombuffer(piece.encode("utf-32-le", "surrogatepass"), np.uint32)
        if self._table is None:
            self._table = np.zeros(_SLOTS, np.bool_)
            for start in self._by_start:
                self._table[_slot(*map(ord, start))] = True
        places = np.flatnonzero(self._table[_slot(codes[:-2], codes[1:-1], codes[2:])])
        marked = np.zeros(len(codes), np.bool_)
        for sign in self._signs:
            marked |= codes == ord(sign)
        count = np.cumsum(marked, dtype=np.int32)
        last = len(codes) - 1
        near = count[np.minimum(places + _NEAR, last)] > count[np.maximum(places - _NEAR, 0)]
        found: list[int] = places[near].tolist()
        return found


def _slot(first: Any, second: Any, third: Any) -> Any:  # Any: numbers, or arrays of them
    return (first * 8191 + second * 131 + third) & (_SLOTS - 1)


def _search(small: str, words: Iterable[str]) -> Iterator[tuple[int, str]]:
    for word in words:
        at = small.find(word)
        while at >= 0:
            yield at, word
            at = small.find(word, at + 1)
