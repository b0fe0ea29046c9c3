"""Index of known values: finds every value of a session in a text, in any of its writings, in one pass.

Each value is filed under its first letters. Candidate positions of a long text come from a table of packed 6-grams
(numpy): comparing every position takes 10 ms for 50 kB, the table some hundred µs. Ten thousand values cost the same as
ten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from workbench.numpy_loading import load_numpy
from workbench.privacy.decoded_text import DecodedText, DigitsOnly, WithoutSeparators, decoded_texts, drop_separators
from workbench.privacy.detectors.text_search import find_matches, find_words
from workbench.privacy.detectors.word_lists import COMMON_WORDS
from workbench.privacy.unicode_folding import plain

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

GRAM_SIZE: Final = 6  # letters that are looked at together
_BITS: Final = 16  # of the number that stands for them
_STEP: Final = 0x01000193  # by which a number is multiplied before the next letter is added
_MIX: Final = 0x9E3779B1


class TextGrams:
    """A text, and at each of its places the number of the letters that follow."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._numbers: Array | None = None

    def numbers(self) -> Array:
        """One for each place but the last; they are worked out once."""
        if self._numbers is None:
            self._numbers = _numbers(self.text)
        return self._numbers


class GramTable:
    """What is known, as a table of numbers; another thread may add to it meanwhile."""

    def __init__(self) -> None:
        self._anchors: list[str] = []
        self._sieved = 0  # of them stand in the table
        self._table: Array | None = None

    def add(self, anchor: str) -> None:
        """Let places pass where these letters stand."""
        self._anchors.append(anchor)

    def places(self, grams: TextGrams) -> Sequence[int]:
        """Where one of the anchors may stand, in order; some of them will turn out to be others."""
        passes = self._read()[grams.numbers()]
        found: list[int] = passes.nonzero()[0].tolist()
        return found

    def _read(self) -> Array:
        load_numpy()
        import numpy as np

        count = len(self._anchors)
        table = np.zeros(1 << _BITS, np.bool_) if self._table is None else self._table
        if self._sieved < count:
            table[_numbers("".join(self._anchors[self._sieved : count]))[::GRAM_SIZE]] = True
            self._table, self._sieved = table, count  # only now: who looks meanwhile reads the same anchors again
        return table


def _numbers(text: str) -> Array:
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


ANCHOR = GRAM_SIZE  # letters a value is filed under; shorter values are not swept, or half of all text would be
FEWEST_DIGITS = 7
FEWEST_BARE = 7  # letters and digits of a value that is found without what separates them
LONGEST = 400
SHORTEST_WORD = 3  # letters of a part of a name that is looked for alone
LONG_WORD = 6  # letters of a word that is looked for without a capital

_FEW = 16  # values that are searched for one after the other, in any text
_FEW_IN_SHORT = 150  # and in a text that is no longer than this is
_SHORT = 1_000
_WORD = re.compile(r"[^\W\d_]+")


class ValueMatch(Struct, frozen=True):
    """A known value somewhere in a text."""

    start: int
    end: int
    value: str  # folded, as it was filed


class AnchorIndex:
    """Values by their first letters and their length."""

    def __init__(self) -> None:
        self._lengths: dict[str, dict[int, set[str]]] = {}
        self._sieve = GramTable()

    def add(self, value: str) -> None:
        if ANCHOR <= len(value) <= LONGEST:
            anchor = value[:ANCHOR]
            new = anchor not in self._lengths
            self._lengths.setdefault(anchor, {}).setdefault(len(value), set()).add(value)
            if new:
                self._sieve.add(anchor)

    def find(self, grams: TextGrams) -> Iterator[tuple[int, str]]:
        """Where each value starts; the longest at each place."""
        known, text = self._lengths, grams.text
        for at in self._places(grams) if known else ():
            lengths = known.get(text[at : at + ANCHOR])
            for length, values in sorted(lengths.items(), reverse=True) if lengths else ():
                if (stretch := text[at : at + length]) in values:
                    yield at, stretch
                    break

    def _places(self, grams: TextGrams) -> Sequence[int]:
        """Where a value may begin: by searching for each, by looking at every place, or at all of them at once."""
        known, text = self._lengths, grams.text
        short = len(text) < _SHORT
        if len(known) <= (min(_FEW_IN_SHORT, len(text) // 2) if short else _FEW):
            return find_words(text, tuple(known))
        if short:
            return [at for at in range(len(text) - ANCHOR + 1) if text[at : at + ANCHOR] in known]
        return self._sieve.places(grams)


class ValueIndex:
    """The values of one session and all the ways they may be written."""

    def __init__(self) -> None:
        self._plain = AnchorIndex()
        self._reversed = AnchorIndex()
        self._digits = AnchorIndex()
        self._filled = False
        self._bare = AnchorIndex()  # values without what separates their words
        self._spelled: dict[str, str] = {}  # such a value → the folded one
        self._words: dict[str, str] = {}  # a word as it is written → the folded value it belongs to
        self._numbers: dict[str, str] = {}  # digits alone → the value they belong to

    def add(self, value: str, *, numeric: bool = True, worded: bool = False) -> None:
        """File a value; it is found in any case from now on, single words and parts of names only as written."""
        folded = fold(value)
        self._filled = True
        if worded or folded.isalpha():
            self._add_words(value, folded)
        if folded.isalpha() or (folded.isdigit() and len(folded) < FEWEST_DIGITS):
            return
        self._plain.add(folded)
        self._reversed.add(folded[::-1])
        digits = "".join(filter(str.isdigit, folded)) if numeric and "@" not in folded else ""
        if len(digits) >= FEWEST_DIGITS:
            self._numbers.setdefault(digits, folded)  # before it can be found: another thread may be looking
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
            long = len(word) >= (SHORTEST_WORD if word[0].isupper() else LONG_WORD)
            if long and word.lower() not in COMMON_WORDS:
                self._words.setdefault(word, folded)

    def __bool__(self) -> bool:
        return self._filled

    def number(self, drop_separators: str) -> str | None:
        """The folded value whose digits alone these are."""
        return self._numbers.get(drop_separators)

    def stands_in(self, text: str) -> bool:
        """Whether a value stands there as it is; single words are not looked for, they stand in any rubbish."""
        return next(self._plain.find(TextGrams(fold(text))), None) is not None

    def find(self, text: str) -> Iterator[ValueMatch]:
        """Every known value in this text, in any of its writings."""
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
        for seen in _through(DigitsOnly(folded), self._digits):
            yield ValueMatch(seen.start, seen.end, self._numbers[seen.value])
        if self._spelled:
            for seen in _through(WithoutSeparators(folded), self._bare):
                if folded[seen.start : seen.end] != (value := self._spelled[seen.value]):  # that was found above
                    yield ValueMatch(seen.start, seen.end, value)
        for view in decoded_texts(text):
            view.text = fold(view.text)
            yield from _through(view, self._plain)


def _through(view: DecodedText | DigitsOnly | WithoutSeparators, index: AnchorIndex) -> Iterator[ValueMatch]:
    for at, value in index.find(TextGrams(view.text)):
        if place := view.origin(at, at + len(value)):
            yield ValueMatch(*place, value)


def fold(text: str) -> str:
    """Lower case and plain, letter by letter, so that positions stay: letters that would become two are kept."""
    return _lowered(plain(text))


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
