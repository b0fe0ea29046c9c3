"""Finds out which stretch of each line has which colour role; the only place that knows pygments.

pygments is imported at the first use, after the window is there. A span is (start, length, role), counted in UTF-16
units because that is how Qt counts.
"""

from __future__ import annotations

import math
from functools import cache
from time import perf_counter
from typing import Any, TypeAlias

Spans: TypeAlias = tuple[tuple[int, int, str], ...]

LARGEST = 300_000  # characters; longer text stays plain
_OFTEN = 50  # tokens between two looks at the clock


class Lexing:
    """Lexes one text piece by piece, so that a long one never holds up a key."""

    def __init__(self, text: str, language: str = "python") -> None:
        self._rows: list[list[tuple[int, int, str]]] = [[] for _ in range(text.count("\n") + 1)]
        self._tokens = iter(()) if len(text) > LARGEST else iter(_lexer(language).get_tokens(text))
        self._row = self._column = 0

    def go(self, seconds: float = math.inf) -> bool:
        """Go on for so long; True when everything was read."""
        end = perf_counter() + seconds
        for count, (kind, piece) in enumerate(self._tokens, 1):
            self._take(_role(kind), piece)
            if not count % _OFTEN and perf_counter() > end:
                return False
        return True

    def spans(self) -> list[Spans]:
        return [tuple(row) for row in self._rows]

    def _take(self, role: str, piece: str) -> None:
        for number, part in enumerate(piece.split("\n")):
            if number:
                self._row, self._column = self._row + 1, 0
            width = _units(part)
            if role and width and self._row < len(self._rows):
                self._rows[self._row].append((self._column, width, role))
            self._column += width


def lex(text: str, language: str = "python") -> list[Spans]:
    """One tuple of spans per line; empty tuples where there is nothing to colour."""
    lexing = Lexing(text, language)
    lexing.go()
    return lexing.spans()


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@cache
def _lexer(language: str) -> Any:  # Any: pygments has no types
    from pygments.lexers.configs import TOMLLexer  # type: ignore[import-untyped]  # it ships no types
    from pygments.lexers.data import JsonLexer  # type: ignore[import-untyped]
    from pygments.lexers.javascript import TypeScriptLexer  # type: ignore[import-untyped]
    from pygments.lexers.markup import MarkdownLexer  # type: ignore[import-untyped]
    from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]

    known = {"json": JsonLexer, "typescript": TypeScriptLexer, "markdown": MarkdownLexer, "toml": TOMLLexer}
    kind = known.get(language, PythonLexer)
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
        (Token.Generic.Heading, "code_keyword"),
        (Token.Generic.Subheading, "code_keyword"),
        (Token.Generic.Strong, "code_function"),
        (Token.Generic.Emph, "code_type"),
        (Token.Name.Attribute, "code_key"),
    ):
        if kind in family:
            return role
    return ""
