"""Index of what a session has read from text that outsiders can write, or from private data; finds the source of call
arguments. It covers all runs of the session, because an agent writes the next program after reading the output of the
last one.

Recording an answer is cheap: answers are indexed only when a call that could do harm is judged, once each. The index
holds hashes of words in Bloom filters, and the newest answers themselves, to show the user where a value was found.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from threading import Lock
from typing import Final

from msgspec import Struct

from workbench.broker.comparable_text import (
    answer_text,
    clean,
    decoded_readings,
    identifying_parts,
    joined_numbers,
    split_words,
)
from workbench.offload import SOURCE_INDEXING

PHRASE: Final = 5  # consecutive words that are unlikely to occur twice by chance
_MOST_RECENT: Final = 100_000  # hashes held in a set, which is faster; more are added to the bits
_BITS: Final = 1 << 25
_MOST: Final = 3_000_000  # hashes in the bits; with more, false positives are too frequent
_BLOCK: Final = 50_000  # words processed at a time


class NgramBloomFilter:
    """Bloom filter over single words, word pairs and 5-grams of any number of texts."""

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._bits = bytearray()
        self._flushed = 0

    @property
    def full(self) -> bool:
        """Whether it holds too many words to be reliable: every value must be suspected then."""
        return self._flushed > _MOST

    def add(self, words: Sequence[str]) -> None:
        for start in range(0, len(words), _BLOCK):
            block = words[start : start + _BLOCK + PHRASE]
            self._recent.update(map(hash, block))
            self._recent.update(map(hash, pairwise(block)))
            self._recent.update(map(hash, phrases(block)))
            if len(self._recent) > _MOST_RECENT:
                self._flush()

    def has(self, words: Sequence[str]) -> bool:
        """Whether these words occurred in this order, as far as pairs can show."""
        if len(words) == 1:
            return self._known(hash(words[0]))
        return all(self._known(hash(pair)) for pair in pairwise(words))

    def shared(self, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield the 5-grams of these words that occurred in the texts."""
        return (phrase for phrase in phrases(words) if self._known(hash(phrase)))

    def _known(self, number: int) -> bool:
        if number in self._recent:
            return True
        bits = self._bits
        return bool(bits) and all(bits[place >> 3] & (1 << (place & 7)) for place in _places(number))

    def _flush(self) -> None:
        if not self._bits:
            self._bits = bytearray(_BITS >> 3)
        if not self.full:
            bits = self._bits
            for number in self._recent:
                for place in _places(number):
                    bits[place >> 3] |= 1 << (place & 7)
        self._flushed += len(self._recent)
        self._recent.clear()


