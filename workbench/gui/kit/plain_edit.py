"""Plain text boxes: exact text in and out, quick with very long lines, and one that grows with its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QMimeData, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

_TAKEN_FOR_BREAKS = {0x2028: "‹U+2028›", 0x2029: "‹U+2029›", 0xFDD0: "‹U+FDD0›", 0xFDD1: "‹U+FDD1›", 0x00: "‹U+0000›"}
_CHANGED = frozenset(map(chr, _TAKEN_FOR_BREAKS)) | {"\r"}


def survives(text: str) -> bool:
    """Whether the text comes out of a text widget as it went in."""
    return not any(letter in text for letter in _CHANGED) and not _halves(text)


def tamed(text: str) -> str:
    """The text with line ends made one kind, and with chips for what Qt would take for a line end."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if any(letter in plain for letter in _CHANGED):
        plain = plain.translate(_TAKEN_FOR_BREAKS)
    return "".join(f"‹U+{ord(c):04X}›" if "\ud800" <= c <= "\udfff" else c for c in plain) if _halves(plain) else plain


def exact_text(edit: QPlainTextEdit) -> str:
    """What the widget shows: every line break it draws is a newline, every other character is itself."""
    if isinstance(edit, PlainEdit):
        return edit.text()
    raw = edit.document().toRawText()
    return raw.replace("\u2029", "\n").replace("\u2028", "\n")


def units(text: str, place: int) -> int:
    """A place in Python's counting as Qt counts, in UTF-16 units."""
    return place if text.isascii() else len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def code_points(text: str, place: int) -> int:
    """A place in Qt's counting as Python counts."""
    return place if text.isascii() else len(utf16_slice(text, 0, place))


def utf16_slice(text: str, start: int, end: int) -> str:
    """What stands between two places in Qt's counting."""
    if text.isascii():
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[start * 2 : end * 2].decode("utf-16-le", "replace")


