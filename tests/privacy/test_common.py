"""The words that are also names."""

from __future__ import annotations

from workbench.privacy.common import WORDS


def test_words_are_lower_case_and_names_that_are_only_names_are_not_among_them() -> None:
    assert all(word == word.lower() for word in WORDS)
    assert {"will", "may", "park", "berlin"} <= WORDS
    assert WORDS.isdisjoint({"rosa", "lund", "jürgen", "okafor"})
