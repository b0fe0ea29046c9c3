"""What was changed in a text, step by step, so that undo and redo still work after a restart or a crash.

Qt keeps its own undo in memory only. Each change is noted here with what it took away; after a restart the text of
before the steps is set and the steps are made again, which fills Qt's own undo; what had been taken back is made and
taken back once more, which fills its redo. Places count UTF-16 units, like Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QKeyEvent, QKeySequence, QTextCharFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QTextEdit, QWidget

from workbench.gui.code.assessment import Problem
from workbench.gui.code.code_editor import FAR, CodeEditor
from workbench.gui.code.colour_schemes import Looks, Scheme
from workbench.gui.kit.plain_edit import units
from workbench.gui.kit.theme import Theme

MOST_STEPS = 500
MOST_LETTERS = 200_000  # of all steps of one text together
_WORD = 40  # letters typed in a row that are one step at most

Told: TypeAlias = tuple[tuple[int, str, str], ...]
"""Steps as plain values: place, what was removed, what was added."""


class Step(Struct, frozen=True):
    """One change."""

    place: int
    removed: str
    added: str


def rewound(text: str, steps: Told) -> str | None:
    """The text of before the steps; None where they do not fit it."""
    held = _coded(text)
    for place, removed, added in reversed(steps):
        end = place * 2 + len(_coded(added))
        if held[place * 2 : end] != _coded(added):
            return None
        held[place * 2 : end] = _coded(removed)
    return _plain(held)


def leads_on(text: str, ahead: Told) -> bool:
    """Whether what was undone can be made again from this text on, the last one first."""
    held = _coded(text)
    for place, removed, added in reversed(ahead):
        end = place * 2 + len(_coded(removed))
        if held[place * 2 : end] != _coded(removed):
            return False
        held[place * 2 : end] = _coded(added)
    return True


class Past(QObject):
    """Listens to one editor."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._steps: list[Step] = []
        self._letters = 0
        self._ahead: list[Step] = []  # what was undone and not made again; the next one is the last
        self.undoing = False  # what changes now is taken back
        self.redoing = False  # what changes now is made again
        self._returning = False  # what changes now is known already
        self._held = _coded(editor.text())
        editor.document().contentsChange.connect(self._changed)

    def told(self) -> Told:
        """The steps that lead to the text as it stands; none where that cannot be said for certain."""
        if _plain(self._held) != self._editor.text():
            self.start_over()
        return tuple((step.place, step.removed, step.added) for step in self._steps)

    def ahead(self) -> Told:
        """What redo would make; nothing where that cannot be said for certain."""
        found = tuple((step.place, step.removed, step.added) for step in self._ahead)
        if found and self._editor.has_soft_breaks():
            self._ahead.clear()
            return ()
        if found and not leads_on(self._editor.text(), found):
            self._ahead.clear()
            return ()
        return found

    def start_over(self) -> None:
        """The text as it is has no past."""
        self._steps.clear()
        self._ahead.clear()
        self._letters = 0
        self._held = _coded(self._editor.text())

    def bring_back(self, text: str, steps: Told, ahead: Told = ()) -> None:
        """Show a text, give undo what led to it, and redo what was taken back."""
        before = rewound(text, steps)
        self._editor.set_text(text if before is None else before)
        self.start_over()
        if before is None:
            return
        if self._editor.has_soft_breaks():  # steps count no breaks that belong to the view
            self._editor.set_text(text)
            self.start_over()
            return
        ahead = ahead if leads_on(text, ahead) else ()
        self._returning = True
        self._make((*steps, *reversed(ahead)))
        for _ in ahead:
            self._editor.document().undo()
        self._returning = False
        self._steps, self._ahead = ([Step(*one) for one in told] for told in (steps, ahead))
        self._letters = sum(len(step.removed) + len(step.added) for step in self._steps)

    def _make(self, steps: Told) -> None:
        cursor = QTextCursor(self._editor.document())
        for place, removed, added in steps:
            cursor.beginEditBlock()
            cursor.setPosition(place)
            cursor.setPosition(place + len(_coded(removed)) // 2, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(added)
            cursor.endEditBlock()

    def _changed(self, place: int, removed: int, added: int) -> None:
        if self._editor.painting:
            return
        document = self._editor.document()
        added = max(0, min(added, document.characterCount() - 1 - place))
        cursor = QTextCursor(document)
        cursor.setPosition(place)
        cursor.setPosition(place + added, QTextCursor.MoveMode.KeepAnchor)
        new = cursor.selection().toRawText().replace("\u2029", "\n").replace("\u2028", "\n") if added else ""
        old = _plain(self._held[place * 2 : (place + removed) * 2])
        self._held[place * 2 : (place + removed) * 2] = _coded(new)
        step = None if self._returning else _trimmed(place, old, new)
        if step is not None:
            self._look_ahead(step)
            self._note(step, undone=self.undoing)

    def _look_ahead(self, step: Step) -> None:
        """Redo makes what is next, or several of it at once; any other change ends what could be made again."""
        while self.redoing and self._ahead and step != self._ahead[-1]:
            following = self._ahead[-1]
            pure = following.added and not (following.removed or step.removed) and step.place == following.place
            if not (pure and step.added.startswith(following.added)):
                break
            self._ahead.pop()
            width = len(_coded(following.added)) // 2
            step = Step(step.place + width, "", step.added[len(following.added) :])
        if self.redoing and self._ahead and step == self._ahead[-1]:
            self._ahead.pop()
        elif not self.undoing:
            self._ahead.clear()

    def _note(self, step: Step, *, undone: bool) -> None:
        while undone and self._steps and (rest := _taken_back(self._steps[-1], step)) is not None:
            self._ahead.append(self._steps[-1])
            self._drop(-1)
            if not (rest.removed or rest.added):
                return
            step = rest
        if undone:  # a part of a step
            self._ahead.append(Step(step.place, step.added, step.removed))
        self._letters += len(step.removed) + len(step.added)
        if self._steps and (joined := _joined(self._steps[-1], step)) is not None:
            self._steps[-1] = joined
        else:
            self._steps.append(step)
        while len(self._steps) > MOST_STEPS or self._letters > MOST_LETTERS:
            self._drop(0)

    def _drop(self, which: int) -> None:
        step = self._steps.pop(which)
        self._letters -= len(step.removed) + len(step.added)


def _trimmed(place: int, old: str, new: str) -> Step | None:
    """Qt tells more than what changed, such as the end of the text on both sides."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if start == len(old) == len(new):
        return None
    width = len(_coded(old[:start])) // 2
    return Step(place + width, old[start : len(old) - end], new[start : len(new) - end])


def _taken_back(last: Step, step: Step) -> Step | None:
    """What is left of an undo when the last step is taken back by it; None when it is about something else."""
    if (step.place, step.removed, step.added) == (last.place, last.added, last.removed):
        return Step(step.place, "", "")
    if last.added and not last.removed and not step.added and step.removed.endswith(last.added):
        rest = step.removed[: -len(last.added)]
        return Step(step.place, rest, "") if step.place + len(_coded(rest)) // 2 == last.place else None
    pure = last.removed and not last.added and not step.removed and step.place == last.place
    if pure and step.added.startswith(last.removed):
        width = len(_coded(last.removed)) // 2
        return Step(step.place + width, "", step.added[len(last.removed) :])
    return None


def _joined(last: Step, step: Step) -> Step | None:
    """Letters typed or removed in a row are one step, up to the length of a word."""
    if len(step.added) + len(step.removed) > 1 or "\n" in (step.added, step.removed):
        return None
    if len(last.added) + len(last.removed) >= _WORD or "\n" in last.added + last.removed:
        return None
    if step.added and last.added and not last.removed and step.place == last.place + len(_coded(last.added)) // 2:
        return Step(last.place, "", last.added + step.added)
    if step.removed and last.removed and not last.added and step.place + len(_coded(step.removed)) // 2 == last.place:
        return Step(step.place, step.removed + last.removed, "")
    return None


def _coded(text: str) -> bytearray:
    return bytearray(text.encode("utf-16-le", "surrogatepass"))


def _plain(held: bytes | bytearray) -> str:
    return bytes(held).decode("utf-16-le", "surrogatepass")


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
