"""Shows a list of similar objects as a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QSplitter, QTableView, QToolButton

from workbench.gui.kit.json_text import dump, is_number
from workbench.gui.kit.lists import Strip, search_box, tool_button
from workbench.gui.kit.table import Column, ColumnsModel
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
_WIDEST = 40  # letters of a column at first
_LONGEST_NAME = 60


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


class RecordsModel(ColumnsModel[JsonObject]):
    """One row per object, one column per property. Records need no keys, so that 100,000 of them appear at once."""

    def __init__(self, records: Sequence[JsonObject] = (), parent: QObject | None = None) -> None:
        self.names = columns_of(records)
        columns = [_column(name, records[:_EXAMINED]) for name in self.names]
        super().__init__(columns, lambda record: "", parent)
        self._all = list(records)
        self._shown = self._all
        self._texts: list[str] = []  # each record as folded text, made at the first filter

    def record(self, index: Index) -> JsonObject | None:
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def row_of(self, key: str) -> int:
        return -1

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def total(self) -> int:
        """Number of records, including hidden ones."""
        return len(self._all)

    def value(self, row: int, column: int) -> JsonValue:
        """The complete value of a cell; None if the record does not have it."""
        return self._shown[row].get(self.names[column])

    def filter(self, text: str) -> None:
        """Show the records that contain all words of the text."""
        words = text.casefold().split()
        if words and not self._texts:
            self._texts = [json.dumps(record, ensure_ascii=False).casefold() for record in self._all]
        pairs = zip(self._all, self._texts, strict=True) if words else ()
        self.beginResetModel()
        self._shown = (
            [record for record, folded in pairs if all(word in folded for word in words)] if words else self._all
        )
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self.columns):
            name, down = self.names[column], order is Qt.SortOrder.DescendingOrder
            self.layoutAboutToBeChanged.emit()
            for records in (self._all,) if self._shown is self._all else (self._all, self._shown):
                records.sort(key=lambda record: _sort_key(record.get(name)), reverse=down)
            self._texts = []
            self.layoutChanged.emit()


def _column(name: str, sample: Sequence[JsonObject]) -> Column[JsonObject]:
    return Column(
        one_line(name, _LONGEST_NAME),
        lambda record: _shown_text(record.get(name, "")),
        right=all(is_number(record.get(name, 0)) for record in sample),
    )


def _shown_text(value: JsonValue) -> str:
    return one_line(value, 200) if isinstance(value, str) else value_text(value)


def _sort_key(value: JsonValue) -> tuple[int, float, str]:
    if is_number(value):
        return (1, float(value), "")
    return (0, 0.0, "") if value is None else (2, 0.0, str(value).casefold())


def _cell_text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dump(value, indent=None)


class TablePage(Page):
    """Enter on a cell shows its complete value below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.model = RecordsModel()
        self.table = self._make_table()
        self.finder = search_box("Filter rows", "Filter the rows of the result")
        self._count = ForeignLabel()
        self._count.setWordWrap(False)
        mark(self._count, role="muted")
        self.detail = TextPage(theme, "Selected cell")
        self.detail.hide()
        self._pause = QTimer(self, singleShot=True, interval=120)
        self._pause.timeout.connect(self._apply_filter)
        self.finder.textChanged.connect(self._pause.start)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.detail)
        split.setSizes([300, 100])
        self.strip = self._make_strip(theme)
        self.set_content(split, above=self.strip)
        self.setFocusProxy(self.table)

    def show_value(self, value: JsonValue) -> None:
        """Show the records in a value."""
        before, self.model = self.model, RecordsModel(records_of(value), self.table)
        self.table.setModel(self.model)
        before.deleteLater()
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.finder.clear()
        self.detail.hide()
        self._fit_columns()
        self._list_columns()
        self._apply_filter()

    def seek(self, text: str, step: int) -> str:
        """Filter the rows: a table has no single place to go to."""
        self.finder.setText(text)
        self._apply_filter()
        return self._count.full_text()

    def copy_csv(self) -> None:
        """Copy the selected rows, or all rows that are shown, with a header line."""
        rows = self._selected_rows()
        chosen = rows if len(rows) > 1 else list(range(self.model.rowCount()))
        QGuiApplication.clipboard().setText(self.csv(chosen))
        self.said.emit(f"{count_of(len(chosen), 'row')} copied as CSV.")

    def csv(self, rows: list[int]) -> str:
        """Rows as CSV: nested values as JSON, text never a formula, without hidden columns."""
        columns = [number for number in range(self.model.columnCount()) if not self.table.isColumnHidden(number)]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([safe_cell(self.model.names[number]) for number in columns])
        for row in rows:
            values = [self.model.value(row, number) for number in columns]
            writer.writerow([safe_cell(value) if isinstance(value, str) else _cell_text(value) for value in values])
        return text.getvalue()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.table.hasFocus():
            self._open_cell()
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
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.verticalHeader().hide()
        table.doubleClicked.connect(self._open_cell)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for text, act in (
            ("Show cell", self._open_cell),
            ("Copy cell", self._copy_cell),
            ("Copy rows as CSV", self.copy_csv),
        ):
            action = QAction(text, table)
            action.triggered.connect(act)
            table.addAction(action)
        return table

    def _make_strip(self, theme: Theme) -> Strip:
        strip = Strip(theme)
        columns = tool_button("list", "Choose columns", theme)
        columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._columns_menu = QMenu(columns)
        columns.setMenu(self._columns_menu)
        copy = tool_button("copy", "Copy as CSV", theme, self.copy_csv)
        for part in (self.finder, self._count, columns, copy):
            strip.row.addWidget(part, int(part is self.finder))
        return strip

    def _list_columns(self) -> None:
        self._columns_menu.clear()
        for number, name in enumerate(self.model.names):
            self.table.setColumnHidden(number, False)
            action = self._columns_menu.addAction(one_line(name, _LONGEST_NAME).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(True)
            action.toggled.connect(partial(self._show_column, number))

    def _show_column(self, number: int, on: bool) -> None:
        self.table.setColumnHidden(number, not on)

    def _fit_columns(self) -> None:
        metrics, rows = self.table.fontMetrics(), range(min(20, self.model.rowCount()))
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + self._theme.unit * 2)
        for number, column in enumerate(self.model.columns):
            texts = [str(self.model.index(row, number).data()) for row in rows]
            longest = max(map(len, (column.title, *texts)))
            self.table.setColumnWidth(number, metrics.averageCharWidth() * (min(longest, _WIDEST) + 5))

    def _apply_filter(self) -> None:
        self._pause.stop()
        self.model.filter(self.finder.text())
        shown, total = self.model.rowCount(), count_of(self.model.total(), "row")
        self._count.setText(total if shown == self.model.total() else f"{shown:,} of {total}")

    def _open_cell(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            value = self.model.value(index.row(), index.column())
            self.detail.show_text(value if isinstance(value, str) else dump(value))
            self.detail.show()

    def _selected_rows(self) -> list[int]:
        return sorted(index.row() for index in self.table.selectionModel().selectedRows())

    def _copy_cell(self) -> None:
        index = self.table.currentIndex()
        if len(self._selected_rows()) > 1:
            self.copy_csv()
        elif index.isValid():
            QGuiApplication.clipboard().setText(_cell_text(self.model.value(index.row(), index.column())))
            self.said.emit("Cell copied.")
