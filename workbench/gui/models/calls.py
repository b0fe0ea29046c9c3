"""The nested calls of a run as a table that grows while it runs; a call is found by its id, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.icons import icon
from workbench.gui.text import one_line, plain_tip
from workbench.gui.theme import Theme
from workbench.gui.whole import size_words
from workbench.gui.words import Word, duration
from workbench.records import CallTrace

Index: TypeAlias = QModelIndex | QPersistentModelIndex

_ROOT = QModelIndex()
_TOOL, _ARGUMENTS, _TIME, _SIZE = range(4)


class CallsModel(QAbstractTableModel):
    """One row per call: tool and state, arguments, time, size."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._calls: list[CallTrace] = []
        self._rows: dict[str, int] = {}

    def show_calls(self, calls: Sequence[CallTrace]) -> None:
        self.beginResetModel()
        self._calls = list(calls)
        self._rows = {call.call_id: row for row, call in enumerate(calls)}
        self.endResetModel()

    def take(self, call: CallTrace) -> None:
        """A call began or took a step."""
        row = self._rows.get(call.call_id)
        if row is not None:
            self._calls[row] = call
            self.dataChanged.emit(self.index(row, 0), self.index(row, _SIZE))
            return
        row = len(self._calls)
        self.beginInsertRows(QModelIndex(), row, row)
        self._calls.append(call)
        self._rows[call.call_id] = row
        self.endInsertRows()

    def call(self, row: int) -> CallTrace | None:
        return self._calls[row] if 0 <= row < len(self._calls) else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._calls)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else 4

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return ("Call", "Arguments", "Time", "Size")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        call, column = self._calls[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(call, column)
        if role == Qt.ItemDataRole.DecorationRole and column == _TOOL:
            return icon(_word(call).icon, _word(call).tone)
        if role == Qt.ItemDataRole.ForegroundRole and column != _TOOL:
            return self._theme.colour("danger" if column == _ARGUMENTS and call.note else "muted")
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{_word(call).text}: {call.server}.{call.tool}\n{call.note or call.arguments}")
        if role == Qt.ItemDataRole.AccessibleTextRole and column == _TOOL:
            return f"{_word(call).text}: {self._text(call, _TOOL)}"
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (_TIME, _SIZE):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, call: CallTrace, column: int) -> str:
        if column == _TOOL:
            return one_line(f"{call.server}.{call.tool}", 120)
        if column == _ARGUMENTS:
            return one_line(call.note or call.arguments, 200)
        if call.state in ("running", "waiting"):
            return "…"
        return duration(call.ms) if column == _TIME else size_words(call.bytes)


def _word(call: CallTrace) -> Word:
    return {
        "running": Word("Running", "loader", "info"),
        "waiting": Word("Waits for you", "hourglass", "warning"),
        "done": Word("Done", "check", "success"),
        "failed": Word("Failed", "alert", "danger"),
        "refused": Word("Refused", "ban", "danger"),
        "stopped": Word("Stopped", "ban", "muted"),
        "held": Word("Held by the dry run", "clipboard", "info"),
    }.get(call.state, Word(one_line(call.state, 20), "circle", "muted"))
