"""Completion while one types: asks the core one question at a time, filters what is known meanwhile, and never waits.

The core reads the program in a process of its own. An answer that comes for a place where the cursor is no more is
thrown away; letters that are typed behind a word whose names are known need no new question.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QHelpEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QToolTip

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.editor.completion_list import CompletionList
from workbench.gui.editor.exact import code_points
from workbench.gui.editor.program_editor import ProgramEditor
from workbench.gui.editor.proposals import fitting, word_before
from workbench.gui.editor.signature_card import SignatureCard
from workbench.gui.text import plain_tip
from workbench.records import Candidate

_SILENT = ("code_string", "code_comment")  # where nobody wants to be helped
_CALL_MS = 60
_PAGE = 8


class Completing(QObject):
    """Belongs to one editor; only programs in Python are completed."""

    def __init__(self, context: Context, editor: ProgramEditor) -> None:
        super().__init__(editor)
        self._context = context
        self._editor = editor
        self.list = CompletionList(context.theme, editor)
        self.card = SignatureCard(context.theme, editor)
        self._found: tuple[Candidate, ...] = ()
        self._start = -1  # where the word begins whose names are known
        self._asking = False
        self._again = False  # something was typed while a question was under way
        self._wished = False  # a person asked, so one hears that there is nothing
        self._call = QTimer(self, singleShot=True, interval=_CALL_MS)
        self._call.timeout.connect(self._ask_call)
        self.list.taken.connect(self._take)
        editor.installEventFilter(self)
        editor.viewport().installEventFilter(self)
        editor.typed.connect(self._typed)
        editor.cursorPositionChanged.connect(self._moved)
        editor.verticalScrollBar().valueChanged.connect(self.leave)

    @property
    def able(self) -> bool:
        return self._editor.language == "python" and not self._editor.isReadOnly()

    def propose(self) -> None:
        """A person asks for names."""
        if self.able:
            self._wished = True
            self._start = -1
            self._ask()

    def show_call(self) -> None:
        """A person asks for the parameters of the call they are in."""
        if self.able:
            self.card.wished = True
            self._ask_call()

    def explain(self) -> None:
        """A person asks what the name at the cursor stands for."""
        if self._editor.language == "python":
            self._context.tasks.run("explain a name", self._explained(self._editor.textCursor(), None))

    def leave(self) -> None:
        """Nothing is proposed any more."""
        self.list.hide()
        self.card.hide()
        self._wished = False

    def end(self) -> None:
        """The editor goes; what lies over the window goes with it."""
        self.leave()
        self.list.deleteLater()
        self.card.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and watched is self._editor:
            return self._key(event)
        if event.type() == QEvent.Type.FocusOut and watched is self._editor:
            self.leave()
        if isinstance(event, QHelpEvent) and watched is self._editor.viewport():
            return self._hover(event)
        return False

    # while one types

    def _key(self, event: QKeyEvent) -> bool:
        if self.list.isVisible():
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _PAGE, Qt.Key.Key_PageUp: -_PAGE}
            if event.key() in steps and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
                self.list.move_by(steps[Qt.Key(event.key())])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab) and not event.modifiers():
                if self.list.name() != self._word():
                    self._take(self.list.name())
                    return True
                self.list.hide()
        if event.key() == Qt.Key.Key_Escape and (self.list.isVisible() or self.card.isVisible()):
            self.leave()
            return True
        return False

    def _typed(self, letters: str) -> None:
        if not self.able:
            return
        if letters in ("(", ",") or self.card.isVisible():
            self._call.start()
        word, cursor = self._word(), self._editor.textCursor()
        start = cursor.position() - len(word)
        taken = not letters and start != self._start  # letters were removed, and no names are known here
        if taken or (not word and letters != ".") or self._silent(cursor):
            self.list.hide()
            self._start = -1
        elif start == self._start:
            self._show()
        else:
            self._ask()

    def _moved(self) -> None:
        if self.list.isVisible() and self._editor.textCursor().position() - len(self._word()) != self._start:
            self.list.hide()
        if self.card.isVisible() and not self._call.isActive():
            self._call.start()

    def _ask(self) -> None:
        if self._asking:
            self._again = True
            return
        self._asking = True
        self._context.tasks.run("complete a program", self._answered())

    async def _answered(self) -> None:
        cursor = self._editor.textCursor()
        start = cursor.position() - len(self._word())
        try:
            found = await self._context.api.complete_code(*self._place(cursor))
        except WorkbenchError:
            found = ()  # a program jedi stumbles over is typed on all the same
        finally:
            self._asking = False
        again, self._again = self._again, False
        now = self._editor.textCursor().position() - len(self._word())
        if now == start:
            self._found, self._start = found, start
            self._show()
        elif again:
            self._ask()

    def _show(self) -> None:
        word = self._word()
        found = fitting(self._found, word)
        alone = len(found) == 1 and found[0].name == word
        if not found or alone or not self._editor.hasFocus():
            self.list.hide()
            if self._wished and not found:
                self.card.say("No name fits here.")
            self._wished = False
            return
        self._wished = False
        cursor = self._editor.textCursor()
        cursor.setPosition(cursor.position() - len(word))
        place = self._editor.cursorRect(cursor)
        corner = self._editor.viewport().mapTo(self._editor.window(), place.topLeft())
        self.list.show_names(found, corner, place.height())

    def _take(self, name: str) -> None:
        word, cursor = self._word(), self._editor.textCursor()
        self.list.hide()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(word))
        cursor.insertText(name)
        self._editor.setTextCursor(cursor)
        self._editor.setFocus()
        self._start = -1

    # calls and explanations

    def _ask_call(self) -> None:
        self._context.tasks.run("show a call", self._called(self._editor.textCursor().position()))

    async def _called(self, place: int) -> None:
        try:
            shapes = await self._context.api.call_shapes(*self._place(self._editor.textCursor()))
        except WorkbenchError:
            shapes = ()
        if self._editor.textCursor().position() == place:
            self.card.show_shapes(shapes)

    def _hover(self, event: QHelpEvent) -> bool:
        cursor = self._editor.cursorForPosition(event.pos())
        words = self._editor.words_at(cursor.position())
        if words:
            QToolTip.showText(event.globalPos(), plain_tip(words), self._editor.viewport())
        elif self._editor.language == "python":
            self._context.tasks.run("explain a name", self._explained(cursor, event.globalPos()))
        return True

    async def _explained(self, cursor: QTextCursor, place: QPoint | None) -> None:
        words = self._editor.words_at(cursor.position())
        try:
            told = await self._context.api.explain_code(*self._place(cursor))
        except WorkbenchError:
            told = None
        if told is not None and told.words:
            words = f"{words}\n\n{told.words}".strip()
        if place is None:
            self.card.say(words or "Nothing is known of this name.")
        elif words and self._editor.viewport().underMouse():
            QToolTip.showText(place, plain_tip(words), self._editor.viewport())

    # where things are

    def _place(self, cursor: QTextCursor) -> tuple[str, int, int]:
        line = cursor.block().text()
        return (
            self._editor.text(),
            self._editor.line_of(cursor.block()) + 1,
            code_points(line, cursor.positionInBlock()),
        )

    def _word(self) -> str:
        """Letters of names are one unit of Qt's counting each, but for rare scripts, which are left alone."""
        cursor = self._editor.textCursor()
        line = cursor.block().text()
        return word_before(line, code_points(line, cursor.positionInBlock()))

    def _silent(self, cursor: QTextCursor) -> bool:
        """What was typed behind the end of a comment or text is not lexed yet: the letter before it says it."""
        row, column = cursor.blockNumber(), cursor.positionInBlock()
        if self._editor.role_at(row, column - 1) in _SILENT:
            return True
        before = cursor.block().text()[max(0, column - 2) : column - 1]
        return before not in ("", '"', "'") and self._editor.role_at(row, column - 2) in _SILENT
