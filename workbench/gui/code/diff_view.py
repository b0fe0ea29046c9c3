"""What a person changed in an agent's text, line by line; plus and minus say it, colour only helps."""

from __future__ import annotations

import difflib

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QTextCursor, QTextFormat
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextEdit, QVBoxLayout, QWidget

from workbench.gui.code.code_view import CodeView
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context


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


class DifferenceDialog(QDialog):
    """Minus is what was expected, plus what came."""

    def __init__(
        self, context: Context, words: str, expected: str, got: str, parent: QWidget | None = None, signs: str = ""
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Expected and got")
        unit = context.theme.unit
        self.setMinimumWidth(unit * 100)
        if expected or got:
            self.resize(unit * 170, unit * 110)
        title = label(one_line(words, 300), "heading")
        title.setWordWrap(True)
        self.diff = DiffView(context.theme)
        self.diff.setAccessibleName("Expected and got, line by line")
        self.diff.show_change(expected, got)
        self._buttons = buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(title)
        column.addWidget(legend := label(one_line(signs, 100) or "− expected   + got", "muted"))
        column.addWidget(self.diff, 1)
        for part in (legend, self.diff):
            part.setVisible(bool(expected or got))
        column.addWidget(buttons)

    def offer(self, words: str) -> SignalInstance:
        """One more thing that can be done with the second text; the dialog closes then."""
        button = self._buttons.addButton(words, QDialogButtonBox.ButtonRole.AcceptRole)
        mark(button, kind="primary")
        button.clicked.connect(self.accept)
        return button.clicked
