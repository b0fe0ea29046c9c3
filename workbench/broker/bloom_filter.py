"""Remembers which words stood beside each other, and none of the words: a bounded, keyed print of long texts.

What was in a text is always found again; something else is taken for it about once in a thousand lookups at worst.
Python's own hash of texts has a key that is new in each process, so nobody outside can aim at another text's print.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

PHRASE: Final = 5  # words in a row that nobody writes twice by chance
_FEW: Final = 100_000  # hashes held one by one, which is faster; more go into the bits
_BITS: Final = 1 << 25
_MOST: Final = 3_000_000  # hashes in the bits; past that they say yes too often
_BLOCK: Final = 50_000  # words worked through at once


class NgramBloomFilter:
    """Single words, pairs and phrases of any number of texts."""

    def __init__(self) -> None:
        self._few: set[int] = set()
        self._bits = bytearray()
        self._poured = 0

    @property
    def full(self) -> bool:
        """It knows too much to tell: whoever asks must reckon with everything."""
        return self._poured > _MOST

    def add(self, words: Sequence[str]) -> None:
        for start in range(0, len(words), _BLOCK):
            block = words[start : start + _BLOCK + PHRASE]
            self._few.update(map(hash, block))
            self._few.update(map(hash, pairwise(block)))
            self._few.update(map(hash, phrases(block)))
            if len(self._few) > _FEW:
                self._pour()

    def has(self, words: Sequence[str]) -> bool:
        """Whether these words stood there in this order, as far as pairs tell."""
        if len(words) == 1:
            return self._known(hash(words[0]))
        return all(self._known(hash(pair)) for pair in pairwise(words))

    def shared(self, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """The phrases of these words that stood there too."""
        return (phrase for phrase in phrases(words) if self._known(hash(phrase)))

    def _known(self, number: int) -> bool:
        if number in self._few:
            return True
        bits = self._bits
        return bool(bits) and all(bits[place >> 3] & (1 << (place & 7)) for place in _places(number))

    def _pour(self) -> None:
        if not self._bits:
            self._bits = bytearray(_BITS >> 3)
        if not self.full:
            bits = self._bits
            for number in self._few:
                for place in _places(number):
                    bits[place >> 3] |= 1 << (place & 7)
        self._poured += len(self._few)
        self._few.clear()


def phrases(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Every run of so many words."""
    return zip(*(words[start:] for start in range(PHRASE)), strict=False)


def _places(number: int) -> tuple[int, int, int]:
    mixed = number * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF  # hashes of pairs differ little in their low bits
    return number & _BITS - 1, mixed >> 39, mixed >> 14 & _BITS - 1
