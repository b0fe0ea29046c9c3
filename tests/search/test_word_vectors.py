"""The vectors that come with the app: near in meaning is near in numbers, whatever the text."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.paths import resources
from workbench.search.word_vectors import VECTORS, WordVectors


@pytest.fixture(scope="module")
def meaning() -> WordVectors:
    return WordVectors(resources() / VECTORS)


@pytest.mark.parametrize(
    ("words", "near", "far"),
    [
        ("restaurants near me", "search places around a location", "list phone numbers"),
        ("give the money back", "refund a payment", "create a branch"),
        ("delete_repository", "remove a project", "read a file"),
        ("wie wird das Wetter", "weather forecast", "merge a pull request"),
    ],
)
def test_what_means_the_same_is_nearer(meaning: WordVectors, words: str, near: str, far: str) -> None:
    asked, one, other = meaning.vectors([words, near, far])
    assert asked @ one > asked @ other + 0.05


def test_names_are_cut_where_people_cut_them(meaning: WordVectors) -> None:
    camel, snake, plain = meaning.vectors(["createIssueComment", "create_issue_comment", "create issue comment"])
    assert camel @ plain == pytest.approx(1, abs=1e-5)
    assert snake @ plain == pytest.approx(1, abs=1e-5)


@given(st.text(max_size=300))
def test_any_text_has_a_vector_of_length_one_or_none_at_all(meaning: WordVectors, text: str) -> None:
    (vector,) = meaning.vectors([text])
    assert numpy.isfinite(vector).all()
    length = float(numpy.linalg.norm(vector))
    assert length == pytest.approx(1, abs=1e-4) or length == 0


def test_a_giant_word_and_no_words_mean_nothing(meaning: WordVectors) -> None:
    assert not meaning.vectors(["x" * 100_000, ""]).any()
    assert meaning.vectors([]).shape == (0, 128)
