"""The dashboard of the audit: charts about tokens, runs, servers, personal data and decisions, and reports.

The plotting library is loaded when the first chart is drawn.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from functools import partial
from operator import itemgetter
from typing import Any

from msgspec import Struct
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFontMetrics, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QMenu, QPushButton, QStackedLayout, QWidget

from workbench.api.client_texts import parse_time
from workbench.events import EntryWritten
from workbench.gui.audit.audit_pane import hasty_sentence
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.plotting import NAME, clear_plot, empty_row, make_plot, named_places, whole_places
from workbench.gui.kit.table import Column, Table, TableModel
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import amount, duration, kind_label, risk_word, run_word
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.records import Figures, Risk, RunState
from workbench.records.common_types import count_of
from workbench.tokens import money

BAR_WIDTH = 0.72  # share of the room of a label
MOST_LABELS = 8  # below the axis
PLACE_LETTERS = 16  # most letters of width for a bar; a chart with few bars leaves room on both sides


class BarChart(QWidget):
    """Draws one chart. The table beside it and the accessible description say the same in text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chart: Chart | None = None
        self._plot: Any = None  # pyqtgraph has no types
        self._legend = row(None, spacing=theme.unit)
        self._column = column(self, self._legend, spacing=theme.unit)
        self.setMinimumHeight(theme.unit * 38)
        theme.changed.connect(self._draw)

    def show_chart(self, chart: Chart) -> None:
        self._chart = chart
        self._draw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll the page; the chart does not zoom."""
        event.ignore()

    def _draw(self) -> None:
        chart = self._chart
        if chart is None or not chart.series:
            return
        plot = self._plot if self._plot is not None else self._make()
        clear_plot(plot, self._theme, "raised", tickLength=0)
        self._add_bars(chart)
        columns = zip(*(series.values for series in chart.series), strict=True)
        highest = max(sum(column) if chart.stacked else max(column) for column in columns)
        plot.getAxis("left").setTicks(whole_places(highest) if chart.counts else None)
        self._place_labels()
        plot.setYRange(0, highest * 1.06 or 1.0, padding=0)
        self._fill_legend(chart)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_labels()

    def _place_labels(self) -> None:
        """Show as many labels as fit, and leave room beside few bars so that they do not become wide."""
        chart = self._chart
        if self._plot is None or chart is None or not chart.labels:
            return
        room = self.width() - self._theme.unit * 12  # without the axis on the left
        font = QFontMetrics(self._theme.ui(-1))
        widest = max(font.horizontalAdvance(text[:NAME]) for text in chart.labels) + self._theme.unit * 2
        places = max(1, room // (font.averageCharWidth() * PLACE_LETTERS))
        margin = max(0.1, (places - len(chart.labels)) / 2)
        self._plot.setXRange(-0.5 - margin, len(chart.labels) - 0.5 + margin, padding=0)
        self._plot.getAxis("bottom").setTicks(named_places(chart.labels, min(MOST_LABELS, max(1, room // widest))))

    def _make(self) -> Any:  # Any: pyqtgraph has no types
        plot = self._plot = make_plot(self, 0.15)
        plot.setMouseEnabled(x=False, y=False)
        plot.setFrameShape(QFrame.Shape.NoFrame)
        plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        plot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._column.addWidget(plot, 1)
        return plot

    def _add_bars(self, chart: Chart) -> None:
        import pyqtgraph

        tops = [0.0] * len(chart.labels)
        width = BAR_WIDTH if chart.stacked else BAR_WIDTH / len(chart.series)
        for number, series in enumerate(chart.series):
            shift = 0.0 if chart.stacked else -BAR_WIDTH / 2 + width * (number + 0.5)
            places = [at + shift for at in range(len(series.values))]
            bottoms = list(tops) if chart.stacked else [0.0] * len(series.values)
            item = pyqtgraph.BarGraphItem(
                x=places, y0=bottoms, height=list(series.values), width=width * 0.92,
                brush=self._theme.colour(series.role), pen=None,
            )  # fmt: skip
            self._plot.addItem(item)
            tops = [top + value for top, value in zip(tops, series.values, strict=True)]

    def _fill_legend(self, chart: Chart) -> None:
        """The legend is made of plain labels: the library would read a server's name as rich text."""
        empty_row(self._legend)
        if len(chart.series) > 1:
            for series in chart.series:
                square, swatch = QPixmap(self._theme.unit * 3, self._theme.unit * 3), QLabel()
                square.fill(self._theme.colour(series.role))
                swatch.setPixmap(square)
                self._legend.addWidget(swatch)
                self._legend.addWidget(ForeignLabel(series.name))
                self._legend.addSpacing(self._theme.unit)
            self._legend.addStretch(1)
        self.setAccessibleName(chart.title)
        self.setAccessibleDescription(f"{chart.headline}. {chart.sentence}")


