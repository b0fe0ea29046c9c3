"""BM25F ranking over the fields of a tool, in plain Python.

Names have the highest weight, the server's description the lowest. The impact of every term on every tool is computed
when the index is built, so a query only adds numbers.
"""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from workbench.records import JsonObject, Tool
from workbench.search.embedding_index import EmbeddingIndex, EmbeddingModel, embedded_text
from workbench.search.score_fusion import RankingSignals, fuse
from workbench.search.search_terms import synonyms, terms, trigrams

_WEIGHTS = {"name": 3.0, "server": 1.0, "about": 0.3, "description": 1.0, "parameters": 0.5, "notes": 0.3, "asked": 1.0}
_LENGTH = {"name": 0.3, "server": 0.3, "about": 0.5, "description": 0.6, "parameters": 0.6, "notes": 0.7, "asked": 0.5}
_K1 = 1.2
_SYNONYM = 0.3  # weight of a synonym
_BEGINNING = 0.3  # weight of a name's word that begins with the last word of the query
_BEGINNINGS = 12  # maximum number of such words
_NAME_QUERY = 3  # maximum number of words of a query that may be a mistyped name
_CLAUSE = re.compile(r"[.!?;\n]+\s|\bthen\b|\band also\b", re.IGNORECASE)
_PARTS = re.compile(r"[./:]|__")
FAINT = 0.1
"""Minimum share of the best score; lower scores are no match."""
_DEEP = 4  # maximum depth of a schema whose words are indexed


