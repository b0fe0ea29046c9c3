"""Editors for text: a line that becomes a box, secrets, and buttons that fill in dates, times, UUIDs and paths."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QDate, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCalendarWidget,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from workbench.gui.forms.field_editor import Editor, FieldSpec
from workbench.gui.forms.schema_shapes import hint_of
from workbench.gui.forms.text_purpose import TextPurpose, purpose_of
from workbench.gui.kit.icons import icon
from workbench.gui.kit.plain_edit import GrowingText, exact_text, survives, tamed
from workbench.gui.kit.text import has_hidden, visible
from workbench.records import JsonValue


class InputAssist(QToolButton):
    """A button that produces a text for a field: date, time, UUID, file or folder. It never writes into the field."""

    offered = Signal(str)

    def __init__(
        self, spec: FieldSpec, purpose: TextPurpose, current: Callable[[], JsonValue], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._purpose = purpose
        self._current = current
        symbol, words = _LOOKS[purpose]
        name = visible(spec.name)
        self.setIcon(icon(symbol, "muted"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(words.format(name))
        self.setToolTip(self.accessibleName())
        self.clicked.connect(self._act)

    def _act(self) -> None:
        if self._purpose in (TextPurpose.DATE, TextPurpose.MOMENT):
            self._open_calendar()
        elif self._purpose is TextPurpose.TIME:
            self.offered.emit(_now().strftime("%H:%M:%SZ"))
        elif self._purpose is TextPurpose.UUID:
            self.offered.emit(str(uuid.uuid4()))
        else:
            self._open_files()

    def _open_calendar(self) -> None:
        dialog = QDialog(self)
        dialog.setWindowTitle(self.accessibleName())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        calendar = QCalendarWidget(dialog)
        calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        calendar.setSelectedDate(self._start())
        for part in calendar.findChildren(QWidget):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus and not part.accessibleName():
                part.setAccessibleName(self.accessibleName())
        calendar.activated.connect(self._take_date)
        calendar.clicked.connect(self._take_date)
        now = QPushButton("Today" if self._purpose is TextPurpose.DATE else "Now", dialog)
        now.clicked.connect(self._take_now)
        column = QVBoxLayout(dialog)
        column.addWidget(calendar)
        column.addWidget(now)
        self._dialog = dialog
        dialog.open()
        calendar.setFocus()

    def _start(self) -> QDate:
        text = self._current()
        date = QDate.fromString(text[:10], Qt.DateFormat.ISODate) if isinstance(text, str) else QDate()
        return date if date.isValid() else QDate.currentDate()

    def _take_date(self, date: QDate) -> None:
        """Change the day; keep a time of day that was entered before."""
        day = date.toString(Qt.DateFormat.ISODate)
        if self._purpose is TextPurpose.MOMENT:
            text = self._current()
            day += text[10:] if isinstance(text, str) and text[10:11] in ("T", " ") else "T00:00:00Z"
        self._dialog.accept()
        self.offered.emit(day)

    def _take_now(self) -> None:
        pattern = "%Y-%m-%d" if self._purpose is TextPurpose.DATE else "%Y-%m-%dT%H:%M:%SZ"
        self._dialog.accept()
        self.offered.emit(_now().strftime(pattern))

    def _open_files(self) -> None:
        dialog = QFileDialog(self, self.accessibleName())
        folder = self._purpose is TextPurpose.FOLDER
        dialog.setFileMode(QFileDialog.FileMode.Directory if folder else QFileDialog.FileMode.AnyFile)
        if folder:
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, "Choose")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        text = self._current()
        if isinstance(text, str) and text.startswith("/"):
            dialog.selectFile(text)
        dialog.fileSelected.connect(self.offered)
        dialog.open()


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


_LOOKS: Final = {
    TextPurpose.DATE: ("calendar", "Choose a date for {0}"),
    TextPurpose.MOMENT: ("calendar", "Choose a date and time for {0}"),
    TextPurpose.TIME: ("clock", "Insert the current time (UTC) into {0}"),
    TextPurpose.UUID: ("refresh", "Insert a random UUID into {0}"),
    TextPurpose.FILE: ("file", "Choose a file for {0}"),
    TextPurpose.FOLDER: ("folder", "Choose a folder for {0}"),
}
AIDED: Final = frozenset(_LOOKS)
"""Purposes that have an assist button."""


LONGEST_LINE = 1_000_000
"""Characters that a line edit accepts; Qt's default limit of 32,767 cuts longer text silently."""
_LONG = 20_000  # characters from which a text gets a box: a line lays out all of its text at each key


