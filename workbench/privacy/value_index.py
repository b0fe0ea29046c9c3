"""Index of known values: finds every value of a session in a text, in any spelling, in one pass.

Values are indexed by their first six letters. Candidate positions in a long text come from a table of hashed 6-grams
(numpy), which takes some 0.1 ms for 50 kB; comparing every position takes 10 ms. Ten thousand values cost the same as
ten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.numpy_loading import load_numpy
from workbench.privacy.decoded_text import (
    DecodedText,
    DigitsOnly,
    NestedText,
    WithoutSeparators,
    decoded_texts,
    drop_separators,
    plain,
)
from workbench.privacy.detectors.text_search import find_matches, find_words
from workbench.privacy.detectors.word_lists import COMMON_WORDS

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

GRAM_SIZE: Final = 6  # letters of an n-gram
_BITS: Final = 16  # bits of its hash
_STEP: Final = 0x01000193  # multiplier of the hash for each letter
_MIX: Final = 0x9E3779B1


class TextGrams:
    """A text with the hash of the n-gram at each position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._hashes: Array | None = None

    def hashes(self) -> Array:
        """One hash for each position with enough letters after it; computed once."""
        if self._hashes is None:
            self._hashes = _hash_grams(self.text)
        return self._hashes


class GramTable:
    """A table of the hashes of anchors (the first letters of values); threads may add anchors meanwhile."""

    def __init__(self) -> None:
        self._anchors: list[str] = []
        self._table: tuple[Array, int] | None = None  # with its number of anchors: one attribute, for threads

    def add(self, anchor: str) -> None:
        """Add the first letters of a value."""
        self._anchors.append(anchor)

    def places(self, grams: TextGrams) -> Sequence[int]:
        """Positions where an anchor may be, sorted; some are hash collisions."""
        passes = self._read()[grams.hashes()]
        found: list[int] = passes.nonzero()[0].tolist()
        return found

    def _read(self) -> Array:
        load_numpy()
        import numpy as np

        table, read = self._table or (np.zeros(1 << _BITS, np.bool_), 0)
        count = len(self._anchors)
        if read < count:
            table[_hash_grams("".join(self._anchors[read:count]))[::GRAM_SIZE]] = True
            self._table = table, count  # last: a thread that reads the old pair adds the same anchors again
        return table


def _hash_grams(text: str) -> Array:
    load_numpy()
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    places = max(0, len(codes) - GRAM_SIZE + 1)
    numbers = codes[:places].copy()
    for letter in range(1, GRAM_SIZE):
        numbers *= np.uint32(_STEP)
        numbers += codes[letter : letter + places]
    numbers *= np.uint32(_MIX)
    numbers >>= np.uint32(32 - _BITS)
    return numbers


ANCHOR = GRAM_SIZE  # letters that a value is indexed by; shorter values would match in half of all texts
FEWEST_DIGITS = 7
FEWEST_BARE = 7  # letters and digits of a value that is found without separators
LONGEST = 400
SHORTEST_WORD = 3  # letters of a part of a name that is searched alone
LONG_WORD = 6  # letters of a word in lower case that is searched alone

