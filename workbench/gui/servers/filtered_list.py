"""A list of many records with a filter: it builds rows only for what is visible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedWidget, QWidget

from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, lead_into, search_box
from workbench.gui.kit.rows import KEY, Row, row_data
from workbench.gui.kit.theme import Theme

T = TypeVar("T")
Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class FilteredModel(QAbstractListModel, Generic[T]):
    """The records that contain all words of the filter, in the order in which they were added."""

    def __init__(
        self,
        key: Callable[[T], str],
        search_text: Callable[[T], str],
        row: Callable[[T], Row],
        cap: int = 0,  # the oldest records above it are dropped; 0: none
    ) -> None:
        super().__init__()
        self._key, self._search_text, self._row, self._cap = key, search_text, row, cap
        self._all: list[tuple[str, T]] = []  # with the case-folded search text
        self._shown: list[T] = []
        self._words: tuple[str, ...] = ()

    def replace(self, records: Iterable[T]) -> None:
        """These records and no others."""
        self.beginResetModel()
        self._all = self._with_texts(records)
        self._shown = self._matching(self._all)
        self.endResetModel()

    def append(self, records: Sequence[T]) -> None:
        fresh = self._with_texts(records)[-self._cap :]
        surplus = max(0, len(self._all) + len(fresh) - self._cap) if self._cap else 0
        if hidden := len(self._matching(self._all[:surplus])):
            self.beginRemoveRows(QModelIndex(), 0, hidden - 1)
            del self._shown[:hidden]
            self.endRemoveRows()
        self._all = self._all[surplus:] + fresh
        if shown := self._matching(fresh):
            self.beginInsertRows(QModelIndex(), len(self._shown), len(self._shown) + len(shown) - 1)
            self._shown += shown
            self.endInsertRows()

    def filter(self, text: str) -> None:
        """Show only records with all words of the text."""
        self.beginResetModel()
        self._words = tuple(text.casefold().split())
        self._shown = self._matching(self._all)
        self.endResetModel()

    def repaint_rows(self) -> None:
        """The content of rows changed, but not which rows there are."""
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def total(self) -> int:
        """The number of records, hidden ones included."""
        return len(self._all)

    def records(self) -> tuple[T, ...]:
        """The records that are shown."""
        return tuple(self._shown)

    def record(self, key: str) -> T | None:
        """The record of a key, whether it is shown or not."""
        return next((record for _, record in reversed(self._all) if self._key(record) == key), None)

    def find(self, key: str) -> QModelIndex:
        """The index of a key; invalid if it is not shown."""
        row = next((row for row, record in enumerate(self._shown) if self._key(record) == key), -1)
        return self.index(row) if row >= 0 else QModelIndex()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        record = self._shown[index.row()]
        return self._key(record) if role == KEY else row_data(self._row(record), role)

    def _with_texts(self, records: Iterable[T]) -> list[tuple[str, T]]:
        return [(self._search_text(record).casefold(), record) for record in records]

    def _matching(self, records: Sequence[tuple[str, T]]) -> list[T]:
        return [record for text, record in records if all(word in text for word in self._words)]


class FilteredList(QWidget):
    """A filter, the number of entries, and the list; without entries it says why."""

    selected = Signal(str)
    """Carries the key of the entry that the selection moved to."""
    opened = Signal(str)
    """Carries the key of the entry that Enter or a click opened."""

    def __init__(
        self, theme: Theme, name: str, search: str, model: FilteredModel[Any], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.model = model
        model.setParent(self)
        self.view = RowsView(theme, name, self)
        self.view.setUniformItemSizes(True)
        self.view.setModel(model)
        self.finder = search_box(search, search)
        self.count = label("", "muted")
        self.strip = Strip(theme)
        self.strip.row.addWidget(self.finder, 1)
        self.strip.row.addWidget(self.count)
        self.empty = EmptyState(theme, "list", "", "")
        self._clear = self.empty.offer(text="Clear the filter")
        self._no_entries = ("No entries", "")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self.empty)
        column(self, self.strip, self._stack, grows=self._stack)
        self.setFocusProxy(self.view)
        lead_into(self.finder, self.view)
        self._clear.clicked.connect(self.finder.clear)
        self.finder.textChanged.connect(self._filter)
        self.view.chosen.connect(self.opened)
        self.view.clicked.connect(self._emit_opened)
        self.view.selection_changed.connect(self._emit_selected)
        for changed in (model.modelReset, model.rowsInserted, model.rowsRemoved):
            changed.connect(self._show_count)
        self._show_count()

    def key(self) -> str:
        """The key of the selected entry, or nothing."""
        return self.view.key()

    def explain_empty(self, title: str, sentence: str) -> None:
        """What is shown when there are no entries."""
        self._no_entries = (title, sentence)
        self._show_count()

    def show_entries(self, records: Iterable[Any]) -> None:
        """Replace the entries; selection and scroll position stay."""
        place = self.view.verticalScrollBar().value()
        self._keep_selection(lambda: self.model.replace(records))
        self.view.verticalScrollBar().setValue(place)

    def set_menu(self, *actions: QAction) -> None:
        """Offer actions on the selected entry, by right click and by the menu key."""
        self.view.addActions(actions)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def select(self, key: str) -> bool:
        """Select an entry, whatever the filter is; False if there is none with this key."""
        if not self.model.find(key).isValid():
            self.finder.clear()
        index = self.model.find(key)
        if index.isValid():
            self.view.setCurrentIndex(index)
        return index.isValid()

    def _filter(self, text: str) -> None:
        self._keep_selection(lambda: self.model.filter(text))

    def _keep_selection(self, change: Callable[[], None]) -> None:
        """Select the same entry again after the model was reset. No signal is emitted."""
        key = self.view.key()
        change()
        if (index := self.model.find(key)).isValid():
            self.view.blockSignals(True)
            self.view.setCurrentIndex(index)
            self.view.blockSignals(False)

    def _show_count(self) -> None:
        shown, total = self.model.rowCount(), self.model.total()
        self.count.setText(f"{total:,}" if shown == total else f"{shown:,} of {total:,}")
        self.empty.say(*(("No matches", "Clear the filter to see all entries.") if total else self._no_entries))
        self._clear.setVisible(bool(total))
        self._stack.setCurrentWidget(self.view if shown else self.empty)

    def _emit_opened(self) -> None:
        if key := self.view.key():
            self.opened.emit(key)

    def _emit_selected(self) -> None:
        if key := self.view.key():
            self.selected.emit(key)
