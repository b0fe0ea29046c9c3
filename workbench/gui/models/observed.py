"""What a run did beside what its text foretold, as a table: the unforeseen first, marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.icons import icon
from workbench.gui.text import one_line, plain_tip
from workbench.gui.theme import Theme
from workbench.gui.words import Word
from workbench.records import Observation

Index: TypeAlias = QModelIndex | QPersistentModelIndex

_ROOT = QModelIndex()
_EFFECT, _FORETOLD, _HAPPENED = range(3)


class ObservedModel(QAbstractTableModel):
    """One row per effect."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: list[Observation] = []

    def show_observations(self, observations: Sequence[Observation]) -> None:
        self.beginResetModel()
        self._rows = list(observations)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else 3

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return ("Effect", "Predicted", "What happened")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        one, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(one, column)
        if role == Qt.ItemDataRole.DecorationRole and column == _EFFECT:
            word = _word(one)
            return icon(word.icon, word.tone)
        if role == Qt.ItemDataRole.ForegroundRole and (one.unforeseen or not (one.times or one.refused)):
            return self._theme.colour("danger" if one.unforeseen else "muted")
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{_word(one).text}: {one.subject}")
        if role == Qt.ItemDataRole.AccessibleTextRole and column == _EFFECT:
            return f"{_word(one).text}: {self._text(one, _EFFECT)}"
        return None

    def _text(self, one: Observation, column: int) -> str:
        if column == _EFFECT:
            kinds = {"tool": "Calls {}", "host": "Reaches {}", "written": "Writes {}", "deleted": "Deletes {}"}
            return kinds.get(one.kind, "{}").format(one_line(one.subject, 160))
        if column == _FORETOLD:
            line = f"line {one.line}" if one.line else "yes"
            return "nobody could tell" if one.predicted is None else line if one.predicted else "no"
        return self._happened(one)

    def _happened(self, one: Observation) -> str:
        if not one.times and not one.refused:
            return "no"
        once = "once" if one.times == 1 else f"{one.times:,} times"
        parts = [once] if one.times else []
        if one.refused:
            parts.append(f"refused {one.refused:,} times" if one.refused > 1 else "refused")
        return ", ".join(parts)


def _word(one: Observation) -> Word:
    if one.unforeseen:
        return Word("Unexpected", "alert", "danger")
    if not one.times and not one.refused:
        return Word("Predicted, did not happen", "circle", "muted")
    if one.refused and not one.times:
        return Word("Refused", "ban", "warning")
    return Word("As predicted", "check", "success") if one.predicted else Word("Happened", "circle", "info")