class Searchable(Protocol):
    """Entry of an index, as the ranking reads it."""

    @property
    def server(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def function(self) -> str:
        """The name as programs spell it."""

    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def schema(self) -> JsonObject:
        """The schema of the arguments."""

    @property
    def about(self) -> str:
        """The server's description of itself."""

    @property
    def past_questions(self) -> tuple[str, ...]:
        """Questions that found the entry before it was used."""


class SearchedTool(Struct, frozen=True):
    """A tool as the ranking reads it."""

    tool: Tool
    function: str
    about: str  # the server's description of itself
    category: str = ""  # category that the user gave the server
    past_questions: tuple[str, ...] = ()  # questions that found the tool before it was used

    @property
    def server(self) -> str:
        return self.tool.server

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def title(self) -> str:
        return self.tool.title

    @property
    def description(self) -> str:
        return self.tool.description

    @property
    def schema(self) -> JsonObject:
        return self.tool.input_schema


Entry = TypeVar("Entry", bound=Searchable)
Postings: TypeAlias = Mapping[str, list[tuple[int, float]]]
"""Word → (position of the entry, impact of the word) pairs."""


class Bm25Ranking(Generic[Entry]):
    """Index over a fixed list of entries. Returns positions in the list, best first."""

    def __init__(self, entries: Sequence[Entry], beside: Bm25Ranking[SearchedTool] | None = None) -> None:
        """Build the index.

        `beside`: a larger index whose words also count for the rarity of a word, so that the results of both indexes
        can be sorted together."""
        self._entries = entries
        documents = [fields(entry) for entry in entries]
        beside = beside if beside is not None and beside._entries else None
        self._means: Mapping[str, float] = beside._means if beside else _means(documents)
        known = (beside._impacts, len(beside._entries)) if beside else ({}, 0)
        self._impacts: Postings = _impacts(documents, self._means, *known)
        self._names = [trigrams(entry.name) for entry in entries]
        self._by_trigram: dict[str, list[int]] = defaultdict(list)
        for position, grams in enumerate(self._names):
            for gram in grams:
                self._by_trigram[gram].append(position)
        self._spelled: dict[str, list[int]] = defaultdict(list)
        self._leaves: dict[str, list[int]] = defaultdict(list)
        for position, entry in enumerate(entries):
            for spelling in _spellings(entry):
                self._spelled[spelling].append(position)
            for leaf in _leaves(entry):
                self._leaves[leaf].append(position)
        by_name = sorted(range(len(entries)), key=lambda at: (entries[at].server, entries[at].name))
        self._order = {position: place for place, position in enumerate(by_name)}
        self._meant: EmbeddingIndex | None = None
        self._name_words = sorted({word for entry in entries for word in terms(entry.name, keep_all=True)})

    def deepen(self, reader: EmbeddingModel) -> None:
        """Add semantic similarity to the lexical scores."""
        texts = [embedded_text(one.server, one.name, one.description or one.title) for one in self._entries]
        self._meant = EmbeddingIndex(reader, texts, [one.past_questions for one in self._entries])

    def rank(self, query: str, limit: int, among: Callable[[Entry], bool] | None = None) -> tuple[list[int], int]:
        """Return the best positions and the number of matches.

        Exact names come first, then last parts of names, then by score."""
        signals = self.look(query)
        exact, scores = signals.exact, fuse(query, [signals])[0]
        found = {at for at, score in scores.items() if score >= FAINT} | exact.keys()
        if among is not None:
            found = {at for at in found if among(self._entries[at])}
        best = heapq.nsmallest(limit, found, key=lambda at: (exact.get(at, 2), -scores.get(at, 0.0), self._order[at]))
        return best, len(found)

    def look(self, query: str) -> RankingSignals:
        """Return the unweighted scores of this index for a question."""
        alike = self._alike(query) if len(query.split()) <= _NAME_QUERY else {}
        said, exact, meant = self._lexical_scores(query), self._exact(query), self._meant
        if meant is None or not self._entries or (alike and len(query.split()) == 1):
            return RankingSignals(said, alike, exact, None)
        return RankingSignals(said, alike, exact, meant.similarities(query), meant.reader.weight)

    def order(self, position: int) -> int:
        """Return the position of an entry when sorted by server and name."""
        return self._order[position]

    def _lexical_scores(self, query: str) -> Mapping[int, float]:
        whole = self._sum(terms(query))
        clauses = [clause for clause in _CLAUSE.split(query) if clause.strip()]
        if len(clauses) > 1:
            return _blend(whole, [self._sum(terms(clause)) for clause in clauses])
        return whole

    def _sum(self, words: list[str]) -> dict[int, float]:
        total: dict[int, float] = defaultdict(float)
        for word, weight in self._weighted(words).items():
            for position, impact in self._impacts.get(word, ()):
                total[position] += weight * impact
        return total

    def _weighted(self, words: list[str]) -> Mapping[str, float]:
        weights: dict[str, float] = {}
        for word, times in Counter(words).items():
            weights[word] = 2.2 * times / (times + _K1)
        for word in words:
            for near in synonyms().get(word, ()):
                weights.setdefault(near, _SYNONYM)
        if words:
            for begun in self._words_beginning_with(words[-1]):
                weights.setdefault(begun, _BEGINNING)
        return weights

    def _words_beginning_with(self, word: str) -> list[str]:
        start = bisect_left(self._name_words, word)
        return [found for found in self._name_words[start : start + _BEGINNINGS] if found.startswith(word)]

    def _alike(self, query: str) -> dict[int, float]:
        """Return names that share more than half of their trigrams with the query, with the share above one half."""
        wanted = trigrams(query)
        shared = Counter(position for gram in wanted for position in self._by_trigram.get(gram, ()))
        found = {}
        for position, count in shared.items():
            dice = 2 * count / (len(wanted) + len(self._names[position]))
            if dice > 0.5:
                found[position] = dice - 0.5
        return found

    def _exact(self, query: str) -> dict[int, int]:
        """Return exact matches: 0 if the query is the tool's name in any spelling, 1 for the last part of the name."""
        wanted = query.strip().lower()
        return dict.fromkeys(self._leaves.get(wanted, ()), 1) | dict.fromkeys(self._spelled.get(wanted, ()), 0)


def _spellings(entry: Searchable) -> frozenset[str]:
    server, name, function = entry.server.lower(), entry.name.lower(), entry.function.lower()
    joined = (f"{server}{mark}{one}" for mark in (".", "/", "__", " ") for one in (name, function))
    return frozenset((name, function, f"mcp__{server}__{name}", *joined))


def _leaves(entry: Searchable) -> frozenset[str]:
    return frozenset((_PARTS.split(entry.name.lower())[-1], entry.function.lower().rpartition("__")[2]))


def fields(entry: Searchable) -> dict[str, list[str]]:
    """Return the terms of an entry by field."""
    names: list[str] = []
    notes: list[str] = []
    _walk(entry.schema, names, notes, _DEEP)
    return {
        "name": terms(f"{entry.name} {entry.title}", keep_all=True),
        "server": terms(entry.server, keep_all=True),
        "about": terms(entry.about[:1000]),
        "description": terms(entry.description[:4000]),
        "parameters": terms(" ".join(names)),
        "notes": terms(" ".join(notes)[:4000]),
        "asked": terms(" ".join(entry.past_questions)),
    }


def _walk(schema: object, names: list[str], notes: list[str], depth: int) -> None:
    if not isinstance(schema, Mapping) or depth == 0:
        return
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        names.append(str(name))
        if isinstance(inner, Mapping) and isinstance(inner.get("description"), str):
            notes.append(inner["description"])
        _walk(inner, names, notes, depth - 1)
    _walk(schema.get("items"), names, notes, depth - 1)


def _means(documents: Sequence[Mapping[str, list[str]]]) -> Mapping[str, float]:
    return {field: max(1e-9, sum(len(one[field]) for one in documents) / max(1, len(documents))) for field in _WEIGHTS}


def _impacts(
    documents: Sequence[Mapping[str, list[str]]], mean: Mapping[str, float], beside: Postings, besides: int
) -> Postings:
    found: dict[str, dict[int, float]] = defaultdict(dict)
    for position, document in enumerate(documents):
        for field, weight in _WEIGHTS.items():
            share = weight / (1 - _LENGTH[field] + _LENGTH[field] * len(document[field]) / mean[field])
            for word in document[field]:
                posting = found[word]
                posting[position] = posting.get(position, 0.0) + share
    count = len(documents) + besides
    return {word: _impact(posting, len(posting) + len(beside.get(word, ())), count) for word, posting in found.items()}


def _impact(posting: Mapping[int, float], having: int, count: int) -> list[tuple[int, float]]:
    rarity = math.log(1 + (count - having + 0.5) / (having + 0.5))
    return [(position, rarity * weight * (_K1 + 1) / (weight + _K1)) for position, weight in posting.items()]


def _blend(whole: Mapping[int, float], clauses: Iterable[Mapping[int, float]]) -> dict[int, float]:
    """Return the average of the score of the whole query and the score of its best clause."""
    best: dict[int, float] = {}
    for clause in clauses:
        for position, score in clause.items():
            best[position] = max(score, best.get(position, 0.0))
    return {position: 0.5 * score + 0.5 * best.get(position, 0.0) for position, score in whole.items()}
