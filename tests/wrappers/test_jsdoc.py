"""Foreign words in a comment of TypeScript stay words."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from workbench.wrappers.generated_comments import jsdoc

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
