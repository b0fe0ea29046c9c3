"""What a word shows by itself."""

from __future__ import annotations

import pytest

from workbench.privacy.traits import EDGE, WORD, Lists, at_distance, folded, shape, sort_of, traits

LISTS = Lists(frozenset({"zoe", "luc"}), frozenset({"novak", "hill"}), frozenset({"hill", "street"}))


def test_a_text_falls_into_words_with_their_hyphens_and_marks() -> None:
    said = [one.group() for one in WORD.finditer("Jean-Luc O'Neil's,\n\n12b (NW1)\0\0\0")]
    assert said == ["Jean-Luc", "O'Neil's", ",", "\n\n", "12b", "(", "NW1", ")", "\0\0\0"]


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("Rosa", "Xx"), ("ROSA", "XX"), ("R", "X"), ("rosa", "x"), ("McLean", "X-x"), ("Jean-Luc", "X-x"),
        ("iOS", "xX"), ("4711", "d4"), ("12b", "dx"),
        ("NW1", "xd"), (",", ","), ("\n\n", "newline"), (EDGE, "edge"), ("\0\0", "token"),
    ],
)  # fmt: skip
def test_the_shape_is_the_case_of_a_word_and_the_length_of_a_number(word: str, form: str) -> None:
    assert shape(word) == form


def test_lists_know_a_word_without_its_marks_and_by_its_parts() -> None:
    assert LISTS.of(folded("Zoë")) == "F"
    assert LISTS.of(folded("Anna-Luc")) == "F"
    assert LISTS.of(folded("Hill")) == "LC"
    assert LISTS.of(folded("Brakoun")) == ""


def test_streets_are_known_by_their_word_or_their_ending() -> None:
    assert sort_of("Street", LISTS) == "XxCS"
    assert sort_of("Lindenstraße", LISTS) == "Xx-S"
    assert sort_of("Frau", LISTS) == "Xx-T"


def test_the_nearer_a_word_the_more_it_says() -> None:
    own = traits("Novák", LISTS)
    assert {"wnovak", "gL", "sgXxL", "eak", "bnov"} <= set(own)
    assert at_distance(own, 0) == own
    assert at_distance(own, -1) == ("-1wnovak", "-1sXx", "-1gL", "-1sgXxL")
    assert at_distance(own, 2) == ("2wnovak", "2sXx", "2gL")
