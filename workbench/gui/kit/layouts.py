"""Rows and columns of widgets, each written as one expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget

B = TypeVar("B", bound=QBoxLayout)
Part = QWidget | QLayout | None
"""A part of a layout; None is room that stretches."""
Margins = tuple[int, int, int, int]
"""Left, top, right, bottom."""
_NONE = (0, 0, 0, 0)


def column(
    owner: QWidget | None,
    *parts: Part,
    margins: Margins = _NONE,
    spacing: int = 0,
    grows: Part = None,
) -> QVBoxLayout:
    """Lay parts out from top to bottom, in `owner` if there is one; `grows` gets the room that is left."""
    return _fill(QVBoxLayout(), owner, parts, margins, spacing, grows)


def row(
    owner: QWidget | None,
    *parts: Part,
    margins: Margins = _NONE,
    spacing: int = 0,
    grows: Part = None,
) -> QHBoxLayout:
    """Lay parts out from left to right, in `owner` if there is one; `grows` gets the room that is left."""
    return _fill(QHBoxLayout(), owner, parts, margins, spacing, grows)


def to_top(layout: QBoxLayout, *widgets: QWidget) -> None:
    """Keep widgets of a row at its top, where the others are higher."""
    for widget in widgets:
        layout.setAlignment(widget, Qt.AlignmentFlag.AlignTop)


def scroll_area(page: QWidget, area: QScrollArea | None = None) -> QScrollArea:
    """A page that scrolls up and down where it is too high; it has no frame and takes no keyboard focus of its own."""
    area = area or QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(page)
    return area


def _fill(layout: B, owner: QWidget | None, parts: Sequence[Part], margins: Margins, spacing: int, grows: Part) -> B:
    if owner is not None:
        owner.setLayout(layout)
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        stretch = int(part is grows)
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        else:
            layout.addLayout(part, stretch)
    return layout
