"""Turns the parser's UTF-8 byte columns into code points, which is what people, editors and records count in."""

from __future__ import annotations

import ast

from workbench.records import Span


class Positions:
    """Knows the lines of one text; ends are clamped into it, so a span always names real code."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def span(self, node: ast.AST) -> Span:
        """Where this node stands; nodes without a place of their own stand at line 1."""
        line = getattr(node, "lineno", 1)
        end = getattr(node, "end_lineno", None) or line
        column = self._column(line, getattr(node, "col_offset", 0))
        return Span(line, column, end, self._column(end, getattr(node, "end_col_offset", None) or 0))

    def _column(self, line: int, byte: int) -> int:
        if not 0 < line <= len(self._lines):
            return 0
        text = self._lines[line - 1]
        if text.isascii():
            return byte if byte < len(text) else len(text)
        return len(text.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "ignore"))
