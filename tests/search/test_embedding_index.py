"""Near in meaning: what a tool says of itself, or a question that it answered."""

from __future__ import annotations

import pytest

from workbench.paths import resources
from workbench.search.embedding_index import EmbeddingIndex, embedded_text
from workbench.search.word_vectors import VECTORS, WordVectors

TOLD = ["mail send: Send an e-mail.", "shop orders: List the orders of a shop.", "xq9 zzz:"]


@pytest.fixture(scope="module")
def meaning() -> WordVectors:
    return WordVectors(resources() / VECTORS)


def nearest(meaning: WordVectors, question: str, asked: list[tuple[str, ...]]) -> int:
    return int(EmbeddingIndex(meaning, TOLD, asked).similarities(question).argmax())


def test_a_tool_is_near_by_what_it_says_of_itself(meaning: WordVectors) -> None:
    assert nearest(meaning, "purchases in the store", [()] * 3) == 1


def test_a_tool_is_as_near_as_the_nearest_question_that_it_answered(meaning: WordVectors) -> None:
    asked = [(), (), ("turn the light off", "make it dark in the kitchen")]
    assert nearest(meaning, "darken the kitchen", asked) == 2
    assert nearest(meaning, "purchases in the store", asked) == 1


@pytest.mark.parametrize("question", ["", "x" * 50])
def test_a_question_that_says_nothing_is_near_nothing(meaning: WordVectors, question: str) -> None:
    assert not EmbeddingIndex(meaning, TOLD, [()] * 3).similarities(question).any()


def test_a_tool_is_read_as_its_names_in_words_and_the_beginning_of_what_it_says() -> None:
    told = embedded_text("git-hub", "issues.create_new", "Make it. " + "more " * 100)
    assert told.startswith("git hub issues create new: Make it. more")
    assert len(told) == 300
