"""A long list that filters itself: an entry becomes a Row only when it is looked at, so ten thousand stay cheap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.gui.rows import KEY, Row, row_data

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class OfferEntry(Struct, frozen=True):
    """One thing a server offers, as a list needs it."""

    key: str
    words: str  # casefolded; what a filter looks into
    row: Callable[[], Row]


class OfferRows(QAbstractListModel):
    """Entries in the order given, those that fit the filter."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[OfferEntry] = ()
        self._shown: Sequence[OfferEntry] = ()
        self._needle: tuple[str, ...] = ()

    def show_entries(self, entries: Sequence[OfferEntry]) -> None:
        self.beginResetModel()
        self._all = entries
        self._shown = self._fitting()
        self.endResetModel()

    def filter(self, text: str) -> None:
        """Show entries that have all these words."""
        needle = tuple(text.casefold().split())
        if needle != self._needle:
            self.beginResetModel()
            self._needle = needle
            self._shown = self._fitting()
            self.endResetModel()

    def redraw(self) -> None:
        """What rows say has changed, though not which there are."""
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def total(self) -> int:
        return len(self._all)

    def find(self, key: str) -> QModelIndex:
        """The place of a key; invalid when it is not shown."""
        place = next((at for at, entry in enumerate(self._shown) if entry.key == key), None)
        return QModelIndex() if place is None else self.index(place)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        entry = self._shown[index.row()]
        return entry.key if role == KEY else row_data(entry.row(), role)

    def _fitting(self) -> Sequence[OfferEntry]:
        if not self._needle:
            return self._all
        return [entry for entry in self._all if all(word in entry.words for word in self._needle)]
