"""The numbers of a result as lines or bars. The plotting library is loaded when a plot is first looked at."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.plotting import NAME, dress, empty_row, make_plot, named_places
from workbench.gui.results.page import Page
from workbench.gui.results.series import Chart
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme, mark
from workbench.gui.views import Strip

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
