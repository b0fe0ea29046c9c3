"""The card above the line one writes in: the parameters of a call, or what a name stands for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout

from workbench.gui.editor.program_editor import ProgramEditor
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.records import CallShape

_LETTERS = 84
_LINES = 6  # of documentation that a call shows
_ROOM = 0.6  # of the editor's width at most


class SignatureCard(QFrame):
    """Words of strangers, so never rich text; the current parameter stands between ▸ and ◂."""

    def __init__(self, theme: Theme, editor: ProgramEditor) -> None:
        super().__init__(editor)
        self._theme = theme
        self._editor = editor
        self.wished = False  # a person asked: one hears that there is nothing
        mark(self, kind="card")
        self._head = ForeignLabel()
        self._head.setFont(theme.mono())
        self._words = ForeignLabel()
        mark(self._words, role="muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.unit * 2, theme.unit, theme.unit * 2, theme.unit)
        column.setSpacing(theme.unit // 2)
        for part in (self._head, self._words):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            column.addWidget(part)
        self.hide()

    def show_shapes(self, shapes: Sequence[CallShape]) -> None:
        """The call one is in; outside of every call the card goes."""
        wished, self.wished = self.wished, False
        if not shapes:
            self.say("The cursor is not in a call.") if wished else self.hide()
            return
        shape = shapes[0]
        parts = [f"▸{one}◂" if at == shape.current else one for at, one in enumerate(shape.parameters)]
        lines = shape.words.strip().split("\n")[:_LINES]
        self._show(f"{shape.name}({', '.join(parts)})", "\n".join(lines))

    def say(self, words: str) -> None:
        """The first line is the name or the call, what follows its documentation."""
        head, _, rest = words.partition("\n")
        self._show(head, rest.strip())

    def words(self) -> str:
        return f"{self._head.full_text()}\n{self._words.full_text()}".strip() if self.isVisible() else ""

    def _show(self, head: str, rest: str) -> None:
        self._head.setText(head)
        self._words.setText(rest)
        self._words.setVisible(bool(rest))
        window = self._editor.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        width = min(self.fontMetrics().averageCharWidth() * _LETTERS, window.width() - self._theme.unit * 4)
        self.setFixedWidth(width)
        height = min(self.heightForWidth(width), round(window.height() * _ROOM))
        place = self._editor.cursorRect(self._editor.textCursor())
        corner = self._editor.viewport().mapTo(window, place.topLeft())
        top = corner.y() - height - 2 if corner.y() > height + 2 else corner.y() + place.height() + 2
        self.setGeometry(max(0, min(corner.x(), window.width() - width)), top, width, height)
        self.show()
        self.raise_()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, f"{head} {rest}"[:400]))
