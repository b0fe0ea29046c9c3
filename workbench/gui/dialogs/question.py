"""A question with two answers that does not hold up the loop: `open()` and a future, never `exec()`."""

from __future__ import annotations

import asyncio
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label


class Question(QDialog):
    """Says what is about to happen, shows the exact text it is about, and waits; Esc is No."""

    def __init__(self, theme: Theme, title: str, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._first: QWidget | None = None  # what has the keyboard when it opens; Cancel otherwise
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(theme.unit * 120)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(*(theme.unit * 6,) * 4)
        self._layout.setSpacing(theme.unit * 3)
        self._layout.addWidget(label(title, "heading"))
        words = label(visible(sentence), "muted")
        words.setWordWrap(True)
        self._layout.addWidget(words)

    def show_text(self, text: str, name: str) -> None:
        """The exact text the question is about, scrollable and never shortened."""
        self._layout.addWidget(text_box(self._theme, text, name))

    def show_note(self, text: str, role: str = "muted") -> QLabel:
        note = label(visible(text), role)
        note.setWordWrap(True)
        self._layout.addWidget(note)
        return note

    def add(self, field: QWidget) -> None:
        """Something to fill in; it has the keyboard first."""
        self._layout.addWidget(field)
        self._first = field

    async def ask(self, yes: str, *, danger: bool = False) -> bool:
        """Open, wait for the person, and answer whether they said yes."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._buttons(yes, danger)
        self.finished.connect(partial(_settle, answer))
        self.open()
        try:
            return await answer
        except asyncio.CancelledError:
            self.reject()
            raise

    def _buttons(self, yes: str, danger: bool) -> None:
        row = QHBoxLayout()
        row.addStretch()
        no = QPushButton("Cancel")
        no.clicked.connect(self.reject)
        go = QPushButton(yes)
        go.clicked.connect(self.accept)
        for button in (no, go):
            button.setAutoDefault(True)  # Enter presses the button that has the keyboard
        no.setDefault(True)
        mark(go, kind="danger" if danger else "primary")
        QShortcut(QKeySequence("Ctrl+Return"), self, self.accept)
        row.addWidget(no)
        row.addWidget(go)
        self._layout.addLayout(row)
        (self._first or no).setFocus()


def text_box(theme: Theme, text: str, name: str) -> PlainEdit:
    """A text to be read as it is, as high as its lines up to ten."""
    box = PlainEdit(visible(text))
    box.setReadOnly(True)
    box.setTabChangesFocus(True)
    box.setAccessibleName(name)
    box.setFont(theme.mono())
    lines = min(10, max(2, text.count("\n") + 1 + len(text) // 70))
    box.setFixedHeight(box.fontMetrics().lineSpacing() * lines + theme.unit * 5)
    mark(box, kind="code")
    return box


def _settle(answer: asyncio.Future[bool], code: int) -> None:
    if not answer.done():
        answer.set_result(code == QDialog.DialogCode.Accepted)
