"""The search keeps in step: with the catalogue, and with the sentence model being there, switched off, or left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy
import pytest

from workbench.records import Depth, Tool
from workbench.search import search_index as room
from workbench.search.bm25_ranking import SearchedTool
from workbench.search.search_index import SearchIndex
from workbench.search.search_learning import SearchLearning
from workbench.search.semantic.embedding_cache import EmbeddingCache
from workbench.search.semantic.sentence_embeddings import SentenceEmbeddings


class Model:
    """Knows what is meant by colours, and nothing else."""

    digest = "colours"
    hold: Callable[[], None] = staticmethod(lambda: None)

    def embed(self, text: str) -> numpy.ndarray:
        self.hold()
        warm = any(word in text for word in ("red", "warm"))
        return numpy.array([warm, not warm], numpy.float32)

    question = embed


class Source:
    """Gives that model, as long as it is wished for."""

    trouble = ""

    def __init__(self, file: Path) -> None:
        self.wished = True
        self.model = Model()
        self._shelf = EmbeddingCache(file, Model.digest)

    def there(self) -> bool:
        return self.wished

    def open(self, wanted: Callable[[], bool]) -> SentenceEmbeddings | None:
        return SentenceEmbeddings(self.model, self._shelf, wanted) if self.wished else None


@pytest.fixture
async def tools() -> list[str]:
    return ["zq_red", "zq_blue"]


@pytest.fixture
async def source(tmp_path: Path) -> Source:
    return Source(tmp_path / "meanings.sqlite")


@pytest.fixture
async def finder(
    tmp_path: Path, tools: list[str], source: Source, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[SearchIndex]:
    async def seen() -> None: ...

    monkeypatch.setattr(room, "_LATER", 0.0)
    known = lambda: [SearchedTool(Tool("s", name), name, "") for name in tools]  # noqa: E731
    found = SearchIndex(known, SearchLearning(tmp_path / "lessons.jsonl"), source, seen)
    yield found
    source.model.hold = lambda: None
    await found.close()


def first(finder: SearchIndex, question: str) -> tuple[str, ...]:
    return tuple(match.name for match in finder.answer(question, Depth.NAME, 1, "", "").matches)


async def until(finder: SearchIndex, words: str) -> None:
    """Asked again and again, as people do: what was switched is noticed by the next question."""
    async with asyncio.timeout(60):
        while words not in finder.reading():
            finder.answer("warm thing", Depth.NAME, 1, "", "")
            await asyncio.sleep(0.01)


async def test_words_first_then_what_is_meant_by_the_model(finder: SearchIndex) -> None:
    assert "compares words" in finder.reading()
    finder.forget()
    assert first(finder, "a warm thing") == ()
    await until(finder, "sentence model")
    assert first(finder, "a warm thing") == ("zq_red",)


async def test_the_model_can_be_switched_off_and_on_again(finder: SearchIndex, source: Source) -> None:
    finder.forget()
    await until(finder, "sentence model")
    source.wished = False
    await until(finder, "word vectors")
    source.wished = True
    await until(finder, "sentence model")


async def test_a_catalogue_that_changes_while_it_is_read_is_read_anew(
    finder: SearchIndex, source: Source, tools: list[str]
) -> None:
    held = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold() -> None:
        source.model.hold = lambda: None
        loop.call_soon_threadsafe(held.set)
        asyncio.run_coroutine_threadsafe(changed(), loop).result(30)

    async def changed() -> None:
        tools[:] = ["zq_green", "zq_warm"]
        finder.forget()

    source.model.hold = hold
    finder.forget()
    async with asyncio.timeout(60):
        await held.wait()
    await until(finder, "sentence model")
    assert first(finder, "something red please") == ("zq_warm",)
