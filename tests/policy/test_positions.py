"""Columns are counted in characters, as people and editors do."""

from __future__ import annotations

import ast

import pytest

from workbench.policy.positions import Positions
from workbench.records import Span


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
