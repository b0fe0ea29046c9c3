"""Small buttons beside a text that know its purpose: a calendar, the present moment, a new UUID, a file to pick."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtWidgets import QCalendarWidget, QDialog, QFileDialog, QPushButton, QToolButton, QVBoxLayout, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.purpose import Purpose
from workbench.gui.icons import icon
from workbench.gui.text import visible
from workbench.records import JsonValue


class Aid(QToolButton):
    """Says with `offered` which text it would write; it never writes by itself."""

    offered = Signal(str)

    def __init__(self, brief: Brief, purpose: Purpose, current: Callable[[], JsonValue], parent: QWidget) -> None:
        super().__init__(parent)
        self._purpose = purpose
        self._current = current
        symbol, words = _LOOKS[purpose]
        name = visible(brief.name)
        self.setIcon(icon(symbol, "muted"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(words.format(name))
        self.setToolTip(self.accessibleName())
        self.clicked.connect(self._act)

    def _act(self) -> None:
        if self._purpose in (Purpose.DATE, Purpose.MOMENT):
            self._open_calendar()
        elif self._purpose is Purpose.TIME:
            self.offered.emit(_now().strftime("%H:%M:%SZ"))
        elif self._purpose is Purpose.UUID:
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
        now = QPushButton("Today" if self._purpose is Purpose.DATE else "Now", dialog)
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
        """The day changes; a time of day that is there already stays."""
        day = date.toString(Qt.DateFormat.ISODate)
        if self._purpose is Purpose.MOMENT:
            text = self._current()
            day += text[10:] if isinstance(text, str) and text[10:11] in ("T", " ") else "T00:00:00Z"
        self._dialog.accept()
        self.offered.emit(day)

    def _take_now(self) -> None:
        pattern = "%Y-%m-%d" if self._purpose is Purpose.DATE else "%Y-%m-%dT%H:%M:%SZ"
        self._dialog.accept()
        self.offered.emit(_now().strftime(pattern))

    def _open_files(self) -> None:
        dialog = QFileDialog(self, self.accessibleName())
        folder = self._purpose is Purpose.FOLDER
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
    Purpose.DATE: ("calendar", "Choose a date for {0}"),
    Purpose.MOMENT: ("calendar", "Choose a date and time for {0}"),
    Purpose.TIME: ("clock", "Put the present time (UTC) into {0}"),
    Purpose.UUID: ("refresh", "Put a new random UUID into {0}"),
    Purpose.FILE: ("file", "Pick a file for {0}"),
    Purpose.FOLDER: ("folder", "Pick a folder for {0}"),
}
AIDED: Final = frozenset(_LOOKS)
"""Purposes that have such a button."""
