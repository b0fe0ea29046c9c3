"""Judges a program while it is edited: a moment after the last key the verdict on what stands there now is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.code_editor import CodeEditor
from workbench.gui.code.code_view import CodeView, marks_of, worst_line
from workbench.gui.code.diff_view import DiffView
from workbench.gui.kit.text import ForeignLabel, has_hidden
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.records import Gate, Risk, Verdict

PAUSE_MS: Final = 120  # after the last key; the core answers in a few milliseconds


class EditCheck(QObject):
    """Asks about the newest text only; an answer about an older one is dropped."""

    judged = Signal(object)
    """Carries the Verdict on the text as it is now."""
    cleaned = Signal(str)

    def __init__(self, context: Context, text: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._text = text
        self._run_id = ""
        self._asking = False
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._ask)

    def begin(self, run_id: str) -> None:
        self._run_id = run_id
        self._pause.start()

    def end(self) -> None:
        self._run_id = ""
        self._pause.stop()

    def stir(self) -> None:
        """The text is another one."""
        if self._run_id:
            self._pause.start()

    def clean(self) -> None:
        """Ask for the text without what makes it unfit."""
        self._context.tasks.run("clean a program", self._clean(self._text()))

    def _ask(self) -> None:
        if self._asking:
            self._pause.start()  # the answer under way comes first
            return
        self._asking = True
        self._context.tasks.run("judge an edit", self._judge(self._run_id, self._text()))

    async def _judge(self, run_id: str, text: str) -> None:
        try:
            verdict = await self._context.api.assess_edit(run_id, text)
        except WorkbenchError:
            return  # the run is over; the dialog hears of that by itself
        finally:
            self._asking = False
        if run_id == self._run_id and text == self._text():
            self.judged.emit(verdict)

    async def _clean(self, text: str) -> None:
        clean = await self._context.api.clean_code(text)
        if text == self._text():
            self.cleaned.emit(clean)


def is_cleanable(verdict: Verdict | None) -> bool:
    """Whether it is blocked by its characters alone, which can be taken out."""
    blocked = verdict is not None and verdict.gate is Gate.BLOCKED
    rules = [finding.rule for finding in verdict.findings] if verdict is not None else []
    return blocked and bool(rules) and all(rule.startswith("text.") and rule != "text.size" for rule in rules)


class ProgramView(QWidget):
    """Remembers whether the worst line has been on screen."""

    seen = Signal()
    """The worst line came into view for the first time."""
    edited = Signal()

    def __init__(self, theme: Theme, original: str, parent: QWidget | None = None, language: str = "python") -> None:
        super().__init__(parent)
        self._theme = theme
        self._original = original
        self._code = original
        self._worst = 0
        self._worst_seen = False
        self._against = ""  # the allowed text that it is compared with now
        self.reader = CodeView(theme, language=language)
        self.reader.setAccessibleName("The exact code that will run")
        self.reader.seen.connect(self._look)
        self.editor = CodeEditor(theme, language=language)
        self.editor.setAccessibleName("The code, editable")
        self.editor.edited.connect(self.edited)
        self.diff = DiffView(theme)
        self._build()

    @property
    def editing(self) -> bool:
        return self._pages.currentWidget() is self.editor

    @property
    def worst_seen(self) -> bool:
        return self._worst_seen

    def show_program(self, code: str, verdict: Verdict | None) -> None:
        """Another text, or the same one judged anew; opened where the worst line is."""
        self._code = code
        self.reader.show_code(code)
        self.reader.show_marks(marks_of(verdict) if verdict else {})
        self._worst = worst_line(verdict) if verdict else 0
        self._worst_seen = self._worst == 0
        self._against = ""
        self._changes.setVisible(code != self._original)
        self._show(self.reader)
        self.go_to(self._worst or 1)
        lines = code.count("\n") + (not code.endswith("\n"))
        words = "1 line" if lines == 1 else f"{lines} lines"
        hidden = " · hidden characters are drawn as ‹U+…›" if has_hidden(code) else ""
        edited = " · edited by you" if code != self._original else ""
        self._words.setText(f"{words}{edited}{hidden}")

    def height_of(self, lines: int) -> int:
        """How high this must be for so many lines of code, with the line that counts them and a bar to scroll."""
        bar = self.reader.horizontalScrollBar().sizeHint().height() + 2 * self.reader.frameWidth()
        head = self._changes.sizeHint().height() + 2 * self._theme.unit
        return self.reader.fontMetrics().lineSpacing() * lines + bar + head

    def adopt(self, original: str) -> None:
        """The whole of the agent's text came after its preview."""
        self._original = original

    def edit(self) -> None:
        self.editor.set_text(self._code)
        self._show(self.editor)
        self.editor.setFocus()

    def mark_edit(self, verdict: Verdict) -> None:
        """What was found in the text while it is edited, in the editor's own gutter."""
        self.editor.show_marks(marks_of(verdict))

    def take_clean(self, clean: str) -> None:
        """Put the clean text into the editor; undo brings the other one back."""
        cursor = self.editor.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(clean)

    def compare(self, before: str) -> None:
        """Show what is different from a text that was allowed before, or go back to the code."""
        if self._pages.currentWidget() is self.diff and self._against == before:
            self._show(self.reader)
            return
        self._against = before
        self.diff.show_change(before, self._code)
        self._show(self.diff)

    def leave_edit(self) -> None:
        self._show(self.reader)

    def edited_text(self) -> str:
        return self.editor.text()

    def go_to(self, line: int) -> None:
        """Lead the eye to a line, whatever is shown now."""
        if not self.editing:
            self._show(self.reader)
        self._page().go_to(line)
        self._look()

    def _page(self) -> CodeEditor:
        return self.editor if self.editing else self.reader

    def _build(self) -> None:
        unit = self._theme.unit
        self._words = ForeignLabel(elide=True)
        mark(self._words, role="muted")
        self._changes = QPushButton("Your changes")
        self._changes.setCheckable(True)
        self._changes.setAutoDefault(True)
        mark(self._changes, kind="chip")
        self._changes.clicked.connect(self._toggle_diff)
        head = QHBoxLayout()
        head.setContentsMargins(unit * 3, unit, unit * 2, unit)
        head.addWidget(self._words, 1)
        head.addWidget(self._changes)
        self._pages = QStackedWidget()
        for page in (self.reader, self.editor, self.diff):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._pages, 1)

    def _toggle_diff(self, on: bool) -> None:
        self._against = ""
        if on:
            self.diff.show_change(self._original, self._code)
        self._show(self.diff if on else self.reader)

    def _show(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        self._changes.setChecked(page is self.diff and not self._against)

    def _look(self) -> None:
        if not self._worst_seen and self.isVisible() and self._on_screen(self._worst):
            self._worst_seen = True
            self.seen.emit()

    def _on_screen(self, line: int) -> bool:
        """On screen means in the part of the view that no edge, and no scrolling around it, cuts off."""
        if self._pages.currentWidget() is not self.reader:
            return False
        port = self.reader.viewport()
        for number, top, height in self.reader.visible_lines():
            if number == line - 1:
                row = QRect(QPoint(0, top), QPoint(max(1, port.width() // 4), top + height - 1))
                return port.visibleRegion().contains(row.center()) and port.rect().contains(row.center())
        return False


def needs_sight(risk: Risk) -> bool:
    """From high on, the worst line must have been on screen."""
    return risk in (Risk.HIGH, Risk.CRITICAL)