MOST_DAYS = 62  # a longer period is shown by months
MOST_DRAWN = 12  # servers or kinds in a chart; the table has all


class Series(Struct, frozen=True):
    """The bars of a chart that have the same colour."""

    name: str
    role: str  # a colour of the theme
    values: tuple[float, ...]


class Chart(Struct, frozen=True):
    """A chart with its table and its text."""

    key: str
    title: str
    headline: str
    sentence: str  # without data: how to get some
    labels: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    stacked: bool = False
    counts: bool = True  # the axis has whole numbers only


def make_charts(figures: Figures) -> tuple[Chart, ...]:
    """All charts, in the order of their cards."""
    makers = (_tokens_chart, _runs_chart, _latency_chart, _personal_data_chart, _decisions_chart)
    return tuple(make(figures) for make in makers)


def _tokens_chart(figures: Figures) -> Chart:
    key, title, cents = "tokens", "Tokens saved", figures.cents_per_million
    if not figures.days:
        return Chart(key, title, "–", "Run a program of an agent to compare its cost with that of direct calls.")
    labels, direct, actual = zip(*_tokens_by_period(figures), strict=True)
    saved = [max(0, calls - programs) for calls, programs in zip(direct, actual, strict=True)]
    total = sum(max(0, day.direct - day.actual) for day in figures.days)
    cost = amount(sum(day.actual for day in figures.days))
    return Chart(
        key,
        title,
        headline=f"{amount(total)} saved, worth {money(total, cents)}",
        sentence=f"Direct calls would have cost {amount(figures.direct)} tokens; programs cost {cost}.",
        labels=labels,
        series=(Series("Direct calls", "faint", direct), Series("Programs", "accent", actual)),
        headers=("When", "Direct calls", "Programs", "Saved", "Worth"),
        rows=tuple(
            (label, f"{calls:,}", f"{programs:,}", f"{gain:,}", money(gain, cents))
            for label, calls, programs, gain in zip(labels, direct, actual, saved, strict=True)
        ),
    )


def _runs_chart(figures: Figures) -> Chart:
    key, title = "runs", "Runs by risk and outcome"
    if not figures.runs:
        return Chart(key, title, "–", "No program ran in this period. Press Ctrl+E to write one.")
    numbers = Counter({(run.risk, run.outcome): run.number for run in figures.runs})
    risks = [risk for risk in (*map(str, Risk), "") if any(run.risk == risk for run in figures.runs)]
    labels = tuple(risk_word(Risk(risk)).text if risk else "Not assessed" for risk in risks)
    series = tuple(
        Series(run_word(state).text, _outcome_colour(state), tuple(numbers[risk, state] for risk in risks))
        for state in RunState
        if any(run.outcome == state for run in figures.runs)
    )
    total, done = sum(numbers.values()), sum(numbers[risk, RunState.DONE] for risk in risks)
    return Chart(
        key,
        title,
        headline=f"{count_of(total, 'run')}, {done / total:.0%} done",
        sentence=f"{duration(figures.average_ms)} on average.",
        labels=labels,
        series=series,
        headers=("Risk", *(each.name for each in series)),
        rows=tuple((label, *(f"{each.values[place]:,}" for each in series)) for place, label in enumerate(labels)),
        stacked=True,
    )


def _latency_chart(figures: Figures) -> Chart:
    key, title = "latency", "Response time by server"
    if not figures.servers:
        return Chart(key, title, "–", "No tool was called in this period. Select a tool and press Ctrl+Return.")
    drawn = figures.servers[:MOST_DRAWN]
    calls = sum(server.calls for server in figures.servers)
    failed = sum(server.failed for server in figures.servers)
    return Chart(
        key,
        title,
        headline=f"{count_of(calls, 'call')}, {failed / calls if calls else 0.0:.1%} failed",
        sentence="Failed calls are included.",
        labels=tuple(one_line(server.server, 14) for server in drawn),
        series=(
            Series("Median, ms", "info", tuple(server.median_ms for server in drawn)),
            Series("95th percentile, ms", "warning", tuple(server.p95_ms for server in drawn)),
        ),
        headers=("Server", "Calls", "Failed", "Median", "95th percentile"),
        rows=tuple(
            (one_line(each.server, 60), f"{each.calls:,}", f"{each.failed:,}", duration(each.median_ms),
             duration(each.p95_ms))
            for each in figures.servers
        ),
        counts=False,
    )  # fmt: skip


