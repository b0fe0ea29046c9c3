"""Finds out which stretch of each line has which colour role; the only place that knows pygments.

pygments is imported at the first use, after the window is there. A span is (start, length, role), counted in UTF-16
units because that is how Qt counts.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

Spans: TypeAlias = tuple[tuple[int, int, str], ...]

LARGEST = 300_000  # characters; longer text stays plain


def lex(text: str, language: str = "python") -> list[Spans]:
    """One tuple of spans per line; empty tuples where there is nothing to colour."""
    lines: list[list[tuple[int, int, str]]] = [[] for _ in range(text.count("\n") + 1)]
    if len(text) > LARGEST:
        return [() for _ in lines]
    row = column = 0
    for kind, piece in _lexer(language).get_tokens(text):
        role = _role(kind)
        for number, part in enumerate(piece.split("\n")):
            if number:
                row, column = row + 1, 0
            width = _units(part)
            if role and width and row < len(lines):
                lines[row].append((column, width, role))
            column += width
    return [tuple(line) for line in lines]


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@cache
def _lexer(language: str) -> Any:  # Any: pygments has no types
    from pygments.lexers.data import JsonLexer  # type: ignore[import-untyped]  # it ships no types
    from pygments.lexers.javascript import TypeScriptLexer  # type: ignore[import-untyped]
    from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]

    kind = {"json": JsonLexer, "typescript": TypeScriptLexer}.get(language, PythonLexer)
    return kind(stripnl=False, stripall=False, ensurenl=False)


@cache
def _role(kind: Any) -> str:  # Any: a token type of pygments
    from pygments.token import Token  # type: ignore[import-untyped]

    for family, role in (
        (Token.Comment, "code_comment"),
        (Token.Literal.String, "code_string"),
        (Token.Literal.Number, "code_number"),
        (Token.Keyword, "code_keyword"),
        (Token.Operator.Word, "code_keyword"),
        (Token.Operator, "code_operator"),
        (Token.Name.Function, "code_function"),
        (Token.Name.Decorator, "code_function"),
        (Token.Name.Class, "code_type"),
        (Token.Name.Exception, "code_type"),
        (Token.Name.Builtin, "code_builtin"),
        (Token.Name.Tag, "code_key"),
    ):
        if kind in family:
            return role
    return ""
