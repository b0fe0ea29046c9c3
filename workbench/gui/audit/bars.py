"""Bars by name, beside or on top of each other. The plotting library is loaded when the first one is drawn."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.gui.audit.charts import Chart
from workbench.gui.plotting import dress, empty_row, make_plot, named_places, whole_places
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import Theme

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
