"""A read-only code view with risk marks in its gutter."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from workbench.gui.code.code_editor import CodeEditor, GutterMark
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import risk_word
from workbench.records import Finding, Risk, Verdict

ORDER: Final = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)
"""Risks from lowest to highest."""


class CodeView(CodeEditor):
    """Read-only code. Hidden characters are shown as chips."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, language: str = "python") -> None:
        super().__init__(theme, parent, language)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def show_code(self, code: str) -> None:
        self.set_text(visible(code))

    def show_verdict(self, verdict: Verdict) -> None:
        self.show_marks(marks_of(verdict))


def marks_of(verdict: Verdict) -> dict[int, GutterMark]:
    """One mark per line: the highest risk of its findings and effects, with the texts of all of them."""
    notes: tuple[tuple[int, Risk, str], ...] = (
        *((finding.span.line, finding.risk, _finding_text(finding)) for finding in verdict.findings),
        *((effect.line, effect.risk, f"{effect.kind}: {effect.text}") for effect in verdict.effects),
    )
    marks: dict[int, GutterMark] = {}
    for line, risk, text in notes:
        mark = marks.get(line)
        if mark is None:
            marks[line] = GutterMark(risk, text)
        elif text not in mark.text:
            marks[line] = GutterMark(max(mark.risk, risk, key=ORDER.index), f"{mark.text}\n{text}")
    return {line: mark for line, mark in marks.items() if line > 0}


def worst_line(verdict: Verdict) -> int:
    """The first line with the highest risk; 0 if no finding or effect has a line."""
    marks = marks_of(verdict)
    return min(marks, key=lambda line: (-ORDER.index(marks[line].risk), line), default=0)


def _finding_text(finding: Finding) -> str:
    return f"{risk_word(finding.risk).text}: {finding.message}"
