"""Search over everything that the user can open: tools, resources, prompts and skills.

Tools are found with the index that agents use. All other items have a small index of their own; the scores of both are
combined.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from workbench.offload import SEARCH_INDEXING
from workbench.records import Find, FindKind, Finds, Prompt, Resource, ResourceTemplate, ServerState, ServerStatus
from workbench.search.bm25_ranking import FAINT, Bm25Ranking, SearchedTool
from workbench.search.embedding_index import EmbeddingModel
from workbench.search.match_reasons import letters, reasons
from workbench.search.score_fusion import RankingSignals, fuse
from workbench.search.search_index import SearchIndex
from workbench.search.searchable_items import MOST_RESOURCES, SearchableItem, offered
from workbench.search.semantic.sentence_embeddings import OutdatedIndex, SentenceEmbeddings
from workbench.search.tool_search import ToolSearch, first_sentence
from workbench.tokens import count

# Number of items from which the sentence model is not used: a search over thousands would take seconds.
_MOST_EMBEDDED = 200
_LONGEST = 1_000  # maximum number of characters of a question
_LETTERS = 40  # maximum number of characters of a question that is matched letter by letter
# (exactness, negative score, index, order in the index, entry)
_Hit = tuple[int, float, int, int, SearchedTool | SearchableItem]


class _Listed(Protocol):
    """Resources and prompts of a server."""

    @property
    def resources(self) -> tuple[Resource, ...]: ...
    @property
    def templates(self) -> tuple[ResourceTemplate, ...]: ...
    @property
    def prompts(self) -> tuple[Prompt, ...]: ...


class SearchedServer(Protocol):
    """Server as the search reads it."""

    @property
    def name(self) -> str: ...
    @property
    def state(self) -> ServerState: ...
    @property
    def offering(self) -> _Listed: ...


class _ItemIndex(Struct, frozen=True):
    """Index of all items other than tools, with its sources."""

    items: tuple[SearchableItem, ...]
    tools: ToolSearch
    ranking: Bm25Ranking[SearchableItem]
    reader: EmbeddingModel | None  # embedding model of the tools when the index was built


class SearchAll:
    """Searches tools and all other items. `servers`: the servers that the user has not disabled."""

    def __init__(self, finder: SearchIndex, servers: Callable[[], Iterable[SearchedServer]]) -> None:
        self._finder = finder
        self._servers = servers
        self._made_of: list[object] = []
        self._items: tuple[SearchableItem, ...] = ()
        self._item_index: _ItemIndex | None = None

    async def find(
        self, question: str, kinds: Collection[FindKind], limit: int, skills: tuple[SearchableItem, ...] = ()
    ) -> Finds:
        """Return the best results first. Without a question, returns a list. An empty `kinds` means all kinds."""
        tools, fresh = await self._finder.ready()
        item_index = await self._index(tools, self._gather_items(skills))
        wanted, query = frozenset(kinds or FindKind), question.strip()[:_LONGEST]
        if query:
            hits = _hits(query, tools, item_index, wanted)
        else:
            hits = [(2, 0.0, 0, 0, one) for one in _all(tools, item_index) if _kind(one) in wanted]
        best = heapq.nsmallest(limit, hits, key=lambda hit: hit[:4]) if query else hits[:limit]
        servers = {server.name: server for server in self._servers()}
        found = tuple(_result_row(query, hit, servers) for hit in best)
        known = Counter(str(item.kind) for item in item_index.items) + Counter(tool=len(tools.entries))
        return Finds(found, len(hits), dict(known), fresh, "" if tools.reader is None else tools.reader.name)

    def _gather_items(self, skills: tuple[SearchableItem, ...]) -> tuple[SearchableItem, ...]:
        """Return the items of all servers and skills. The tuple stays the same object until something changes."""
        made_of: list[object] = [skills]
        for one in self._servers():
            there, state = one.offering, one.state
            made_of.append((there.resources, there.templates, there.prompts, state.instructions, state.config.category))
        if made_of != self._made_of:
            self._made_of = made_of
            found = [
                item
                for one in self._servers()
                for item in offered(
                    one.offering.resources[:MOST_RESOURCES],
                    one.offering.templates,
                    one.offering.prompts,
                    one.state.instructions,
                    one.state.config.category,
                )
            ]
            self._items = (*found, *skills)
        return self._items

    async def _index(self, tools: ToolSearch, items: tuple[SearchableItem, ...]) -> _ItemIndex:
        before = self._item_index
        reader = tools.reader
        if before is not None and before.items is items and before.tools is tools and before.reader is reader:
            return before
        if isinstance(reader, SentenceEmbeddings):  # takes milliseconds per entry
            made = await asyncio.to_thread(self._build_index, tools, items)
        else:
            made = await SEARCH_INDEXING.run(len(items), self._build_index, tools, items)
        self._item_index = made
        return made

    def _build_index(self, tools: ToolSearch, items: tuple[SearchableItem, ...]) -> _ItemIndex:
        ranking = Bm25Ranking(items, tools.ranking)
        reader, plain = tools.reader, self._finder.meaning
        if reader is not None and plain is not None:
            try:
                ranking.deepen(reader if len(items) < _MOST_EMBEDDED else plain)
            except OutdatedIndex:
                ranking.deepen(plain)
        return _ItemIndex(items, tools, ranking, reader)


def _hits(question: str, tools: ToolSearch, item_index: _ItemIndex, wanted: frozenset[FindKind]) -> list[_Hit]:
    """Return the results of the wanted kinds.

    Other kinds are not scored, because they would lower the relative scores."""
    sides: list[tuple[RankingSignals, Sequence[SearchedTool | SearchableItem], Callable[[int], int]]] = []
    if FindKind.TOOL in wanted:
        sides.append((tools.ranking.look(question), tools.entries, tools.ranking.order))
    if wanted - {FindKind.TOOL}:
        sides.append((item_index.ranking.look(question), item_index.items, item_index.ranking.order))
    heard = [signals for signals, _, _ in sides]
    unheard = " " not in question and not any(one.lexical_scores or one.trigram_matches or one.exact for one in heard)
    if unheard and (spelled := _names_with_letters(question, tools, item_index, wanted)):
        return spelled
    return [
        (signals.exact.get(at, 2), -scores.get(at, 0.0), side, order(at), among[at])
        for side, ((signals, among, order), scores) in enumerate(zip(sides, fuse(question, heard), strict=True))
        for at in scores.keys() | signals.exact.keys()
        if (scores.get(at, 0.0) >= FAINT or at in signals.exact) and _kind(among[at]) in wanted
    ]


def _names_with_letters(
    question: str, tools: ToolSearch, item_index: _ItemIndex, wanted: frozenset[FindKind]
) -> list[_Hit]:
    """Return names that contain the letters of the question in order, for a question that matches no word."""
    if len(question) > _LETTERS:
        return []
    return [
        (2, float(len(one.name)), 0, at, one)
        for at, one in enumerate(_all(tools, item_index))
        if _kind(one) in wanted and letters(question, one.name)
    ]


def _all(tools: ToolSearch, item_index: _ItemIndex) -> list[SearchedTool | SearchableItem]:
    return [*tools.entries, *item_index.items]


def _kind(one: SearchedTool | SearchableItem) -> FindKind:
    return FindKind.TOOL if isinstance(one, SearchedTool) else one.kind


def _result_row(question: str, hit: _Hit, servers: dict[str, SearchedServer]) -> Find:
    exact, _, _, _, one = hit
    server = servers.get(one.server)
    status = server.state.status if server is not None else ServerStatus.READY
    allowed = server is None or server.state.allowed
    why = reasons(question, one, exact) if question else ()
    if isinstance(one, SearchedTool):
        tool = one.tool
        return Find(
            FindKind.TOOL, tool.server, tool.name, tool.title, first_sentence(tool.description), why,
            tool.definition_tokens, -1, "", tool.hints, status, allowed, one.category,
        )  # fmt: skip
    told = one.description.removesuffix(one.key).strip()
    return Find(
        one.kind, one.server, one.key, one.title or one.name, first_sentence(told), why,
        count(f"{one.name} {one.title} {told}"), one.size, one.mime, status=status, allowed=allowed,
        category=one.category,
    )  # fmt: skip
