"""Word lists are lower case and disjoint from names where they must be."""

from __future__ import annotations

from workbench.privacy.detectors.word_lists import COMMON_WORDS


def test_words_are_lower_case_and_names_that_are_only_names_are_not_among_them() -> None:
    assert all(word == word.lower() for word in COMMON_WORDS)
    assert {"will", "may", "park", "berlin"} <= COMMON_WORDS
    assert COMMON_WORDS.isdisjoint({"rosa", "lund", "jürgen", "okafor"})
