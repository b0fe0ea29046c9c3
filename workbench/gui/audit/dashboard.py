"""Bars by name, beside or on top of each other. The plotting library is loaded when the first one is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any

from msgspec import Struct
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QResizeEvent, QWheelEvent
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
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.lists import label
from workbench.gui.kit.plotting import dress, empty_row, make_plot, named_places, whole_places
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import amount, duration, risk_word, run_word
from workbench.gui.results.saving import ask_and_save
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.records import Figures, Risk, RunState
from workbench.tokens import money

_WIDE = 0.72  # of a place is covered
_NAMES = 8  # along the bottom at most


class Bars(QWidget):
    """One chart. It is a picture: what it says is said by the table, and by its accessible description."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chart: Chart | None = None
        self._plot: Any = None  # pyqtgraph has no types
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.unit)
        self._legend = QHBoxLayout()
        self._legend.setSpacing(theme.unit)
        self._column.addLayout(self._legend)
        self.setMinimumHeight(theme.unit * 38)
        theme.changed.connect(self._draw)

    def show_chart(self, chart: Chart) -> None:
        self._chart = chart
        self._draw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls, the picture does not zoom."""
        event.ignore()

    def _draw(self) -> None:
        chart = self._chart
        if chart is None or not chart.series:
            return
        plot = self._plot if self._plot is not None else self._make()
        dress(plot, self._theme, "raised", tickLength=0)
        plot.getAxis("bottom").setTicks(named_places(chart.labels, _NAMES))
        self._add(chart)
        highest = max((sum(column) if chart.stacked else max(column)) for column in _columns(chart))
        plot.getAxis("left").setTicks(whole_places(highest) if chart.counts else None)
        plot.setXRange(-0.6, max(1, len(chart.labels)) - 0.4, padding=0)
        plot.setYRange(0, highest * 1.06 or 1.0, padding=0)
        self._name(chart)

    def _make(self) -> Any:  # Any: pyqtgraph has no types
        plot = self._plot = make_plot(self, 0.15)
        plot.setMouseEnabled(x=False, y=False)
        plot.setFrameShape(QFrame.Shape.NoFrame)
        plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        plot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._column.addWidget(plot, 1)
        return plot

    def _add(self, chart: Chart) -> None:
        import pyqtgraph

        count, below = len(chart.series), [0.0] * len(chart.labels)
        wide = _WIDE if chart.stacked else _WIDE / count
        for number, one in enumerate(chart.series):
            shift = 0.0 if chart.stacked else -_WIDE / 2 + wide * (number + 0.5)
            places = [at + shift for at in range(len(one.values))]
            start = below if chart.stacked else [0.0] * len(one.values)
            item = pyqtgraph.BarGraphItem(
                x=places, y0=list(start), height=list(one.values), width=wide * 0.92,
                brush=self._theme.colour(one.role), pen=None,
            )  # fmt: skip
            self._plot.addItem(item)
            below = [low + value for low, value in zip(below, one.values, strict=True)]

    def _name(self, chart: Chart) -> None:
        """Names are labels of ours: a stranger's server is no rich text of the library's."""
        empty_row(self._legend)
        if len(chart.series) > 1:
            for one in chart.series:
                self._legend.addWidget(_Sample(self._theme, one.role))
                self._legend.addWidget(ForeignLabel(one.name))
                self._legend.addSpacing(self._theme.unit)
            self._legend.addStretch(1)
        self.setAccessibleName(chart.title)
        self.setAccessibleDescription(f"{chart.headline}. {chart.sentence}")


class _Sample(QFrame):
    """A colour, beside what it stands for."""

    def __init__(self, theme: Theme, role: str) -> None:
        super().__init__()
        side = theme.unit * 3
        self.setFixedSize(side, side)
        palette = self.palette()
        palette.setColor(self.backgroundRole(), theme.colour(role))
        self.setPalette(palette)
        self.setAutoFillBackground(True)


def _columns(chart: Chart) -> list[tuple[float, ...]]:
    return list(zip(*(one.values for one in chart.series), strict=True))


DAYS = 62  # bars of a day each; a longer time is told by months
SHOWN = 12  # servers or kinds drawn; the table has all


class Series(Struct, frozen=True):
    """One colour of a chart."""

    name: str
    role: str  # a colour of the theme
    values: tuple[float, ...]


class Chart(Struct, frozen=True):
    """What is drawn, and what it means in words."""

    key: str
    title: str
    headline: str
    sentence: str  # where there is nothing yet: how there will be something
    labels: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    stacked: bool = False
    counts: bool = True  # only whole numbers stand at the axis


def charts(figures: Figures) -> tuple[Chart, ...]:
    """In the order in which they stand."""
    make: Sequence[Callable[[Figures], Chart]] = (_tokens, _runs, _latency, _personal, _decisions)
    return tuple(one(figures) for one in make)


def _tokens(figures: Figures) -> Chart:
    times = _over_time(figures)
    saved = sum(max(0, day.direct - day.actual) for day in figures.days)
    title = "Tokens saved"
    if not figures.days:
        teach = "When an agent's program has run, this shows what direct calls would have cost."
        return Chart("tokens", title, "–", teach)
    words = f"{amount(saved)} saved, worth {money(saved, figures.cents_per_million)}"
    cost = amount(sum(day.actual for day in figures.days))
    sentence = f"Direct calls would have cost {amount(figures.direct)} tokens; programs cost {cost}."
    heads = ("When", "Direct calls", "Programs", "Saved", "Worth")
    rows = tuple(
        (name, f"{direct:,}", f"{actual:,}", f"{max(0, direct - actual):,}",
         money(max(0, direct - actual), figures.cents_per_million))
        for name, direct, actual in times
    )  # fmt: skip
    series = (
        Series("Direct calls", "faint", tuple(float(one[1]) for one in times)),
        Series("Programs", "accent", tuple(float(one[2]) for one in times)),
    )
    return Chart("tokens", title, words, sentence, tuple(one[0] for one in times), series, heads, rows)


def _runs(figures: Figures) -> Chart:
    title = "Runs by risk and outcome"
    if not figures.runs:
        teach = "No program ran in this time. Write one (Ctrl+E), or watch an agent ask."
        return Chart("runs", title, "–", teach)
    numbers = {(run.risk, run.outcome): run.number for run in figures.runs}
    risks = [risk for risk in (*map(str, Risk), "") if any(run.risk == risk for run in figures.runs)]
    outcomes = [str(state) for state in RunState if any(run.outcome == state for run in figures.runs)]
    labels = tuple(risk_word(Risk(risk)).text if risk else "Not judged" for risk in risks)
    series = tuple(
        Series(
            run_word(RunState(outcome)).text,
            _tone(outcome),
            tuple(float(numbers.get((risk, outcome), 0)) for risk in risks),
        )
        for outcome in outcomes
    )
    heads = ("Risk", *(one.name for one in series))
    rows = tuple(
        (label, *(f"{numbers.get((risk, outcome), 0):,}" for outcome in outcomes))
        for label, risk in zip(labels, risks, strict=True)
    )
    total = sum(numbers.values())
    done = sum(number for (_, outcome), number in numbers.items() if outcome == RunState.DONE)
    many = f"{total:,} runs, {done / total:.0%} done"
    words = many if total > 1 else "1 run, done" if done else "1 run, not done"
    sentence = f"They took {duration(figures.average_ms)} on average."
    return Chart("runs", title, words, sentence, labels, series, heads, rows, stacked=True)


def _latency(figures: Figures) -> Chart:
    title = "Time to answer, by server"
    if not figures.servers:
        teach = "No tool was called in this time. Pick one in the list and press Ctrl+Return."
        return Chart("latency", title, "–", teach)
    shown = figures.servers[:SHOWN]
    series = (
        Series("Half within, ms", "info", tuple(one.median_ms for one in shown)),
        Series("95 % within, ms", "warning", tuple(one.p95_ms for one in shown)),
    )
    heads = ("Server", "Calls", "Failed", "Half within", "95 % within")
    rows = tuple(
        (one_line(one.server, 60), f"{one.calls:,}", f"{one.failed:,}", duration(one.median_ms), duration(one.p95_ms))
        for one in figures.servers
    )
    calls, failed = (sum(getattr(one, name) for one in figures.servers) for name in ("calls", "failed"))
    words = f"{calls:,} calls, {failed / calls if calls else 0.0:.1%} failed"
    labels = tuple(one_line(one.server, 14) for one in shown)
    sentence = "Failed calls count with the time they took."
    return Chart("latency", title, words, sentence, labels, series, heads, rows, counts=False)


def _personal(figures: Figures) -> Chart:
    title = "Personal data kept from models"
    if not figures.hidden:
        teach = "No value was replaced by a token in this time. Values in answers are found by kind."
        return Chart("personal", title, "–", teach)
    shown = figures.hidden[:SHOWN]
    names = tuple(one.name.replace("_", " ").capitalize() for one in shown)
    series = (Series("Values", "success", tuple(float(one.number) for one in shown)),)
    given = Counter[str]()
    for one in figures.given:
        given[one.kind] += one.number
    heads = ("Kind", "Values hidden", "Given back into calls")
    rows = tuple(
        (one.name.replace("_", " ").capitalize(), f"{one.number:,}", f"{given[one.name]:,}") for one in figures.hidden
    )
    total = sum(one.number for one in figures.hidden)
    words = f"{total:,} values hidden"
    sentence = f"{sum(given.values()):,} times a value went back into a call."
    return Chart("personal", title, words, sentence, names, series, heads, rows)


def _decisions(figures: Figures) -> Chart:
    title, review = "How you decide", figures.review
    if not review.decided:
        teach = "No approval requests in this period."
        return Chart("decisions", title, "–", teach)
    denied, read = review.decided - review.allowed, review.allowed - review.hasty
    words = f"{review.allowed / review.decided:.0%} allowed, half within {review.median_seconds:.1f} s"
    sentence = f"{review.hasty} were allowed sooner than anybody can read."
    labels = ("Allowed", "Allowed unread", "Denied")
    numbers = (read, review.hasty, denied)
    series = (Series("Decisions", "accent", tuple(map(float, numbers))),)
    heads = ("Answer", "Decisions")
    rows = tuple((label, f"{number:,}") for label, number in zip(labels, numbers, strict=True))
    median = ("Median time to decide", f"{review.median_seconds:.1f} s")
    return Chart("decisions", title, words, sentence, labels, series, heads, (*rows, median))


def _over_time(figures: Figures) -> list[tuple[str, int, int]]:
    """Direct and actual tokens of each day, empty days too; of each month where there are too many days."""
    if not figures.days:
        return []
    days = {date.fromisoformat(one.day): one for one in figures.days}
    first, last = min(days), max(days)
    direct, actual = Counter[str](), Counter[str]()
    months = (last - first).days > DAYS
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        name, one = day.strftime("%b %Y" if months else "%d %b"), days.get(day)
        direct[name] += one.direct if one else 0
        actual[name] += one.actual if one else 0
    return [(name, direct[name], actual[name]) for name in direct]


def _tone(outcome: str) -> str:
    """Each outcome has a colour of its own here; its word stands in the legend and in the table."""
    own = {RunState.REFUSED: "warning", RunState.INTERRUPTED: "critical", RunState.STOPPED: "faint"}
    return own.get(RunState(outcome)) or run_word(RunState(outcome)).tone


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
