"""Draws the numbers of a result as bars or lines."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import Strip, push_button
from workbench.gui.kit.plotting import NAME, clear_plot, empty_row, make_plot, named_places
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.results.charts import Chart, Series, chart_of, first_choice
from workbench.gui.results.page import Page
from workbench.records import JsonValue

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

    def show_value(self, value: JsonValue) -> None:
        """Draw the numbers in a value, if there are any."""
        if (chart := chart_of(value)) is not None:
            self.show_chart(chart)

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
        sentence = chart.sentence(self._series())
        self._sentence.setText(sentence)
        self.plot.setAccessibleDescription(sentence)


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
