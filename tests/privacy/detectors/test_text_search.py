"""Plain words first, patterns only there: the same matches as a pattern alone would give."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.detectors import text_search
from workbench.privacy.detectors.text_search import (
    find_matches,
    find_matches_at_lines,
    find_matches_at_words,
    find_words,
)

WORDS = ("ab", "abc", "b")
PATTERN = re.compile(r"\b(?:ab|abc|b)\w*")


def test_words_are_found_in_order_and_each_place_once() -> None:
    assert find_words("b abc ab", WORDS) == [0, 2, 3, 6, 7]
    assert find_words("", WORDS) == find_words("xyz", WORDS) == []


@given(st.text(alphabet="abc \n", max_size=40))
def test_a_pattern_matches_where_it_would_alone(text: str) -> None:
    assert [one.span() for one in find_matches_at_words(PATTERN, text, WORDS)] == [
        one.span() for one in PATTERN.finditer(text)
    ]


@given(st.text(alphabet="ab \n", max_size=40))
def test_lines_are_looked_at_where_they_begin(text: str) -> None:
    pattern = re.compile(r"^a+", re.MULTILINE)
    assert [one.span() for one in find_matches_at_lines(pattern, text)] == [
        one.span() for one in pattern.finditer(text)
    ]


@pytest.mark.parametrize("form", [r"a+", r"a(?!b)", r"(?<=b)a{1,4}", r"(?<!a.)b", r"^a", r"ab|abab\b", r"a{3,9}c"])
@given(text=st.text(alphabet="abc \n", max_size=60))
def test_a_long_text_is_searched_by_pieces_with_the_same_result(form: str, text: str) -> None:
    pattern = re.compile(form, re.MULTILINE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_search, "_PIECE", 7)
        patch.setattr(text_search, "_BEHIND", 10)
        assert [one.span() for one in find_matches(pattern, text)] == [one.span() for one in pattern.finditer(text)]
