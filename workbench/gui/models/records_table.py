"""A list of similar objects as a table; it sorts its own rows, because a proxy over Python rows is slow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.models.json_tree import shown
from workbench.gui.text import one_line
from workbench.records import JsonObject, JsonValue

Index: TypeAlias = QModelIndex | QPersistentModelIndex

_ROOT = QModelIndex()
_LOOKED_AT = 200  # records that decide about the columns
_MOST_COLUMNS = 40


class RecordsTable(QAbstractTableModel):
    """One row per object, one column per name."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[JsonObject] = []
        self._records: list[JsonObject] = []  # those that the filter lets through
        self._said: list[str] = []  # every record as one folded text, made when somebody filters
        self._needle = ""
        self._columns: list[str] = []

    def show_records(self, records: Sequence[JsonObject]) -> None:
        self.beginResetModel()
        self._all = list(records)
        self._records = self._all
        self._said = []
        self._needle = ""
        self._columns = columns_of(records)
        self.endResetModel()

    def filter(self, text: str) -> None:
        """Show the records that have all words of the text somewhere."""
        needle = text.strip().casefold()
        if needle == self._needle:
            return
        self._needle = needle
        if not self._said:
            self._said = [json.dumps(record, ensure_ascii=False).casefold() for record in self._all]
        words = needle.split()
        self.beginResetModel()
        pairs = zip(self._all, self._said, strict=True)
        self._records = [record for record, said in pairs if all(word in said for word in words)]
        self.endResetModel()

    def total(self) -> int:
        """How many records there are, shown or not."""
        return len(self._all)

    def name(self, column: int) -> str:
        return self._columns[column]

    def value(self, row: int, column: int) -> JsonValue:
        """What stands in a cell, whole; None where the record has nothing of that name."""
        return self._records[row].get(self._columns[column])

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return one_line(self._columns[section], 60) if orientation == Qt.Orientation.Horizontal else section + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole):
            return None
        value = self._records[index.row()].get(self._columns[index.column()], "")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            numeric = isinstance(value, int | float) and not isinstance(value, bool)
            side = Qt.AlignmentFlag.AlignRight if numeric else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return one_line(value, 200) if isinstance(value, str) else shown(value)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self._columns):
            return
        name = self._columns[column]
        self.layoutAboutToBeChanged.emit()
        down = order == Qt.SortOrder.DescendingOrder
        self._all.sort(key=lambda record: _sort_key(record.get(name)), reverse=down)
        self._said = []
        if self._records is not self._all:
            self._records.sort(key=lambda record: _sort_key(record.get(name)), reverse=down)
        self.layoutChanged.emit()


def records_of(value: JsonValue) -> list[JsonObject]:
    """The list of objects a value is, or holds as its only list; empty where a table would not help."""
    if isinstance(value, Mapping):
        lists = [part for part in value.values() if isinstance(part, list)]
        return records_of(lists[0]) if len(lists) == 1 and len(lists[0]) > 1 else []
    if not isinstance(value, list) or not value or not all(isinstance(item, Mapping) and item for item in value):
        return []
    columns = columns_of(value)
    filled = sum(len(item) for item in value[:_LOOKED_AT]) / len(value[:_LOOKED_AT])
    return value if len(columns) <= _MOST_COLUMNS and filled * 2 >= len(columns) else []


def columns_of(records: Sequence[JsonObject]) -> list[str]:
    """The names in the order they first occur."""
    return list(dict.fromkeys(name for record in records[:_LOOKED_AT] for name in record))


def _sort_key(value: JsonValue) -> tuple[int, float, str]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (0, 0.0, "") if value is None else (2, 0.0, str(value).casefold())
    return (1, float(value), "")
