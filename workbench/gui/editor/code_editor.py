"""The code editor: line numbers, marks, colours after a pause, brackets, and the keys one expects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QEvent, QMimeData, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPaintEvent, QResizeEvent, QTextBlock, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from workbench.gui.editor import brackets, lines
from workbench.gui.editor.exact import exact_text, tamed
from workbench.gui.editor.gutter import Gutter, Mark
from workbench.gui.editor.highlighter import Highlighter
from workbench.gui.editor.spans import LARGEST, lex
from workbench.gui.theme import Theme, mark
from workbench.gui.words import risk_word

_PAUSE_MS = 150


class CodeEditor(QPlainTextEdit):
    """Plain text with the looks and keys of code. `text()` is exactly what is shown."""

    edited = Signal()
    """The text changed, by a person or by `set_text`."""
    seen = Signal()
    """Other lines are on screen than before."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, language: str = "python") -> None:
        super().__init__(parent)
        self.theme = theme
        self._language = language
        self._highlighter = Highlighter(self.document(), theme)
        self._gutter = Gutter(self)
        self._marks: Mapping[int, Mark] = {}
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._lex)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(self.tr("Code"))
        mark(self, kind="code")
        self._dress()
        theme.changed.connect(self._dress)
        self.textChanged.connect(self._text_changed)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._follow)
        self.cursorPositionChanged.connect(self._mark_lines)

    def text(self) -> str:
        return exact_text(self)

    def set_text(self, text: str) -> None:
        """Show a text; characters Qt would take for line ends become chips, so that they can be seen."""
        self.setPlainText(tamed(text))
        self._lex()

    def speak(self, language: str) -> None:
        """Colour and comment the text as this language."""
        if language != self._language:
            self._language = language
            self._lex()

    def show_marks(self, marks: Mapping[int, Mark]) -> None:
        """Marks by line, counted from 1."""
        self._marks = marks
        self._gutter.show_marks(marks)
        self._mark_lines()

    def go_to(self, line: int, column: int = 0) -> None:
        """Put the cursor on a line and the line in the middle of the view."""
        block = self.document().findBlockByNumber(max(0, min(line, self.blockCount()) - 1))
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.Right, n=min(column, max(0, block.length() - 1)))
        self.setTextCursor(cursor)
        self.centerCursor()
        self.seen.emit()

    def shows(self, line: int) -> bool:
        """Whether the whole line is on screen now."""
        bottom = self.viewport().height()
        return any(
            number == line - 1 and top >= 0 and top + height <= bottom + 1
            for number, top, height in self.visible_lines()
        )

    def visible_lines(self) -> Iterator[tuple[int, int, int]]:
        """Number from 0, top and height of each line that is on screen."""
        block: QTextBlock = self.firstVisibleBlock()
        bottom = self.viewport().height()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > bottom:
                return
            yield block.blockNumber(), round(place.top()), round(place.height())
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()
        self.seen.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.seen.emit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(tamed(source.text()).replace("\t", lines.STEP))

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.textCursor().selection().toRawText().replace("\u2029", "\n").replace("\u2028", "\n"))
        return data

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in (
            Qt.Key.Key_Tab,
            Qt.Key.Key_Backtab,
        ):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Tab)
            return
        if self.isReadOnly() or not self._edit_key(event):
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_gutter"):
            self._gutter.setFont(self.font())
            self._part_letters()
            self.setTabStopDistance(self.fontMetrics().horizontalAdvance(lines.STEP))
            self._make_room()

    def _part_letters(self) -> None:
        """No ligatures: a reviewer must see `!=` and `//` as the letters they are."""
        font = QFont(self.font())
        for feature in ("calt", "liga", "clig", "dlig"):
            font.setFeature(QFont.Tag(feature), 0)
        self.document().setDefaultFont(font)

    def _edit_key(self, event: QKeyEvent) -> bool:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if control and event.key() == Qt.Key.Key_Slash:
            self._change_lines(lambda old: lines.commented(old, self._comment))
        elif event.key() == Qt.Key.Key_Backtab:
            self._change_lines(lines.outdented)
        elif plain and event.key() == Qt.Key.Key_Tab:
            self._tab()
        elif plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._new_line()
        else:
            return False
        return True

    @property
    def _comment(self) -> str:
        return "//" if self._language == "typescript" else "#"

    def _tab(self) -> None:
        cursor = self.textCursor()
        if cursor.hasSelection():
            self._change_lines(lines.indented)
            return
        cursor.insertText(" " * (len(lines.STEP) - cursor.positionInBlock() % len(lines.STEP)))

    def _new_line(self) -> None:
        """A line break is always a block of its own, also with Shift, where Qt would hide a U+2028 in the text."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        cursor.insertText("\n" + lines.next_indent(before, self._comment))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _change_lines(self, change: Callable[[list[str]], list[str]]) -> None:
        cursor = self.textCursor()
        first = self.document().findBlock(cursor.selectionStart())
        last = self.document().findBlock(max(cursor.selectionEnd() - (1 if cursor.hasSelection() else 0), 0))
        start, end = first.position(), last.position() + last.length() - 1
        number = last.blockNumber()
        old = [block.text() for block in _blocks(first, last)]
        cursor.beginEditBlock()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        new = "\n".join(change(old))
        cursor.insertText(new)
        cursor.endEditBlock()
        if len(old) > 1:
            block = self.document().findBlockByNumber(number)
            cursor.setPosition(start)
            cursor.setPosition(block.position() + block.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def _text_changed(self) -> None:
        self._pause.start()
        self.edited.emit()

    def _lex(self) -> None:
        self._pause.stop()
        text = exact_text(self)
        if len(text) <= LARGEST:
            blocked = self.blockSignals(True)
            self._highlighter.show_spans(text, lex(text, self._language))
            self.blockSignals(blocked)
            self.viewport().update()

    def _dress(self) -> None:
        self.setFont(self.theme.mono())
        self._highlighter.recolour()
        self._make_room()
        self._mark_lines()

    def _make_room(self) -> None:
        self.setViewportMargins(self._gutter.wanted_width(), 0, 0, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), self._gutter.wanted_width(), inside.height()))

    def _follow(self, rect: QRect, moved: int) -> None:
        if moved:
            self._gutter.scroll(0, moved)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _mark_lines(self) -> None:
        found = [self._line_mark(line, made) for line, made in self._marks.items()]
        if not self.isReadOnly() and not self.textCursor().hasSelection():
            found.append(self._selection(self.textCursor(), "hover", 1.0, whole=True))
        pair = brackets.partner(exact_text(self), self._code_point()) if self.blockCount() < 5000 else None
        for place in pair or ():
            found.append(self._bracket(place))
        self.setExtraSelections(found)
        self._gutter.update()

    def _line_mark(self, line: int, made: Mark) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
        return self._selection(cursor, risk_word(made.risk).tone, 0.12, whole=True)

    def _bracket(self, place: int) -> QTextEdit.ExtraSelection:
        text = exact_text(self)
        units = len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
        cursor = self.textCursor()
        cursor.setPosition(units)
        cursor.setPosition(units + 1, QTextCursor.MoveMode.KeepAnchor)
        return self._selection(cursor, "accent", 0.3, whole=False)

    def _code_point(self) -> int:
        """Where the cursor stands, in Python's counting; Qt counts UTF-16 units."""
        text, units = exact_text(self), self.textCursor().position()
        if text.isascii():
            return units
        return len(text.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "replace"))

    def _selection(self, cursor: QTextCursor, role: str, share: float, *, whole: bool) -> QTextEdit.ExtraSelection:
        made = QTextEdit.ExtraSelection()
        ground = self.theme.colour(role) if share >= 1 else self.theme.soft(role, share)
        made.format.setBackground(ground)
        if whole:
            made.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            cursor.clearSelection()
        made.cursor = cursor
        return made


def _blocks(first: QTextBlock, last: QTextBlock) -> Iterator[QTextBlock]:
    block = first
    while block.isValid() and block.blockNumber() <= last.blockNumber():
        yield block
        block = block.next()
