"""Finds the passages of a session's answers that share words with an outgoing text, to search them for personal data.

Cost is proportional to the outgoing text: its words and word pairs are looked up in the index, rare ones first, and
each is read in a few of its places; in one place only if the words around it are the same. What is decoded from the
text (base64, URLs, escapes, reversed letters, missing separators) is looked up too.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workbench.privacy.answer_index import OVERLAP, AnswerIndex, Document, readable
from workbench.privacy.answer_passages import passages
from workbench.privacy.decoded_text import FEWEST, decoded_texts, without_breaks
from workbench.privacy.detectors.person_names import is_known_first_name
from workbench.privacy.detectors.text_search import find_matches
from workbench.privacy.value_index import is_worth_finding
from workbench.privacy.word_hashes import LONGEST, WordHashes, hash_words, pair_hashes, substring_hashes
from workbench.records import JsonValue
from workbench.thread_cancellation import check_cancelled

if TYPE_CHECKING:
    import numpy as np

    from workbench.privacy.value_store import Source

    Array = np.ndarray[Any, Any]  # Any: numpy's own parameters

_PIECE: Final = 16_000  # characters of a text that are hashed at once
_PIECES: Final = 8  # that are looked up together
_BORDER: Final = "\n\0\n"  # between views that are hashed together
_CONTEXTS: Final = 3  # places in which a word is read
_PAIR_CONTEXTS: Final = 2
_PHRASE: Final = 6  # consecutive words that are the same in text and answer: one place is enough
_PAGES_FOR_A_WORD: Final = 6  # that are opened for further places of a word
_MOST_IN_PAGE: Final = 20  # documents of a page in which a word is read
_MOST_TRIES: Final = 20  # pages that are opened for the first place, because a page may not contain the word after all
_PAGES_PER_KB: Final = 10  # for 1,000 characters of an outgoing text; more are opened only for first places of words
_FEWEST_PAGES: Final = 64
_AT_ONCE: Final = 128  # pages that are opened before their passages are read, while they are decompressed
_RECENT: Final = 8  # texts; lines of them need no second look
_TABLE_BITS: Final = 18
_MOST_PAGES_OF_A_VALUE: Final = 50  # in which a value is searched that a call would send to its server
_ORDINARY: Final = 0.12  # share of all pages; a pair in more of them is ordinary, as keys of records are
_FEW_PAGES: Final = 32
_DECODED: Final = 1_000_000  # characters; only of shorter texts the decoded forms are looked up
_SPLIT: Final = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_GLUED: Final = range(6, 41)  # characters of a word that may consist of several without separators
_GLUED_DIGITS: Final = range(8, 41)
_LONGEST_MIXED: Final = 20  # the same of a word of letters and digits
_MOST_GLUED: Final = 400
_GROUPS: Final = re.compile(r"\d{1,9}(?:[ ._/'’-]\d{1,9}){1,9}")  # a number in groups
_HASHES: Final = 20_000  # that are looked up at once
_MOST_PAIRS: Final = 20  # pairs inside one word whose places are searched
_PHRASE_WORDS: Final = 2_000  # words that are compared at once
_PART: Final = range(1, 21)  # characters of a word inside


class AnswerLookup:
    """Looks up outgoing texts in the answers of one session."""

    def __init__(self, index: AnswerIndex, *, marks: bool = True) -> None:
        """`marks`: what is found counts as searched."""
        self._index = index
        self._marks = marks
        self._lock = Lock()
        # the words and pairs that were looked up, and those that do occur; emptied when `_unread` has changed
        self._looked_up: set[int] = set()
        self._occurring: set[int] = set()
        self._recent: deque[str] = deque(maxlen=_RECENT)  # texts that were looked up, likewise
        self._unread = 0

    def find(self, text: str) -> Iterator[tuple[JsonValue, Source]]:
        """The values around words of this text that were not searched for personal data yet, with their sources. They
        count as searched when the last one was taken, so that another thread does not rely on them before."""
        import numpy as np

        index = self._index
        unread, round_number = index.unread, index.round if self._marks else -1
        if not index:
            return
        index.index()
        with self._lock:
            if unread != self._unread:
                self._unread = unread
                self._looked_up, self._occurring = set(), set()
                self._recent.clear()
            looked_up, occurring = self._looked_up, self._occurring
            if any(f"\n{text}\n" in one for one in self._recent):
                return
        pieces = [*self._hashed(text)]
        phrases = _HashSet(np.unique(np.concatenate([piece.words.phrases(_PHRASE) for piece in pieces])))
        most = max(_FEWEST_PAGES, _PAGES_PER_KB * len(text) // 1000)
        for wanted in (self._pairs_and_lone_words, self._words_without_pairs):
            new = {number: count for number, count in wanted(pieces, occurring).items() if number not in looked_up}
            seen: list[int] = []
            for places in self._places(new, phrases, most, seen):
                for document, positions in places.items():
                    check_cancelled()
                    for value in passages(index, document, sorted(positions), round_number):
                        yield value, document.source
            with self._lock:  # sets of a state that is over are not used again
                looked_up.update(new)
                occurring.update(seen)
        with self._lock:
            if unread == self._unread and len(text) <= _PIECE:
                self._recent.append(f"\n{text}\n")

    def occurs(self, text: str, server: str) -> bool:
        """Whether an answer of this server contains a text, as far as its words show."""
        import numpy as np

        if not self._index or not text:
            return False
        self._index.index()
        sought = hash_words(text[:LONGEST])
        if not len(sought.hashes):
            return False
        parts = np.concatenate((sought.hashes, sought.pairs()))
        column = np.bitwise_and.reduce(self._index.page_masks(parts), axis=1)
        for page in islice(_pages(column), _MOST_PAGES_OF_A_VALUE):
            start, shown = self._index.page_text(page)
            words = hash_words(readable(shown))
            for at in np.flatnonzero(words.hashes == sought.hashes[0]).tolist():
                same = words.hashes[at : at + len(sought.hashes)]
                if np.array_equal(same, sought.hashes):
                    source = self._index.document_at(start + int(words.starts[at])).source
                    if server == (source if isinstance(source, str) else source.server):
                        return True
        return False

    def possible_places(self, text: str) -> Iterator[tuple[Document, str, int]]:
        """Documents in which the words of a short text may occur in a row, or a word in several parts, with the text of
        the page and the position from which to search in it."""
        import numpy as np

        if not self._index:
            return
        self._index.index()
        sought = hash_words(text[:LONGEST])
        column = np.bitwise_and.reduce(self._index.page_masks(np.concatenate((sought.hashes, sought.pairs()))), axis=1)
        first = sought.hashes[:1]
        for page in _pages(column):
            yield from self._places_in(page, first, length=len(sought.hashes), whole=sought.hashes)
        if len(sought.hashes) == 1 and _may_be_glued(text):
            for pair in self._pairs_inside([text])[:_MOST_PAIRS]:
                hashes = np.array([pair], np.uint64)
                for page in _pages(self._index.page_masks(hashes)[:, 0]):
                    yield from self._places_in(page, hashes, length=2)

    def _places_in(
        self, page: int, first: Array, *, length: int, whole: Array | None = None
    ) -> Iterator[tuple[Document, str, int]]:
        """Where a page has words in a row: those of `whole`, else the pair `first`."""
        import numpy as np

        start, shown = self._index.page_text(page)
        shown = readable(shown)
        words = hash_words(shown)
        numbers = words.hashes if whole is not None else words.pairs()
        for at in np.flatnonzero(numbers == first[0]).tolist():
            if whole is None or np.array_equal(words.hashes[at : at + length], whole):
                position = int(words.starts[at])
                begin = position if whole is not None else max(0, position - _GLUED[-1] * 2)
                yield self._index.document_at(start + position), shown, begin

    def possible_phrases(self, text: str, count: int) -> list[int]:
        """The numbers of the words with which phrases of so many words begin that may occur in the answers."""
        import numpy as np

        if not self._index:
            return []
        self._index.index()
        found: list[int] = []
        words = text.split(" ")
        for begin in range(0, len(words), _PHRASE_WORDS):
            block = hash_words(" ".join(words[begin : begin + _PHRASE_WORDS + count - 1])[:LONGEST])
            masks = self._index.page_masks(block.pairs())
            size = masks.shape[1] - count + 2
            if size <= 0:
                continue
            together = masks[:, :size].copy()
            for shift in range(1, count - 1):
                together &= masks[:, shift : shift + size]
            found += [begin + int(one) for one in np.flatnonzero(together.any(axis=0))]
        return sorted(set(found))

    # ── what is looked up ────────────────────────────────────────────────────────────────────────
    def _hashed(self, text: str) -> Iterator[_Piece]:
        """The views of a text in pieces, with the pairs of words that may occur in the answers."""
        import numpy as np

        most = self._most_frequent()
        pieces = _pieces(text)
        while some := [(*piece, hash_words(readable(piece[0]))) for piece in islice(pieces, _PIECES)]:
            hashed = [(piece, may_be_glued, words, words.pairs()) for piece, may_be_glued, words in some]
            numbers = np.unique(
                np.concatenate([part for _, _, words, pairs in hashed for part in (words.hashes, pairs)])
            )
            masks = self._index.page_masks(numbers)  # once for pieces that have most words in common
            for piece, may_be_glued, words, pairs in hashed:
                single = masks[:, np.searchsorted(numbers, words.hashes)]
                together = masks[:, np.searchsorted(numbers, pairs)] & single[:, :-1] & single[:, 1:]
                frequencies = np.bitwise_count(together).sum(axis=0)
                possible = (frequencies > 0) & (frequencies <= most)
                yield _Piece(piece, may_be_glued, words, pairs, possible, frequencies > most)

    def _pairs_and_lone_words(self, pieces: Sequence[_Piece], _: Set[int]) -> dict[int, int]:
        """The hashes of pairs that may occur, and of words outside of such pairs, with the number of places in which
        each is read."""
        wanted: dict[int, int] = {}
        for piece in pieces:
            wanted.update(dict.fromkeys(piece.pairs[piece.possible].tolist(), _PAIR_CONTEXTS))
            wanted.update(dict.fromkeys(piece.ordinary_names(), 1))
            wanted.update((number, _CONTEXTS) for _, number in piece.words_outside(piece.possible))
        return wanted

    def _words_without_pairs(self, pieces: Sequence[_Piece], occurring: Set[int]) -> dict[int, int]:
        """The hashes of words whose pairs do not occur after all, and of pairs inside words that do not occur."""
        import numpy as np

        known = np.fromiter(occurring, np.uint64, len(occurring))
        wanted: dict[int, int] = {}
        glued: dict[str, None] = {}
        for piece in pieces:
            for word, number in piece.words_outside(np.isin(piece.pairs, known)):
                wanted[number] = _CONTEXTS
                if piece.may_be_glued and number not in occurring and _may_be_glued(word):
                    glued[word] = None
        inside = self._pairs_inside(self._not_searched(list(glued))[:_MOST_GLUED])
        return wanted | dict.fromkeys(inside.tolist(), _PAIR_CONTEXTS)

    def _not_searched(self, words: Sequence[str]) -> Sequence[str]:
        """Those of the words that occur in no page that was searched as a whole."""
        import numpy as np

        hashes = np.array([int(hash_words(word).hashes[0]) for word in words], np.uint64)
        read = self._index.page_masks(hashes) & ~self._index.unread_pages()[:, np.newaxis]
        known = np.bitwise_or.reduce(read, axis=0) != 0
        return [word for word, is_known in zip(words, known.tolist(), strict=True) if not is_known]

    def _most_frequent(self) -> int:
        """The number of pages in which a pair may occur; a more frequent one is ordinary."""
        return max(_FEW_PAGES, int(_ORDINARY * self._index.pages))

    def _pairs_inside(self, words: Sequence[str]) -> Array:
        """Hashes of two consecutive parts of a word that consists of parts which occur in the answers beside each
        other: `rosalund` may be `Rosa Lund`."""
        import numpy as np

        none = np.zeros(0, np.uint64)
        spans = [_spans(len(word), 2 if word.isdigit() else 1) for word in words]
        parts = [substring_hashes(word, *one) for word, one in zip(words, spans, strict=True)]
        known = np.split(self._may_occur(np.concatenate([none, *parts])), np.cumsum([len(one) for one in parts]))
        chains: list[_Chain] = []
        for word, (starts, ends), hashes, which in zip(words, spans, parts, known, strict=False):
            starts, ends, hashes = starts[which], ends[which], hashes[which]
            first, second = np.nonzero(ends[:, np.newaxis] == starts)
            pairs = pair_hashes(hashes[first], hashes[second])
            chains.append(_Chain(pairs, first, second, starts == 0, ends == len(word)))
        sizes = np.cumsum([len(chain.pairs) for chain in chains])
        exist = np.split(self._may_occur(np.concatenate([none, *(chain.pairs for chain in chains)])), sizes)
        found = [chain.through(which) for chain, which in zip(chains, exist, strict=False)]
        return np.unique(np.concatenate([none, *found]))

    def _may_occur(self, hashes: Array) -> Array:
        """Which of these words or pairs may occur in the answers."""
        import numpy as np

        found = np.zeros(len(hashes), np.bool_)
        for at in range(0, len(hashes), _HASHES):
            found[at : at + _HASHES] = self._index.page_masks(hashes[at : at + _HASHES]).any(axis=0)
        return found

    # ── where it occurs ──────────────────────────────────────────────────────────────────────────
    def _places(
        self, wanted: dict[int, int], phrases: _HashSet, most: int, seen: list[int]
    ) -> Iterator[dict[Document, set[int]]]:
        """Documents with positions of the wanted words, for some pages at a time; the words that do occur are added to
        `seen`. Each word is read in one place of each server, so that no server hides what another one says; in other
        places as long as not more than so many pages were opened."""
        import numpy as np

        found: dict[Document, set[int]] = {}
        if not wanted:
            return
        index = self._index
        hashes = np.sort(np.fromiter(wanted, np.uint64, len(wanted)))
        counts = np.fromiter((wanted[number] for number in hashes.tolist()), np.int32, len(hashes))
        masks = index.page_masks(hashes)
        frequencies = np.bitwise_count(masks).sum(axis=0)
        masks &= index.unread_pages()[:, np.newaxis]
        opened: set[int] = set()
        sought, order = _HashSet(hashes), np.argsort(frequencies, kind="stable").tolist()
        servers = index.pages_of_servers()
        needs = np.repeat(counts[:, np.newaxis], len(servers), axis=1)  # of each word, for each server
        for server, pages in enumerate(servers):
            its_masks = masks & pages[:, np.newaxis]
            for at in order:
                tries = 0
                for page in _pages(its_masks[:, at]) if needs[at, server] > 0 else ():
                    need = needs[at, server]
                    is_enough = tries >= _PAGES_FOR_A_WORD or len(opened) >= most
                    if need <= 0 or (is_enough and need < counts[at]) or tries >= _MOST_TRIES:
                        break
                    if page not in opened:
                        check_cancelled()
                        opened.add(page)
                        tries += 1
                        for position in self._read(page, sought, needs, phrases):
                            found.setdefault(index.document_at(position), set()).add(position)
                        if len(opened) % _AT_ONCE == 0:
                            yield found
                            found = {}
        yield found
        seen += hashes[(needs < counts[:, np.newaxis]).any(axis=1)].tolist()

    def _read(self, page: int, wanted: _HashSet, needs: Array, phrases: _HashSet) -> list[int]:
        """The positions in a page where wanted words occur that have not been read often enough; `needs` is updated."""
        import numpy as np

        start, text = self._index.page_text(page)
        starts, servers = self._index.documents_of_page(page)
        words = hash_words(readable(text))
        repeated = np.zeros(len(words.hashes), np.bool_)  # words in a phrase of the text
        same, _ = phrases.find(words.phrases(_PHRASE))
        for distance in range(_PHRASE):
            repeated[same + distance] = True
        places: set[int] = set()
        for numbers in (words.hashes, words.pairs()):
            hits, items = wanted.find(numbers)
            if not len(hits):
                continue
            owners = np.searchsorted(starts, words.starts[hits] + start, side="right") - 1
            groups = items * needs.shape[1] + servers[owners]  # each word in the answers of each server
            order = np.argsort(groups, kind="stable")
            order = order[needs.flat[groups[order]] > 0]
            hits, owners, groups = hits[order], owners[order], groups[order]
            begins = np.ones(len(groups), np.bool_)
            begins[1:] = groups[1:] != groups[:-1]
            rank = np.arange(len(groups))
            rank -= np.maximum.accumulate(np.where(begins, rank, 0))
            begins[1:] |= owners[1:] != owners[:-1]
            inside = repeated[hits]
            taken = (rank < needs.flat[groups]) | (begins & (rank < _MOST_IN_PAGE)) | inside
            places.update((words.starts[hits[taken]] + start).tolist())
            needs.flat[np.unique(groups)] -= 1
            needs.flat[groups[inside]] = 0
        return sorted(places)


class _Chain(NamedTuple):
    """Known parts of a word, and their pairs, sorted by the start of the first part."""

    pairs: Array
    first: Array  # the numbers of the parts of each pair
    second: Array
    begins: Array  # which parts are at the beginning of the word
    ends: Array  # or at its end

    def through(self, exist: Array) -> Array:
        """The existing pairs that are in a sequence of existing pairs from the beginning to the end of the word."""
        begins, ends = self.begins.copy(), self.ends.copy()
        first, second = self.first[exist], self.second[exist]
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            begins[b] |= begins[a]
        for a, b in zip(first[::-1].tolist(), second[::-1].tolist(), strict=True):
            ends[a] |= ends[b]
        found: Array = self.pairs[exist][begins[first] & ends[second]]
        return found


class _Piece(NamedTuple):
    """A piece of a text that is looked up."""

    text: str
    may_be_glued: bool  # its words may consist of several words
    words: WordHashes
    pairs: Array
    possible: Array  # which of the pairs may occur in the answers, in not too many pages
    ordinary: Array  # which of them may occur in many pages

    def ordinary_names(self) -> Iterator[int]:
        """The hashes of the ordinary pairs with a first name, which may be a person that is mentioned often."""
        import numpy as np

        which = np.flatnonzero(self.ordinary)
        firsts = {word for word in self._texts(np.union1d(which, which + 1)) if is_known_first_name(word.title())}
        for number, first, second in zip(
            self.pairs[which].tolist(), self._texts(which), self._texts(which + 1), strict=True
        ):
            if first in firsts or second in firsts:
                yield number

    def _texts(self, which: Array) -> list[str]:
        spans = zip(self.words.starts[which].tolist(), self.words.ends[which].tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]

    def words_outside(self, pairs: Array) -> Iterator[tuple[str, int]]:
        """The words that are not in one of these pairs and that are worth finding, each spelling once, with their
        hashes."""
        import numpy as np

        outside = np.ones(len(self.words.hashes), np.bool_)
        outside[:-1] &= ~pairs
        outside[1:] &= ~pairs
        which = np.flatnonzero(outside)
        found = dict(zip(self._texts(which), self.words.hashes[which].tolist(), strict=True))
        yield from ((word, number) for word, number in found.items() if is_worth_finding(word))


class _HashSet:
    """A sorted set of hashes. Most numbers that are looked up are not in it, so a table is asked first."""

    def __init__(self, hashes: Array) -> None:
        import numpy as np

        self.hashes = hashes
        self._table = np.zeros(1 << _TABLE_BITS, np.bool_)
        self._table[hashes >> np.uint64(64 - _TABLE_BITS)] = True

    def find(self, numbers: Array) -> tuple[Array, Array]:
        """The positions of the numbers that are in the set, and their positions in the set."""
        import numpy as np

        maybe = np.flatnonzero(self._table[numbers >> np.uint64(64 - _TABLE_BITS)])
        if not len(maybe):
            return maybe, maybe
        at = np.searchsorted(self.hashes, numbers[maybe])
        at[at == len(self.hashes)] = 0
        found = self.hashes[at] == numbers[maybe]
        return maybe[found], at[found]


def _pages(column: Array) -> Iterator[int]:
    """The numbers of the pages with a bit in the masks of the segments."""
    for segment in column.nonzero()[0].tolist():
        bits = int(column[segment])
        while bits:
            lowest = bits & -bits
            bits ^= lowest
            yield segment * 64 + lowest.bit_length() - 1


@lru_cache(maxsize=128)
def _spans(length: int, shortest: int) -> tuple[Array, Array]:
    """Starts and ends of the parts of a word of this length."""
    import numpy as np

    sizes = [size for size in _PART if size >= shortest]
    spans = [(start, start + size) for start in range(length) for size in sizes if start + size <= length]
    starts, ends = np.array(spans).T
    return starts, ends


def _may_be_glued(word: str) -> bool:
    """Whether a word may consist of several words without separators."""
    if word.isdigit():
        return len(word) in _GLUED_DIGITS
    return len(word) in _GLUED and (word.isalpha() or len(word) <= _LONGEST_MIXED)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text and what it contains in other encodings, in pieces that are hashed at once, each with whether its words
    may consist of several words. Short texts are joined, because each piece costs 0.1 ms."""
    for views, may_be_glued in (_views(text), True), (_other_views(text), False):
        joined, size = list[str](), 0
        for view in views:
            if size + len(view) > _PIECE and joined:
                yield _BORDER.join(joined), may_be_glued
                joined, size = [], 0
            if len(view) <= _PIECE:
                joined.append(view)
                size += len(view) + len(_BORDER)
            else:
                cuts = range(0, len(view), _PIECE)
                yield from ((view[max(0, at - OVERLAP) : at + _PIECE], may_be_glued) for at in cuts)
        if joined:
            yield _BORDER.join(joined), may_be_glued


def _views(text: str) -> Iterator[str]:
    """The text, what it contains in other encodings, and its numbers without separators."""
    views = (text, *(view.text for view in decoded_texts(text, broken=False))) if len(text) <= _DECODED else (text,)
    for view in views:
        yield view
        if (split := _SPLIT.sub(" ", view)) != view:
            yield split
    numbers = (re.sub(r"\D", "", match.group()) for match in find_matches(_GROUPS, text))
    yield "\n".join(number for number in numbers if len(number) >= FEWEST)


def _other_views(text: str) -> Iterator[str]:
    """The text from its end to its beginning, and without the breaks of its lines."""
    if len(text) <= _DECODED:
        yield text[::-1]
        if "\n" in text:
            yield without_breaks(text).text