def phrases(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Return all 5-grams of the words."""
    return zip(*(words[start:] for start in range(PHRASE)), strict=False)


def _places(number: int) -> tuple[int, int, int]:
    # mixed, because hashes of pairs differ little in their low bits
    mixed = number * 0x9E3779B97F4A7C15 & 0xFFFF_FFFF_FFFF_FFFF
    return number & _BITS - 1, mixed >> 39, mixed >> 14 & _BITS - 1


UNTRUSTED: Final = "untrusted"
PRIVATE: Final = "private"
KEPT_LETTERS: Final = 4_000_000  # characters of answers that a session keeps, newest first
KEPT_READS: Final = 2_000  # answers whose source a session keeps
MOST_UNINDEXED: Final = (
    32_000_000  # characters of answers that wait to be indexed; more are indexed without waiting for a call
)
_MOST_READS: Final = 20_000
AROUND: Final = 90  # characters shown before and after a match
MOST_ACCEPTED: Final = 2_000  # remembered addresses that reading calls used without approval
_FEWEST: Final = 6  # minimum characters of a distinctive value
_FEWEST_PLAIN: Final = 12  # minimum characters, if the value consists of ordinary words
_LONGEST_ATOM: Final = 200_000  # characters of one argument that are searched for addresses and numbers
_MOST_ATOMS: Final = 2_000  # addresses and numbers of one argument that are looked up
_LOOKED_UP: Final = 20  # matches that are verified in the answers themselves; further ones rely on the filter alone
_READABLE: Final = 300_000  # characters of an answer that are also indexed in decoded forms
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]+")


def _is_nothing_known(part: Sequence[str]) -> bool:
    return False


class AnswerRead(Struct, frozen=True):
    """One answer that a program of the session received."""

    call_id: str
    run_id: str
    server: str
    tool: str
    kinds: frozenset[str]
    texts: tuple[str, ...]


class FoundSource(Struct, frozen=True):
    """The source of an argument value or of a part of it."""

    kinds: frozenset[str]
    matched_words: tuple[str, ...]  # words of the value that matched
    read: AnswerRead | None = None  # None: the answer is no longer kept
    excerpt: str = ""  # text around the match; the match is between \x02 and \x03


class ProvenanceIndex:
    """Provenance index of one session. Call `learn` after each answer, `find_sources` before a call that could do
    harm."""

    def __init__(self) -> None:
        self.kinds: frozenset[str] = frozenset()  # kinds of everything read
        self.private_servers: frozenset[str] = (
            frozenset()
        )  # servers whose private data was read; "": no longer known which
        self.accepted_addresses: set[str] = set()  # addresses that reading calls used before without any objection
        self.last_read_at = 0.0  # time of the last read answer
        self.called_outside = False  # whether a tool that can send data outside was called
        self._unindexed: deque[AnswerRead] = deque()
        self._weight = 0  # characters not yet indexed
        self._kept: deque[AnswerRead] = deque()
        self._letters = 0
        self._dropped: frozenset[str] = frozenset()  # kinds of answers that are no longer kept
        self._filters: dict[frozenset[str], NgramBloomFilter] = {}
        self._index_lock = Lock()

    def learn(self, read: AnswerRead) -> None:
        """Record an answer; it is indexed later."""
        self.last_read_at = time.time()
        if read.kinds - self.kinds:
            self.kinds |= read.kinds
        if PRIVATE in read.kinds:
            self.private_servers |= {read.server}
        self._unindexed.append(read)
        self._weight += sum(map(len, read.texts))

    @property
    def characters(self) -> int:
        """Return the number of characters of held answers."""
        return self._letters + self._weight

    @property
    def needs_thread(self) -> bool:
        """Whether there is so much to index that it must be done on a thread, or a thread is indexing."""
        return self._weight > SOURCE_INDEXING.limit or self._index_lock.locked()

    @property
    def must_index(self) -> bool:
        """Whether the waiting answers should be indexed now, without waiting for a call."""
        return self._weight > MOST_UNINDEXED or len(self._unindexed) > _MOST_READS

    def index_answers(self) -> None:
        """Index the answers received since the last time; may run on a thread."""
        with self._index_lock:
            self._weight = 0
            while self._unindexed:  # the event loop may add more meanwhile
                self._index_answer(self._unindexed.popleft())

    def find_sources(
        self,
        text: str,
        kinds: frozenset[str],
        *,
        names: bool = False,
        known: Callable[[Sequence[str]], bool] = _is_nothing_known,
    ) -> tuple[FoundSource, ...]:
        """Find the sources of a text in answers of these kinds. `names`: the text names a destination, so a single
        short word counts too, and the reversed text is checked as well. `known`: parts to ignore because the user
        wrote or read them; parts next to them are still checked."""
        found: dict[frozenset[str], FoundSource] = {}
        for reading in chain(decoded_readings(text), [text[::-1]] if names else ()):
            for kind, ngrams in tuple(self._filters.items()):
                if kind in found or not kind & kinds:
                    continue
                if came := self._match(reading, kind, ngrams, known, names=names):
                    found[kind] = came
        return tuple(found.values())

    def accept_addresses(self, texts: Iterable[str]) -> None:
        """Remember addresses that reading calls used without any objection."""
        if len(self.accepted_addresses) < MOST_ACCEPTED:
            self.accepted_addresses.update(texts)

    def is_public(self, text: str) -> bool:
        """Whether an answer that is not private contains the complete text."""
        text = clean(text)
        public = (read for read in tuple(self._kept) if PRIVATE not in read.kinds)
        return any(text in one for read in public for one in read.texts)

    # ── matching ─────────────────────────────────────────────────────────────────────────────────
    def _match(
        self,
        text: str,
        kinds: frozenset[str],
        ngrams: NgramBloomFilter,
        known: Callable[[Sequence[str]], bool],
        *,
        names: bool,
    ) -> FoundSource | None:
        said = split_words(text)
        if ngrams.full and _is_distinctive(said) and not known(said):
            return FoundSource(kinds, tuple(said[:PHRASE]))
        parts = (part for part in _parts(text, said, names=names) if ngrams.has(part))
        strange = (part for part in chain(parts, ngrams.shared(said)) if not known(part))
        for number, part in enumerate(strange):
            if number >= _LOOKED_UP:
                return FoundSource(kinds, tuple(part))
            if came := self._confirm_match(part, kinds):
                return came
        return None

    def _confirm_match(self, part: Sequence[str], kinds: frozenset[str]) -> FoundSource | None:
        """Find the answer that contains a match; the filter alone decides only for answers that are no longer kept."""
        pattern = re.compile(r"[\W_]*".join(map(re.escape, part)), re.IGNORECASE)
        for read in reversed(tuple(self._kept)):  # a thread may be indexing for a different run
            if read.kinds == kinds and (around := _around(pattern, read.texts)):
                return FoundSource(kinds, tuple(part), read, around)
        return FoundSource(kinds, tuple(part)) if kinds <= self._dropped else None

    # ── indexing ─────────────────────────────────────────────────────────────────────────────────
    def _index_answer(self, read: AnswerRead) -> None:
        ngrams = self._filters.setdefault(read.kinds, NgramBloomFilter())
        texts = tuple(clean(answer_text(text)) for text in read.texts)
        other: list[str] = []
        for text in texts:
            ngrams.add(split_words(text))
            for number in joined_numbers(text):
                ngrams.add([number])
                other.append(number)
            hidden = (
                UNTRUSTED in read.kinds and len(text) <= _READABLE
            )  # outsiders may encode instructions that an agent is to decode
            decoded = [*decoded_readings(text)][1:] if hidden else ()
            for view in decoded:
                ngrams.add(split_words(view))
            other += map(clean, decoded)
            if not text.isascii() and (folded := text.casefold()) != text.lower():
                other.append(folded)  # characters whose lower-case form has two characters
        self._keep(AnswerRead(read.call_id, read.run_id, read.server, read.tool, read.kinds, (*texts, *other)))

    def _keep(self, read: AnswerRead) -> None:
        self._kept.append(read)
        self._letters += sum(map(len, read.texts))
        while self._letters > KEPT_LETTERS or len(self._kept) > KEPT_READS:
            # before the answer is dropped, because a thread may be searching meanwhile
            self._dropped |= self._kept[0].kinds
            self._letters -= sum(map(len, self._kept.popleft().texts))


def _parts(text: str, said: list[str], *, names: bool) -> Iterable[list[str]]:
    """Yield the parts of a text that are looked up as a whole: the text itself if it is short, and each address or
    number in it."""
    if len(said) < PHRASE and (_is_distinctive(said) or (names and len("".join(said)) > 2)):
        yield said
    text = text[:_LONGEST_ATOM]
    yield from ([number] for number in joined_numbers(text))
    yield from islice((atom for atom in identifying_parts(text) if _is_distinctive(atom, _FEWEST)), _MOST_ATOMS)


def _is_distinctive(part: Sequence[str], least: int = _FEWEST_PLAIN) -> bool:
    """Whether a match of this part is meaningful: `5` and `open` occur everywhere."""
    letters = "".join(part)
    weight = len(letters) if letters.isascii() else 2 * len(letters)
    return weight >= (_FEWEST if any(map(str.isdigit, letters)) else least)


def _around(pattern: re.Pattern[str], texts: Sequence[str]) -> str:
    for text in texts:
        if match := pattern.search(text):
            before = text[max(0, match.start() - AROUND) : match.start()]
            after = text[match.end() : match.end() + AROUND]
            before, found, after = (_ODD.sub("·", part) for part in (before, match.group(), after))
            return f"{before}\x02{found}\x03{after}"
    return ""
