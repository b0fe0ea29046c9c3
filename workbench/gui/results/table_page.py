"""A list of records as a table: sorted by a press on a head, filtered as one types, copied as CSV."""

from __future__ import annotations

import csv
import io

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QSplitter, QTableView, QToolButton, QVBoxLayout, QWidget

from workbench.gui.forms.json_text import dump
from workbench.gui.icons import icon
from workbench.gui.models.records_table import RecordsTable, records_of
from workbench.gui.results.page import Page
from workbench.gui.results.text_page import TextPage
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import Theme, mark
from workbench.gui.views import Strip, search_box, tool_button
from workbench.records import JsonValue
from workbench.spreadsheet_escaping import safe_cell

_WIDEST = 40  # letters of a column at first


class TablePage(Page):
    """Enter on a cell shows the whole of it below."""

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
        self.detail = TextPage(theme, "The chosen cell")
        self.detail.edit.setFont(theme.mono())
        self.detail.hide()
        self._pause = QTimer(self, singleShot=True, interval=120)
        self._pause.timeout.connect(self._sift)
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
        self._tell()

    def seek(self, words: str, step: int) -> str:
        """Searching a table is filtering it."""
        self.finder.setText(words)
        self._sift()
        return self._count.full_text()

    def copy_csv(self) -> None:
        """The chosen rows, or all that are shown, with a line of names."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedIndexes()})
        chosen = rows if len(rows) > 1 else list(range(self.model.rowCount()))
        QGuiApplication.clipboard().setText(self.csv(chosen))
        self.said.emit(f"{len(chosen):,} rows were copied as CSV.")

    def csv(self, rows: list[int]) -> str:
        """Values as they are; nested ones as JSON, no text a formula. Columns that are hidden stay out."""
        columns = [column for column in range(self.model.columnCount()) if not self.table.isColumnHidden(column)]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([safe_cell(self.model.name(column)) for column in columns])
        for row in rows:
            values = [self.model.value(row, column) for column in columns]
            writer.writerow([safe_cell(value) if isinstance(value, str) else _cell(value) for value in values])
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
            action.setData(column)
            action.toggled.connect(self._choose_column)

    def _choose_column(self, on: bool) -> None:
        action = self.sender()
        column = action.data() if action is not None and hasattr(action, "data") else -1
        if isinstance(column, int) and column >= 0:
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

    def _sift(self) -> None:
        self._pause.stop()
        self.model.filter(self.finder.text())
        self._tell()

    def _tell(self) -> None:
        shown, whole = self.model.rowCount(), self.model.total()
        words = f"{whole:,} rows"
        self._count.setText(words if shown == whole else f"{shown:,} of {words}")

    def _open_cell(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        value = self.model.value(index.row(), index.column())
        self.detail.show_text(value if isinstance(value, str) else dump(value))
        self.detail.show()

    def _copy_cell(self) -> None:
        rows = {index.row() for index in self.table.selectionModel().selectedIndexes()}
        if len(rows) > 1:
            self.copy_csv()
            return
        index = self.table.currentIndex()
        if index.isValid():
            QGuiApplication.clipboard().setText(_cell(self.model.value(index.row(), index.column())))
            self.said.emit("The cell was copied.")


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dump(value, indent=None)
