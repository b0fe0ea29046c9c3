"""What a program prints, as it prints it: two streams in one text, bounded, written in batches."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QWidget

from workbench.gui.ansi import Printed, Style
from workbench.gui.editor.schemes import readable
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark

_LINES = 10_000  # older lines go
_FLUSH_MS = 50
_STYLED = 300  # changes of colour that are shown of one piece of output


class StreamView(PlainEdit):
    """Follows the end while one is there; stays where one scrolled to otherwise."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._theme = theme
        self._waiting: list[tuple[str, str]] = []
        self._seen = 0
        self._printed: dict[str, Printed] = {}
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
        self._dress()
        theme.changed.connect(self._dress)

    def take(self, stream: str, text: str) -> None:
        """A piece of output; it is shown within a moment."""
        self._waiting.append((stream, text))
        self._seen += len(text)
        if not self._pause.isActive():
            self._pause.start()

    def show_whole(self, text: str) -> None:
        """The finished output, in place of what was streamed, unless that was all of it."""
        self.flush()
        if len(text) != self._seen or not text:
            self.start_over()
            self.take("stdout", text)
        self.flush(last=True)

    def explain(self, *, gone: bool, seen: bool) -> None:
        """Why nothing is here: nothing was printed, or its core has ended since; `seen`: a model still has it."""
        words = "What it printed is gone with the core that ran it."
        if seen:
            words = f"{words} “What the model sees” shows what went back."
        self.setPlaceholderText(words if gone else "Nothing printed.")

    def start_over(self) -> None:
        self._waiting.clear()
        self._seen = 0
        self._printed.clear()
        self.clear()

    def flush(self, *, last: bool = False) -> None:
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()  # laid out once, not after every colour
        for stream, text in self._waiting:
            self._write(cursor, stream, text)
        self._waiting.clear()
        for stream in self._printed if last else ():
            self._write(cursor, stream, "", last=True)
        cursor.endEditBlock()
        if at_end:
            bar.setValue(bar.maximum())

    def _write(self, cursor: QTextCursor, stream: str, text: str, *, last: bool = False) -> None:
        """A program that changes its colour at every letter must not hold up the window: the rest is of one colour."""
        pieces = list(self._printed.setdefault(stream, Printed()).pieces(text, last=last))
        for piece, style in pieces[:_STYLED]:
            self.insert_at(cursor, visible(piece), self._format(stream, style))
        if rest := "".join(piece for piece, _ in pieces[_STYLED:]):
            self.insert_at(cursor, visible(rest), self._format(stream, Style()))

    def _format(self, stream: str, style: Style) -> QTextCharFormat:
        made = QTextCharFormat()
        usual = "warning" if stream == "stderr" else "code_text"
        wanted = style.colour or usual
        word = wanted if wanted.startswith("#") else str(getattr(self._theme.colours, wanted))
        made.setForeground(QColor(readable(word, self._theme.colours.sunken)))
        made.setFontWeight(QFont.Weight.Bold if style.bold else QFont.Weight.Normal)
        made.setFontItalic(style.italic)
        made.setFontUnderline(style.underlined)
        if stream == "stderr":
            made.setToolTip("printed to stderr")
        return made

    def _dress(self) -> None:
        self.setFont(self._theme.mono())
