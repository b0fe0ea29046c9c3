"""Hashes of the words of a text and of each two consecutive words, computed with numpy: 4 ms for 1 MB of ASCII.

A word is a run of letters and digits, compared without case and width; in scripts without spaces between words each
character is a word. Hashes are the same whatever stands between the words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workbench.numpy_loading import load_numpy
from workbench.privacy.decoded_text import plain

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

LONGEST: Final = 32_768  # characters of a text that is hashed at once
_BASE: Final = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
_MIX: Final = 0xBF58476D1CE4E5B9
_MASK: Final = (1 << 64) - 1
_SPACELESS: Final = ((0x0E01, 0x0E5B), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3))  # Thai, Kana, Han, Hangul


class WordHashes(NamedTuple):
    """The words of a text: their positions and hashes."""

    starts: Array
    ends: Array
    hashes: Array

    def pairs(self) -> Array:
        """One hash for each word but the last: of the word and its successor."""
        import numpy as np

        return _mix(self.hashes[:-1] * np.uint64(3) + self.hashes[1:])

    def phrases(self, count: int) -> Array:
        """One hash for each sequence of so many words."""
        import numpy as np

        size = max(0, len(self.hashes) - count + 1)
        found = np.zeros(size, np.uint64)
        for at in range(count if size else 0):
            found = found * np.uint64(0x100000001B3) + self.hashes[at : at + size]
        return _mix(found)


def hash_words(text: str) -> WordHashes:
    """The words of a text of at most `LONGEST` characters."""
    load_numpy()
    import numpy as np

    codes, letters, alone = _letters(text)
    is_word = letters != 0
    before, after = np.zeros_like(is_word), np.zeros_like(is_word)
    before[1:], after[:-1] = is_word[:-1], is_word[1:]
    if alone is not None:
        before[1:] &= ~(alone[:-1] | alone[1:])
        after[:-1] &= ~(alone[:-1] | alone[1:])
    starts, ends = np.flatnonzero(is_word & ~before), np.flatnonzero(is_word & ~after) + 1
    powers, inverses = _powers()
    sums = np.empty(len(codes) + 1, np.uint64)
    sums[0] = 0
    np.cumsum(letters * powers[: len(codes)], out=sums[1:])
    return WordHashes(starts, ends, _mix((sums[ends] - sums[starts]) * inverses[starts]))


def substring_hashes(word: str, starts: Array, ends: Array) -> Array:
    """The hashes that these parts of a word would have as words."""
    import numpy as np

    _, letters, _ = _letters(word)
    powers, inverses = _powers()
    sums = np.zeros(len(word) + 1, np.uint64)
    np.cumsum(letters * powers[: len(word)], out=sums[1:])
    return _mix((sums[ends] - sums[starts]) * inverses[starts])


def pair_hashes(first: Array, second: Array) -> Array:
    """The hashes of pairs of words."""
    import numpy as np

    return _mix(first * np.uint64(3) + second)


def _letters(text: str) -> tuple[Array, Array, Array | None]:
    """The codes of the characters, the same folded (0 for a character that is no letter or digit), and which are
    words by themselves; None if there are none."""
    import numpy as np

    if text.isascii():
        codes = np.frombuffer(text.encode("ascii"), np.uint8)
        return codes, _tables()[0][:128][codes], None
    codes = np.frombuffer(plain(text).encode("utf-32-le", "surrogatepass"), np.uint32)
    codes = np.minimum(codes, 0xFFFF)  # characters beyond separate words, as emoji do
    folded, spaceless = _tables()
    alone = spaceless[codes]
    return codes, folded[codes], alone if alone.any() else None


def _mix(numbers: Array) -> Array:
    import numpy as np

    mixed: Array = (numbers ^ (numbers >> np.uint64(29))) * np.uint64(_MIX)
    return mixed


@lru_cache(maxsize=1)
def _tables() -> tuple[Array, Array]:
    import numpy as np

    folded = np.zeros(0x10000, np.uint64)
    for code in range(0xFFFF):
        letter = chr(code)
        if letter.isalnum():
            lowered = letter.lower()
            folded[code] = ord(lowered) if len(lowered) == 1 else code
    folded[ord("ς")] = ord("σ")  # of which the capital letter is the same
    spaceless = np.zeros(0x10000, np.bool_)
    for first, last in _SPACELESS:
        spaceless[first : last + 1] = True
    return folded, spaceless & (folded != 0)


@lru_cache(maxsize=1)
def _powers() -> tuple[Array, Array]:
    """Powers of the base and of its inverse, modulo 2^64."""
    import numpy as np

    both = []
    for base in (_BASE, pow(_BASE, -1, _MASK + 1)):
        powers = np.full(LONGEST + 1, base, np.uint64)
        powers[0] = 1
        both.append(np.multiply.accumulate(powers))
    return both[0], both[1]
