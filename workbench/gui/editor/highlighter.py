"""Paints spans that were found before; it never lexes, so typing stays quick whatever the text."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from time import perf_counter

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from workbench.gui.editor.schemes import Scheme
from workbench.gui.editor.spans import Spans


class Highlighter(QSyntaxHighlighter):
    """A line that was edited since the last lexing takes the spans of an equal line, or none for a moment."""

    def __init__(self, document: QTextDocument, scheme: Scheme) -> None:
        super().__init__(document)
        self._scheme = scheme
        self._lines: list[tuple[str, Spans]] = []
        self._by_text: dict[str, Spans] = {}
        self._formats: dict[str, QTextCharFormat] = {}
        self._waiting: deque[int] = deque()  # rows to be painted again, the ones on screen first

    def show_spans(self, text: str, spans: list[Spans], seen: Sequence[int] = ()) -> None:
        """Take what lexing found; only lines that look different are painted again, by `paint`."""
        before, self._lines = self._lines, list(zip(text.split("\n"), spans, strict=False))
        self._by_text = dict(self._lines)
        first, last = _differing(before, self._lines)
        rows = deque(row for row in seen if first <= row < last)
        on_screen = set(rows)
        rows.extend(row for row in range(first, last) if row not in on_screen)
        self._waiting = rows

    def paint(self, seconds: float = math.inf) -> bool:
        """Paint for so long; True when nothing waits."""
        end = perf_counter() + seconds
        while self._waiting:
            self.rehighlightBlock(self.document().findBlockByNumber(self._waiting.popleft()))
            if perf_counter() > end:
                return not self._waiting
        return True

    def recolour(self, scheme: Scheme) -> None:
        """The theme or the scheme changed."""
        self._scheme = scheme
        self._formats.clear()
        self.rehighlight()

    def role_at(self, row: int, column: int) -> str:
        """The colour role of a letter, as it was at the last lexing."""
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
            made = QTextCharFormat()
            made.setForeground(self._scheme.colour(role))
            if role == "code_comment":
                made.setFontItalic(True)
            if role == "code_keyword":
                made.setFontWeight(QFont.Weight.Medium)
            self._formats[role] = made
        return self._formats[role]


def _differing(before: list[tuple[str, Spans]], now: list[tuple[str, Spans]]) -> tuple[int, int]:
    """The rows between what is equal at the beginning and at the end: formats move along with lines that shift."""
    first, most = 0, min(len(before), len(now))
    while first < most and before[first] == now[first]:
        first += 1
    last = 0
    while last < most - first and before[-1 - last] == now[-1 - last]:
        last += 1
    return first, len(now) - last
