"""Shows what a program prints, with ANSI colours; other terminal commands are drawn as chips.

Only colour, weight and underline (SGR) are applied, so nothing can be hidden: the background stays that of the window,
text that asks to be concealed is shown, and colours are changed until they can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QWidget

from workbench.gui.code.colour_schemes import readable
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark

_COLOURS = re.compile(r"\x1b\[([0-9;:]{0,64})m")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:]{0,64})?$")
_CONCEAL = 8
_ROLES = ("text", "danger", "success", "warning", "info", "code_builtin", "code_type", "text")
_STEPS = (0, 95, 135, 175, 215, 255)


class Style(Struct, frozen=True):
    """Colour, weight and underline of a piece of output."""

    colour: str = ""  # a colour role or #rrggbb; empty: the usual one
    bold: bool = False
    italic: bool = False
    underlined: bool = False


_CHANGES: dict[int, dict[str, Any]] = {  # Any: what the fields of Style hold
    1: {"bold": True},
    3: {"italic": True},
    4: {"underlined": True},
    7: {"bold": True},
    22: {"bold": False},
    23: {"italic": False},
    24: {"underlined": False},
    39: {"colour": ""},
}


class AnsiParser:
    """Parser of one stream; a terminal command that is split between two pieces is joined."""

    def __init__(self) -> None:
        self._style = Style()
        self._rest = ""

    def pieces(self, text: str, *, last: bool = False) -> Iterator[tuple[str, Style]]:
        """Texts with their styles. An unfinished command waits for the next piece, unless this is the last one."""
        text = self._rest + text
        self._rest = ""
        if not last and (cut := _UNFINISHED.search(text)) is not None:
            text, self._rest = text[: cut.start()], cut.group()
        at = 0
        for match in _COLOURS.finditer(text):
            if match.start() > at:
                yield text[at : match.start()], self._style
            at = match.end()
            if not self._apply(match[1]):
                yield match.group(), self._style
        if at < len(text):
            yield text[at:], self._style

    def _apply(self, parameters: str) -> bool:
        """Change the style; False for a command that is not applied, so that it is shown."""
        numbers = [int(part) if part else 0 for part in re.split("[;:]", parameters)][:32]
        if _CONCEAL in numbers and numbers[0] not in (38, 48):
            return False
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                self._style = Style()
            elif number in (38, 48):
                colour = _extended(numbers)
                if number == 38:
                    self._style = replace(self._style, colour=colour)
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self._style = replace(self._style, colour=_ROLES[number % 10])
            else:
                self._style = replace(self._style, **_CHANGES.get(number, {}))
        return True


def _extended(numbers: list[int]) -> str:
    """A colour of 256 or an RGB colour; what was read is removed from the numbers."""
    kind = numbers.pop(0) if numbers else 0
    if kind == 2:
        parts, numbers[:3] = numbers[:3], []
        return "#" + "".join(f"{min(part, 255):02x}" for part in parts) if len(parts) == 3 else ""
    if kind != 5 or not numbers:
        return ""
    number = numbers.pop(0)
    if number < 16:
        return _ROLES[number % 8]
    if number < 232:
        red, rest = divmod(number - 16, 36)
        return "#" + "".join(f"{_STEPS[part]:02x}" for part in (red, *divmod(rest, 6)))
    grey = min(8 + (number - 232) * 10, 255)
    return f"#{grey:02x}{grey:02x}{grey:02x}"


_LINES = 10_000  # older lines are removed
_FLUSH_MS = 50
_COLOUR = int(QTextFormat.Property.UserProperty.value) + 1
"""The property of a piece of text that names its colour before it is made readable."""
_STYLED = 300  # changes of colour in one piece of output that are shown


class StreamView(PlainEdit):
    """What a program prints. Follows the end while the end is visible."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._pending: list[tuple[str, str]] = []
        self._length = 0
        self._parsers: dict[str, AnsiParser] = {}
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMaximumBlockCount(_LINES)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(theme.unit * 2)
        self.setAccessibleName("Output of the program")
        self.setPlaceholderText("Nothing printed.")
        mark(self, kind="code")
        self._pause = QTimer(self, singleShot=True, interval=_FLUSH_MS)
        self._pause.timeout.connect(self.flush)
        self._apply_theme()
        theme.changed.connect(self._apply_theme)

    def append_output(self, stream: str, text: str) -> None:
        """Add a piece of output, shown within 50 ms."""
        self._pending.append((stream, text))
        self._length += len(text)
        if not self._pause.isActive():
            self._pause.start()

    def show_whole(self, text: str) -> None:
        """Show the complete output, unless it was streamed already."""
        self.flush()
        if len(text) != self._length or not text:
            self.start_over()
            self.append_output("stdout", text)
        self.flush(last=True)

    def explain(self, *, lost: bool, seen: bool, started: bool) -> None:
        """Say why there is no output: it was lost when the core ended, or there was none. `seen`: a model got it."""
        text = "Nothing printed." if started else "The program did not run."
        if lost:
            text = "The output was lost when the core ended."
            text += " “What the model sees” shows what the agent received." if seen else ""
        self.setPlaceholderText(text)

    def start_over(self) -> None:
        self._pending.clear()
        self._length = 0
        self._parsers.clear()
        self.clear()

    def flush(self, *, last: bool = False) -> None:
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()  # one layout, not one for each colour
        for stream, text in self._pending:
            self._write(cursor, stream, text)
        self._pending.clear()
        for stream in self._parsers if last else ():
            self._write(cursor, stream, "", last=True)
        cursor.endEditBlock()
        if at_end:
            bar.setValue(bar.maximum())

    def _write(self, cursor: QTextCursor, stream: str, text: str, *, last: bool = False) -> None:
        """A program that changes colour at each letter must not block the window: the rest has one colour."""
        pieces = list(self._parsers.setdefault(stream, AnsiParser()).pieces(text, last=last))
        for piece, style in pieces[:_STYLED]:
            self.insert_at(cursor, visible(piece), self._format(stream, style))
        if rest := "".join(piece for piece, _ in pieces[_STYLED:]):
            self.insert_at(cursor, visible(rest), self._format(stream, Style()))

    def _format(self, stream: str, style: Style) -> QTextCharFormat:
        format_ = QTextCharFormat()
        usual = "warning" if stream == "stderr" else "code_text"
        wanted = style.colour or usual
        format_.setProperty(_COLOUR, wanted)
        format_.setForeground(self._colour(wanted))
        format_.setFontWeight(QFont.Weight.Bold if style.bold else QFont.Weight.Normal)
        format_.setFontItalic(style.italic)
        format_.setFontUnderline(style.underlined)
        if stream == "stderr":
            format_.setToolTip("printed to stderr")
        return format_

    def _colour(self, wanted: str) -> QColor:
        """A colour of the theme or `#rrggbb`, readable on the background."""
        colour = wanted if wanted.startswith("#") else str(getattr(self._theme.colours, wanted))
        return QColor(readable(colour, self._theme.colours.sunken))

    def _apply_theme(self) -> None:
        """Set the font and colour what is printed already for the new background."""
        self.setFont(self._theme.mono())
        pieces: list[tuple[int, int, str]] = []
        block = self.document().firstBlock()
        while block.isValid():
            place = block.begin()
            while not place.atEnd():
                piece = place.fragment()
                pieces.append(
                    (piece.position(), piece.length(), str(piece.charFormat().property(_COLOUR) or "code_text"))
                )
                place += 1
            block = block.next()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for start, length, wanted in pieces:
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            coloured = QTextCharFormat()
            coloured.setForeground(self._colour(wanted))
            cursor.mergeCharFormat(coloured)
        cursor.endEditBlock()
