"""Keeps the search index up to date. It is built on a thread when the tools change, or by the first question."""

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

_LATER = 1.0  # seconds after the first index; loading the vectors must not slow down the start
_PATIENCE = 0.15  # seconds that a search during typing waits for a new index before it uses the previous one


class SearchIndex:
    """Builds and holds the search index.

    `known` returns the current tools. `seen` is awaited after each build, for callers that process all tools anyway."""

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
        self._search: ToolSearch | None = None  # None: the tools changed since the last build
        self._last: ToolSearch | None = None  # the last complete index
        self._built = asyncio.Event()  # set while the index is up to date
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
        """Return a complete index, and whether it is up to date.

        A search during typing waits a short time for a new index, then uses the previous one."""
        if not self._is_ready():
            self._index_soon()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if self._last is None else _PATIENCE):
                    await self._built.wait()
        assert self._last is not None
        self._notice_model()
        return self._last, self._is_ready() and (self._last.reader is not None or not self._busy())

    def reading(self) -> str:
        """Return a sentence that says how the search reads the meaning of texts."""
        reader = None if self._search is None else self._search.reader
        if reader is None:
            return "The search compares words until the meaning of the tools is indexed."
        return f"The search compares meaning with {reader.name}."

    def forget(self) -> None:
        """Discard the index after a change of tools or servers."""
        self._search = None
        self._built.clear()
        self._index_soon()

    async def close(self) -> None:
        self._closed = True  # at most one more text is embedded
        if self._indexing is not None:
            await asyncio.wait([self._indexing])
        if self._deepening is not None:  # was started by the indexing
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
        """Rebuild the semantic index if the sentence model was built, enabled or disabled."""
        if self._search is None or self._search.reader is None:
            return  # the semantic index is being built anyway
        if self.source.there() != isinstance(self._search.reader, SentenceEmbeddings):
            self._deepen_soon()

    def _deepen_soon(self) -> None:
        if not self._closed and (self._deepening is None or self._deepening.done()):
            self._deepening = spawn("catalog: meaning", self._deepen())

    async def _deepen(self) -> None:
        """Add the semantic index after the start of the core. Until then the search is lexical."""
        if self._meaning is None:
            await asyncio.sleep(_LATER)
            self._meaning = await asyncio.to_thread(WordVectors, resources() / VECTORS)
        deepened = None
        while (now := self._search) is not None and now is not deepened:
            await asyncio.to_thread(now.deepen, self._meaning)
            await self._read_sentences(now)
            deepened = now

    async def _read_sentences(self, now: ToolSearch) -> None:
        """Use the sentence model if there is one, and stop if the index is outdated."""
        sentences = await asyncio.to_thread(self.source.open, lambda: self._search is now and not self._closed)
        if sentences is None:
            return
        try:
            await asyncio.to_thread(now.deepen, sentences)
        except OutdatedIndex:
            log.debug("the catalogue changed while its meaning was indexed")
