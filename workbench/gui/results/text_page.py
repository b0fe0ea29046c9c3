"""A result as text. Long texts come in portions, so that the window goes on."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.gui.plain_edit import PlainEdit
from workbench.gui.results.page import Page
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark

_FIRST = 200_000  # characters laid out at once
_PORTION = 120_000  # and in each portion after that


class TextPage(Page):
    """Read only; what cannot be seen is a chip."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = PlainEdit(parent=self)
        self.edit.setReadOnly(True)
        self.edit.setUndoRedoEnabled(False)
        self.edit.setTabChangesFocus(True)
        self.edit.setAccessibleName(name)
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        self.edit.document().setDocumentMargin(theme.unit * 2)
        mark(self.edit, kind="code")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.edit)
        self.setFocusProxy(self.edit)
        self._rest = ""
        self._next = QTimer(self, singleShot=True, interval=5)
        self._next.timeout.connect(self._append)

    def show_text(self, text: str) -> None:
        """Show it from its beginning."""
        self._next.stop()
        first = _cut(text, _FIRST)
        self._rest = text[len(first) :]
        self.edit.setPlainText(visible(first))
        if self._rest:
            self._next.start()

    def whole(self) -> bool:
        """Whether the last portion is on screen."""
        return not self._rest

    def finish(self) -> None:
        """Show all that is left now."""
        while self._rest:
            self._append()

    def seek(self, words: str, step: int) -> str:
        self.finish()
        if not words:
            return ""
        back = QTextDocument.FindFlag.FindBackward if step < 0 else QTextDocument.FindFlag(0)
        if not self.edit.find(words, back):
            end = QTextCursor.MoveOperation.End if step < 0 else QTextCursor.MoveOperation.Start
            self.edit.moveCursor(end)
            if not self.edit.find(words, back):
                return "not found"
        return f"{self.edit.text().casefold().count(words.casefold())} places"

    def _append(self) -> None:
        portion = _cut(self._rest, _PORTION)
        self._rest = self._rest[len(portion) :]
        cursor = QTextCursor(self.edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self.edit.insert_at(cursor, visible(portion))
        if self._rest:
            self._next.start()


def _cut(text: str, length: int) -> str:
    """About so much of the text, ending with a line where there is one near."""
    if len(text) <= length:
        return text
    end = text.rfind("\n", length // 2, length)
    return text[: end + 1] if end >= 0 else text[:length]
