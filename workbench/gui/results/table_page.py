"""Shows a list of similar objects as a table. Its model sorts its own rows, because a proxy model is slow."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QSplitter, QTableView, QToolButton, QVBoxLayout, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.lists import Strip, search_box, tool_button
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.page import Page
from workbench.gui.results.text_pages import TextPage
from workbench.gui.results.tree_page import value_text
from workbench.records import JsonObject, JsonValue
from workbench.records.common_types import count_of
from workbench.spreadsheet_escaping import safe_cell

Index: TypeAlias = QModelIndex | QPersistentModelIndex

_ROOT = QModelIndex()
_EXAMINED = 200  # records that decide which columns there are
_MOST_COLUMNS = 40


class RecordsTable(QAbstractTableModel):
    """One row per object, one column per property."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[JsonObject] = []
        self._records: list[JsonObject] = []  # those that match the filter
        self._texts: list[str] = []  # each record as folded text, made at the first filter
        self._needle = ""
        self._columns: list[str] = []

    def show_records(self, records: Sequence[JsonObject]) -> None:
        self.beginResetModel()
        self._all = list(records)
        self._records = self._all
        self._texts = []
        self._needle = ""
        self._columns = columns_of(records)
        self.endResetModel()

    def filter(self, text: str) -> None:
        """Show the records that contain all words of the text."""
        needle = text.strip().casefold()
        if needle == self._needle:
            return
        self._needle = needle
        if not self._texts:
            self._texts = [json.dumps(record, ensure_ascii=False).casefold() for record in self._all]
        words = needle.split()
        self.beginResetModel()
        pairs = zip(self._all, self._texts, strict=True)
        self._records = [record for record, folded in pairs if all(word in folded for word in words)]
        self.endResetModel()

    def total(self) -> int:
        """Number of records, including hidden ones."""
        return len(self._all)

    def name(self, column: int) -> str:
        return self._columns[column]

    def value(self, row: int, column: int) -> JsonValue:
        """The complete value of a cell; None if the record does not have it."""
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
        return one_line(value, 200) if isinstance(value, str) else value_text(value)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self._columns):
            return
        name = self._columns[column]
        self.layoutAboutToBeChanged.emit()
        down = order == Qt.SortOrder.DescendingOrder
        self._all.sort(key=lambda record: _sort_key(record.get(name)), reverse=down)
        self._texts = []
        if self._records is not self._all:
            self._records.sort(key=lambda record: _sort_key(record.get(name)), reverse=down)
        self.layoutChanged.emit()


def records_of(value: JsonValue) -> list[JsonObject]:
    """The list of objects that a value is or contains as its only list; empty if a table would not help."""
    if isinstance(value, Mapping):
        lists = [part for part in value.values() if isinstance(part, list)]
        return records_of(lists[0]) if len(lists) == 1 and len(lists[0]) > 1 else []
    if not isinstance(value, list) or not value or not all(isinstance(item, Mapping) and item for item in value):
        return []
    columns = columns_of(value)
    filled = sum(len(item) for item in value[:_EXAMINED]) / len(value[:_EXAMINED])
    return value if len(columns) <= _MOST_COLUMNS and filled * 2 >= len(columns) else []


def columns_of(records: Sequence[JsonObject]) -> list[str]:
    """The names of the properties, in the order of their first occurrence."""
    return list(dict.fromkeys(name for record in records[:_EXAMINED] for name in record))


def _sort_key(value: JsonValue) -> tuple[int, float, str]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (0, 0.0, "") if value is None else (2, 0.0, str(value).casefold())
    return (1, float(value), "")


_WIDEST = 40  # letters of a column at first


