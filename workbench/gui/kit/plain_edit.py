"""Plain text boxes: exact text in and out, highlights, quick with very long lines, and one that grows with its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QMimeData, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QTextEdit, QWidget

from workbench.gui.kit.theme import mark

_TAKEN_FOR_BREAKS = {0x2028: "‹U+2028›", 0x2029: "‹U+2029›", 0xFDD0: "‹U+FDD0›", 0xFDD1: "‹U+FDD1›", 0x00: "‹U+0000›"}
_CHANGED = frozenset(map(chr, _TAKEN_FOR_BREAKS)) | {"\r"}


def is_unchanged_by_edit(text: str) -> bool:
    """Whether a text widget returns this text unchanged."""
    return not any(letter in text for letter in _CHANGED) and not _has_lone_surrogates(text)


def editable_text(text: str) -> str:
    """The text with uniform line ends, and chips for characters that Qt takes for line ends."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if any(letter in plain for letter in _CHANGED):
        plain = plain.translate(_TAKEN_FOR_BREAKS)
    return (
        "".join(f"‹U+{ord(c):04X}›" if "\ud800" <= c <= "\udfff" else c for c in plain)
        if _has_lone_surrogates(plain)
        else plain
    )


def exact_text(edit: QPlainTextEdit) -> str:
    """The text of a widget: its line breaks are newlines, every other character is itself."""
    if isinstance(edit, PlainEdit):
        return edit.text()
    raw = edit.document().toRawText()
    return raw.replace("\u2029", "\n").replace("\u2028", "\n")


def units(text: str, place: int) -> int:
    """Length of the text in UTF-16 code units, as Qt counts."""
    return place if text.isascii() else len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def code_points(text: str, place: int) -> int:
    """Convert a position from UTF-16 code units to Python characters."""
    return place if text.isascii() else len(utf16_slice(text, 0, place))


def utf16_slice(text: str, start: int, end: int) -> str:
    """The part of a text between two positions in UTF-16 code units."""
    if text.isascii():
        return text[start:end]
    return text.encode("utf-16-le", "surrogatepass")[start * 2 : end * 2].decode("utf-16-le", "replace")


def _has_lone_surrogates(text: str) -> bool:
    """Whether the text contains lone surrogates, which cannot be encoded."""
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
    """Plain text box that stays fast with lines of megabytes: it inserts soft breaks that are not part of `text()`.
    Positions and block numbers of Qt count them; use the methods below to convert.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._soft = False  # whether there may be a soft break
        self._read = (-1, "")  # of which revision, and the text
        self._broken: tuple[int, tuple[tuple[int, int], ...]] = (-1, ())  # of which revision, and its soft breaks
        self._grown: tuple[int, int] | None = None  # the places where a line may have become too long
        self._halving = QTimer(self, singleShot=True, interval=0)
        self._halving.timeout.connect(self._break_grown)
        self._layers: dict[str, list[QTextEdit.ExtraSelection]] = {}
        self.document().contentsChange.connect(self._changed)
        if text:
            self.setPlainText(text)

    def text(self) -> str:
        """The exact text without soft breaks."""
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
        """The selected part of `text()`."""
        lines = cursor.selection().toRawText().split("\u2029")
        return self._joined(lines, self.document().findBlock(cursor.selectionStart()))

    def has_soft_breaks(self) -> bool:
        return bool(self._breaks())

    def document_place(self, place: int) -> int:
        """Convert a position in `text()` (UTF-16 units) to a position in the document."""
        for _, start in self._breaks():
            if start > place + 1:
                break
            place += 1
        return place

    def text_place(self, place: int) -> int:
        """Convert a position in the document to a position in `text()` (UTF-16 units)."""
        return place - sum(start <= place for _, start in self._breaks())

    def line_count(self) -> int:
        return self.blockCount() - len(self._breaks())

    def line_of(self, block: QTextBlock) -> int:
        """The line number of a block, from 0."""
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
        """The document position of a column (UTF-16 units) of a line; of a shorter line, its end."""
        block = self.line_block(line)
        while column >= block.length() and continues(block.next()):
            column -= block.length() - 1
            block = block.next()
        return block.position() + max(0, min(column, block.length() - 1))

    def visible_lines(self) -> Iterator[tuple[int, int, int]]:
        """Number from 0, top and height of each line whose start is on screen."""
        block: QTextBlock = self.firstVisibleBlock()
        bottom = self.viewport().height()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > bottom:
                return
            if not continues(block):
                yield self.line_of(block), round(place.top()), round(place.height())
            block = block.next()

    def cursor_over(self, start: int, end: int) -> QTextCursor:
        """A cursor that selects from one position of the document to another."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def show_layer(self, name: str, selections: Sequence[QTextEdit.ExtraSelection]) -> None:
        """Set the highlights of one purpose; they move with the text."""
        self._layers[name] = list(selections)
        self.show_highlights()

    def show_highlights(self) -> None:
        """Draw the highlights of all purposes."""
        self.setExtraSelections([selection for name in sorted(self._layers) for selection in self._layers[name]])

    def insert_at(self, cursor: QTextCursor, text: str, looks: QTextCharFormat | None = None) -> None:
        """Insert text at a cursor, replacing its selection, with soft breaks inside long lines."""
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        for number, part in enumerate(_parts(text)):
            if number:
                self._soft = True
                cursor.insertBlock(QTextBlockFormat(), _soft_break())
            cursor.insertText(part, looks or QTextCharFormat())
        cursor.endEditBlock()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Backspace and Delete skip soft breaks."""
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
        """Text of these lines, starting in this block, without soft breaks."""
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
        """Number and position of each block that continues a line."""
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
        """Break lines that grew by typing; undo removes the break together with the typed text."""
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
    """Split the text where soft breaks belong."""
    cuts = [0]
    for line in _LONG_LINE.finditer(text):
        cuts.extend(range(line.start() + PIECE, line.end(), PIECE))
    return (text[start:end] for start, end in pairwise([*cuts, len(text)]))


def _soft_break() -> QTextCharFormat:
    made = QTextCharFormat()
    made.setObjectType(_SOFT)
    return made


def continues(block: QTextBlock) -> bool:
    """Whether the block continues the line of the previous block."""
    return block.isValid() and block.charFormat().objectType() == _SOFT


def highlight(cursor: QTextCursor, background: QColor) -> QTextEdit.ExtraSelection:
    """A background behind what the cursor selects, or behind its whole line."""
    selection = QTextEdit.ExtraSelection()
    selection.format.setBackground(background)
    selection.format.setProperty(QTextFormat.Property.FullWidthSelection, not cursor.hasSelection())
    selection.cursor = cursor
    return selection


class GrowingText(PlainEdit):
    """Text box that is as high as its text, between two limits, and that Tab leaves."""

    def __init__(self, least: int = 3, most: int = 12, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._least, self._most = least, most
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(self.fontMetrics().averageCharWidth())
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.blockCountChanged.connect(self._fit)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(editable_text(source.text()))

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


def reading_box(text: str, name: str) -> PlainEdit:
    """A box of read-only text in the colours of code; Tab leaves it. `name` is for screen readers."""
    box = PlainEdit(text)
    box.setReadOnly(True)
    box.setTabChangesFocus(True)
    box.setAccessibleName(name)
    mark(box, kind="code")
    return box
