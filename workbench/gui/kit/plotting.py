"""What every plot shares: the library, loaded when the first one is drawn, its colours, and the labels of its axis.

The library's own menus and legends are not used: they take a stranger's words for rich text.
"""

from __future__ import annotations

import math
import os
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.gui.kit.theme import Theme
from workbench.gui.kit.wording import amount

NAME = 14  # characters of a label


def make_plot(parent: QWidget, alpha: float) -> Any:  # Any: pyqtgraph has no types
    """An empty plot with faint horizontal lines."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # many threads for little numbers cost more than they save
    import pyqtgraph

    pyqtgraph.setConfigOptions(antialias=True, exitCleanup=False)
    plot = pyqtgraph.PlotWidget(parent)
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.showGrid(x=False, y=True, alpha=alpha)
    return plot


def clear_plot(plot: Any, theme: Theme, ground: str, **style: Any) -> None:  # Any: pyqtgraph has no types
    """Clear the plot and apply the theme's colours."""
    plot.clear()
    plot.setBackground(theme.colour(ground))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(theme.colour("edge"))
        axis.setTextPen(theme.colour("muted"))
        axis.setStyle(tickFont=theme.ui(-1), **style)


def named_places(labels: tuple[str, ...], most: int) -> list[list[tuple[float, str]]]:
    """At most this many labels, evenly spread."""
    step = max(1, math.ceil(len(labels) / most))
    names = [(float(at), name if len(name) <= NAME else f"{name[: NAME - 1]}…") for at, name in enumerate(labels)]
    return [names[::step]]


def whole_places(highest: float, most: int = 5) -> list[list[tuple[float, str]]]:
    """Whole numbers from 0 for an axis of counts, in steps of 1, 2, 5 or ten times that."""
    step, size = 1, 1
    while highest / step > most:
        step = next((size * one for one in (1, 2, 5) if size * one > step), size * 10)
        size = size * 10 if step == size * 10 else size
    return [[(float(at), amount(at)) for at in range(0, int(highest) + 1, step)]]


def empty_row(row: QHBoxLayout) -> None:
    """Remove all widgets of a legend."""
    while row.count():
        item = row.takeAt(0)
        widget = item.widget() if item is not None else None
        if widget is not None:
            widget.deleteLater()
