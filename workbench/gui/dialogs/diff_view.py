"""What a person changed in an agent's text, line by line; plus and minus say it, colour only helps."""

from __future__ import annotations

import difflib

from PySide6.QtGui import QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit, QWidget

from workbench.gui.code_view import CodeView
from workbench.gui.text import visible
from workbench.gui.theme import Theme


class DiffView(CodeView):
    """A unified diff of two texts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Changes to the agent's text")
        self._rows: list[str] = []

    def show_change(self, before: str, after: str) -> None:
        """Both texts as they are shown elsewhere, so with chips."""
        old, new = visible(before).split("\n"), visible(after).split("\n")
        found = list(difflib.unified_diff(old, new, lineterm="", n=3))[2:]
        self._rows = found or ["  Nothing was changed."]
        self.set_text("\n".join(self._rows))
        self._mark_lines()

    def show_diff(self, diff: str, instead: str = "") -> None:
        """A diff that somebody else made; `instead` stands where there is none."""
        self._rows = visible(diff).split("\n") if diff else [instead]
        self.set_text("\n".join(self._rows))
        self._mark_lines()

    def changed_lines(self) -> tuple[str, ...]:
        return tuple(row for row in self._rows if row[:1] in ("+", "-"))

    def _mark_lines(self) -> None:
        selections = []
        for number, row in enumerate(getattr(self, "_rows", ())):
            role = {"+": "success", "-": "danger", "@": "info"}.get(row[:1])
            if role:
                made = QTextEdit.ExtraSelection()
                made.format.setBackground(self.theme.soft(role))
                made.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                made.cursor = QTextCursor(self.line_block(number))
                selections.append(made)
        self.setExtraSelections(selections)
