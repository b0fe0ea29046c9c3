"""The editor of programs: a code editor with problems, zoom, a colour scheme and Escape + Tab to leave it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QFont, QKeyEvent, QTextCharFormat, QWheelEvent
from PySide6.QtWidgets import QTextEdit, QWidget

from workbench.gui.code.assessment import Problem
from workbench.gui.code.code_editor import LINE_END, CodeEditor
from workbench.gui.code.colour_schemes import EditorAppearance, Scheme
from workbench.gui.kit.plain_edit import units
from workbench.gui.kit.theme import Theme

_MAX_UNDERLINED = 300


class ProgramEditor(CodeEditor):
    """Escape, then Tab moves the focus out of it; Ctrl+Tab goes to the next tab."""

    typed = Signal(str)
    """Carries what a key typed; empty after Backspace."""

    def __init__(self, theme: Theme, appearance: EditorAppearance, parent: QWidget | None = None) -> None:
        self._appearance = appearance
        super().__init__(theme, parent)
        self.menu_actions: Sequence[QAction] = ()
        """Added to the context menu."""
        self.key_filter: Callable[[QKeyEvent], bool] | None = None
        """Sees each key first; True: it is dealt with. A completer calls `event`, which passes over event filters."""
        self._tab_leaves = False  # the next Tab moves the focus on
        self._problems: tuple[Problem, ...] = ()
        appearance.changed.connect(self._apply_appearance)

    def wanted_scheme(self) -> Scheme:
        return self._appearance.scheme()

    def wanted_font(self) -> QFont:
        return self.theme.mono(self._appearance.zoom_steps)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.key_filter is not None and self.key_filter(event):
            return
        tab = event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        if tab and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the pane goes to the next tab
            return
        if tab and self._tab_leaves:
            self._tab_leaves = False
            self.leave(forward=event.key() == Qt.Key.Key_Tab)
            return
        if event.key() != Qt.Key.Key_Shift:  # it is pressed before Shift+Tab
            self._tab_leaves = event.key() == Qt.Key.Key_Escape
        super().keyPressEvent(event)
        if event.key() == Qt.Key.Key_Backspace:
            self.typed.emit("")
        elif event.text().isprintable() and event.text() and event.modifiers() != Qt.KeyboardModifier.ControlModifier:
            self.typed.emit(event.text())

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Underline problems in their colours."""
        self._problems = tuple(problems)
        self.show_layer("problems", [self._underline(problem) for problem in self._problems[:_MAX_UNDERLINED]])

    def problems(self) -> tuple[Problem, ...]:
        return self._problems

    def problems_at(self, place: int) -> str:
        """The texts of the problems at a position of the document, one per line."""
        texts = []
        for problem, underline in zip(self._problems, self._layers.get("problems", ()), strict=False):
            start, end = underline.cursor.selectionStart(), underline.cursor.selectionEnd()
            if start <= place < max(end, start + 1):
                texts.append(problem.text)
        return "\n".join(dict.fromkeys(texts))

    def next_problem(self, step: int) -> str:
        """Go to the next problem (1) or the previous one (-1), around the end, and return its text; "" without one."""
        places = sorted({underline.cursor.selectionStart() for underline in self._layers.get("problems", ())})
        if not places:
            return ""
        here = self.textCursor().position()
        beyond = [place for place in places if (place > here if step > 0 else place < here)]
        place = (beyond or places)[0 if step > 0 else -1]
        cursor = self.textCursor()
        cursor.setPosition(place)
        self.setTextCursor(cursor)
        self.centerCursor()
        return self.problems_at(place)

    def role_at(self, row: int, column: int) -> str:
        """The colour role of a character when the text was last lexed."""
        return self._highlighter.role_at(row, column)

    def _underline(self, problem: Problem) -> QTextEdit.ExtraSelection:
        first = max(0, min(problem.line, self.line_count()) - 1)
        last = max(problem.line, problem.end_line) - 1
        last = last if last < self.line_count() else first
        end = self._column_place(last, problem.end_column or LINE_END)
        selection = QTextEdit.ExtraSelection()
        selection.cursor = self.cursor_over(self._column_place(first, problem.column), end)
        if not selection.cursor.hasSelection():
            self.select_lines(selection.cursor, first, first)
        selection.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        selection.format.setUnderlineColor(self.theme.colour(problem.tone))
        return selection

    def _column_place(self, line: int, column: int) -> int:
        """The position in the document of a column that is counted in code points."""
        text = self.line_block(line).text()  # only the first piece of a very long line: beyond it, one unit per letter
        return self.line_place(line, units(text, column) if column < LINE_END else LINE_END)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        menu.addSeparator()
        menu.addActions(list(self.menu_actions))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if turned := event.angleDelta().y():
                self._appearance.zoom(1 if turned > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_problems"):
            self.ensureCursorVisible()