def _personal_data_chart(figures: Figures) -> Chart:
    key, title = "personal", "Personal data masked"
    if not figures.hidden:
        return Chart(key, title, "–", "No personal data was masked in this period.")
    drawn = figures.hidden[:MOST_DRAWN]
    unmasked = Counter[str]()
    for release in figures.given:
        unmasked[release.kind] += release.number
    return Chart(
        key,
        title,
        headline=f"{count_of(sum(tally.number for tally in figures.hidden), 'value')} masked",
        sentence=f"Unmasked for calls: {count_of(sum(unmasked.values()), 'time')}.",
        labels=tuple(kind_label(tally.name) for tally in drawn),
        series=(Series("Values", "success", tuple(tally.number for tally in drawn)),),
        headers=("Kind", "Values masked", "Unmasked for calls"),
        rows=tuple(
            (kind_label(tally.name), f"{tally.number:,}", f"{unmasked[tally.name]:,}") for tally in figures.hidden
        ),
    )


def _decisions_chart(figures: Figures) -> Chart:
    key, title, review = "decisions", "Your decisions", figures.review
    if not review.decided:
        return Chart(key, title, "–", "No approval requests in this period.")
    labels = ("Allowed", "Allowed unread", "Denied")
    numbers = (review.allowed - review.hasty, review.hasty, review.decided - review.allowed)
    median = f"{review.median_seconds:.1f} s"
    rows = tuple((label, f"{number:,}") for label, number in zip(labels, numbers, strict=True))
    return Chart(
        key,
        title,
        headline=f"{review.allowed / review.decided:.0%} allowed, median {median}",
        sentence=hasty_sentence(review.hasty),
        labels=labels,
        series=(Series("Decisions", "accent", numbers),),
        headers=("Answer", "Decisions"),
        rows=(*rows, ("Median time to decide", median)),
    )


def _tokens_by_period(figures: Figures) -> list[tuple[str, int, int]]:
    """Tokens of direct calls and of programs, by day (also days without runs) or, in a long period, by month."""
    days = {date.fromisoformat(day.day): day for day in figures.days}
    first, last = min(days), max(days)
    direct, actual = Counter[str](), Counter[str]()
    by_month = (last - first).days > MOST_DAYS
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        name, tally = day.strftime("%b %Y" if by_month else "%d %b"), days.get(day)
        direct[name] += tally.direct if tally else 0
        actual[name] += tally.actual if tally else 0
    return [(name, direct[name], actual[name]) for name in direct]


def _outcome_colour(state: RunState) -> str:
    """Outcomes that share a tone elsewhere need different colours in a stacked bar."""
    own = {RunState.REFUSED: "warning", RunState.INTERRUPTED: "critical", RunState.STOPPED: "faint"}
    return own.get(state) or run_word(state).tone


RELOAD_MS = 2_000  # many entries cause one request
TWO_COLUMNS = 150  # letters of width that two charts need beside each other
PERIODS = {"today": "Today", "7d": "Last 7 days", "30d": "Last 30 days", "52w": "Last 12 months", "": "All time"}
REPORT_FORMATS = (("As &HTML", "html"), ("As &JSON", "json"), ("As &CSV, one line per run", "csv"))


