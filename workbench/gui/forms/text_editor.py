"""Text: one line, or a box where the schema or the value asks for more."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from workbench.gui.editor.exact import exact_text, survives, tamed
from workbench.gui.forms.brief import Brief
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.growing_text import GrowingText
from workbench.gui.forms.hint import hint_of
from workbench.gui.text import has_hidden
from workbench.records import JsonValue

_LONG_FORMATS = frozenset({"textarea", "multiline", "markdown", "html", "code", "text"})
_LONG_NAMES = frozenset(
    {"body", "content", "contents", "text", "message", "code", "markdown", "html", "prompt", "script"}
)
_LONG = 300  # a longest length above this asks for a box


class _Line(QLineEdit):
    """A line that notices pasted line breaks instead of flattening them."""

    broken = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste) and self._pasted_box():
            return
        super().keyPressEvent(event)

    def _pasted_box(self) -> bool:
        text = tamed(QGuiApplication.clipboard().text())
        if "\n" not in text.rstrip("\n"):
            return False
        start = self.selectionStart() if self.hasSelectedText() else self.cursorPosition()
        end = start + len(self.selectedText())
        self.broken.emit(self.text()[:start] + text + self.text()[end:])
        return True


class TextEditor(Editor):
    """Starts as a line; becomes a box for long text, on Shift+Enter, or when text with line breaks comes in."""

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._line: QLineEdit | None = None
        self._box: GrowingText | None = None
        if _asks_for_box(brief):
            self._open_box("")
        else:
            self._open_line()

    def read(self) -> JsonValue:
        if self._box is not None:
            return exact_text(self._box)
        return self._line.text() if self._line is not None else ""

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, str) or has_hidden(value) or not survives(value):
            return False
        if self._box is None and "\n" in value:
            self._open_box(value)
        elif self._box is not None:
            self._box.setPlainText(value)
        elif self._line is not None:
            self._line.setText(value)
        return True

    def clear(self) -> None:
        self.write("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() == Qt.KeyboardModifier.ShiftModifier and self._line is not None:
            self._open_box(f"{self._line.text()}\n")
            self.changed.emit()
            return
        super().keyPressEvent(event)

    def _open_line(self) -> None:
        self._line = _Line(self)
        self._line.setAccessibleName(self.brief.name)
        self._line.setPlaceholderText(hint_of(self.brief.shape))
        if self.brief.shape.schema.get("format") == "password" or self.brief.shape.schema.get("writeOnly") is True:
            self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self._layout.addWidget(self._line)
        self.setFocusProxy(self._line)
        self._line.textChanged.connect(self.changed)
        self._line.broken.connect(self._take_broken)

    def _take_broken(self, text: str) -> None:
        self._open_box(text)
        self.changed.emit()

    def _open_box(self, text: str) -> None:
        focused = self._line is not None and self._line.hasFocus()
        if self._line is not None:
            self._layout.removeWidget(self._line)
            self._line.hide()
            self._line.deleteLater()
            self._line = None
        self._box = GrowingText()
        self._box.setAccessibleName(self.brief.name)
        self._box.setPlaceholderText(hint_of(self.brief.shape))
        with QSignalBlocker(self._box):
            self._box.setPlainText(text)
            self._box.moveCursor(self._box.textCursor().MoveOperation.End)
        self._layout.addWidget(self._box)
        self._box.show()
        self.setFocusProxy(self._box)
        self._box.textChanged.connect(self.changed)
        if focused:
            self._box.setFocus()


def _asks_for_box(brief: Brief) -> bool:
    schema = brief.shape.schema
    longest = schema.get("maxLength")
    if isinstance(longest, int) and not isinstance(longest, bool):
        return longest > _LONG
    return schema.get("format") in _LONG_FORMATS or brief.name.lower() in _LONG_NAMES