class _Line(QLineEdit):
    """A line edit that reports pasted line breaks instead of removing them."""

    broken = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste) and self._pasted_box():
            return
        super().keyPressEvent(event)

    def _pasted_box(self) -> bool:
        text = tamed(QGuiApplication.clipboard().text())
        long = len(text) > _LONG and self.echoMode() is QLineEdit.EchoMode.Normal
        if "\n" not in text.rstrip("\n") and not long:
            return False
        start = self.selectionStart() if self.hasSelectedText() else self.cursorPosition()
        end = start + len(self.selectedText())
        self.broken.emit(self.text()[:start] + text + self.text()[end:])
        return True


class TextEditor(Editor):
    """Starts as a line; becomes a box for long text, on Shift+Enter, or when text contains line breaks."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._purpose = purpose_of(spec)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(spec.theme.unit)
        self._line: QLineEdit | None = None
        self._box: GrowingText | None = None
        self._eye: QToolButton | None = None
        if self._purpose is TextPurpose.BOX:
            self._open_box("")
        else:
            self._open_line()
        if self._purpose in AIDED:
            aid = InputAssist(spec, self._purpose, self.read, self)
            aid.offered.connect(self._take_offer)
            self._layout.addWidget(aid)

    def read(self) -> JsonValue:
        if self._box is not None:
            return exact_text(self._box)
        return self._line.text() if self._line is not None else ""

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, str) or has_hidden(value) or not survives(value):
            return False
        secret = self._purpose is TextPurpose.SECRET
        if self._box is None and secret and len(value) > LONGEST_LINE:
            return False
        if self._box is None and ("\n" in value or (len(value) > _LONG and not secret)):
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
        self._line.setAccessibleName(self.spec.name)
        self._line.setPlaceholderText(hint_of(self.spec.shape))
        self._line.setMaxLength(LONGEST_LINE)
        if self._purpose is TextPurpose.SECRET:
            self._add_eye(self._line)
        self._layout.insertWidget(0, self._line, 1)
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
        self._box.setAccessibleName(self.spec.name)
        self._box.setPlaceholderText(hint_of(self.spec.shape))
        with QSignalBlocker(self._box):
            self._box.setPlainText(text)
            self._box.moveCursor(self._box.textCursor().MoveOperation.End)
        self._layout.insertWidget(0, self._box, 1)
        if self._eye is not None:
            self._eye.hide()
        self._box.show()
        self.setFocusProxy(self._box)
        self._box.textChanged.connect(self.changed)
        if focused:
            self._box.setFocus()

    def _add_eye(self, line: QLineEdit) -> None:
        """Hide a secret until the user wants to see it."""
        line.setEchoMode(QLineEdit.EchoMode.Password)
        eye = QToolButton(self)
        eye.setCheckable(True)
        eye.setIcon(icon("eye", "muted"))
        eye.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        eye.setAccessibleName(f"Show {visible(self.spec.name)}")
        eye.setToolTip("Show this secret")
        eye.toggled.connect(self._reveal)
        self._layout.addWidget(eye)
        self._eye = eye

    def _reveal(self, on: bool) -> None:
        if self._line is not None and self._eye is not None:
            self._line.setEchoMode(QLineEdit.EchoMode.Normal if on else QLineEdit.EchoMode.Password)
            self._eye.setIcon(icon("eye-off" if on else "eye", "muted"))

    def _take_offer(self, text: str) -> None:
        if self.write(text):
            self.changed.emit()
            self.setFocus(Qt.FocusReason.OtherFocusReason)