class Dashboard(Dialog):
    """Shows figures of a period, and reloads them while it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, "Dashboard", parent=parent)
        self._context = context
        self.cards: dict[str, ChartCard] = {}
        self.period = CalmCombo()
        self.period.setAccessibleName("Period")
        self.period.show_choices(PERIODS, "30d")
        self._entries = label("", "muted")
        self._reload_soon = QTimer(self, singleShot=True, interval=RELOAD_MS)
        self._grid = QGridLayout()
        unit, page = context.theme.unit, QWidget()
        self._grid.setSpacing(unit * 3)
        column(page, self._grid, None, margins=(0, 0, unit, 0))
        self.body.addLayout(row(None, self.period, self._entries, None, spacing=unit * 2))
        self.body.addWidget(scroll_area(page), 1)
        self.report = self.add_button("Report", lambda: None, left=True)
        self.report.setToolTip("Save a report about this period")
        menu = QMenu(self.report)
        for text, form in REPORT_FORMATS:
            menu.addAction(text).triggered.connect(partial(self._make_report, form))
        self.report.setMenu(menu)
        self.add_close()
        self.resize(unit * 290, unit * 190)
        self.period.currentIndexChanged.connect(self._load)
        self._reload_soon.timeout.connect(self._load)
        context.store.on(EntryWritten, self._entry_written)
        context.store.linked.connect(self._load)
        self._load()

    def _entry_written(self, event: EntryWritten) -> None:
        if event.entry.note.kind.startswith(("run.", "call.")) and not self._reload_soon.isActive():
            self._reload_soon.start()

    def show_figures(self, figures: Figures) -> None:
        for chart in make_charts(figures):
            if chart.key not in self.cards:
                self.cards[chart.key] = ChartCard(self._context.theme)
            self.cards[chart.key].show_chart(chart)
        self._arrange()
        self._entries.setText(f"{figures.entries:,} audit {'entry' if figures.entries == 1 else 'entries'}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _since(self) -> float:
        return parse_time(str(self.period.currentData())) or 0.0

    def _arrange(self) -> None:
        """Two charts beside each other where there is room; a last one alone takes both columns."""
        columns = 2 if self.width() >= self.fontMetrics().averageCharWidth() * TWO_COLUMNS else 1
        for place, card in enumerate(self.cards.values()):
            alone = place == len(self.cards) - 1 and place % columns == 0
            self._grid.addWidget(card, place // columns, place % columns, 1, columns if alone else 1)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)

    def _load(self) -> None:
        request = self._context.api.audit_figures(self._since(), 0.0)
        self._context.tasks.run("figures", request, self.show_figures)

    def _make_report(self, form: str, _checked: bool = False) -> None:
        self._context.tasks.run("report", self._save_report(form))

    async def _save_report(self, form: str) -> None:
        self.report.setEnabled(False)
        try:
            report = await self._context.api.audit_report(self._since(), 0.0, form)
            (text,) = await fetch_whole(self._context.fetch, (report,))
        finally:
            self.report.setEnabled(True)
        self._context.save_file(self, f"audit-report.{form}", text.encode("utf-8", "replace"))


class ChartCard(QFrame):
    """A chart with its headline; the button “Table” shows the same figures as a table."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="card")
        self.title, self.headline = label("", "section"), label("", "heading")
        self.sentence = paragraph("", "muted")
        self.chart = BarChart(theme)
        self.table: Table[tuple[str, ...]] | None = None
        self.as_table = QPushButton("Table")
        self.as_table.setCheckable(True)
        mark(self.as_table, kind="chip")
        self.as_table.toggled.connect(self._show_table)
        self._body = QWidget()
        self._pages = QStackedLayout(self._body)
        self._pages.addWidget(self.chart)
        head = row(None, self.title, None, self.as_table)
        parts = (head, self.headline, self.sentence, self._body)
        column(self, *parts, grows=self._body, margins=(theme.unit * 4,) * 4, spacing=theme.unit)

    def show_chart(self, chart: Chart) -> None:
        self.title.setText(chart.title)
        self.headline.setText(chart.headline)
        self.headline.setVisible(bool(chart.rows))
        self.sentence.setText(chart.sentence)
        self.sentence.setVisible(bool(chart.sentence))
        self.as_table.setVisible(bool(chart.rows))
        self.as_table.setAccessibleName(f"{chart.title} as a table")
        self._body.setVisible(bool(chart.rows))
        self.chart.show_chart(chart)
        self._fill(chart)

    def _fill(self, chart: Chart) -> None:
        if self.table is None or tuple(each.title for each in self.table.records_model.columns) != chart.headers:
            columns = [
                Column[tuple[str, ...]](title, itemgetter(place), right=place > 0, letters=len(title) + 3)
                for place, title in enumerate(chart.headers)
            ]
            self._rows = TableModel[tuple[str, ...]](columns, itemgetter(0))
            if self.table is not None:
                self.table.deleteLater()
            self.table = Table(self._theme, chart.title, self._rows, grows=0)
            self.table.setSortingEnabled(False)  # the cells are texts: "1.2 s" would come before "900 ms"
            self._pages.addWidget(self.table)
            self._pages.setCurrentIndex(int(self.as_table.isChecked()))
        self._rows.replace(chart.rows)

    def _show_table(self, table: bool) -> None:
        self._pages.setCurrentIndex(int(table))
        if table and self.table is not None:
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
