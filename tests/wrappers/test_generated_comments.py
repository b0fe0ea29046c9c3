"""Words around generated functions."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.records import Hints
from workbench.wrappers.generated_comments import cut, first_sentence, hint_words, jsdoc


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


# ── foreign words in a comment of TypeScript stay words ──────────────────────────────────────────────
texts = st.text() | st.text(alphabet="*/\\@#\n\r a\u2028\u202e", max_size=20)


def test_one_line_stays_on_one_line() -> None:
    assert jsdoc("Create an issue.", indent="  ") == "  /** Create an issue. */\n"


def test_many_lines_and_our_own_tags_stand_below_each_other() -> None:
    assert (
        jsdoc("One.\n\nTwo.", "returns What was made") == "/**\n * One.\n *\n * Two.\n * @returns What was made\n */\n"
    )


def test_no_words_make_no_comment() -> None:
    assert jsdoc("\n \x00\n") == ""


@given(texts, texts, st.sampled_from(["", "  "]))
@example("*/ alert(1) /*", "*/", "")
@example("*\x00/ */*/ **//", "", "")
def test_only_its_own_end_ends_a_comment(text: str, tags: str, indent: str) -> None:
    made = jsdoc(text, tags, indent)
    assert made == "" or (made.startswith(f"{indent}/**") and made.index("*/") == len(made) - 3)


@given(texts)
@example("@ts-expect-error")
@example("//# sourceMappingURL=x.map")
def test_no_words_instruct_a_compiler(text: str) -> None:
    made = jsdoc(text)
    assert not re.search(r"(?<![\w\\])@\w|(?<!\\)[#@]\s*source", made)


@given(texts)
def test_no_mark_hides_or_turns_what_follows(text: str) -> None:
    assert not set(jsdoc(text)) & set("\r\x00\x0b\x0c\x85\u2028\u2029\u202e\u2066")
