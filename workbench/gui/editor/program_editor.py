"""The editor of a tab: what every code view can, and zoom, schemes of colours, and undo that outlives a crash."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QKeyEvent, QKeySequence, QTextCharFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QTextEdit, QWidget

from workbench.gui.editor.code_editor import FAR, CodeEditor
from workbench.gui.editor.exact import units
from workbench.gui.editor.looks import Looks
from workbench.gui.editor.past import Past
from workbench.gui.editor.problems import Problem
from workbench.gui.editor.schemes import Scheme
from workbench.gui.theme import Theme

_UNDERLINED = 300  # problems at once


class ProgramEditor(CodeEditor):
    """Escape, then Tab leaves it; Ctrl+Tab goes to the next tab."""

    typed = Signal(str)
    """A key put these letters in; empty: it took some away."""

    def __init__(self, theme: Theme, looks: Looks, parent: QWidget | None = None) -> None:
        self._looks = looks
        super().__init__(theme, parent)
        self.past = Past(self)
        self._leaves = False  # the next Tab moves the keyboard on
        self._problems: tuple[Problem, ...] = ()
        looks.changed.connect(self._dress)

    def wanted_scheme(self) -> Scheme:
        return self._looks.scheme()

    def wanted_font(self) -> QFont:
        return self.theme.mono(self._looks.steps)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        tab = event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        if tab and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # whoever holds the tabs goes to the next one
            return
        if tab and self._leaves:
            self._leaves = False
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Tab)
            return
        self._leaves = event.key() == Qt.Key.Key_Escape
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo()
            return
        if event.matches(QKeySequence.StandardKey.Redo):
            self.redo()
            return
        super().keyPressEvent(event)
        if event.key() == Qt.Key.Key_Backspace:
            self.typed.emit("")
        elif event.text().isprintable() and event.text():
            self.typed.emit(event.text())

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Underline what was found, in the colour of how bad it is; F8 leads from one to the next."""
        self._problems = tuple(problems)
        self.show_layer("problems", [self._wave(one) for one in self._problems[:_UNDERLINED]])

    def problems(self) -> tuple[Problem, ...]:
        return self._problems

    def words_at(self, place: int) -> str:
        """What was found at a place of Qt's counting."""
        found = []
        for one, lit in zip(self._problems, self._layers.get("problems", ()), strict=False):
            if lit.cursor.selectionStart() <= place < max(lit.cursor.selectionEnd(), lit.cursor.selectionStart() + 1):
                found.append(one.words)
        return "\n".join(dict.fromkeys(found))

    def next_problem(self, step: int) -> str:
        """Go to the next problem (1) or the one before (-1); answers its words, empty where there is none."""
        places = [lit.cursor.selectionStart() for lit in self._layers.get("problems", ())]
        if not places:
            return ""
        here, order = self.textCursor().position(), sorted({*places})
        after = [place for place in order if (place > here if step > 0 else place < here)]
        place = (after[0] if step > 0 else after[-1]) if after else order[0 if step > 0 else -1]
        cursor = self.textCursor()
        cursor.setPosition(place)
        self.setTextCursor(cursor)
        self.centerCursor()
        return self.words_at(place)

    def role_at(self, row: int, column: int) -> str:
        """The colour role of a letter, as it was at the last lexing."""
        return self._highlighter.role_at(row, column)

    def _wave(self, one: Problem) -> QTextEdit.ExtraSelection:
        made = QTextEdit.ExtraSelection()
        made.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        made.format.setUnderlineColor(self.theme.colour(one.tone))
        first = max(0, min(one.line, self.line_count()) - 1)
        last = max(one.line, one.end_line) - 1
        last = last if last < self.line_count() else first
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._column_place(first, one.column))
        cursor.setPosition(self._column_place(last, one.end_column or FAR), QTextCursor.MoveMode.KeepAnchor)
        if not cursor.hasSelection():
            self.choose_lines(cursor, first, first)
        made.cursor = cursor
        return made

    def _column_place(self, line: int, column: int) -> int:
        """Where a column, counted in code points, lies in the document."""
        text = self.line_block(line).text()  # of a line in several pieces only the first: beyond it each letter is one
        return self.line_place(line, units(text, column) if column < FAR else FAR)

    def undo(self) -> None:
        """Take the last step back; Qt does not say while it does so, so every road to it leads through here."""
        self.past.undoing = True
        try:
            super().undo()
        finally:
            self.past.undoing = False

    def redo(self) -> None:
        """Make the step again that was taken back last."""
        self.past.redoing = True
        try:
            super().redo()
        finally:
            self.past.redoing = False

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        for action in menu.actions():
            if own := {"edit-undo": self.undo, "edit-redo": self.redo}.get(action.objectName()):
                action.triggered.disconnect()
                action.triggered.connect(own)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y()
            if turned:
                self._looks.zoom(1 if turned > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "past"):
            self.ensureCursorVisible()
