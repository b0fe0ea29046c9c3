"""Every value of a session, found again in any text: in one pass however many values there are.

Each value is filed under its first letters; a pass looks up every stretch of that length, all at once in a long text,
and only where one is known compares whole values, by length. Ten thousand values cost the same as ten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.privacy.common import WORDS
from workbench.privacy.grams import SIZE, Grams, Sieve
from workbench.privacy.letters import plain
from workbench.privacy.spots import each, spots
from workbench.privacy.views import Bare, Digits, View, bare, views
from workbench.quick_records import dataclass

ANCHOR = SIZE  # letters a value is filed under; shorter values are not swept, or half of all text would be
FEWEST_DIGITS = 7
FEWEST_BARE = 7  # letters and digits of a value that is found without what separates them
LONGEST = 400
SHORTEST_WORD = 3  # letters of a part of a name that is looked for alone
LONG_WORD = 6  # letters of a word that is looked for without a capital

_FEW = 16  # values that are searched for one after the other, in any text
_FEW_IN_SHORT = 150  # and in a text that is no longer than this is
_SHORT = 1_000
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Seen:
    """A known value somewhere in a text."""

    start: int
    end: int
    value: str  # folded, as it was filed


class Index:
    """Values by their first letters and their length."""

    def __init__(self) -> None:
        self._lengths: dict[str, dict[int, set[str]]] = {}
        self._sieve = Sieve()

    def add(self, value: str) -> None:
        if ANCHOR <= len(value) <= LONGEST:
            anchor = value[:ANCHOR]
            new = anchor not in self._lengths
            self._lengths.setdefault(anchor, {}).setdefault(len(value), set()).add(value)
            if new:
                self._sieve.add(anchor)

    def __bool__(self) -> bool:
        return bool(self._lengths)

    def find(self, grams: Grams) -> Iterator[tuple[int, str]]:
        """Where each value starts; the longest at each place."""
        known, text = self._lengths, grams.text
        for at in self._places(grams) if known else ():
            lengths = known.get(text[at : at + ANCHOR])
            for length, values in sorted(lengths.items(), reverse=True) if lengths else ():
                if (stretch := text[at : at + length]) in values:
                    yield at, stretch
                    break

    def _places(self, grams: Grams) -> Sequence[int]:
        """Where a value may begin: by searching for each, by looking at every place, or at all of them at once."""
        known, text = self._lengths, grams.text
        short = len(text) < _SHORT
        if len(known) <= (min(_FEW_IN_SHORT, len(text) // 2) if short else _FEW):
            return spots(text, tuple(known))
        if short:
            return [at for at in range(len(text) - ANCHOR + 1) if text[at : at + ANCHOR] in known]
        return self._sieve.places(grams)


class Known:
    """The values of one session and all the ways they may be written."""

    def __init__(self) -> None:
        self._plain = Index()
        self._reversed = Index()
        self._digits = Index()
        self._bare = Index()  # values without what separates their words
        self._spelled: dict[str, str] = {}  # such a value → the folded one
        self._words: dict[str, str] = {}  # a word as it is written → the folded value it belongs to
        self._numbers: dict[str, str] = {}  # digits alone → the value they belong to

    def add(self, value: str, *, numeric: bool = True, worded: bool = False) -> None:
        """File a value; it is found in any case from now on, single words and parts of names only as written."""
        folded = fold(value)
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
        for spelled in {bare(folded), "".join(filter(str.isalnum, folded))}:
            if len(spelled) >= FEWEST_BARE and spelled != folded:
                self._spelled.setdefault(spelled, folded)
                self._bare.add(spelled)

    def _add_words(self, value: str, folded: str) -> None:
        for word in _WORD.findall(value):
            long = len(word) >= (SHORTEST_WORD if word[0].isupper() else LONG_WORD)
            if long and word.lower() not in WORDS:
                self._words.setdefault(word, folded)

    def number(self, bare: str) -> str | None:
        """The folded value whose digits alone these are."""
        return self._numbers.get(bare)

    def stands_in(self, text: str) -> bool:
        """Whether a value stands there as it is; single words are not looked for, they stand in any rubbish."""
        return next(self._plain.find(Grams(fold(text))), None) is not None

    def find(self, text: str) -> Iterator[Seen]:
        """Every known value in this text, in any of its writings."""
        if not (self._plain or self._words or self._digits):
            return
        text = plain(text)
        folded = _lowered(text)
        grams = Grams(folded)
        yield from (Seen(at, at + len(value), value) for at, value in self._plain.find(grams))
        yield from (Seen(at, at + len(value), value[::-1]) for at, value in self._reversed.find(grams))
        if self._words:
            words = self._words
            yield from (Seen(*m.span(), words[m.group()]) for m in each(_WORD, text) if m.group() in words)
        for seen in _through(Digits(folded), self._digits):
            yield Seen(seen.start, seen.end, self._numbers[seen.value])
        if self._bare:
            for seen in _through(Bare(folded), self._bare):
                if folded[seen.start : seen.end] != (value := self._spelled[seen.value]):  # that was found above
                    yield Seen(seen.start, seen.end, value)
        for view in views(text):
            view.text = fold(view.text)
            yield from _through(view, self._plain)


def _through(view: View | Digits | Bare, index: Index) -> Iterator[Seen]:
    for at, value in index.find(Grams(view.text)):
        if place := view.origin(at, at + len(value)):
            yield Seen(*place, value)


def fold(text: str) -> str:
    """Lower case and plain, letter by letter, so that positions stay: letters that would become two are kept."""
    return _lowered(plain(text))


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
