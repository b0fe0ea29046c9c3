"""Editors for text: a line that becomes a box, secrets, and buttons that fill in dates, times, UUIDs and paths."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QDate, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QTextCursor
from PySide6.QtWidgets import (
    QCalendarWidget,
    QDialog,
    QFileDialog,
    QLineEdit,
    QTableView,
    QToolButton,
    QWidget,
)

from workbench.gui.forms.field_editor import Editor, FieldSpec
from workbench.gui.forms.schema_shapes import hint_of
from workbench.gui.forms.text_purpose import TextPurpose, purpose_of
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import push_button, tool_button
from workbench.gui.kit.plain_edit import GrowingText, editable_text, is_unchanged_by_edit
from workbench.gui.kit.text import has_hidden, one_line, visible
from workbench.records import JsonValue

_DAYS, _WEEKS = 7, 6  # of a page of the calendar
_LONGEST_TITLE = 60
_TITLE_BUTTONS = 6  # lines of text as wide as the icon and the buttons of a title bar


class InputAssist(QToolButton):
    """A button that produces a text for a field: date, time, UUID, file or folder. It never writes into the field."""

    offered = Signal(str)

    def __init__(
        self, spec: FieldSpec, purpose: TextPurpose, current: Callable[[], JsonValue], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._purpose = purpose
        self._theme = spec.theme
        self._current = current
        symbol, text = _LOOKS[purpose]
        self.setIcon(icon(symbol))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(text.format(visible(spec.name)))
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
        dialog.setWindowTitle(one_line(self.accessibleName(), _LONGEST_TITLE))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        calendar = QCalendarWidget(dialog)
        calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        calendar.setSelectedDate(self._start())
        for part in calendar.findChildren(QWidget):
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus and not part.accessibleName():
                part.setAccessibleName(self.accessibleName())
        calendar.activated.connect(self._take_date)
        calendar.clicked.connect(self._take_date)
        now = push_button("Today" if self._purpose is TextPurpose.DATE else "Now", self._take_now)
        unit = self.fontMetrics().averageCharWidth()
        column(dialog, calendar, now, margins=(unit,) * 4, spacing=unit)
        calendar.setMinimumSize(self._calendar_size(calendar))
        dialog.setMinimumWidth(_title_width(dialog))
        self._dialog = dialog
        dialog.open()
        calendar.setFocus()

    def _calendar_size(self, calendar: QCalendarWidget) -> QSize:
        """The size in which every day has its room: Qt's own size leaves out the padding that the stylesheet gives."""
        metrics, unit = calendar.fontMetrics(), self._theme.unit
        names = (calendar.locale().standaloneDayName(day, QLocale.FormatType.ShortFormat) for day in range(1, 8))
        bar = next(part for part in calendar.findChildren(QWidget) if part.objectName() == "qt_calendar_navigationbar")
        width = _DAYS * (max(map(metrics.horizontalAdvance, names)) + unit * 6)
        rows = (table.verticalHeader() for table in calendar.findChildren(QTableView))
        height = max(metrics.lineSpacing() + unit, *(header.minimumSectionSize() for header in rows))
        return QSize(width, bar.sizeHint().height() + (_WEEKS + 1) * height + unit)  # with the line of day names

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


def _title_width(dialog: QDialog) -> int:
    """The width in which the title bar has room for the title, to which Qt adds the application's name."""
    text = f"{dialog.windowTitle()} — {QGuiApplication.applicationDisplayName()}"
    return dialog.fontMetrics().horizontalAdvance(text) + dialog.fontMetrics().lineSpacing() * _TITLE_BUTTONS


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


LONGEST_LINE = 1_000_000
"""Characters that a line edit accepts; Qt's default limit of 32,767 cuts longer text silently."""
_LONG = 20_000  # characters from which a text gets a box: a line lays out all of its text at each key


