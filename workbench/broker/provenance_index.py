"""Index of what a session has read from text that outsiders can write, or from private data; finds the source of call
arguments. It covers all runs of the session, because an agent writes the next program after reading the output of the
last one.

Answers that the session keeps for masking (`privacy/answer_index.py`) are searched there. Everything else is kept in an
index of its own: what an agent read of files and runs, and what outsiders wrote, decoded, because it may hide
instructions in base64.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from threading import Lock
from typing import Final

from msgspec import Struct

from workbench.broker.comparable_text import (
    clean,
    decoded_readings,
    identifying_parts,
    is_noise,
    joined_numbers,
    split_words,
)
from workbench.offload import ANSWER_INDEXING, SOURCE_INDEXING
from workbench.permissions.tool_verbs import name_words
from workbench.privacy.answer_index import BETWEEN_ANSWERS, AnswerIndex
from workbench.privacy.answer_lookup import AnswerLookup
from workbench.privacy.detectors.detector import SeenTexts
from workbench.records import Place

PHRASE: Final = 5  # consecutive words that are unlikely to occur twice by chance
UNTRUSTED: Final = "untrusted"
PRIVATE: Final = "private"
AROUND: Final = 90  # characters shown before and after a match
MOST_ACCEPTED: Final = 2_000  # remembered addresses that reading calls used without approval
_FEWEST: Final = 6  # minimum characters of a distinctive value
_FEWEST_PLAIN: Final = 12  # minimum characters, if the value consists of ordinary words
_LONGEST_ATOM: Final = 200_000  # characters of one argument that are searched for addresses and numbers
_MOST_ATOMS: Final = 2_000  # addresses and numbers of one argument that are looked up
_LOOKED_UP: Final = 40  # parts of one text that are searched in the answers
_MOST_PLACES: Final = 12  # pages of one index in which one part is searched
_PHRASES: Final = 4_000  # words of a text that are compared at once
_READABLE: Final = 300_000  # characters of an answer that are also indexed in decoded forms
_MOST_IDENTIFIERS: Final = 50_000  # remembered identifiers of all answers; later ones are not known
_IDENTIFIER = re.compile(r"[\w.:-]{1,64}")
_IDENTIFIER_KEYS: Final = frozenset(
    [
        "id",
        "ids",
        "key",
        "number",
        "no",
        "sid",
        "ts",
        "sha",
        "uid",
        "uuid",
        "guid",
        "iid",
        "ref",
        "slug",
        "cursor",
        "etag",
        "version",
    ]
)
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
    read: AnswerRead | None = None
    excerpt: str = ""  # text around the match; the match is between \x02 and \x03


class ProvenanceIndex:
    """Provenance index of one session. Call `learn` after each answer, `find_sources` before a call that could do
    harm."""

    def __init__(self, answers: AnswerIndex | None = None) -> None:
        """`answers`: the answers that the session keeps for masking."""
        self.kinds: frozenset[str] = frozenset()  # kinds of everything read
        self.private_servers: frozenset[str] = (
            frozenset()
        )  # servers whose private data was read; "": no longer known which
        self.accepted_addresses: set[str] = set()  # addresses that reading calls used before without any objection
        self.last_read_at = 0.0  # time of the last read answer
        self.called_outside = False  # whether a tool that can send data outside was called
        self._own = AnswerIndex()  # texts that are in none of the others
        self._indexes: tuple[AnswerIndex, ...] = (self._own,)
        self._lookups: tuple[AnswerLookup, ...] = (AnswerLookup(self._own),)
        self._learned = SeenTexts()  # texts with their tools
        self._kinds_of: dict[tuple[str, ...], frozenset[str]] = {}  # calls whose answers count, with their kinds
        self._identifiers: set[tuple[str, str]] = set()  # call and identifier, see `returned_identifiers`
        self._undecoded: deque[tuple[Place, tuple[str, ...]]] = deque()
        self._weight = 0  # characters not yet decoded
        self.characters = 0  # of all answers
        self._decoding = Lock()
        if answers is not None:
            self.add_answers(answers)

    def add_answers(self, answers: AnswerIndex) -> None:
        """Also search these answers, which a session keeps for masking."""
        if all(one is not answers for one in self._indexes):
            self._indexes = (*self._indexes, answers)
            self._lookups = (*self._lookups, AnswerLookup(answers))

    def add_kinds(self, other: ProvenanceIndex) -> None:
        """Take over what kinds of text another index has seen."""
        self.kinds |= other.kinds
        self.private_servers |= other.private_servers
        self.last_read_at = max(self.last_read_at, other.last_read_at)

    def add_connection(self, other: ProvenanceIndex) -> None:
        """Take over what a new connection of the same agent has read so far, and search its answers too."""
        self.add_kinds(other)
        self._kinds_of |= other._kinds_of
        self._identifiers |= other._identifiers
        for answers in other._indexes:
            self.add_answers(answers)

    def forget_answers(self) -> None:
        """Release all texts. What kinds were read stays known."""
        with self._decoding:
            self._own = AnswerIndex()
            self._indexes, self._lookups = (self._own,), (AnswerLookup(self._own),)
            self._learned, self._kinds_of, self._identifiers = SeenTexts(), {}, set()
            self._undecoded, self._weight, self.characters = deque(), 0, 0

    def learn(self, read: AnswerRead) -> None:
        """Record an answer. Texts are kept if no session keeps them for masking; each text of a tool once."""
        self.last_read_at = time.time()
        if read.kinds - self.kinds:
            self.kinds |= read.kinds
        if PRIVATE in read.kinds:
            self.private_servers |= {read.server}
        place = Place(read.server, read.tool, read.run_id, call_id=read.call_id)
        self._kinds_of[_call_of(place)] = read.kinds
        self.characters += sum(map(len, read.texts))
        about = "\0".join((read.server, read.tool, *sorted(read.kinds)))
        new = tuple(text for text in read.texts if f"{about}\0{text}" not in self._learned)
        if not read.call_id or not any(one.has_call(read.call_id) for one in self._indexes):
            for text in new:
                self._own.add(text, place)
        for text in new:
            self._learned.add(f"{about}\0{text}")
        if UNTRUSTED in read.kinds and (hidden := tuple(text for text in new if len(text) <= _READABLE)):
            self._undecoded.append((place, hidden))
            self._weight += sum(map(len, hidden))

    @property
    def weight(self) -> int:
        """Bytes of all kept answers in memory."""
        return sum(one.weight for one in self._indexes)

    @property
    def needs_thread(self) -> bool:
        """Whether there is so much to index that it must be done on a thread, or a thread is indexing."""
        waiting = sum(one.waiting for one in self._indexes) > ANSWER_INDEXING.limit
        return waiting or self._weight > SOURCE_INDEXING.limit or self._decoding.locked()

    def index_answers(self) -> None:
        """Index the answers received since the last time; may run on a thread."""
        with self._decoding:
            while self._undecoded:  # the event loop may add more meanwhile
                place, texts = self._undecoded.popleft()
                self._weight -= sum(map(len, texts))
                hidden: list[str] = []
                for text in map(clean, texts):
                    if text not in texts:
                        self._own.add(text, place)
                    hidden += [clean(view) for view in [*decoded_readings(text)][1:]]
                for view in hidden:
                    self._own.add(view, place)
                if place.call_id and len(self._identifiers) < _MOST_IDENTIFIERS:
                    found = returned_identifiers(texts, hidden)
                    self._identifiers.update((place.call_id, one) for one in found)
        for index in self._indexes:
            index.index()

    def find_sources(
        self,
        text: str,
        kinds: frozenset[str],
        *,
        names: bool = False,
        known: Callable[[Sequence[str]], bool] = _is_nothing_known,
        server: str = "",
    ) -> tuple[FoundSource, ...]:
        """Find the sources of a text in answers of these kinds. `names`: the text names a destination, so a single
        short word counts too, and the reversed text is checked as well. `known`: parts to ignore because the user
        wrote or read them; parts next to them are still checked. `server`: where the text would be passed to; an
        identifier that only this server returned has no source."""
        found: dict[frozenset[str], FoundSource] = {}
        if not self.kinds & kinds:
            return ()
        whole = known(split_words(text))  # a number that the user wrote is not read as hexadecimal
        for reading in chain(decoded_readings(text), [text[::-1]] if names else ()):
            if whole and is_noise(reading):
                continue
            for source in self._sources_of(reading, kinds, known, names=names):
                found.setdefault(source.kinds, source)
        if found and server and _IDENTIFIER.fullmatch(text) and self._is_identifier_of(server, text, kinds):
            return ()
        return tuple(found.values())

    def _is_identifier_of(self, server: str, text: str, kinds: frozenset[str]) -> bool:
        """Whether every answer with this text is of this server and returned the text as an identifier."""
        pattern, read = re.compile(re.escape(text), re.IGNORECASE), set[tuple[str, str]]()
        for source in self._confirmed(split_words(text), pattern, kinds):
            if source.read is None or source.read.server != server:
                return False
            read.add((source.read.call_id, text))
        return bool(read) and read <= self._identifiers

    def accept_addresses(self, texts: Iterable[str]) -> None:
        """Remember addresses that reading calls used without any objection."""
        if len(self.accepted_addresses) < MOST_ACCEPTED:
            self.accepted_addresses.update(texts)

    def is_public(self, text: str) -> bool:
        """Whether an answer that is not private contains the complete text."""
        pattern = re.compile(re.escape(clean(text)))
        said = split_words(text)
        return bool(said) and any(
            PRIVATE not in source.kinds for source in self._confirmed(said, pattern, frozenset({UNTRUSTED}))
        )

    def is_link_in(self, text: str, read: AnswerRead) -> bool:
        """Whether the answer contains this complete link, as it is."""
        if not re.fullmatch(r"https?://[^\s\"'<>]{3,500}", text):
            return False
        pattern = re.compile(re.escape(text) + r"(?![\w/?#&=%+-])")
        return any(
            source.read is not None and source.read.call_id == read.call_id
            for source in self._confirmed(split_words(text), pattern, frozenset({UNTRUSTED}))
        )

    # ── matching ─────────────────────────────────────────────────────────────────────────────────
    def _sources_of(
        self, text: str, kinds: frozenset[str], known: Callable[[Sequence[str]], bool], *, names: bool
    ) -> Iterator[FoundSource]:
        """The first source of each set of kinds, for the parts of a text that are not known."""
        said = split_words(text)
        parts = chain(_parts(text, said, names=names), self._shared_phrases(said))
        strange = (part for part in parts if not known(part))
        found: set[frozenset[str]] = set()
        for part in islice(strange, _LOOKED_UP):
            glued = len(part) == 1 and any(map(str.isdigit, part[0]))  # a number may be in groups
            pattern = re.compile(r"[\W_]*".join(map(re.escape, part[0] if glued else part)), re.IGNORECASE)
            for source in self._confirmed(part, pattern, kinds):
                if source.kinds not in found:
                    found.add(source.kinds)
                    yield source

    def _shared_phrases(self, said: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Sequences of words of a text that may occur in the answers."""
        for start in range(0, len(said) - PHRASE + 1, _PHRASES):
            block = said[start : start + _PHRASES + PHRASE - 1]
            text = " ".join(block)
            for at in sorted({at for one in self._lookups for at in one.possible_phrases(text, PHRASE)}):
                yield tuple(block[at : at + PHRASE])

    def _confirmed(self, part: Sequence[str], pattern: re.Pattern[str], kinds: frozenset[str]) -> Iterator[FoundSource]:
        """The answers of these kinds in which a part of a text occurs."""
        words = " ".join(part)
        places = chain.from_iterable(islice(one.possible_places(words), _MOST_PLACES) for one in self._lookups)
        for document, text, start in places:
            place = document.source
            if not isinstance(place, Place) or not (its := self._kinds_of.get(_call_of(place), frozenset())) & kinds:
                continue
            if match := pattern.search(text, start):
                read = AnswerRead(place.call_id, place.run_id, place.server, place.tool, its, ())
                yield FoundSource(its, tuple(part), read, _around(match, text))


