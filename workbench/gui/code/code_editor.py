"""The code editor: exact text, line numbers with risk marks, colours, brackets, and keys that indent and comment."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from PySide6.QtCore import QEvent, QMimeData, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from workbench.gui.code.colour_schemes import Scheme
from workbench.gui.code.highlighting import LARGEST, Highlighter, Lexing
from workbench.gui.kit.icons import icon
from workbench.gui.kit.plain_edit import PlainEdit, code_points, editable_text, highlight, units, utf16_slice
from workbench.gui.kit.text import plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import UNVERIFIED, StateText, risk_word
from workbench.records import Risk

STEP = "    "


def indented(lines: Sequence[str]) -> list[str]:
    """The lines, indented by one step; empty lines stay empty."""
    return [STEP + line if line.strip() else line for line in lines]


def outdented(lines: Sequence[str]) -> list[str]:
    """The lines without one step of indentation."""
    return [_outdented_line(line) for line in lines]


def commented(lines: Sequence[str], mark: str = "#") -> list[str]:
    """The lines as comments, or uncommented if each of them is a comment already."""
    written = [line for line in lines if line.strip()]
    if written and all(line.lstrip().startswith(mark) for line in written):
        return [_uncommented_line(line, mark) for line in lines]
    depth = min((len(line) - len(line.lstrip()) for line in written), default=0)
    return [f"{line[:depth]}{mark} {line[depth:]}" if line.strip() else line for line in lines]


def next_indent(line: str, mark: str = "#") -> str:
    """The indentation of the line after this one."""
    lead = line[: len(line) - len(line.lstrip())]
    body = line.split(mark)[0].rstrip()
    if body.endswith((":", "(", "[", "{")):
        return lead + STEP
    if mark != "#":
        return lead  # a bracket ends a block, not a keyword
    if body.lstrip().split(" ")[0] in {"return", "pass", "break", "continue", "raise"}:
        return _outdented_line(lead)
    return lead


def _outdented_line(line: str) -> str:
    if line.startswith("\t"):
        return line[1:]
    lead = len(line) - len(line.lstrip(" "))
    return line[min(lead, len(STEP)) :]


def _uncommented_line(line: str, mark: str) -> str:
    lead = line[: len(line) - len(line.lstrip())]
    rest = line.lstrip().removeprefix(mark)
    return lead + rest.removeprefix(" ") if line.strip() else line


_PAIRS = {"(": ")", "[": "]", "{": "}"}
_OPENING = {close: opening for opening, close in _PAIRS.items()}
BRACKET_REACH = 6_000  # characters searched in each direction: more than a screen shows


def matching_brackets(text: str, place: int) -> tuple[int, int] | None:
    """Positions of the bracket next to `place` and of the bracket that belongs to it; None without one."""
    for at in (place, place - 1):
        sign = text[at : at + 1] if at >= 0 else ""
        if sign in _PAIRS:
            other = _find_bracket(text, at, 1, sign, _PAIRS[sign])
        elif sign in _OPENING:
            other = _find_bracket(text, at, -1, sign, _OPENING[sign])
        else:
            continue
        return (at, other) if other >= 0 else None
    return None


def _find_bracket(text: str, at: int, step: int, same: str, wanted: str) -> int:
    depth = 0
    pair = re.compile(f"[{re.escape(same + wanted)}]")
    matches: Iterator[re.Match[str]]
    if step > 0:
        matches = pair.finditer(text, at, min(len(text), at + BRACKET_REACH))
    else:
        matches = reversed([*pair.finditer(text, max(0, at + 1 - BRACKET_REACH), at + 1)])
    for match in matches:
        depth += 1 if match.group() == same else -1
        if depth == 0:
            return match.start()
    return -1


class GutterMark(Struct, frozen=True):
    """A risk icon beside a line's number, with its tooltip."""

    risk: Risk
    text: str
    unverified: bool = False  # the risk rests only on annotations that the user does not trust yet

    @property
    def word(self) -> StateText:
        return UNVERIFIED if self.unverified else risk_word(self.risk)