class _Line(QLineEdit):
    """A line edit that hands over pasted text which needs a box: Qt would remove its line breaks."""

    outgrown = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pasted = (
            editable_text(QGuiApplication.clipboard().text()) if event.matches(QKeySequence.StandardKey.Paste) else ""
        )
        is_long = len(pasted) > _LONG and self.echoMode() is QLineEdit.EchoMode.Normal
        if "\n" in pasted.rstrip("\n") or is_long:
            start = self.selectionStart() if self.hasSelectedText() else self.cursorPosition()
            end = start + len(self.selectedText())
            self.outgrown.emit(self.text()[:start] + pasted + self.text()[end:])
        else:
            super().keyPressEvent(event)


class TextEditor(Editor):
    """Starts as a line; becomes a box for long text, on Shift+Enter, or when text contains line breaks."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._purpose = purpose_of(spec)
        self._secret = self._purpose is TextPurpose.SECRET
        self._layout = row(self, spacing=spec.theme.unit)
        self._line: QLineEdit | None = None
        self._box: GrowingText | None = None
        self._eye: QToolButton | None = None
        if self._purpose is TextPurpose.BOX:
            self._open_box("")
        else:
            self._open_line()
        if self._purpose in _LOOKS:
            assist = InputAssist(spec, self._purpose, self.read, self)
            assist.offered.connect(self._take_offer)
            self._layout.addWidget(assist)

    def read(self) -> JsonValue:
        if self._box is not None:
            return self._box.text()
        return self._line.text() if self._line is not None else ""

    def write(self, value: JsonValue) -> bool:
        if not isinstance(value, str) or has_hidden(value) or not is_unchanged_by_edit(value):
            return False
        if self._box is not None:
            self._box.setPlainText(value)
        elif self._secret and len(value) > LONGEST_LINE:
            return False
        elif "\n" in value or (len(value) > _LONG and not self._secret):
            self._open_box(value)
        elif self._line is not None:
            self._line.setText(value)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() == Qt.KeyboardModifier.ShiftModifier and self._line is not None:
            self._outgrow(f"{self._line.text()}\n")
        else:
            super().keyPressEvent(event)

    def _open_line(self) -> None:
        self._line = line = _Line()
        line.setMaxLength(LONGEST_LINE)
        line.outgrown.connect(self._outgrow)
        self._show(line)
        if self._secret:
            line.setEchoMode(QLineEdit.EchoMode.Password)
            self._eye = tool_button("eye", f"Show {visible(self.spec.name)}", self.spec.theme)
            self._eye.setCheckable(True)
            self._eye.setToolTip("Show this secret")
            self._eye.toggled.connect(self._reveal)
            self._layout.addWidget(self._eye)

    def _open_box(self, text: str) -> None:
        line, self._line = self._line, None
        self._box = box = GrowingText()
        box.setPlainText(text)
        box.moveCursor(QTextCursor.MoveOperation.End)
        self._show(box)
        if line is not None:
            if line.hasFocus():
                box.setFocus()
            self._layout.removeWidget(line)
            line.hide()
            line.deleteLater()
        if self._eye is not None:
            self._eye.hide()

    def _show(self, edit: QLineEdit | GrowingText) -> None:
        edit.setAccessibleName(self.spec.name)
        edit.setPlaceholderText(hint_of(self.spec.shape))
        edit.textChanged.connect(self.changed)
        self._layout.insertWidget(0, edit, 1)
        self.setFocusProxy(edit)
        edit.show()

    def _outgrow(self, text: str) -> None:
        """Replace the line by a box with this text, which the user typed or pasted."""
        self._open_box(text)
        self.changed.emit()

    def _reveal(self, on: bool) -> None:
        if self._line is not None and self._eye is not None:
            self._line.setEchoMode(QLineEdit.EchoMode.Normal if on else QLineEdit.EchoMode.Password)
            self._eye.setIcon(icon("eye-off" if on else "eye"))

    def _take_offer(self, text: str) -> None:
        if self.write(text):
            self.changed.emit()
            self.setFocus(Qt.FocusReason.OtherFocusReason)
