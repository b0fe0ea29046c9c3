"""How fields inside a field look: set in behind a quiet line; the outermost level stands free."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.theme import mark


def nest(owner: QWidget, brief: Brief) -> QVBoxLayout:
    """The layout into which the fields of `owner` go."""
    unit = brief.theme.unit
    inner = QVBoxLayout()
    inner.setContentsMargins(0, 0, 0, 0)
    inner.setSpacing(unit * 3)
    if brief.depth == 0:
        owner.setLayout(inner)
        return inner
    outer = QHBoxLayout(owner)
    outer.setContentsMargins(unit // 2, unit, 0, unit)
    outer.setSpacing(unit * 3)
    line = QFrame(owner)
    line.setFixedWidth(max(1, unit // 2))
    mark(line, kind="line")
    line.setStyleSheet("max-height: 16777215px;")
    outer.addWidget(line)
    outer.addLayout(inner, 1)
    return inner
