"""A read-only code view with risk marks in its gutter."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.gui.code.code_editor import CodeEditor, GutterMark
from workbench.gui.kit.plain_edit import units
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import UNVERIFIED, risk_word
from workbench.records import Finding, Risk, Verdict

ORDER: Final = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)
"""Risks from lowest to highest."""


# blanks after which code is easily overlooked
_GAP = re.compile(r"(?<=\S)[^\S\n]{24,}(?=\S)|^[^\S\n]{80,}(?=\S)", re.MULTILINE)


class CodeView(CodeEditor):
    """Read-only code. Hidden characters are shown as chips, and so are wide gaps inside a line."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, language: str = "python") -> None:
        super().__init__(theme, parent, language)
        self._code_lines: list[str] = []
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def show_code(self, code: str) -> None:
        self._code_lines = code.split("\n")
        self.set_text(visible(_GAP.sub(_gap_chip, code)))

    def show_verdict(self, verdict: Verdict) -> None:
        self.show_marks(marks_of(verdict))

    def has_gaps(self) -> bool:
        """Whether blanks inside a line are so wide that what follows them could be overlooked."""
        return any(_GAP.search(line) for line in self._code_lines)

    def go_to_code(self, line: int, column: int = 0) -> None:
        """Go to a place of the program: a line, counted from 1, and a column in code points."""
        self.go_to(line, self._shown_column(line, column))

    def code_place(self, line: int, column: int = 0) -> QRect:
        """Where a place of the program is in the viewport, whether or not that is on the screen."""
        return self.cursorRect(self._cursor_at(self.line_place(line - 1, self._shown_column(line, column))))

    def _shown_column(self, line: int, column: int) -> int:
        """The column in UTF-16 units among the characters that are drawn."""
        text = self._code_lines[line - 1] if 0 < line <= len(self._code_lines) else ""
        drawn, start = "", 0
        for gap in _GAP.finditer(text):
            if gap.end() <= column:
                drawn, start = drawn + visible(text[start : gap.start()]) + _gap_chip(gap), gap.end()
        drawn += visible(text[start:column])
        return units(drawn, len(drawn))

    def _cursor_at(self, place: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(place)
        return cursor


def _gap_chip(gap: re.Match[str]) -> str:
    return f" ‹{len(gap.group()):,} blanks› "


def marks_of(verdict: Verdict) -> dict[int, GutterMark]:
    """One mark per line: the highest risk of its findings and effects, with the texts of all of them."""
    notes: tuple[tuple[int, GutterMark], ...] = (
        *((one.span.line, GutterMark(one.risk, _finding_text(one), one.unverified)) for one in verdict.findings),
        *((one.line, GutterMark(one.risk, f"{one.kind}: {one.text}", one.unverified)) for one in verdict.effects),
    )
    marks: dict[int, GutterMark] = {}
    for line, note in notes:
        mark = marks.get(line)
        if mark is None:
            marks[line] = note
        elif note.text not in mark.text:
            worse = max(mark, note, key=lambda one: (ORDER.index(one.risk), not one.unverified))
            marks[line] = replace(worse, text=f"{mark.text}\n{note.text}")
    return {line: mark for line, mark in marks.items() if line > 0}


def worst_line(verdict: Verdict) -> int:
    """The first line with the highest risk; 0 if no finding or effect has a line."""
    marks = marks_of(verdict)
    return min(marks, key=lambda line: (-ORDER.index(marks[line].risk), marks[line].unverified, line), default=0)


def columns_of(verdict: Verdict) -> dict[int, int]:
    """The column of the worst finding of each line, in code points."""
    findings = sorted(verdict.findings, key=lambda finding: ORDER.index(finding.risk))
    return {finding.span.line: finding.span.column for finding in findings}


def _finding_text(finding: Finding) -> str:
    word = UNVERIFIED if finding.unverified else risk_word(finding.risk)
    return f"{word.text}: {finding.message}"
