"""A query's word and a description's word must meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.search.search_terms import stem, synonyms, terms, trigrams


@pytest.mark.parametrize(
    "name",
    ["createPullRequest", "create_pull_request", "create-pull-request", "CreatePullRequest", "create.pull/request"],
)
def test_names_are_split_as_people_write_them(name: str) -> None:
    assert terms(name) == [stem("create"), stem("pull"), stem("request")]


@pytest.mark.parametrize(
    "pair",
    [("issues", "issue"), ("creating", "create"), ("queries", "query"), ("deleted", "delete"), ("stopped", "stop")],
)
def test_endings_are_cut_at_the_same_place(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) == stem(pair[1])


def test_wide_scripts_are_cut_into_pairs() -> None:
    assert terms("天気予報") == ["天気", "気予", "予報"]


def test_little_words_count_in_names_only() -> None:
    assert terms("what is the time") == [stem("time")]
    assert terms("what_is", keep_all=True) == ["what", "is"]


def test_synonyms_are_mutual() -> None:
    table = synonyms()
    assert stem("remove") in table[stem("delete")]
    assert all(word in table[near] for word, group in table.items() for near in group)


@given(st.text())
def test_no_text_whatever_raises(text: str) -> None:
    assert all(terms(text, keep_all=True))
    assert trigrams(text)
