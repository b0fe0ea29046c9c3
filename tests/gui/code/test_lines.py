"""Line changes as pure functions."""

from __future__ import annotations

import pytest

from workbench.gui.code.code_editor import commented, indented, matching_brackets, next_indent, outdented
from workbench.gui.code.highlighting import LARGEST, Lexing, Spans


def lex(text: str, language: str = "python") -> list[Spans]:
    lexing = Lexing(text, language)
    assert lexing.run()
    return lexing.spans()


@pytest.mark.parametrize(
    ("line", "indent"),
    [("if a:", "    "), ("    x = [", "        "), ("    return 1", ""), ("    a = 1", "    "), ("a:  # b", "    ")],
)
def test_the_next_line_starts_where_python_wants_it(line: str, indent: str) -> None:
    assert next_indent(line) == indent


def test_changes_of_lines_are_each_others_inverse() -> None:
    lines = ["a", "", "    b"]
    assert outdented(indented(lines)) == lines
    assert commented(commented(lines)) == lines


def test_a_bracket_finds_its_partner_through_others() -> None:
    assert matching_brackets("f(a[1], (2))", 1) == (1, 11)
    assert matching_brackets("f(a[1], (2))", 12) == (11, 1)
    assert matching_brackets("no brackets", 3) is None
    assert matching_brackets("(", 0) is None


def test_spans_are_counted_as_qt_counts() -> None:
    line = lex("'👩' if x else y")[0]
    assert [span for span in line if span[2] == "code_string"][-1][0] == 3  # the picture counts as two
    assert next(span for span in line if span[2] == "code_keyword")[0] == 5


def test_strings_over_lines_are_coloured_on_each_line() -> None:
    assert [bool(line) for line in lex('"""a\nb\n"""\n')] == [True, True, True, False]


def test_huge_text_stays_plain() -> None:
    assert lex("x = 1\n" * LARGEST) == [()] * (LARGEST + 1)


def test_typescript_has_its_own_comments_colours_and_blocks() -> None:
    lines = ["const a = 1;", "    b()"]
    assert commented(lines, "//") == ["// const a = 1;", "//     b()"]
    assert commented(commented(lines, "//"), "//") == lines
    assert next_indent("if (a) {", "//") == "    "
    assert next_indent("    return 1", "//") == "    "
    roles = {role for _, _, role in lex('const a: number = "x"; // note', "typescript")[0]}
    assert {"code_keyword", "code_string", "code_comment"} <= roles
