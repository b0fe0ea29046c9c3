"""Texts are cut as the model's own tokenizer cuts them, and names where people cut them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.search.semantic.wordpiece_tokenizer import WordpieceTokenizer

WORDS = ["[UNK]", "[CLS]", "[SEP]", "create", "issue", "##s", "un", "##able", "cafe", "天", "!", "-", "x"]


def cut(text: str, most: int = 20) -> list[str]:
    return [WORDS[place] for place in WordpieceTokenizer(WORDS).of(text, most)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Create issues!", ["create", "issue", "##s", "!"]),
        ("createIssue create_issue", ["create", "issue", "create", "issue"]),
        ("Café", ["cafe"]),
        ("天天x", ["天", "天", "x"]),
        ("unable unthinkable", ["un", "##able", "[UNK]"]),
        ("x" * 200, ["[UNK]"]),
        ("", []),
    ],
)
def test_the_longest_known_beginning_comes_first(text: str, pieces: list[str]) -> None:
    assert cut(text) == ["[CLS]", *pieces, "[SEP]"]


@given(st.text(max_size=200), st.integers(2, 30))
def test_any_text_begins_and_ends_and_is_no_longer_than_wanted(text: str, most: int) -> None:
    found = cut(text, most)
    assert (found[0], found[-1]) == ("[CLS]", "[SEP]")
    assert len(found) <= most


def test_a_list_of_words_without_the_marks_is_no_vocabulary() -> None:
    with pytest.raises(ValueError, match=r"\[CLS\] is missing"):
        WordpieceTokenizer(["a", "b"])
