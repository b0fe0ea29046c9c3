"""Paints spans that were found before; it never lexes, so typing stays quick whatever the text."""

from __future__ import annotations

from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from workbench.gui.editor.spans import Spans
from workbench.gui.theme import Theme


class Highlighter(QSyntaxHighlighter):
    """A line that was edited since the last lexing takes the spans of an equal line, or none for a moment."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._lines: list[tuple[str, Spans]] = []
        self._by_text: dict[str, Spans] = {}
        self._formats: dict[str, QTextCharFormat] = {}

    def show_spans(self, text: str, spans: list[Spans]) -> None:
        """Take what lexing found; only lines that look different are painted again."""
        before, self._lines = self._lines, list(zip(text.split("\n"), spans, strict=False))
        self._by_text = dict(self._lines)
        for row, line in enumerate(self._lines):
            if row >= len(before) or before[row] != line:
                self.rehighlightBlock(self.document().findBlockByNumber(row))

    def recolour(self) -> None:
        """The theme changed."""
        self._formats.clear()
        self.rehighlight()

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
            made.setForeground(self._theme.colour(role))
            if role == "code_comment":
                made.setFontItalic(True)
            if role == "code_keyword":
                made.setFontWeight(QFont.Weight.Medium)
            self._formats[role] = made
        return self._formats[role]