def returned_identifiers(texts: Iterable[str], hidden: Iterable[str]) -> set[str]:
    """Return the identifiers in the JSON texts of an answer: values of keys such as `id` or `ticket_id` that occur
    nowhere else in the answer. `hidden`: decoded parts of the texts."""
    values: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for text in texts:
        values.update(_identifier_values(text))
        said.update(one.strip(".:-") for one in _IDENTIFIER.findall(text))
    if not values:
        return set()
    elsewhere = {one for view in hidden for one in _IDENTIFIER.findall(view)}
    return {one for one, count in values.items() if said[one.strip(".:-")] == count and one not in elsewhere}


def _identifier_values(text: str) -> Iterator[str]:
    """Yield the values of keys that name identifiers, in a JSON text."""
    if text[:1] not in ("{", "["):
        return
    try:
        stack = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += node
        elif isinstance(node, dict):
            for key, value in node.items():
                inner = value if isinstance(value, list) else [value]
                if _names_identifier(key):
                    yield from (str(one) for one in inner if _is_identifier(one))
                stack += [one for one in inner if isinstance(one, dict | list)]


def _names_identifier(key: str) -> bool:
    return name_words(key)[-1:] != () and name_words(key)[-1] in _IDENTIFIER_KEYS


def _is_identifier(value: object) -> bool:
    if isinstance(value, str):
        return bool(_IDENTIFIER.fullmatch(value))
    return isinstance(value, int) and not isinstance(value, bool)


def _call_of(place: Place) -> tuple[str, ...]:
    """What identifies a call; texts that no call supplied have no ID."""
    return (place.call_id,) if place.call_id else (place.server, place.tool, place.run_id)


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


def _around(match: re.Match[str], text: str) -> str:
    """The match with the text around it in the same answer: `text` is a page with several answers."""
    before = text[max(0, match.start() - AROUND) : match.start()].rpartition(BETWEEN_ANSWERS)[2]
    after = text[match.end() : match.end() + AROUND].partition(BETWEEN_ANSWERS)[0]
    before, found, after = (_ODD.sub("·", part) for part in (before, match.group(), after))
    return f"{before}\x02{found}\x03{after}"
