"""Facts as lines, to be read and copied: no numbers of lines, no colours of a language."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.gui.plain_edit import PlainEdit
from workbench.gui.theme import Theme, mark


class PlainView(PlainEdit):
    """Long lines are wrapped."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setFont(theme.mono())
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(theme.unit * 3)
        mark(self, kind="code")
