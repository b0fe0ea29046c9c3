"""Words around generated functions."""

from __future__ import annotations

import pytest

from workbench.records import Hints
from workbench.wrappers.generated_comments import cut, first_sentence, hint_words


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("List orders. They are many.", "List orders."),
        ("No end", "No end"),
        ("Version 1.2 is here. Yes.", "Version 1.2 is here."),
        ("  Two\n lines  ", "Two lines"),
        ("", ""),
    ],
)
def test_the_first_sentence_stands_on_one_line(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_a_long_sentence_is_cut_at_a_word() -> None:
    found = first_sentence("word " * 100)
    assert len(found) <= 80
    assert found.endswith("word…")


def test_a_long_word_is_cut_all_the_same() -> None:
    assert len(first_sentence("x" * 500)) <= 80


def test_claims_that_a_server_does_not_make_are_not_invented() -> None:
    assert hint_words(Hints()) == []
    assert hint_words(Hints(destructive=True, open_world=False)) == ["it may destroy", "it stays within its own system"]


def test_what_was_cut_is_counted() -> None:
    assert cut("abcdef", 4) == "abcd… (2 more characters)"
