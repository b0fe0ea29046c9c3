"""Each text is read once, kept, and left alone when nobody waits for it any more."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from workbench.search.semantic import sentence_embeddings as room
from workbench.search.semantic.embedding_cache import EmbeddingCache
from workbench.search.semantic.sentence_embeddings import OutdatedIndex, SentenceEmbeddings
from workbench.search.word_vectors import WordVectors


class Model:
    """Reads a text as its length."""

    digest = "lengths"

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed(self, text: str) -> numpy.ndarray:
        self.read.append(text)
        return numpy.array([len(text), 1], numpy.float32)

    question = embed


@pytest.fixture
def shelf(tmp_path: Path) -> EmbeddingCache:
    return EmbeddingCache(tmp_path / "meanings.sqlite", Model.digest)


def test_a_text_is_read_once_for_good(shelf: EmbeddingCache) -> None:
    first, second = Model(), Model()
    assert SentenceEmbeddings(first, shelf).vectors(["a", "bbb", "a"]).tolist() == [[1, 1], [3, 1], [1, 1]]
    assert SentenceEmbeddings(second, shelf).vectors(["bbb", "cc"]).tolist() == [[3, 1], [2, 1]]
    assert (first.read, second.read) == (["a", "bbb"], ["cc"])


def test_no_texts_are_no_rows(shelf: EmbeddingCache) -> None:
    assert len(SentenceEmbeddings(Model(), shelf).vectors([])) == 0


def test_reading_stops_when_nobody_waits_and_what_was_read_stays(
    shelf: EmbeddingCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_KEPT_AFTER", 2)
    model = Model()
    with pytest.raises(OutdatedIndex):
        SentenceEmbeddings(model, shelf, lambda: len(model.read) < 5).vectors([f"text {at}" for at in range(9)])
    again = Model()
    SentenceEmbeddings(again, shelf).vectors([f"text {at}" for at in range(9)])
    assert (len(model.read), len(again.read)) == (5, 4)


def test_the_model_weighs_more_than_word_vectors_do() -> None:
    assert WordVectors.weight < SentenceEmbeddings.weight < (1.0, 1.0)
