"""The code of a program in the approval page: read, edited with a live assessment, or compared."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QStackedWidget, QWidget

from workbench.gui.code.code_editor import CodeEditor
from workbench.gui.code.code_view import CodeView, columns_of, marks_of, worst_line
from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.text import ForeignLabel, has_hidden
from workbench.gui.kit.theme import Theme, mark
from workbench.records import Gate, Verdict
from workbench.records.common_types import count_of


def is_cleanable(verdict: Verdict | None) -> bool:
    """Whether only characters that can be removed keep it from running."""
    blocked = verdict is not None and verdict.gate is Gate.BLOCKED
    rules = [finding.rule for finding in verdict.findings] if verdict is not None else []
    return blocked and bool(rules) and all(rule.startswith("text.") and rule != "text.size" for rule in rules)


class ProgramView(QWidget):
    """Wraps long lines, so that nothing is hidden to the right."""

    seen = Signal()
    """The worst line came into view for the first time."""
    edited = Signal()

    def __init__(self, theme: Theme, language: str) -> None:
        super().__init__()
        self._theme = theme
        self._original = self._code = ""
        self._verdict: Verdict | None = None
        self._worst = 0
        self._columns: dict[int, int] = {}
        self.worst_seen = False
        """Whether the worst line has been on the screen."""
        self._compared_with = ""  # the allowed text whose difference is shown
        self.reader = CodeView(theme, language=language)
        self.reader.setAccessibleName("The exact code that will run")
        self.reader.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.reader.seen.connect(self._check_worst_line)
        self.editor = CodeEditor(theme, language=language)
        self.editor.setAccessibleName("The code, editable")
        self.editor.edited.connect(self.edited)
        self.diff = DiffView(theme)
        self._build()

    @property
    def editing(self) -> bool:
        return self._pages.currentWidget() is self.editor

    def show_program(self, code: str, original: str, verdict: Verdict | None) -> None:
        """Show a text or a new verdict on it, opened at the worst line. An editor stays open, with the user's text.

        `original` is the text of its author: what differs from it are the user's changes.
        """
        self._code, self._original = code, original
        self.reader.show_code(code)
        self.reader.show_marks(marks_of(verdict) if verdict else {})
        self._worst = worst_line(verdict) if verdict else 0
        self._columns = columns_of(verdict) if verdict else {}
        self._compared_with = ""
        self._verdict = verdict
        self._changes.setVisible(code != original)
        if self.editing:
            self.worst_seen = self._worst == 0
            self._show_facts(None)  # the verdict on the user's text follows
        else:
            self.show_worst_line()

    def height_of(self, lines: int) -> int:
        """The height for so many lines of code, with the line above them and a scroll bar."""
        bar = self.reader.horizontalScrollBar().sizeHint().height() + 2 * self.reader.frameWidth()
        head = self._changes.sizeHint().height() + 2 * self._theme.unit
        return self.reader.fontMetrics().lineSpacing() * lines + bar + head

    def show_worst_line(self) -> None:
        """Show the code at its worst line; it counts as seen only if it is on the screen now."""
        self.worst_seen = self._worst == 0
        self._show(self.reader)
        self._show_facts(self._verdict)
        self.go_to(self._worst or 1)

    def edit(self) -> None:
        self.editor.set_text(self._code)
        self._show(self.editor)
        self.editor.setFocus()

    def mark_edit(self, verdict: Verdict) -> None:
        """Show the findings of the edited text in the gutter of the editor, and its facts above it."""
        self.editor.show_marks(marks_of(verdict))
        self._show_facts(verdict)

    def take_clean(self, clean: str) -> None:
        """Put the clean text into the editor; undo restores the text before."""
        cursor = self.editor.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(clean)

    def compare(self, before: str) -> None:
        """Show the difference to a text that was allowed before, or go back to the code."""
        if self._pages.currentWidget() is self.diff and self._compared_with == before:
            self._show(self.reader)
            return
        self._compared_with = before
        self.diff.show_change(before, self._code)
        self._show(self.diff)

    def edited_text(self) -> str:
        return self.editor.text()

    def go_to(self, line: int, column: int | None = None) -> None:
        """Show a line, in the editor while the program is edited. Without a column, at its worst finding."""
        self._show(self.editor if self.editing else self.reader)
        if self.editing:
            self.editor.go_to(line)
        else:
            self.reader.go_to_code(line, self._columns.get(line, 0) if column is None else column)
        self._check_worst_line()

    def _build(self) -> None:
        unit = self._theme.unit
        self.facts = ForeignLabel(role="muted", elide=True)
        self._changes = QPushButton("Your changes")
        self._changes.setCheckable(True)
        self._changes.setAutoDefault(True)
        mark(self._changes, kind="chip")
        self._changes.clicked.connect(self._toggle_diff)
        self._pages = QStackedWidget()
        for page in (self.reader, self.editor, self.diff):
            self._pages.addWidget(page)
        head = row(None, self.facts, self._changes, margins=(unit * 3, unit, unit * 2, unit), grows=self.facts)
        column(self, head, self._pages, grows=self._pages)

    def _show_facts(self, verdict: Verdict | None) -> None:
        """Say how long the text on screen is, who wrote it, and what of it cannot be seen."""
        code = self.edited_text() if self.editing else self._code
        facts = [count_of(code.count("\n") + (not code.endswith("\n")), "line")]
        if verdict is not None and verdict.forks:
            facts.append(branches_text(verdict.forks))
        if code != self._original:
            facts.append("edited by you")
        if has_hidden(code):
            facts.append("contains hidden characters" if self.editing else "hidden characters are drawn as ‹U+…›")
        if not self.editing and self.reader.has_gaps():
            facts.append("wide gaps are drawn as ‹n blanks›")
        self.facts.setText(" · ".join(facts))

    def _toggle_diff(self, on: bool) -> None:
        self._compared_with = ""
        if on:
            self.diff.show_change(self._original, self._code)
        self._show(self.diff if on else self.reader)

    def _show(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        self._changes.setChecked(page is self.diff and not self._compared_with)

    def _check_worst_line(self) -> None:
        if not self.worst_seen and self.isVisible() and self._on_screen(self._worst):
            self.worst_seen = True
            self.seen.emit()

    def _on_screen(self, line: int) -> bool:
        """Whether the place of the line's worst finding is in the part of the view that nothing cuts off."""
        if self._pages.currentWidget() is not self.reader:
            return False
        port, place = self.reader.viewport(), self.reader.code_place(line, self._columns.get(line, 0)).center()
        return port.visibleRegion().contains(place) and port.rect().contains(place)


def branches_text(number: int) -> str:
    """How many branches and loops a program has: how long it takes to read it."""
    return "1 branch or loop" if number == 1 else f"{number:,} branches and loops"
