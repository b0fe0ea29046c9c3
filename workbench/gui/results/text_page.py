"""A result as text. Long texts come in portions, so that the window goes on; very long lines are shown in pieces."""

from __future__ import annotations

import re

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.gui.results.page import Page
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark

_FIRST = 200_000  # characters laid out at once
_PORTION = 120_000  # and in each portion after that
_LONGEST_LINE = 8_000  # characters; Qt lays out a line as a whole, and one of a megabyte takes seconds
_LONG_LINE = re.compile(rf"[^\n]{{{_LONGEST_LINE + 1},}}")


class TextPage(Page):
    """Read only; what cannot be seen is a chip."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = QPlainTextEdit(self)
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
        self._broken = False  # the last portion ended inside a line without end
        self._next = QTimer(self, singleShot=True, interval=5)
        self._next.timeout.connect(self._append)

    def show_text(self, text: str) -> None:
        """Show it from its beginning."""
        self._next.stop()
        first = _cut(text, _FIRST)
        self._rest = text[len(first) :]
        self._broken = not first.endswith("\n")
        self.edit.setPlainText(_drawn(first))
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
                return self.tr("not found")
        return self.tr("{0} places").format(self.edit.toPlainText().casefold().count(words.casefold()))

    def _append(self) -> None:
        portion = _cut(self._rest, _PORTION)
        self._rest = self._rest[len(portion) :]
        cursor = QTextCursor(self.edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText("\n" * self._broken + _drawn(portion))
        self._broken = not portion.endswith("\n")
        if self._rest:
            self._next.start()


def _cut(text: str, length: int) -> str:
    """About so much of the text, ending with a line where there is one near."""
    if len(text) <= length:
        return text
    end = text.rfind("\n", length // 2, length)
    return text[: end + 1] if end >= 0 else text[:length]


def _drawn(text: str) -> str:
    return _LONG_LINE.sub(_pieces, visible(text))


def _pieces(line: re.Match[str]) -> str:
    whole = line.group()
    return "\n".join(whole[start : start + _LONGEST_LINE] for start in range(0, len(whole), _LONGEST_LINE))
