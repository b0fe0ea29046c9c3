"""Keeps the search index up to date: it is built on a thread when the tools change, or by the first question."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable

from workbench.events import spawn
from workbench.paths import resources
from workbench.records import Depth, SearchAnswer
from workbench.search.bm25_ranking import SearchedTool
from workbench.search.search_learning import SearchLearning
from workbench.search.semantic.sentence_embeddings import OutdatedIndex, SentenceEmbeddings, SentenceModelSource
from workbench.search.tool_search import ToolSearch
from workbench.search.word_vectors import VECTORS, WordVectors

log = logging.getLogger(__name__)

_LATER = 1.0  # seconds after the first index: reading the vectors must not slow the start
_PATIENCE = 0.15  # seconds that a search while typing waits for a new index; after that the previous one answers


class SearchIndex:
    """`known` lists what can be found now; `seen` is awaited after each index, for who looks at all tools anyway."""

    def __init__(
        self,
        known: Callable[[], Iterable[SearchedTool]],
        lessons: SearchLearning,
        source: SentenceModelSource,
        seen: Callable[[], Awaitable[None]],
    ) -> None:
        self._known = known
        self._lessons = lessons
        self.source = source
        self._seen = seen
        self._search: ToolSearch | None = None  # None: something changed since
        self._last: ToolSearch | None = None  # the last one that was ready
        self._built = asyncio.Event()  # it is
        self._indexing: asyncio.Task[None] | None = None
        self._meaning: WordVectors | None = None
        self._deepening: asyncio.Task[None] | None = None
        self._closed = False

    def answer(self, query: str, depth: Depth, limit: int, server: str, category: str) -> SearchAnswer:
        self._notice_model()
        return self._current().answer(query, depth, limit, server, category)

    @property
    def meaning(self) -> WordVectors | None:
        return self._meaning

    async def ready(self) -> tuple[ToolSearch, bool]:
        """An index that can be asked at once, and whether it knows everything. Who types waits a moment for a new one;
        then the last one has to do."""
        if not self._is_ready():
            self._index_soon()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if self._last is None else _PATIENCE):
                    await self._built.wait()
        assert self._last is not None
        self._notice_model()
        return self._last, self._is_ready() and (self._last.reader is not None or not self._busy())

    def reading(self) -> str:
        """How the meaning of tools and questions is read now, as a sentence."""
        reader = None if self._search is None else self._search.reader
        if reader is None:
            return "The search compares words until it has read what tools mean."
        return f"The search reads meaning with {reader.name}."

    def forget(self) -> None:
        """Forget the index: tools or servers changed."""
        self._search = None
        self._built.clear()
        self._index_soon()

    async def close(self) -> None:
        self._closed = True  # a text more may be read, and no other
        if self._indexing is not None:
            await asyncio.wait([self._indexing])
        if self._deepening is not None:  # begun by the indexing
            self._deepening.cancel()
            await asyncio.wait([self._deepening])

    def _is_ready(self) -> bool:
        return self._search is not None and self._search is self._last

    def _busy(self) -> bool:
        return any(task is not None and not task.done() for task in (self._indexing, self._deepening))

    def _index_soon(self) -> None:
        if self._indexing is None or self._indexing.done():
            self._indexing = spawn("catalog: index", self._index())

    def _current(self) -> ToolSearch:
        if self._search is None:
            self._search = ToolSearch(self._known(), self._lessons.companions)
        return self._search

    async def _index(self) -> None:
        while not self._is_ready():
            made = self._current()
            await asyncio.to_thread(made.prepare)
            self._last = made
            self._built.set()
            await self._seen()
        self._deepen_soon()

    def _notice_model(self) -> None:
        """It may have been built, switched on or off since."""
        if self._search is None or self._search.reader is None:
            return  # its meaning is being read anyway
        if self.source.there() != isinstance(self._search.reader, SentenceEmbeddings):
            self._deepen_soon()

    def _deepen_soon(self) -> None:
        if not self._closed and (self._deepening is None or self._deepening.done()):
            self._deepening = spawn("catalog: meaning", self._deepen())

    async def _deepen(self) -> None:
        """Words are enough while the core starts; what is meant follows when there is time."""
        if self._meaning is None:
            await asyncio.sleep(_LATER)
            self._meaning = await asyncio.to_thread(WordVectors, resources() / VECTORS)
        deepened = None
        while (now := self._search) is not None and now is not deepened:
            await asyncio.to_thread(now.deepen, self._meaning)
            await self._read_sentences(now)
            deepened = now

    async def _read_sentences(self, now: ToolSearch) -> None:
        """With the sentence model, where there is one; for as long as nothing newer is to be read."""
        sentences = await asyncio.to_thread(self.source.open, lambda: self._search is now and not self._closed)
        if sentences is None:
            return
        try:
            await asyncio.to_thread(now.deepen, sentences)
        except OutdatedIndex:
            log.debug("the catalogue changed while its meaning was read")
