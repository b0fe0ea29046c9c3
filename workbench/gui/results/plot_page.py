"""Draws the numbers of a result as bars or lines. Finding them (`chart_of`) needs no widget."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.kit.json_text import is_number
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import Strip, push_button
from workbench.gui.kit.plotting import NAME, clear_plot, empty_row, make_plot, named_places
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.page import Page
from workbench.gui.results.table_page import columns_of, records_of
from workbench.records import JsonObject, JsonValue

MOST_SERIES = 6
MOST_POINTS = 100_000
LEAST = 3  # values; fewer are easier to read than to draw
_BARS = 60  # values with names that are drawn as bars
_EXAMINED = 200  # values that decide what is drawn
_SHARE = 0.8  # share of the records that must have a number for a column to be drawn
_SCALE = 20  # columns whose values differ by a larger factor are not drawn together at first
_LABEL = 40
_DATE_OR_NUMBER = re.compile(r"\d{4}-\d\d|\d{1,2}[.:/]\d{1,2}|-?\d{1,15}(?:\.\d{1,15})?$|(?:19|20)\d\d\b")


class Series(Struct, frozen=True):
    """The values of one column; a missing value is NaN."""

    name: str
    values: tuple[float, ...]


class Chart(Struct, frozen=True):
    """Columns that can be drawn together."""

    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()  # names of the values; empty: they are numbered
    places: tuple[float, ...] = ()  # x values, for pairs of numbers
    bars: bool = False
    left_out: int = 0  # values that are not drawn

    def sentence(self) -> str:
        """A description for screen readers."""
        count = len(self.series[0].values)
        parts = []
        for one in self.series:
            known = [value for value in one.values if not math.isnan(value)]
            parts.append(f"{one.name}: {min(known):,g} to {max(known):,g}" if known else f"{one.name}: no values")
        more = f" {self.left_out:,} more are not drawn." if self.left_out else ""
        return f"{count:,} values. {'; '.join(parts)}.{more}"


def drawable(value: JsonValue) -> bool:
    """Whether the beginning of the value can be drawn."""
    return chart_of(_beginning(value)) is not None


def chart_of(value: JsonValue) -> Chart | None:
    """The numbers of a result; None if there are none or too few."""
    if isinstance(value, Mapping) and (chart := _of_mapping(value)) is not None:
        return chart
    if isinstance(value, list) and len(value) >= LEAST:
        if all(_is_number(one) for one in value[:_EXAMINED]):
            return Chart((Series("value", _numbers(value)),), left_out=max(0, len(value) - MOST_POINTS))
        if all(_is_pair(one) for one in value[:_EXAMINED]):
            pairs = [one for one in value[:MOST_POINTS] if _is_pair(one)]
            places = tuple(float(pair[0]) for pair in pairs)
            return Chart((Series("value", tuple(float(pair[1]) for pair in pairs)),), places=places)
    records = records_of(value)
    return _of_records(records) if records and len(records) >= LEAST else None


def _of_mapping(value: Mapping[str, JsonValue]) -> Chart | None:
    items = [*value.items()][:MOST_POINTS]
    if len(items) >= LEAST and all(_is_number(one) for _, one in items):
        labels = tuple(one_line(name, _LABEL) for name, _ in items)
        return Chart((Series("value", _numbers([one for _, one in items])),), labels, bars=len(items) <= _BARS)
    lists = [(name, one) for name, one in items[:MOST_SERIES] if isinstance(one, list) and len(one) >= LEAST]
    fit = [(name, one) for name, one in lists if all(_is_number(part) for part in one[:_EXAMINED])]
    if len(fit) == len(items[:MOST_SERIES]) and fit:
        return Chart(tuple(Series(one_line(name, _LABEL), _numbers(one)) for name, one in fit))
    return None


def _of_records(records: Sequence[JsonObject]) -> Chart | None:
    shown = records[:MOST_POINTS]
    sample = shown[:_EXAMINED]
    columns = columns_of(records)
    numeric = [
        name for name in columns
        if not _is_key(name) and sum(_is_number(one.get(name)) for one in sample) >= max(2, _SHARE * len(sample))
    ]  # fmt: skip
    if not numeric:
        return None
    texts = [name for name in columns if all(isinstance(one.get(name), str) for one in sample)]
    best = max(texts, key=lambda name: len({one[name] for one in sample}), default="")
    labels = tuple(one_line(str(one.get(best, "")), _LABEL) for one in shown) if best else ()
    columns = numeric[:MOST_SERIES]
    series = tuple(Series(one_line(name, _LABEL), _numbers([one.get(name) for one in shown])) for name in columns)
    bars = len(shown) <= _BARS and not _in_order(labels)
    return Chart(series, labels, bars=bars, left_out=len(records) - len(shown))


def _beginning(value: JsonValue) -> JsonValue:
    """The beginning of a value, so that a long list is not read completely."""
    if isinstance(value, list):
        return value[:_EXAMINED]
    if isinstance(value, Mapping):
        return {name: one[:_EXAMINED] if isinstance(one, list) else one for name, one in [*value.items()][:_EXAMINED]}
    return value


def _numbers(values: Sequence[JsonValue]) -> tuple[float, ...]:
    return tuple(_number(one) for one in values[:MOST_POINTS])


def _number(value: JsonValue) -> float:
    try:
        found = float(value) if is_number(value) else math.nan
    except OverflowError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def _is_number(value: JsonValue) -> bool:
    return not math.isnan(_number(value))


def _is_pair(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) == 2 and _is_number(value[0]) and _is_number(value[1])


def _in_order(labels: Sequence[str]) -> bool:
    """Whether the names are dates, times or numbers: a line between them has a meaning."""
    return bool(labels) and all(_DATE_OR_NUMBER.match(name) for name in labels)


def first_choice(chart: Chart) -> tuple[str, ...]:
    """The columns to draw at first: the first one and those of a similar magnitude."""
    heights = {one.name: max((abs(value) for value in one.values if not math.isnan(value)), default=0.0)
               for one in chart.series}  # fmt: skip
    largest = heights[chart.series[0].name] or 1.0
    low, high = largest / _SCALE, largest * _SCALE
    return tuple(name for name, height in heights.items() if low <= (height or largest) <= high)


def _is_key(name: str) -> bool:
    """Whether the numbers of this column identify something; they are not drawn."""
    held = name.casefold()
    return held in ("id", "key", "index", "year") or held.endswith(("_id", " id")) or name.endswith("Id")


ROLES = ("accent", "warning", "success", "critical", "info", "danger")
LINES = (
    Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine, Qt.PenStyle.SolidLine,
)  # fmt: skip
_SIGNS = 60  # values that get a symbol each
_WIDE = 0.8  # share of the distance between values that bars cover


class PlotPage(Page):
    """Arrow keys move the plot, plus and minus zoom, Home shows everything."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._chart: Chart | None = None
        self.plot: Any = None  # pyqtgraph has no types
        self._legend = row(None, spacing=theme.unit * 2)
        self.strip = self._make_strip()
        self._column = column(self, self._legend, self.strip, margins=(theme.unit, theme.unit, theme.unit, 0))
        theme.changed.connect(self._draw)

    def show_chart(self, chart: Chart) -> None:
        self._chart = None  # nothing is drawn before everything is set
        self._as_bars.setChecked(chart.bars)
        self._as_bars.setVisible(not chart.places)
        self._columns.setVisible(len(chart.series) > 1)
        self._columns_menu.clear()
        chosen = first_choice(chart)
        for one in chart.series:
            action = self._columns_menu.addAction(one.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(one.name in chosen)
            action.toggled.connect(self._draw)
        self._sentence.setText(chart.sentence())
        self._chart = chart
        self._draw()

    def bars(self) -> bool:
        """Whether bars are drawn, not lines."""
        return self._as_bars.isChecked()

    def columns(self) -> tuple[str, ...]:
        """The columns that are drawn."""
        return tuple(one.name for one in self._series())

    def _series(self) -> tuple[Series, ...]:
        if self._chart is None:
            return ()
        pairs = zip(self._chart.series, self._columns_menu.actions(), strict=True)
        return tuple(one for one, action in pairs if action.isChecked())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.plot is None:
            return
        box = self.plot.getViewBox()
        (left, right), (low, high) = box.viewRange()
        wide, tall = (right - left) / 10, (high - low) / 10
        moves = {
            Qt.Key.Key_Left: (-wide, 0.0), Qt.Key.Key_Right: (wide, 0.0),
            Qt.Key.Key_Up: (0.0, tall), Qt.Key.Key_Down: (0.0, -tall),
        }  # fmt: skip
        if event.key() in moves:
            box.translateBy(moves[Qt.Key(event.key())])
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            box.scaleBy((0.8, 1))
        elif event.key() == Qt.Key.Key_Minus:
            box.scaleBy((1.25, 1))
        elif event.key() == Qt.Key.Key_Home:
            self._fit()
        else:
            super().keyPressEvent(event)

    def _make_strip(self) -> Strip:
        strip = Strip(self._theme)
        self._sentence = ForeignLabel(elide=True)
        mark(self._sentence, role="muted")
        self._columns = push_button("Columns", kind="quiet")
        self._columns_menu = QMenu(self._columns)
        self._columns.setMenu(self._columns_menu)
        self._as_bars = push_button("Bars", kind="chip", checkable=True)
        self._as_bars.toggled.connect(self._draw)
        for part in (self._sentence, self._columns, self._as_bars):
            strip.row.addWidget(part, int(part is self._sentence))
        return strip

    def _draw(self, _checked: bool = False) -> None:
        chart = self._chart
        if chart is None:
            return
        plot = self.plot if self.plot is not None else self._make()
        clear_plot(plot, self._theme, "surface")
        self._name_places()
        places = chart.places or tuple(float(at) for at in range(len(chart.series[0].values)))
        for number, one in enumerate(self._series()):
            (self._add_bars if self.bars() else self._add_line)(number, places, one.values)
        self._fit()
        self._name(chart)

    def _fit(self) -> None:
        """Show everything; the axis starts at 0 unless there are negative numbers."""
        values = [value for one in self._series() for value in one.values if not math.isnan(value)]
        box = self.plot.getViewBox()
        box.autoRange()
        if values and min(values) >= 0 and max(values) > 0:
            box.setYRange(0, max(values) * 1.05, padding=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_places()

    def _name_places(self) -> None:
        """Show as many names along the bottom as there is room for; without names the values are numbered."""
        if self.plot is None or self._chart is None:
            return
        labels = self._chart.labels
        longest = min(max((len(name) for name in labels), default=0), NAME)
        room = self.width() // (self.fontMetrics().averageCharWidth() * (longest + 3))
        self.plot.getAxis("bottom").setTicks(named_places(labels, max(2, room)) if labels else None)

    def _make(self) -> Any:  # Any: pyqtgraph has no types
        plot = self.plot = make_plot(self, 0.2)
        plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._column.insertWidget(1, plot, 1)
        self.setFocusProxy(plot)
        return plot

    def _add_line(self, number: int, places: tuple[float, ...], values: tuple[float, ...]) -> None:
        colour = self._theme.colour(ROLES[number])
        pen = QPen(colour, 2)
        pen.setCosmetic(True)
        pen.setStyle(LINES[number])
        few = (
            {"symbol": "o", "symbolSize": 6, "symbolBrush": colour, "symbolPen": None} if len(values) <= _SIGNS else {}
        )
        line = self.plot.plot(places, values, pen=pen, connect="finite", **few)
        line.setDownsampling(auto=True, method="peak")
        line.setClipToView(True)

    def _add_bars(self, number: int, places: tuple[float, ...], values: tuple[float, ...]) -> None:
        import pyqtgraph

        count = max(1, len(self._series()))
        wide = _WIDE / count
        shifted = [place - _WIDE / 2 + wide * (number + 0.5) for place in places]
        heights = [0.0 if math.isnan(value) else value for value in values]
        colour = self._theme.colour(ROLES[number])
        self.plot.addItem(pyqtgraph.BarGraphItem(x=shifted, height=heights, width=wide, brush=colour, pen=None))

    def _name(self, chart: Chart) -> None:
        """Show the names of the columns in labels: the library's legend would interpret them as rich text."""
        empty_row(self._legend)
        if len(chart.series) > 1:
            for number, one in enumerate(self._series()):
                self._legend.addWidget(_Sample(self._theme, number, bars=self.bars()))
                self._legend.addWidget(ForeignLabel(one.name))
            self._legend.addStretch(1)
        self.plot.setAccessibleName("Result as a plot")
        self.plot.setAccessibleDescription(chart.sentence())


class _Sample(QWidget):
    """A sample of a line or bar, for the legend."""

    def __init__(self, theme: Theme, number: int, *, bars: bool) -> None:
        super().__init__()
        self._theme, self._number, self._bars = theme, number, bars
        self.setFixedSize(QSize(theme.unit * 7, theme.unit * 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = self._theme.colour(ROLES[self._number])
        if self._bars:
            painter.fillRect(self.rect().adjusted(self.width() // 2, 2, 0, -2), colour)
        else:
            painter.setPen(QPen(colour, 2, LINES[self._number]))
            painter.drawLine(0, self.height() // 2, self.width(), self.height() // 2)
        painter.end()
