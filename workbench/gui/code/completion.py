"""Names that fit what is being typed; pure, so that what is shown first can be tested without a window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHelpEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QToolTip, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code.program_editor import ProgramEditor
from workbench.gui.kit.lists import RowsView
from workbench.gui.kit.plain_edit import code_points
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import ForeignLabel, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.records import CallShape, Candidate

MOST = 100


def fitting(found: Sequence[Candidate], typed: str) -> list[Candidate]:
    """Those that begin with the letters come first, then those that begin so in any case, then those that hold them in
    their order; the order of the answer decides among equals."""
    ranked = [(rank, place, one) for place, one in enumerate(found) if (rank := _rank(one.name, typed)) is not None]
    return [one for _, _, one in sorted(ranked, key=lambda each: each[:2])[:MOST]]


def word_before(line: str, place: int) -> str:
    """The letters of a name that end at this place."""
    start = place
    while start > 0 and (line[start - 1].isalnum() or line[start - 1] == "_"):
        start -= 1
    word = line[start:place]
    return "" if word[:1].isdigit() else word


def _rank(name: str, typed: str) -> int | None:
    if name.startswith(typed):
        return 0
    held, wanted = name.casefold(), typed.casefold()
    if held.startswith(wanted):
        return 1
    if len(typed) < 2:
        return None
    place = -1
    for letter in wanted:
        place = held.find(letter, place + 1)
        if place < 0:
            return None
    return 2 if held[0] == wanted[0] else 3


_ROWS = 9  # names one sees without scrolling
_LETTERS = 46
_ICONS = {"function": "tool", "class": "layers", "module": "book", "param": "pencil", "keyword": "code"}


class CompletionList(QFrame):
    """Lies over the window like a menu, without its own keyboard."""

    taken = Signal(str)
    """Carries the name that was clicked."""

    def __init__(self, theme: Theme, editor: QWidget) -> None:
        super().__init__(editor)
        self._theme = theme
        self._editor = editor
        self._names: list[str] = []
        mark(self, kind="card")
        self.model = RowsModel(self)
        self.list = RowsView(theme, "Names that fit", self)
        self.list.setModel(self.model)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(self._clicked)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(self.list)
        self.hide()

    def show_names(self, found: Sequence[Candidate], place: QPoint, line_height: int) -> None:
        """Below the line of the cursor, or above it where there is no room; `place` is the window's."""
        self._names = [one.name for one in found]
        icons = [_ICONS.get(one.kind, "dot") for one in found]
        rows = [Row(str(at), one.name, aside=one.kind, icon=icons[at], mono=True) for at, one in enumerate(found)]
        self.model.show_rows(rows)
        self.list.setCurrentIndex(self.model.index(0))
        window = self._editor.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        row = max(1, self.list.sizeHintForRow(0))
        width = min(self.fontMetrics().averageCharWidth() * _LETTERS, window.width())
        height = row * min(len(found), _ROWS) + self._theme.unit * 3
        below = place.y() + line_height
        top = below if below + height <= window.height() else max(0, place.y() - height)
        self.setGeometry(max(0, min(place.x(), window.width() - width)), top, width, height)
        self.show()
        self.raise_()
        self._announce()

    def name(self) -> str:
        """The chosen name."""
        row = self.list.currentIndex().row()
        return self._names[row] if self.isVisible() and 0 <= row < len(self._names) else ""

    def names(self) -> list[str]:
        return self._names if self.isVisible() else []

    def move_by(self, step: int) -> None:
        row = max(0, min(self.list.currentIndex().row() + step, len(self._names) - 1))
        self.list.setCurrentIndex(self.model.index(row))
        self._announce()

    def _announce(self) -> None:
        """Who hears the window learns which name is chosen: the list never has the keyboard."""
        words = f"{self.name()}, {self.list.currentIndex().row() + 1} of {len(self._names)}"
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, words))

    def _clicked(self) -> None:
        self.taken.emit(self.name())


_CARD_LETTERS = 84
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
        width = min(self.fontMetrics().averageCharWidth() * _CARD_LETTERS, window.width() - self._theme.unit * 4)
        self.setFixedWidth(width)
        height = min(self.heightForWidth(width), round(window.height() * _ROOM))
        place = self._editor.cursorRect(self._editor.textCursor())
        corner = self._editor.viewport().mapTo(window, place.topLeft())
        top = corner.y() - height - 2 if corner.y() > height + 2 else corner.y() + place.height() + 2
        self.setGeometry(max(0, min(corner.x(), window.width() - width)), top, width, height)
        self.show()
        self.raise_()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._editor, f"{head} {rest}"[:400]))


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
