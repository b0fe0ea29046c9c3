"""How the person decides, in one short line: who says yes to everything within a second reviews nothing."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from workbench.gui.theme import mark
from workbench.records import ReviewFigures


class ReviewChip(QPushButton):
    """Leads to the decisions; hidden until there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, kind="chip")
        self.hide()

    def show_figures(self, figures: ReviewFigures) -> None:
        self.setVisible(figures.decided > 0)
        words = "Allowed {0} of {1} · half within {2} s"
        median = figures.median_seconds
        text = words.format(figures.allowed, figures.decided, f"{median:.1f}" if median < 5 else f"{median:.0f}")
        hasty = f" · {figures.hasty} unread" if figures.hasty else ""
        self.setText(text + hasty)
        told = "Your newest {0} decisions about programs and calls, with the median of the time you looked."
        found = f" {figures.hasty} were allowed sooner than anybody can read." if figures.hasty else ""
        self.setToolTip(told.format(figures.decided) + found)
        self.setAccessibleName(f"{text + hasty}. Show the decisions")
