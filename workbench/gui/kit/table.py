"""A table of records that sorts and filters itself: a proxy model over Python rows takes seconds where this takes
milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import open_menu
from workbench.gui.kit.rows import KEY
from workbench.gui.kit.text import plain_tip, visible
from workbench.gui.kit.theme import Theme, mark

T = TypeVar("T")
Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class Column(Struct, Generic[T], frozen=True):
    """One column: what it shows of a record, and how it sorts."""

    title: str
    text: Callable[[T], str]
    sort: Callable[[T], Any] | None = None  # Any: values that compare with each other; default: the text
    tip: Callable[[T], str] | None = None
    icon: Callable[[T], tuple[str, str]] | None = None  # name and colour role
    tone: Callable[[T], str] | None = None  # colour role of the text; empty: the usual one
    accessible: Callable[[T], str] | None = None  # what a screen reader says instead of the title and the text
    right: bool = False  # numbers
    letters: int = 12  # usual width
    rank: int = 0  # where it is narrow, columns of the highest rank are hidden first; 0: never
    mono: bool = False


class ColumnsModel(QAbstractTableModel, Generic[T]):
    """Shows records in columns. A subclass says which record is in a row, and where a key is."""

    def __init__(
        self,
        columns: Sequence[Column[T]],
        key: Callable[[T], str],
        parent: QObject | None = None,
        theme: Theme | None = None,  # needed for columns with a tone
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._key = key
        self._theme = theme

    def record(self, index: Index) -> T | None:
        raise NotImplementedError

    def row_of(self, key: str) -> int:
        """The row of a key, or -1."""
        raise NotImplementedError

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and self.columns[section].right else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        record = self.record(index)
        if record is None:
            return None
        column = self.columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return visible(column.text(record))
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(column.tip(record)) or None if column.tip is not None else None
            case Qt.ItemDataRole.DecorationRole if column.icon is not None:
                name, tone = column.icon(record)
                return icon(name, tone) if name else None
            case Qt.ItemDataRole.TextAlignmentRole if column.right:
                return _RIGHT
            case Qt.ItemDataRole.AccessibleTextRole if column.accessible is not None:
                return visible(column.accessible(record))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{column.title}: {visible(column.text(record)) or '–'}"
            case Qt.ItemDataRole.ForegroundRole if column.tone is not None and self._theme is not None:
                tone = column.tone(record)
                return self._theme.colour(tone) if tone else None
            case _:
                return self._key(record) if role == KEY else None


class TableModel(ColumnsModel[T]):
    """Records by key. `keep` filters, `sort` orders, `cap` drops the oldest of the records in the order they came."""

    def __init__(
        self,
        columns: Sequence[Column[T]],
        key: Callable[[T], str],
        cap: int = 0,
        parent: QObject | None = None,
        theme: Theme | None = None,
        slack: int = 0,  # this many more are dropped together with those above `cap`
    ) -> None:
        super().__init__(columns, key, parent, theme)
        self._cap = cap
        self._slack = slack
        self._all: dict[str, T] = {}
        self._shown: list[T] = []
        self._keep: Callable[[T], bool] | None = None
        self._order: tuple[int, Qt.SortOrder] | None = None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._order = (column, order) if 0 <= column < len(self.columns) else None
        self._arrange()

    def keep(self, fits: Callable[[T], bool] | None) -> None:
        """Show only records that fit; None shows all."""
        self._keep = fits
        self._arrange()

    def replace(self, records: Iterable[T]) -> None:
        """Replace all records."""
        self._all = {self._key(record): record for record in records}
        self._drop_oldest()
        self._arrange()

    def add_or_replace(self, record: T) -> None:
        """Add a record or replace the one of its key."""
        key, known = self._key(record), self._key(record) in self._all
        self._all[key] = record
        row = self.row_of(key) if known else -1
        fits = self._keep is None or self._keep(record)
        if row >= 0 and fits and self._order is None:
            self._shown[row] = record
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))
        elif known:
            self._arrange()
        else:
            self.append((record,))

    def append(self, records: Sequence[T]) -> None:
        """Add new records in one step; where the table is sorted they go to their places."""
        self._all.update((self._key(record), record) for record in records)
        over = self._cap and len(self._all) > self._cap
        if over or self._order is not None:
            self._drop_oldest()
            self._arrange()
            return
        fresh = [record for record in records if self._keep is None or self._keep(record)]
        if fresh:
            self.beginInsertRows(QModelIndex(), len(self._shown), len(self._shown) + len(fresh) - 1)
            self._shown += fresh
            self.endInsertRows()

    def remove(self, key: str) -> None:
        row = self.row_of(key)
        self._all.pop(key, None)
        if row >= 0:
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._shown[row]
            self.endRemoveRows()

    def clear(self) -> None:
        self.replace(())

    def record(self, index: Index) -> T | None:
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def find(self, key: str) -> T | None:
        """The record of a key, whether it is shown or not."""
        return self._all.get(key)

    def row_of(self, key: str) -> int:
        """The row of a key, or -1. The newest records are the last ones and change most."""
        last = len(self._shown) - 1
        return next((row for row in range(last, -1, -1) if self._key(self._shown[row]) == key), -1)

    def records(self) -> tuple[T, ...]:
        """The visible records in their order."""
        return tuple(self._shown)

    def total(self) -> int:
        """How many there are, hidden ones included."""
        return len(self._all)

    def _drop_oldest(self) -> None:
        surplus = len(self._all) - self._cap if self._cap else 0
        for key in list(self._all)[: surplus + self._slack] if surplus > 0 else ():
            del self._all[key]

    def _arrange(self) -> None:
        """Selection follows its record, because persistent indexes are moved with the layout."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keys = [self._key(self._shown[index.row()]) for index in before]
        keep, records = self._keep, self._all.values()
        shown = list(records) if keep is None else [record for record in records if keep(record)]
        if self._order is not None:
            number, order = self._order
            column = self.columns[number]
            shown.sort(key=column.sort or column.text, reverse=order is Qt.SortOrder.DescendingOrder)
        self._shown = shown
        places = {self._key(record): row for row, record in enumerate(shown)} if keys else {}
        after = [
            self.index(places[key], index.column()) if key in places else QModelIndex()
            for key, index in zip(keys, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()


class Table(QTableView, Generic[T]):
    """Shows records in columns; hides the least important ones where it is narrow; Ctrl+C copies the selected rows.

    `grows`: the column that takes the spare room, the last one if none is named. A lazy model is not sorted.
    """

    chosen = Signal(str)
    """Carries the key of the row that Enter or a double click opened."""
    selection_changed = Signal()

    def __init__(
        self, theme: Theme, name: str, model: ColumnsModel[T], parent: QWidget | None = None, grows: int | None = None
    ) -> None:
        super().__init__(parent)
        self.records_model = model
        self._menu: Callable[[T], Sequence[QAction | None]] | None = None
        self.setModel(model)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(isinstance(model, TableModel))
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + theme.unit * 3)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._grows = grows
        header.setStretchLastSection(grows is None)
        if grows is not None:
            header.setSectionResizeMode(grows, QHeaderView.ResizeMode.Stretch)
        mark(self, kind="rows")
        letter = self.fontMetrics().averageCharWidth()
        self._widths = {number: letter * column.letters + theme.unit * 4 for number, column in enumerate(model.columns)}
        for number, width in self._widths.items():
            self.setColumnWidth(number, width)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.doubleClicked.connect(self._choose)
        self.selectionModel().selectionChanged.connect(lambda: self.selection_changed.emit())

    def key(self) -> str:
        """The key of the current row if it is selected."""
        index = self.currentIndex()
        selected = index.isValid() and self.selectionModel().isRowSelected(index.row())
        return str(index.data(KEY)) if selected else ""

    def select(self, key: str) -> bool:
        row = self.records_model.row_of(key)
        if row >= 0:
            self.setCurrentIndex(self.records_model.index(row, 0))
        return row >= 0

    def set_menu(self, actions: Callable[[T], Sequence[QAction | None]]) -> None:
        """Offer these actions for a record, by right click and by the menu key; None is a separator."""
        self._menu = actions

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._as_text())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        columns = self.records_model.columns
        shown = [number for number in range(len(columns)) if not self.isColumnHidden(number)]
        for number in shown[:-1] if self._grows is None else shown:
            if number != self._grows:
                self._widths[number] = self.columnWidth(number)
        missing = sum(self._widths.values()) - self.viewport().width()
        for number in sorted(range(len(columns)), key=lambda number: -columns[number].rank):
            hide = bool(columns[number].rank) and missing > 0
            self.setColumnHidden(number, hide)
            missing -= self._widths[number] if hide else 0

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(str(index.data(KEY)))

    def _as_text(self) -> str:
        """Tab-separated, as spreadsheets take it."""
        shown = [number for number in range(len(self.records_model.columns)) if not self.isColumnHidden(number)]
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        cells = ([str(self.records_model.index(row, number).data()) for number in shown] for row in rows)
        return "\n".join("\t".join(cell.replace("\t", " ") for cell in line) for line in cells)

    def _open_menu(self, place: QPoint) -> None:
        record = self.records_model.record(self.currentIndex())
        actions = self._menu(record) if self._menu is not None and record is not None else ()
        open_menu(self, actions, place)
