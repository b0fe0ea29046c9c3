"""The dashboard: what a time brought, in five charts, each with its table; and the report of the same time."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench.api.client_texts import parse_time
from workbench.events import EntryWritten, Event
from workbench.gui.audit.bars import Bars
from workbench.gui.audit.charts import Chart, charts
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.results.save import ask_and_save
from workbench.gui.text import visible
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label
from workbench.gui.whole import fetch_whole
from workbench.records import Figures

AGAIN_MS = 2_000
"""So long after something happened the figures are asked for again."""
TWO_COLUMNS = 150
"""Letters of width from which on charts stand beside each other."""


class Dashboard(QDialog):
    """Follows what happens while it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Dashboard")
        self._context = context
        self.cards: dict[str, ChartCard] = {}
        self.range = CalmCombo()
        self.range.setAccessibleName("Of which time")
        for words, since in self._ranges():
            self.range.addItem(words, since)
        self.range.setCurrentIndex(2)
        self.report = QPushButton("Report of this time")
        self._facts = label("", "muted")
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._grid = QGridLayout()
        self._lay_out(context.theme.unit)
        self.range.currentIndexChanged.connect(self._ask)
        self._again.timeout.connect(self._ask)
        self._ask()

    def hear(self, event: Event) -> None:
        ended = isinstance(event, EntryWritten) and event.entry.note.kind.startswith(("run.", "call."))
        if ended and not self._again.isActive():
            self._again.start()

    def show_figures(self, figures: Figures) -> None:
        for chart in charts(figures):
            if chart.key not in self.cards:
                self.cards[chart.key] = ChartCard(self._context.theme)
            self.cards[chart.key].show_chart(chart)
        self._arrange()
        self._facts.setText(f"{figures.entries:,} entries of the audit")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _ranges(self) -> tuple[tuple[str, str], ...]:
        return (
            ("Today", "today"),
            ("Last 7 days", "7d"),
            ("Last 30 days", "30d"),
            ("Last 12 months", "52w"),
            ("All of it", ""),
        )

    def _since(self) -> float:
        return parse_time(str(self.range.currentData())) or 0.0

    def _lay_out(self, unit: int) -> None:
        menu = QMenu(self.report)
        for words, form in (("As &HTML, to read and print", "html"), ("As &JSON", "json"),
                            ("As &CSV, a line for each run", "csv")):  # fmt: skip
            action = QAction(words, menu)
            action.triggered.connect(partial(self._make_report, form))
            menu.addAction(action)
        self.report.setMenu(menu)
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        head.addWidget(label("Dashboard", "title"))
        head.addStretch(1)
        head.addWidget(self._facts)
        head.addWidget(self.range)
        head.addWidget(self.report)
        page = QWidget()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(unit * 3)
        inside = QVBoxLayout(page)
        inside.setContentsMargins(0, 0, unit, 0)
        inside.addLayout(self._grid)
        inside.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 5,) * 4)
        column.setSpacing(unit * 3)
        column.addLayout(head)
        column.addWidget(area, 1)
        self.resize(unit * 290, unit * 190)

    def _arrange(self) -> None:
        """Two beside each other where there is room."""
        columns = 2 if self.width() >= self.fontMetrics().averageCharWidth() * TWO_COLUMNS else 1
        for place, card in enumerate(self.cards.values()):
            alone = place == len(self.cards) - 1 and place % columns == 0
            self._grid.addWidget(card, place // columns, place % columns, 1, columns if alone else 1)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)

    def _ask(self) -> None:
        asked = self._context.api.audit_figures(self._since(), 0.0)
        self._context.tasks.run("figures", asked, self.show_figures)

    def _make_report(self, form: str, checked: bool = False) -> None:
        self._context.tasks.run("compliance report", self._reported(form))

    async def _reported(self, form: str) -> None:
        self.report.setEnabled(False)
        try:
            made = await self._context.api.audit_report(self._since(), 0.0, form)
            (text,) = await fetch_whole(self._context.fetch, (made,))
        finally:
            self.report.setEnabled(True)
        ask_and_save(self._context, self, f"audit-report.{form}", text.encode("utf-8", "replace"))


class ChartCard(QFrame):
    """A headline, the picture, and the table behind it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="card")
        self.title = label("", "section")
        self.headline = label("", "heading")
        self.sentence = label("", "muted")
        self.sentence.setWordWrap(True)
        self.bars = Bars(theme)
        self.table = QTableWidget()
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.as_table = QPushButton("Table")
        self.as_table.setCheckable(True)
        mark(self.as_table, kind="chip")
        self.as_table.toggled.connect(self._turn)
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.as_table)
        self._body = QWidget()
        self._pages = QStackedLayout(self._body)
        self._pages.addWidget(self.bars)
        self._pages.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.unit * 4,) * 4)
        column.setSpacing(theme.unit)
        column.addLayout(head)
        column.addWidget(self.headline)
        column.addWidget(self.sentence)
        column.addWidget(self._body, 1)
        column.addStretch(0)

    def show_chart(self, chart: Chart) -> None:
        self.title.setText(chart.title)
        self.headline.setText(chart.headline)
        self.headline.setVisible(bool(chart.rows))
        self.sentence.setText(chart.sentence)
        self.as_table.setVisible(bool(chart.rows))
        self.as_table.setAccessibleName(f"{chart.title} as a table")
        self._body.setVisible(bool(chart.rows))
        self.bars.show_chart(chart)
        self._fill(chart)

    def _fill(self, chart: Chart) -> None:
        self.table.setAccessibleName(chart.title)
        self.table.setColumnCount(len(chart.heads))
        self.table.setHorizontalHeaderLabels(list(chart.heads))
        self.table.setRowCount(len(chart.rows))
        for row, words in enumerate(chart.rows):
            for column, word in enumerate(words):
                item = QTableWidgetItem(visible(word))
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(row, column, item)

    def _turn(self, table: bool) -> None:
        self._pages.setCurrentIndex(int(table))
        if table:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
