"""Syntax colours: lexes programs with pygments and applies the spans to a document."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from functools import cache
from time import perf_counter
from typing import Any, TypeAlias

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from workbench.gui.code.colour_schemes import Scheme
from workbench.gui.kit.plain_edit import units

Spans: TypeAlias = tuple[tuple[int, int, str], ...]

LARGEST = 300_000  # characters; longer text stays plain
_CLOCK_EVERY = 50  # tokens between two looks at the clock


class Lexing:
    """Lexes one text in slices of time, so that typing in a long text never waits."""

    def __init__(self, text: str, language: str = "python") -> None:
        self._rows: list[list[tuple[int, int, str]]] = [[] for _ in range(text.count("\n") + 1)]
        self._tokens = iter(()) if len(text) > LARGEST else iter(_lexer(language).get_tokens(text))
        self._row = self._column = 0

    def run(self, seconds: float = math.inf) -> bool:
        """Lex for this long; True when the whole text is lexed."""
        end = perf_counter() + seconds
        for count, (kind, piece) in enumerate(self._tokens, 1):
            self._add_token(_role(kind), piece)
            if not count % _CLOCK_EVERY and perf_counter() > end:
                return False
        return True

    def spans(self) -> list[Spans]:
        return [tuple(row) for row in self._rows]

    def _add_token(self, role: str, piece: str) -> None:
        for number, part in enumerate(piece.split("\n")):
            if number:
                self._row, self._column = self._row + 1, 0
            width = units(part, len(part))
            if role and width and self._row < len(self._rows):
                self._rows[self._row].append((self._column, width, role))
            self._column += width


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


class Highlighter(QSyntaxHighlighter):
    """Colours lines by the last lexing. Until the next, an edited line takes the spans of an equal line, or none."""

    def __init__(self, document: QTextDocument, scheme: Scheme) -> None:
        super().__init__(document)
        self._scheme = scheme
        self._lines: list[tuple[str, Spans]] = []
        self._by_text: dict[str, Spans] = {}
        self._formats: dict[str, QTextCharFormat] = {}
        self._waiting: deque[int] = deque()  # rows to colour again, those on screen first

    def show_spans(self, text: str, spans: list[Spans], seen: Sequence[int] = ()) -> None:
        """Set the spans of a text; `paint` then colours the lines whose spans changed, those in `seen` first."""
        before, self._lines = self._lines, list(zip(text.split("\n"), spans, strict=False))
        self._by_text = dict(self._lines)
        first, last = _differing(before, self._lines)
        rows = deque(row for row in seen if first <= row < last)
        on_screen = set(rows)
        rows.extend(row for row in range(first, last) if row not in on_screen)
        self._waiting = rows

    def paint(self, seconds: float = math.inf) -> bool:
        """Colour waiting lines for this long; True when none waits."""
        end = perf_counter() + seconds
        while self._waiting:
            self.rehighlightBlock(self.document().findBlockByNumber(self._waiting.popleft()))
            if perf_counter() > end:
                return not self._waiting
        return True

    def recolour(self, scheme: Scheme) -> None:
        """Colour everything again with other colours."""
        self._scheme = scheme
        self._formats.clear()
        self.rehighlight()

    def role_at(self, row: int, column: int) -> str:
        """The colour role of a character at the last lexing; "" for none."""
        if row >= len(self._lines):
            return ""
        return next((role for start, width, role in self._lines[row][1] if start <= column < start + width), "")

    def highlightBlock(self, text: str) -> None:
        for start, length, role in self._spans(text):
            self.setFormat(start, length, self._format(role))

    def _spans(self, text: str) -> Spans:
        row = self.currentBlock().blockNumber()
        if row < len(self._lines) and self._lines[row][0] == text:
            return self._lines[row][1]
        return self._by_text.get(text, ())

    def _format(self, role: str) -> QTextCharFormat:
        if role not in self._formats:
            text_format = QTextCharFormat()
            text_format.setForeground(self._scheme.colour(role))
            if role == "code_comment":
                text_format.setFontItalic(True)
            if role == "code_keyword":
                text_format.setFontWeight(QFont.Weight.Medium)
            self._formats[role] = text_format
        return self._formats[role]


def _differing(before: list[tuple[str, Spans]], now: list[tuple[str, Spans]]) -> tuple[int, int]:
    """The range of rows that differ: formats move with lines that only shift."""
    first, most = 0, min(len(before), len(now))
    while first < most and before[first] == now[first]:
        first += 1
    last = 0
    while last < most - first and before[-1 - last] == now[-1 - last]:
        last += 1
    return first, len(now) - last
