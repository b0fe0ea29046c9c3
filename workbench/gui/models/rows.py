"""A flat list of rows that changes by the smallest steps, so that selection and scrolling stay where they are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.rows import Row, row_data

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class RowsModel(QAbstractListModel):
    """Shows rows in the order given; keys tell which row is which."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        return row_data(self._rows[index.row()], role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.isValid() and self._rows[index.row()].section:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def find(self, key: str) -> QModelIndex:
        """The place of a key; invalid when it is not shown."""
        for place, row in enumerate(self._rows):
            if row.key == key:
                return self.index(place)
        return QModelIndex()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Become these rows: what left goes, what is new comes, what changed is painted again."""
        self._drop({row.key for row in rows})
        place = 0
        while place < len(rows):
            place = self._settle(rows, place)

    def _drop(self, kept: set[str]) -> None:
        end = len(self._rows)
        while end > 0:
            if self._rows[end - 1].key in kept:
                end -= 1
                continue
            start = end - 1
            while start > 0 and self._rows[start - 1].key not in kept:
                start -= 1
            self.beginRemoveRows(QModelIndex(), start, end - 1)
            del self._rows[start:end]
            self.endRemoveRows()
            end = start

    def _settle(self, rows: Sequence[Row], place: int) -> int:
        """Make the row at this place right; answers the next place to look at."""
        wanted = rows[place]
        if place < len(self._rows) and self._rows[place].key == wanted.key:
            if self._rows[place] != wanted:
                self._rows[place] = wanted
                self.dataChanged.emit(self.index(place), self.index(place))
            return place + 1
        known = {row.key: at for at, row in enumerate(self._rows)}
        if wanted.key in known:
            self._move(known[wanted.key], place)
            return place
        return self._insert(rows, place, known)

    def _move(self, source: int, place: int) -> None:
        self.beginMoveRows(QModelIndex(), source, source, QModelIndex(), place)
        self._rows.insert(place, self._rows.pop(source))
        self.endMoveRows()

    def _insert(self, rows: Sequence[Row], place: int, known: dict[str, int]) -> int:
        end = place + 1
        while end < len(rows) and rows[end].key not in known:
            end += 1
        self.beginInsertRows(QModelIndex(), place, end - 1)
        self._rows[place:place] = rows[place:end]
        self.endInsertRows()
        return end