class TablePage(Page):
    """Enter on a cell shows its complete value below."""

    said = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.model = RecordsTable(self)
        self.table = self._make_table()
        self.finder = search_box("Filter rows", "Filter the rows of the result")
        self._count = ForeignLabel()
        self._count.setWordWrap(False)
        mark(self._count, role="muted")
        self.detail = TextPage(theme, "Selected cell")
        self.detail.edit.setFont(theme.mono())
        self.detail.hide()
        self._pause = QTimer(self, singleShot=True, interval=120)
        self._pause.timeout.connect(self._apply_filter)
        self.finder.textChanged.connect(self._pause.start)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.detail)
        split.setSizes([300, 100])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.strip = self._head(theme)
        layout.addWidget(self.strip)
        layout.addWidget(split, 1)
        self.setFocusProxy(self.table)

    def show_value(self, value: JsonValue) -> None:
        self._pause.stop()
        self.finder.blockSignals(True)
        self.finder.clear()
        self.finder.blockSignals(False)
        self.detail.hide()
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.model.show_records(records_of(value))
        self._fit()
        self._fill_columns()
        self._show_count()

    def seek(self, words: str, step: int) -> str:
        """Filter the table."""
        self.finder.setText(words)
        self._apply_filter()
        return self._count.full_text()

    def copy_csv(self) -> None:
        """Copy the selected rows, or all rows that are shown, with a header line."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedIndexes()})
        chosen = rows if len(rows) > 1 else list(range(self.model.rowCount()))
        QGuiApplication.clipboard().setText(self.csv(chosen))
        self.said.emit(f"{count_of(len(chosen), 'row')} copied as CSV.")

    def csv(self, rows: list[int]) -> str:
        """Rows as CSV: nested values as JSON, text never a formula, without hidden columns."""
        columns = [column for column in range(self.model.columnCount()) if not self.table.isColumnHidden(column)]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([safe_cell(self.model.name(column)) for column in columns])
        for row in rows:
            values = [self.model.value(row, column) for column in columns]
            writer.writerow([safe_cell(value) if isinstance(value, str) else _cell_text(value) for value in values])
        return text.getvalue()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.table.hasFocus():
            self._open_cell(self.table.currentIndex())
        elif event.key() == Qt.Key.Key_C and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self._copy_cell()
        else:
            super().keyPressEvent(event)

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setAccessibleName("Result as a table")
        table.setModel(self.model)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setSortingEnabled(True)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.verticalHeader().hide()
        table.doubleClicked.connect(self._open_cell)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for text, act in (
            ("Show cell", self._open_current),
            ("Copy cell", self._copy_cell),
            ("Copy rows as CSV", self.copy_csv),
        ):
            action = QAction(text, table)
            action.triggered.connect(act)
            table.addAction(action)
        return table

    def _head(self, theme: Theme) -> Strip:
        head = Strip(theme)
        head.row.addWidget(self.finder, 1)
        head.row.addWidget(self._count)
        self._columns = QToolButton()
        self._columns.setIcon(icon("list"))
        self._columns.setAccessibleName("Choose columns")
        self._columns.setToolTip("Choose columns")
        self._columns.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self._columns)
        self._columns.setMenu(self._menu)
        head.row.addWidget(self._columns)
        copy = tool_button("copy", "Copy as CSV", theme)
        copy.clicked.connect(self.copy_csv)
        head.row.addWidget(copy)
        return head

    def _fill_columns(self) -> None:
        self._menu.clear()
        for column in range(self.model.columnCount()):
            self.table.setColumnHidden(column, False)
            action = self._menu.addAction(one_line(self.model.name(column), 60).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(True)
            action.toggled.connect(partial(self._show_column, column))

    def _show_column(self, column: int, on: bool) -> None:
        self.table.setColumnHidden(column, not on)

    def _fit(self) -> None:
        theme = self._theme
        self.table.verticalHeader().setDefaultSectionSize(self.table.fontMetrics().height() + theme.unit * 2)
        letter = self.table.fontMetrics().averageCharWidth()
        for column in range(self.model.columnCount()):
            texts = [
                str(self.model.data(self.model.index(row, column)) or "")
                for row in range(min(20, self.model.rowCount()))
            ]
            longest = max(len(text) for text in (self.model.name(column), *texts))
            self.table.setColumnWidth(column, letter * (min(longest, _WIDEST) + 5))

    def _apply_filter(self) -> None:
        self._pause.stop()
        self.model.filter(self.finder.text())
        self._show_count()

    def _show_count(self) -> None:
        shown, whole = self.model.rowCount(), self.model.total()
        text = count_of(whole, "row")
        self._count.setText(text if shown == whole else f"{shown:,} of {text}")

    def _open_cell(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        value = self.model.value(index.row(), index.column())
        self.detail.show_text(value if isinstance(value, str) else dump(value))
        self.detail.show()

    def _open_current(self) -> None:
        self._open_cell(self.table.currentIndex())

    def _copy_cell(self) -> None:
        rows = {index.row() for index in self.table.selectionModel().selectedIndexes()}
        if len(rows) > 1:
            self.copy_csv()
            return
        index = self.table.currentIndex()
        if index.isValid():
            QGuiApplication.clipboard().setText(_cell_text(self.model.value(index.row(), index.column())))
            self.said.emit("Cell copied.")


def _cell_text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dump(value, indent=None)