def _halves(text: str) -> bool:
    """Whether there are surrogates alone, which no encoding takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


PIECE: Final = 4_000
"""Characters of a line that are laid out at once: 5 ms for each letter typed into them."""
_LONG_LINE = re.compile(rf"^[^\n]{{{PIECE * 2},}}", re.MULTILINE)  # tried once for each line, not for each letter
_SOFT = int(QTextFormat.ObjectTypes.UserObject.value) + 7


class PlainEdit(QPlainTextEdit):
    """What Qt itself shows, finds and counts has the soft breaks in it; `text()` and places of it do not."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._soft = False  # whether there may be a soft break
        self._read = (-1, "")  # of which revision, and the text
        self._broken: tuple[int, tuple[tuple[int, int], ...]] = (-1, ())  # of which revision, and its soft breaks
        self._grown: tuple[int, int] | None = None  # the places where a line may have become too long
        self._halving = QTimer(self, singleShot=True, interval=0)
        self._halving.timeout.connect(self._break_grown)
        self.document().contentsChange.connect(self._changed)
        if text:
            self.setPlainText(text)

    def text(self) -> str:
        """What was put in, or typed: every hard line break is a newline, every other character is itself."""
        revision = self.document().revision()
        if self._read[0] != revision:
            lines = self.document().toRawText().split("\u2029")
            self._read = (revision, self._joined(lines, self.document().firstBlock()))
        return self._read[1]

    def toPlainText(self) -> str:
        return self.text()

    def setPlainText(self, text: str) -> None:
        if _LONG_LINE.search(text) is None:
            self._soft = False
            super().setPlainText(text)
            return
        document = self.document()
        undo = document.isUndoRedoEnabled()
        document.setUndoRedoEnabled(False)  # as in Qt's own: what was before cannot be brought back
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        self.insert_at(cursor, text)
        document.setUndoRedoEnabled(undo)
        self.setTextCursor(QTextCursor(document))

    def insertPlainText(self, text: str) -> None:
        if _LONG_LINE.search(text) is None:
            super().insertPlainText(text)
            return
        self.insert_at(self.textCursor(), text)
        self.ensureCursorVisible()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if source.hasText():
            self.insertPlainText(source.text())

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.selected_text(self.textCursor()))
        return data

    def selected_text(self, cursor: QTextCursor) -> str:
        """What a cursor has selected, as it stands in `text()`."""
        lines = cursor.selection().toRawText().split("\u2029")
        return self._joined(lines, self.document().findBlock(cursor.selectionStart()))

    def has_soft_breaks(self) -> bool:
        return bool(self._breaks())

    def document_place(self, place: int) -> int:
        """Where a place in `text()`, counted in UTF-16 units, lies in the document."""
        for _, start in self._breaks():
            if start > place + 1:
                break
            place += 1
        return place

    def text_place(self, place: int) -> int:
        """Where a place of the document lies in `text()`, counted in UTF-16 units."""
        return place - sum(start <= place for _, start in self._breaks())

    def line_count(self) -> int:
        return self.blockCount() - len(self._breaks())

    def line_of(self, block: QTextBlock) -> int:
        """The number of the line that the block belongs to, from 0."""
        number = block.blockNumber()
        return number - sum(one <= number for one, _ in self._breaks())

    def line_block(self, line: int) -> QTextBlock:
        """The first block of a line, counted from 0."""
        for number, _ in self._breaks():
            if number > line:
                break
            line += 1
        return self.document().findBlockByNumber(line)

    def line_place(self, line: int, column: int) -> int:
        """Where a column of a line, counted in UTF-16 units, lies in the document. A short line: its end."""
        block = self.line_block(line)
        while column >= block.length() and continues(block.next()):
            column -= block.length() - 1
            block = block.next()
        return block.position() + max(0, min(column, block.length() - 1))

    def insert_at(self, cursor: QTextCursor, text: str, looks: QTextCharFormat | None = None) -> None:
        """Put text in at a cursor, over what it has selected, with breaks inside long lines."""
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        for number, part in enumerate(_parts(text)):
            if number:
                self._soft = True
                cursor.insertBlock(QTextBlockFormat(), _soft_break())
            cursor.insertText(part, looks or QTextCharFormat())
        cursor.endEditBlock()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A soft break is no character: Backspace and Delete take the one beyond it."""
        cursor = self.textCursor()
        if self._soft and not self.isReadOnly() and not cursor.hasSelection():
            while event.key() == Qt.Key.Key_Delete and cursor.atBlockEnd() and continues(cursor.block().next()):
                cursor.movePosition(QTextCursor.MoveOperation.Right)
            while event.key() == Qt.Key.Key_Backspace and cursor.atBlockStart() and continues(cursor.block()):
                cursor.movePosition(QTextCursor.MoveOperation.Left)
            if cursor.position() != self.textCursor().position():
                self.setTextCursor(cursor)
        super().keyPressEvent(event)

    def _joined(self, lines: list[str], block: QTextBlock) -> str:
        """These lines, of which the first lies in this block, without the soft breaks between them."""
        if not self._soft:
            return "\n".join(lines).replace("\u2028", "\n")
        parts = [lines[0]]
        for line in lines[1:]:
            block = block.next()
            if not continues(block):
                parts.append("\n")
            parts.append(line)
        return "".join(parts).replace("\u2028", "\n")

    def _breaks(self) -> tuple[tuple[int, int], ...]:
        """Each block that continues a line: its number and its place."""
        if not self._soft:
            return ()
        revision = self.document().revision()
        if self._broken[0] != revision:
            found = []
            block = self.document().firstBlock()
            while block.isValid():
                if continues(block):
                    found.append((block.blockNumber(), block.position()))
                block = block.next()
            self._broken = (revision, tuple(found))
        return self._broken[1]

    def _changed(self, place: int, _removed: int, added: int) -> None:
        self._read, self._broken = (-1, ""), (-1, ())
        if added and self.document().findBlock(place).length() > PIECE * 2:
            start, end = self._grown or (place, place)
            self._grown = (min(start, place), max(end, place + added))
            self._halving.start()

    def _break_grown(self) -> None:
        """Lines that grew by typing; the break is undone together with the typing."""
        place, end = self._grown or (0, 0)
        self._grown = None
        block = self.document().findBlock(place)
        while block.isValid() and block.position() <= end:
            if block.length() > PIECE * 2:
                self._soft = True
                cursor = QTextCursor(block)
                first = block.text()[:PIECE]
                cursor.setPosition(block.position() + len(first.encode("utf-16-le", "surrogatepass")) // 2)
                cursor.joinPreviousEditBlock()
                cursor.insertBlock(block.blockFormat(), _soft_break())
                cursor.endEditBlock()
            block = block.next()


def _parts(text: str) -> Iterator[str]:
    """The text, cut where a soft break belongs."""
    cuts = [0]
    for line in _LONG_LINE.finditer(text):
        cuts.extend(range(line.start() + PIECE, line.end(), PIECE))
    return (text[start:end] for start, end in pairwise([*cuts, len(text)]))


def _soft_break() -> QTextCharFormat:
    made = QTextCharFormat()
    made.setObjectType(_SOFT)
    return made


def continues(block: QTextBlock) -> bool:
    """Whether the block goes on with the line of the one before it."""
    return block.isValid() and block.charFormat().objectType() == _SOFT


class GrowingText(PlainEdit):
    """Plain text inside a form."""

    def __init__(self, least: int = 3, most: int = 12, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._least, self._most = least, most
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(self.fontMetrics().averageCharWidth())
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.blockCountChanged.connect(self._fit)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(tamed(source.text()))

    def sizeHint(self) -> QSize:
        lines = min(max(self.blockCount(), self._least), self._most)
        margins = self.contentsMargins()
        around = (
            margins.top()
            + margins.bottom()
            + round(self.document().documentMargin()) * 2
            + self.fontMetrics().height() // 3
        )
        return QSize(super().sizeHint().width(), self.fontMetrics().lineSpacing() * lines + around)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 12, self.sizeHint().height())

    def _fit(self) -> None:
        self.updateGeometry()
