"""Programs are read beside each other, and once more when Python stumbled over itself."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.analysis import parsed_program
from workbench.analysis.canonical_text import canonicalize
from workbench.analysis.parsed_program import Positions
from workbench.records import Span

TEXT = "\n".join(f"value_{at} = [{{'a': ({at}, -{at})}} for one in range({at})]" for at in range(200))


def test_texts_are_read_on_several_threads() -> None:
    with ThreadPoolExecutor(4) as threads:
        assert {len(tree.body) for tree in threads.map(parsed_program.parse, [TEXT] * 16)} == {200}


def test_a_stumble_is_no_fault_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    real, stumbles = ast.parse, [SystemError("AST constructor recursion depth mismatch")] * 2

    def stumbling(text: str, name: str) -> ast.Module:
        if stumbles:
            raise stumbles.pop()
        return real(text, name)

    monkeypatch.setattr(ast, "parse", stumbling)
    assert len(parsed_program.parse("a = 1").body) == 1


def test_what_is_no_program_is_told() -> None:
    with pytest.raises(SyntaxError):
        parsed_program.parse("a = = 1")


def _call(text: str) -> ast.AST:
    return next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("x = f(1)", Span(1, 4, 1, 8)),
        ("é = f('ü')", Span(1, 4, 1, 10)),
        ("'日本'; f('😀')", Span(1, 6, 1, 12)),
        ("a\nf(\n  'é')", Span(2, 0, 3, 6)),
    ],
)
def test_a_node_stands_where_it_is_seen(text: str, span: Span) -> None:
    assert Positions(text).span(_call(text)) == span
    lines = text.split("\n")
    if span.line == span.end_line:
        assert lines[span.line - 1][span.column : span.end_column].startswith("f(")


def test_places_outside_of_the_text_are_clamped() -> None:
    node = ast.Name("x", lineno=9, col_offset=5, end_lineno=9, end_col_offset=80)
    assert Positions("x").span(node) == Span(9, 0, 9, 0)
    assert Positions("x").span(ast.Load()) == Span(1, 0, 1, 0)


WIDE = st.text(st.characters(codec="utf-8") | st.sampled_from("é日😀👩\u0301\u00a0 '\t"), max_size=12)


@given(WIDE, WIDE, WIDE)
def test_a_span_cuts_exactly_its_node_out_of_any_canonical_text(before: str, inside: str, after: str) -> None:
    text = canonicalize(f"{before!r}; f({inside!r},\n  g({after!r})) # {before!r}\n").text
    lines = text.split("\n")
    for node in (found for found in ast.walk(ast.parse(text)) if isinstance(found, ast.Call | ast.Constant)):
        span = Positions(text).span(node)
        cut = "\n".join(lines[span.line - 1 : span.end_line])
        cut = cut[span.column : len(cut) - (len(lines[span.end_line - 1]) - span.end_column)]
        assert ast.dump(ast.parse(cut, mode="eval").body) == ast.dump(node)