_FEW = 16  # anchors that are searched one after the other, in any text
_FEW_IN_SHORT = 150  # anchors that are searched one after the other in a short text
_SHORT = 1_000  # characters of a text that is not short any more
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_SPACELESS = 2  # characters of a value in a script without spaces between words
_SPACELESS = re.compile(r"[\u0e01-\u0e5b\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_SPACELESS_RUN = re.compile(rf"{_SPACELESS.pattern}{{2,}}")
_LONG_ENOUGH = re.compile(r"[^\W\d_]{5,}")


class ValueMatch(Struct, frozen=True):
    """An occurrence of a known value in a text."""

    start: int
    end: int
    value: str  # folded


class AnchorIndex:
    """Values by their first letters and their length."""

    def __init__(self) -> None:
        self._lengths: dict[str, dict[int, set[str]]] = {}
        self._table = GramTable()

    def add(self, value: str) -> None:
        if ANCHOR <= len(value) <= LONGEST:
            anchor = value[:ANCHOR]
            new = anchor not in self._lengths
            self._lengths.setdefault(anchor, {}).setdefault(len(value), set()).add(value)
            if new:
                self._table.add(anchor)

    def find(self, grams: TextGrams) -> Iterator[tuple[int, str]]:
        """The position of each value; at each position the longest value."""
        known, text = self._lengths, grams.text
        for at in self._places(grams) if known else ():
            lengths = known.get(text[at : at + ANCHOR])
            for length, values in sorted(lengths.items(), reverse=True) if lengths else ():
                if (stretch := text[at : at + length]) in values:
                    yield at, stretch
                    break

    def _places(self, grams: TextGrams) -> Sequence[int]:
        """Where a value may begin: few values are searched one by one, short texts at every position, others by
        table."""
        known, text = self._lengths, grams.text
        short = len(text) < _SHORT
        if len(known) <= (min(_FEW_IN_SHORT, len(text) // 2) if short else _FEW):
            return find_words(text, tuple(known))
        if short:
            return [at for at in range(len(text) - ANCHOR + 1) if text[at : at + ANCHOR] in known]
        return self._table.places(grams)


def is_worth_finding(word: str) -> bool:
    """Whether a word is searched by itself: short words and ordinary ones would be found everywhere."""
    if any(map(str.isdigit, word)):
        return len(word) >= ANCHOR
    if word[0].lower() == word[0].upper():  # a script without capitals
        return len(word) >= SHORTEST_WORD
    return len(word) >= (SHORTEST_WORD if word[0].isupper() else LONG_WORD) and word.lower() not in COMMON_WORDS


class ValueIndex:
    """The values of one session in all spellings."""

    def __init__(self) -> None:
        self._plain = AnchorIndex()
        self._reversed = AnchorIndex()
        self._digits = AnchorIndex()
        self._filled = False
        self._bare = AnchorIndex()  # values without separators
        self._spelled: dict[str, str] = {}  # value without separators → folded value
        self._words: dict[str, str] = {}  # word as written → the folded value it belongs to
        self._numbers: dict[str, str] = {}  # digits only → the folded value they belong to
        # short values of scripts without spaces between words, by their first two characters
        self._short: dict[str, set[str]] = {}

    def add(self, value: str, *, numeric: bool = True, worded: bool = False) -> None:
        """Add a value. It is found in any case from now on; single words and parts of names only as written."""
        folded = fold(value)
        self._filled = True
        if len(folded) < ANCHOR and _SPACELESS.search(folded):
            if len(folded) >= _SHORTEST_SPACELESS:
                self._short.setdefault(folded[:_SHORTEST_SPACELESS], set()).add(folded)
            return
        if worded or folded.isalpha():
            self._add_words(value, folded)
        if (folded.isalpha() and not _SPACELESS.search(folded)) or (folded.isdigit() and len(folded) < FEWEST_DIGITS):
            return
        self._plain.add(folded)
        self._reversed.add(folded[::-1])
        digits = "".join(filter(str.isdigit, folded)) if numeric and "@" not in folded else ""
        if len(digits) >= FEWEST_DIGITS:
            self._numbers.setdefault(digits, folded)  # before it is indexed: another thread may search
            self._digits.add(digits)
        else:
            self._add_bare(folded)

    def _add_bare(self, folded: str) -> None:
        for spelled in {drop_separators(folded), "".join(filter(str.isalnum, folded))}:
            if len(spelled) >= FEWEST_BARE and spelled != folded:
                self._spelled.setdefault(spelled, folded)
                self._bare.add(spelled)

    def _add_words(self, value: str, folded: str) -> None:
        for word in _WORD.findall(value):
            if is_worth_finding(word):
                self._words.setdefault(word, folded)

    def __bool__(self) -> bool:
        return self._filled

    def number(self, digits: str) -> str | None:
        """The folded value with exactly these digits."""
        return self._numbers.get(digits)

    def occurs_in(self, text: str) -> bool:
        """Whether a value occurs literally; single words are not searched, they occur in any binary data."""
        return next(self._plain.find(TextGrams(fold(text))), None) is not None

    def find(self, text: str) -> Iterator[ValueMatch]:
        """Every known value in this text, in any spelling."""
        if not self._filled:
            return
        text = plain(text)
        folded = _lowered(text)
        grams = TextGrams(folded)
        yield from (ValueMatch(at, at + len(value), value) for at, value in self._plain.find(grams))
        yield from (ValueMatch(at, at + len(value), value[::-1]) for at, value in self._reversed.find(grams))
        if self._words:
            words = self._words
            yield from (
                ValueMatch(*m.span(), words[m.group()]) for m in find_matches(_WORD, text) if m.group() in words
            )
        if self._short:
            yield from self._short_values(folded)
        for seen in _through(DigitsOnly(folded), self._digits):
            yield ValueMatch(seen.start, seen.end, self._numbers[seen.value])
        if self._spelled:
            for seen in _through(WithoutSeparators(folded), self._bare):
                if folded[seen.start : seen.end] != (value := self._spelled[seen.value]):  # equal ones were found above
                    yield ValueMatch(seen.start, seen.end, value)
        for view in decoded_texts(text):
            yield from _through(view, self._plain)
            yield from (replace(one, value=self._numbers[one.value]) for one in _through(view, self._digits))
            yield from (replace(one, value=self._spelled[one.value]) for one in _through(view, self._bare))
            yield from self._words_in(view)

    def _short_values(self, folded: str) -> Iterator[ValueMatch]:
        for run in find_matches(_SPACELESS_RUN, folded):
            for at in range(run.start(), run.end() - 1):
                for value in self._short.get(folded[at : at + _SHORTEST_SPACELESS], ()):
                    if folded.startswith(value, at):
                        yield ValueMatch(at, at + len(value), value)

    def _words_in(self, view: DecodedText | NestedText) -> Iterator[ValueMatch]:
        """Words in a decoded text; short ones occur in it by chance."""
        for match in find_matches(_LONG_ENOUGH, view.text) if self._words else ():
            if (value := self._words.get(match.group())) is not None:
                yield ValueMatch(*view.origin(*match.span()), value)


def _through(
    view: DecodedText | NestedText | DigitsOnly | WithoutSeparators, index: AnchorIndex
) -> Iterator[ValueMatch]:
    for at, value in index.find(TextGrams(fold(view.text))):
        if place := view.origin(at, at + len(value)):
            yield ValueMatch(*place, value)


def fold(text: str) -> str:
    """The text in lower case and plain letters, at the same positions: a letter that would become two is kept."""
    return _lowered(plain(text))


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
