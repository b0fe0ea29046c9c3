"""What is different from the answer before, line by line."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.gui.dialogs.diff_view import DiffView
from workbench.gui.results.page import Page
from workbench.gui.theme import Theme

LONGEST = 200_000
"""Characters that are compared; finding differences in more would hold up the window."""


class ChangesPage(Page):
    """A unified diff of two results."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = DiffView(theme, self)
        self.view.setAccessibleName("Changes since the answer before")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.setFocusProxy(self.view)

    def show_change(self, before: str, after: str) -> None:
        self.view.show_change(before, after)
