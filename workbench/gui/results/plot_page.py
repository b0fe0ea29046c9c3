"""What of a result can be drawn: numbers beside each other, with their names; pure, so it is tested without a plot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.kit.lists import Strip
from workbench.gui.kit.plotting import NAME, dress, empty_row, make_plot, named_places
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.page import Page
from workbench.gui.results.table_page import columns_of, records_of
from workbench.records import JsonObject, JsonValue

MOST_SERIES = 6
MOST_POINTS = 100_000
LEAST = 3  # values; fewer are read sooner than drawn
_BARS = 40  # values up to which named ones are drawn as bars
_LOOKED_AT = 200  # values that decide
_SHARE = 0.8  # of the records must have a number for a column to be drawn
_LABEL = 40


class Series(Struct, frozen=True):
    """One line, or the bars of one colour; a value that is missing is NaN."""

    name: str
    values: tuple[float, ...]


class Chart(Struct, frozen=True):
    """What is drawn together."""

    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()  # names of the places; empty: they are numbered
    places: tuple[float, ...] = ()  # where the values stand, for pairs of numbers
    bars: bool = False
    left_out: int = 0  # values beyond what is drawn

    def sentence(self) -> str:
        """For who does not see it."""
        count = len(self.series[0].values)
        parts = []
        for one in self.series:
            known = [value for value in one.values if not math.isnan(value)]
            parts.append(f"{one.name}: {min(known):,g} to {max(known):,g}" if known else f"{one.name}: nothing")
        more = f" {self.left_out:,} more are not drawn." if self.left_out else ""
        return f"{count:,} values. {'; '.join(parts)}.{more}"


def drawable(value: JsonValue) -> bool:
    """Whether there is something to draw; looks at the beginning only."""
    return chart_of(_beginning(value)) is not None


def chart_of(value: JsonValue) -> Chart | None:
    """The numbers of a result; None where they are none, or too few to be compared."""
    if isinstance(value, Mapping) and (chart := _of_mapping(value)) is not None:
        return chart
    if isinstance(value, list) and len(value) >= LEAST:
        if all(_is_number(one) for one in value[:_LOOKED_AT]):
            return _chart([Series("value", _numbers(value))], left_out=len(value) - MOST_POINTS)
        if all(_is_pair(one) for one in value[:_LOOKED_AT]):
            pairs = [one for one in value[:MOST_POINTS] if _is_pair(one)]
            places = tuple(float(pair[0]) for pair in pairs)
            return _chart([Series("value", tuple(float(pair[1]) for pair in pairs))], places=places)
    records = records_of(value)
    return _of_records(records) if records and len(records) >= LEAST else None


def _of_mapping(value: Mapping[str, JsonValue]) -> Chart | None:
    items = [*value.items()][:MOST_POINTS]
    if len(items) >= LEAST and all(_is_number(one) for _, one in items):
        labels = tuple(one_line(name, _LABEL) for name, _ in items)
        return _chart([Series("value", _numbers([one for _, one in items]))], labels, bars=len(items) <= _BARS)
    lists = [(name, one) for name, one in items[:MOST_SERIES] if isinstance(one, list) and len(one) >= LEAST]
    fit = [(name, one) for name, one in lists if all(_is_number(part) for part in one[:_LOOKED_AT])]
    if len(fit) == len(items[:MOST_SERIES]) and fit:
        return _chart([Series(one_line(name, _LABEL), _numbers(one)) for name, one in fit])
    return None


def _of_records(records: Sequence[JsonObject]) -> Chart | None:
    shown = records[:MOST_POINTS]
    sample = shown[:_LOOKED_AT]
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
    series = [Series(one_line(name, _LABEL), _numbers([one.get(name) for one in shown])) for name in numeric]
    bars = bool(best) and len(shown) <= _BARS
    return _chart(series[:MOST_SERIES], labels, bars=bars, left_out=len(records) - len(shown))


def _chart(
    series: Sequence[Series],
    labels: tuple[str, ...] = (),
    places: tuple[float, ...] = (),
    *,
    bars: bool = False,
    left_out: int = 0,
) -> Chart:
    return Chart(tuple(series), labels, places, bars, max(0, left_out))


def _beginning(value: JsonValue) -> JsonValue:
    """A long list is not walked to learn what it is."""
    if isinstance(value, list):
        return value[:_LOOKED_AT]
    if isinstance(value, Mapping):
        return {name: one[:_LOOKED_AT] if isinstance(one, list) else one for name, one in [*value.items()][:_LOOKED_AT]}
    return value


def _numbers(values: Sequence[JsonValue]) -> tuple[float, ...]:
    return tuple(_number(one) for one in values[:MOST_POINTS])


def _number(value: JsonValue) -> float:
    try:
        found = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def _is_number(value: JsonValue) -> bool:
    return not math.isnan(_number(value))


def _is_pair(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) == 2 and _is_number(value[0]) and _is_number(value[1])


def _is_key(name: str) -> bool:
    """Numbers that name something are not drawn."""
    held = name.casefold()
    return held in ("id", "key", "index", "year") or held.endswith(("_id", " id")) or name.endswith("Id")


ROLES = ("accent", "warning", "success", "critical", "info", "danger")
LINES = (
    Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine, Qt.PenStyle.DashDotDotLine, Qt.PenStyle.SolidLine,
)  # fmt: skip
_SIGNS = 60  # values up to which each has a point of its own
_WIDE = 0.8  # of a place is covered by its bars


class PlotPage(Page):
    """Arrows move it, plus and minus zoom, Home shows all of it again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chart: Chart | None = None
        self._plot: Any = None  # pyqtgraph has no types
        self._bars = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(theme.unit, theme.unit, theme.unit, 0)
        self._column.setSpacing(0)
        self._legend = QHBoxLayout()
        self._legend.setSpacing(theme.unit * 2)
        self._column.addLayout(self._legend)
        self.strip = self._foot()
        self._column.addWidget(self.strip)
        theme.changed.connect(self._draw)

    def show_chart(self, chart: Chart) -> None:
        self._chart, self._bars = chart, chart.bars
        self._as_bars.setChecked(chart.bars)
        self._as_bars.setVisible(not chart.places)
        self._sentence.setText(chart.sentence())
        self._draw()

    def bars(self) -> bool:
        """Whether it is drawn as bars now."""
        return self._bars

    def seek(self, words: str, step: int) -> str:
        return "A plot cannot be searched; text and tree can."

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._plot is None:
            return
        box = self._plot.getViewBox()
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
            box.autoRange()
        else:
            super().keyPressEvent(event)

    def _foot(self) -> Strip:
        foot = Strip(self._theme)
        self._sentence = ForeignLabel(elide=True)
        mark(self._sentence, role="muted")
        self._as_bars = QPushButton("Bars")
        self._as_bars.setCheckable(True)
        mark(self._as_bars, kind="chip")
        self._as_bars.toggled.connect(self._choose)
        foot.row.addWidget(self._sentence, 1)
        foot.row.addWidget(self._as_bars)
        return foot

    def _choose(self, bars: bool) -> None:
        if bars != self._bars:
            self._bars = bars
            self._draw()

    def _draw(self) -> None:
        chart = self._chart
        if chart is None:
            return
        plot = self._plot if self._plot is not None else self._make()
        dress(plot, self._theme, "surface")
        self._name_places()
        places = chart.places or tuple(float(at) for at in range(len(chart.series[0].values)))
        for number, one in enumerate(chart.series):
            (self._add_bars if self._bars else self._add_line)(number, places, one.values)
        plot.getViewBox().autoRange()
        self._name(chart)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_places()

    def _name_places(self) -> None:
        """As many names along the bottom as there is room for; without names the library numbers the places."""
        if self._plot is None or self._chart is None:
            return
        labels = self._chart.labels
        longest = min(max((len(name) for name in labels), default=0), NAME)
        room = self.width() // (self.fontMetrics().averageCharWidth() * (longest + 3))
        self._plot.getAxis("bottom").setTicks(named_places(labels, max(2, room)) if labels else None)

    def _make(self) -> Any:  # Any: pyqtgraph has no types
        plot = self._plot = make_plot(self, 0.2)
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
        line = self._plot.plot(places, values, pen=pen, connect="finite", **few)
        line.setDownsampling(auto=True, method="peak")
        line.setClipToView(True)

    def _add_bars(self, number: int, places: tuple[float, ...], values: tuple[float, ...]) -> None:
        import pyqtgraph

        count = len(self._chart.series) if self._chart is not None else 1
        wide = _WIDE / count
        shifted = [place - _WIDE / 2 + wide * (number + 0.5) for place in places]
        heights = [0.0 if math.isnan(value) else value for value in values]
        colour = self._theme.colour(ROLES[number])
        self._plot.addItem(pyqtgraph.BarGraphItem(x=shifted, height=heights, width=wide, brush=colour, pen=None))

    def _name(self, chart: Chart) -> None:
        """The names of the lines are foreign, so they are labels of ours and no rich text of the library's."""
        empty_row(self._legend)
        if len(chart.series) > 1:
            for number, one in enumerate(chart.series):
                self._legend.addWidget(_Sample(self._theme, number, bars=self._bars))
                self._legend.addWidget(ForeignLabel(one.name))
            self._legend.addStretch(1)
        self._plot.setAccessibleName("Result as a plot")
        self._plot.setAccessibleDescription(chart.sentence())


class _Sample(QWidget):
    """How a line looks, beside its name."""

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
