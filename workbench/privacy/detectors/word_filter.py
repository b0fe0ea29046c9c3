"""Bloom filter of ordinary words in some twenty languages, of the words of place names, and of names.

`tools/make_word_filter.py` makes its file. A membership test reads some bits, so a million words need less than a
megabyte; about two in a hundred other words are taken for members, so it is evidence for the model and no proof.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from workbench.paths import resources

HASHES: Final = 5
ORDINARY: Final = "o"
PLACE: Final = "p"
FIRST: Final = "f"  # rarer first names than those of the model's lists
LAST: Final = "l"
KINDS: Final = (ORDINARY, PLACE, FIRST, LAST)


class WordFilter:
    """The filter; one per process, as it never changes."""

    def __init__(self, path: Path) -> None:
        self._bits = path.read_bytes()

    def has(self, kind: str, word: str) -> bool:
        """Whether a folded word is probably one of a kind."""
        bits = self._bits
        return all(bits[at >> 3] >> (at & 7) & 1 for at in positions(kind, word, len(bits) * 8))


def positions(kind: str, word: str, size: int) -> list[int]:
    """The bits of a word in a filter of this size."""
    digest = int.from_bytes(blake2b(f"{kind}{word}".encode(), digest_size=8).digest(), "little")
    start, step = digest & 0xFFFFFFFF, digest >> 32 | 1
    return [(start + turn * step) % size for turn in range(HASHES)]


@lru_cache(maxsize=1)
def word_filter() -> WordFilter:
    """The installed filter, loaded when the first word needs it."""
    return WordFilter(resources() / "privacy" / "words.bin")
