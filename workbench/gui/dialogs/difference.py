"""Two texts beside each other, line by line: what was expected and what came, or what somebody changed."""

from __future__ import annotations

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.dialogs.diff_view import DiffView
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.gui.views import label


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
