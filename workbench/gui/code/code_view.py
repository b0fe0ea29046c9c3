"""Code to be read, not changed: with marks in the gutter, opened where it matters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from workbench.gui.code.code_editor import CodeEditor, Mark
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import risk_word
from workbench.records import Finding, Risk, Verdict

ORDER: Final = (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)
"""The risk words from harmless to worst."""


class CodeView(CodeEditor):
    """Shows hidden characters as chips; lines keep their numbers."""

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


def marks_of(verdict: Verdict) -> dict[int, Mark]:
    """One mark per line: the worst of its findings and effects, with all their words."""
    found: dict[int, Mark] = {}
    told: Iterable[tuple[int, Risk, str]] = (
        *((finding.span.line, finding.risk, _words(finding)) for finding in verdict.findings),
        *((effect.line, effect.risk, f"{effect.kind}: {effect.text}") for effect in verdict.effects),
    )
    for line, risk, words in told:
        before = found.get(line)
        if before is None:
            found[line] = Mark(risk, words)
        elif words not in before.words:
            found[line] = Mark(max(before.risk, risk, key=ORDER.index), f"{before.words}\n{words}")
    return {line: made for line, made in found.items() if line > 0}


def worst_line(verdict: Verdict) -> int:
    """The line of the worst finding or effect; the first one among equals, 0 when nothing has a line."""
    marks = marks_of(verdict)
    return min(marks, key=lambda line: (-ORDER.index(marks[line].risk), line), default=0)


def _words(finding: Finding) -> str:
    return f"{risk_word(finding.risk).text}: {finding.message}"
