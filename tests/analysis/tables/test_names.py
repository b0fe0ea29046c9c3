"""A block of words is a set of names."""

from __future__ import annotations

from workbench.analysis.tables.word_sets import names


def test_words_are_divided_by_any_space() -> None:
    assert names("a b\n    c") == {"a", "b", "c"}