class Gutter(QWidget):
    """Line numbers and risk marks of one editor; draws only the visible lines."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._marks: Mapping[int, GutterMark] = {}
        self.setAccessibleName("Line numbers")

    def show_marks(self, marks: Mapping[int, GutterMark]) -> None:
        self._marks = marks
        self.update()

    def wanted_width(self) -> int:
        digits = max(3, self._editor.label_length())
        return self._sign() + self.fontMetrics().horizontalAdvance("9") * digits + self._sign() // 2

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        scheme = self._editor.scheme
        painter.fillRect(event.rect(), scheme.colour("sunken"))
        current = self._editor.line_of(self._editor.textCursor().block())
        for number, top, height in self._editor.visible_lines():
            if top > event.rect().bottom() or top + height < event.rect().top():
                continue
            painter.setPen(scheme.colour("text" if number == current else "muted"))
            room = QRect(0, top, self.width() - self._sign() // 2, height)
            text = self._editor.line_label(number)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, text)
            if (mark := self._marks.get(number + 1)) is not None:
                word, side = mark.word, self._sign() - 2
                icon(word.icon, word.tone).paint(painter, QRect(1, top + 1, side, side))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if line := self._line_at(event.position().y()):
            self._editor.go_to(line)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            mark = self._marks.get(self._line_at(event.pos().y()))
            QToolTip.showText(event.globalPos(), plain_tip(mark.text) if mark else "", self)
            return True
        return super().event(event)

    def _line_at(self, y: float) -> int:
        lines = self._editor.visible_lines()
        return next((number + 1 for number, top, height in lines if top <= y < top + height), 0)

    def _sign(self) -> int:
        return self.fontMetrics().height()


_PAUSE_MS = 150
_LEX_AT_ONCE = 20_000  # characters, 25 ms; a longer text is lexed in slices: 5,000 lines take 300 ms
_SLICE = 0.004  # seconds of lexing or painting between two turns of the loop
_BRACKETS = frozenset("()[]{}")
_WITHOUT_COMMENTS = ("json", "markdown")
_MAX_MARKED_LINES = 300
LINE_END = 2**31 - 1  # a column beyond the end of every line


class CodeEditor(PlainEdit):
    """Plain text with the colours and keys of code. `text()` returns exactly what is shown."""

    edited = Signal()
    """The text changed, by the user or by `set_text`."""
    seen = Signal()
    """The lines on screen may have changed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, language: str = "python") -> None:
        super().__init__(parent=parent)
        self.painting = False  # colours are applied; the text does not change
        self.theme = theme
        self._language = language
        self.scheme = self.wanted_scheme()
        self._highlighter = Highlighter(self.document(), self.scheme)
        self._gutter = Gutter(self)
        self._marks: Mapping[int, GutterMark] = {}
        self._lexing: Lexing | None = None
        self._line = -1  # the current line in the gutter
        self._lexed = ""  # the text of `_lexing`
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._lex)
        self._slice = QTimer(self, singleShot=True, interval=0)
        self._slice.timeout.connect(self._continue_lexing)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName("Code")
        mark(self, kind="code")
        self._apply_appearance()
        theme.changed.connect(self._apply_appearance)
        self.textChanged.connect(self._text_changed)
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self.show_highlights)

    def set_text(self, text: str) -> None:
        """Show a text. Characters that Qt would treat as line ends are shown as chips."""
        self.setPlainText(editable_text(text))
        self._lex()

    def set_language(self, language: str) -> None:
        """Colour and comment the text as a program in this language."""
        if language != self._language:
            self._language = language
            self._lex()

    @property
    def language(self) -> str:
        return self._language

    def wanted_scheme(self) -> Scheme:
        """The colours to apply; subclasses may choose others."""
        return Scheme("", self.theme.colours)

    def wanted_font(self) -> QFont:
        """The font to apply; subclasses may choose another."""
        return self.theme.mono()

    def show_marks(self, marks: Mapping[int, GutterMark]) -> None:
        """Show marks in the gutter by line, counted from 1."""
        self._marks = marks
        self._gutter.show_marks(marks)
        self.show_layer("marks", [self._line_mark(line, mark) for line, mark in [*marks.items()][:_MAX_MARKED_LINES]])

    def gutter_mark(self, line: int) -> GutterMark | None:
        """The mark of a line, counted from 1."""
        return self._marks.get(line)

    def go_to(self, line: int, column: int = 0) -> None:
        """Move the cursor to a line, counted from 1, and centre it."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.line_place(max(0, min(line, self.line_count()) - 1), column))
        self.setTextCursor(cursor)
        self.centerCursor()
        self.seen.emit()

    def shows(self, line: int) -> bool:
        """Whether the whole line is on screen."""
        bottom = self.viewport().height()
        return any(
            number == line - 1 and top >= 0 and top + height <= bottom + 1
            for number, top, height in self.visible_lines()
        )

    def line_label(self, line: int) -> str:
        """What the gutter shows beside a line, counted from 0."""
        return str(line + 1)

    def label_length(self) -> int:
        """The length of the longest label."""
        return len(str(self.line_count()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()
        self.seen.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.seen.emit()

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(editable_text(source.text()).replace("\t", STEP))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if control and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self.leave(forward=event.key() == Qt.Key.Key_Tab)
        elif self.isReadOnly() or not self._edit_key(event):
            super().keyPressEvent(event)

    def leave(self, *, forward: bool) -> None:
        """Move the keyboard to the next or previous widget: QPlainTextEdit's own method refuses while Tab indents."""
        QWidget.focusNextPrevChild(self, forward)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_gutter"):
            self._gutter.setFont(self.font())
            self._disable_ligatures()
            self.setTabStopDistance(self.fontMetrics().horizontalAdvance(STEP))
            self._fit_gutter()

    def _disable_ligatures(self) -> None:
        """A reviewer must see `!=` and `//` as they are written."""
        font = QFont(self.font())
        for feature in ("calt", "liga", "clig", "dlig"):
            font.setFeature(QFont.Tag(feature), 0)
        self.document().setDefaultFont(font)

    def _edit_key(self, event: QKeyEvent) -> bool:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if control and event.key() == Qt.Key.Key_Slash:
            self.toggle_comment()
        elif plain and event.key() == Qt.Key.Key_Backspace and self._at_indent_step():
            self._remove_indent_step()
        elif event.key() == Qt.Key.Key_Backtab:
            self._change_lines(outdented)
        elif plain and event.key() == Qt.Key.Key_Tab:
            self._insert_tab()
        elif plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._insert_line()
        else:
            return False
        return True

    def toggle_comment(self) -> None:
        """Comment the selected lines, or uncomment them if all are comments. JSON and Markdown have no comments."""
        if not self.isReadOnly() and self._language not in _WITHOUT_COMMENTS:
            self._change_lines(lambda old: commented(old, self._comment))

    @property
    def _comment(self) -> str:
        return "//" if self._language == "typescript" else "#"

    def _insert_tab(self) -> None:
        cursor = self.textCursor()
        if cursor.hasSelection():
            self._change_lines(indented)
            return
        cursor.insertText(" " * (len(STEP) - cursor.positionInBlock() % len(STEP)))

    def _at_indent_step(self) -> bool:
        """Whether only whole steps of indentation are before the cursor."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        return not cursor.hasSelection() and bool(before) and before == STEP * (len(before) // len(STEP))

    def _remove_indent_step(self) -> None:
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(STEP))
        cursor.removeSelectedText()
        self.setTextCursor(cursor)

    def _insert_line(self) -> None:
        """Start a new line. With Shift, Qt would insert a U+2028 instead."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        cursor.insertText("\n" + next_indent(before, self._comment))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _change_lines(self, change: Callable[[list[str]], list[str]]) -> None:
        cursor = self.textCursor()
        beyond = max(cursor.selectionEnd() - (1 if cursor.hasSelection() else 0), 0)
        first = self.line_of(self.document().findBlock(cursor.selectionStart()))
        last = self.line_of(self.document().findBlock(beyond))
        self.select_lines(cursor, first, last)
        old = self.selected_text(cursor).split("\n")
        self.insert_at(cursor, "\n".join(change(old)))
        if len(old) > 1:
            self.select_lines(cursor, first, last)
        self.setTextCursor(cursor)

    def select_lines(self, cursor: QTextCursor, first: int, last: int) -> None:
        """Select whole lines with a cursor, without the break after the last one."""
        cursor.setPosition(self.line_block(first).position())
        cursor.setPosition(self.line_place(last, LINE_END), QTextCursor.MoveMode.KeepAnchor)

    def _changed(self, place: int, removed: int, added: int) -> None:
        if not self.painting:
            super()._changed(place, removed, added)

    def _text_changed(self) -> None:
        if not self.painting:
            self._slice.stop()
            self._lexing = None
            self._pause.start()
            self.edited.emit()

    def _lex(self) -> None:
        """Lex the text and apply colours; in slices if it is long, so that typing never waits."""
        self._pause.stop()
        self._slice.stop()
        text = self.text()
        if len(text) > LARGEST or self.has_soft_breaks():
            return
        self._lexing, self._lexed = Lexing(text, self._language), text
        self._continue_lexing(math.inf if len(text) <= _LEX_AT_ONCE else _SLICE)

    def _continue_lexing(self, seconds: float = _SLICE) -> None:
        if self._lexing is not None:
            if not self._lexing.run(seconds):
                self._slice.start()
                return
            seen = [number for number, _, _ in self.visible_lines()]
            self._highlighter.show_spans(self._lexed, self._lexing.spans(), seen)
            self._lexing, self._lexed = None, ""
        self.painting = True
        blocked = self.blockSignals(True)
        over = self._highlighter.paint(seconds)
        self.blockSignals(blocked)
        self.painting = False
        if not over:
            self._slice.start()
        self.viewport().update()

    def _apply_appearance(self) -> None:
        self.scheme = self.wanted_scheme()
        self.setFont(self.wanted_font())
        self._apply_scheme_style()
        self.painting = True
        self._highlighter.recolour(self.scheme)
        self.painting = False
        self.show_marks(self._marks)
        self._fit_gutter()
        self._gutter.update()

    def _apply_scheme_style(self) -> None:
        """Apply a scheme's background and the font size: with an application stylesheet, a palette has no effect."""
        ground, text = self.scheme.own.get("sunken", ""), self.scheme.own.get("code_text", "")
        points = self.wanted_font().pointSize()
        rules = [f"background: {ground}; color: {text};"] if ground else []
        rules += [f"font-size: {points}pt;"] if points != self.theme.mono().pointSize() else []
        wanted = f"QPlainTextEdit {{ {' '.join(rules)} }}" if rules else ""
        if wanted != self.styleSheet():
            self.setStyleSheet(wanted)

    def _fit_gutter(self) -> None:
        self.setViewportMargins(self._gutter.wanted_width(), 0, 0, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), self._gutter.wanted_width(), inside.height()))

    def _scroll_gutter(self, rect: QRect, moved: int) -> None:
        if moved:
            self._gutter.scroll(0, moved)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def show_highlights(self) -> None:
        """Draw the highlights of all purposes, the current line, and the brackets at the cursor. Without text there is
        no highlight of the line, because Qt would paint it over the placeholder."""
        selections = [selection for name in sorted(self._layers) for selection in self._layers[name]]
        if not self.isReadOnly() and not self.textCursor().hasSelection() and not self.document().isEmpty():
            line = highlight(self.textCursor(), self.scheme.colour("hover"))
            selections.insert(len(self._layers.get("marks", ())), line)
        selections += [self._bracket(place) for place in self._bracket_pair() or ()]
        self.setExtraSelections(selections)
        if (row := self.line_of(self.textCursor().block())) != self._line:
            self._line = row
            self._gutter.update()

    def _bracket_pair(self) -> tuple[int, int] | None:
        """The bracket at the cursor and the one that belongs to it, as positions in the document."""
        cursor = self.textCursor()
        line, column = cursor.block().text(), cursor.positionInBlock()
        if not _BRACKETS & {*line} or not _BRACKETS & {*utf16_slice(line, max(column - 1, 0), column + 1)}:
            return None
        start, text = self._lines_around(cursor.position())
        pair = matching_brackets(text, code_points(text, cursor.position() - start))
        return None if pair is None else (start + units(text, pair[0]), start + units(text, pair[1]))

    def _lines_around(self, place: int) -> tuple[int, str]:
        """Where the lines around a place begin, and their text: as far as brackets are matched."""
        document = self.document()
        first = document.findBlock(max(0, place - BRACKET_REACH))
        last = document.findBlock(min(place + BRACKET_REACH, document.characterCount() - 1))
        cursor = QTextCursor(first)
        cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        return first.position(), cursor.selectedText()

    def _line_mark(self, line: int, mark: GutterMark) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(self.line_block(line - 1))
        if self.lineWrapMode() is not QPlainTextEdit.LineWrapMode.NoWrap:  # without a selection Qt highlights one row
            self.select_lines(cursor, line - 1, line - 1)
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
        selection = highlight(cursor, self.scheme.soft(mark.word.tone, 0.12))
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return selection

    def _bracket(self, place: int) -> QTextEdit.ExtraSelection:
        return highlight(self.cursor_over(place, place + 1), self.scheme.soft("accent", 0.3))
