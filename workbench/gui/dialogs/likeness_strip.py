"""Says that something like this was allowed before, and what is different: often that is all there is to read."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.gui.icons import pixmap
from workbench.gui.text import ForeignLabel, one_line
from workbench.gui.theme import Theme, mark
from workbench.gui.words import ago
from workbench.records import Likeness, Resemblance, ValueChange

_SHOWN = 6  # changed values that stand here; the diff has all


class LikenessStrip(QFrame):
    """Hidden where nothing resembles the program."""

    line_wanted = Signal(int)
    compare_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        unit = theme.unit
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._words = ForeignLabel()
        self.compare = QPushButton("Compare", self)
        self.compare.setToolTip("Show the difference to the program that was allowed, line by line")
        self.compare.setAutoDefault(True)
        mark(self.compare, kind="chip")
        self.compare.clicked.connect(self.compare_wanted)
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        row.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(unit * 4, unit * 2, unit * 4, unit * 2)
        self._column.setSpacing(unit)
        self._column.addLayout(row)
        self._table = QWidget(self)
        self._column.addWidget(self._table)
        self.hide()

    def show_likeness(self, like: Resemblance | None) -> None:
        self.setVisible(like is not None)
        if like is None:
            return
        self._picture.setPixmap(pixmap("history", "accent", self._theme.unit * 4, self.devicePixelRatioF()))
        self._words.setText(self._sentence(like))
        self.compare.setVisible(like.likeness is not Likeness.TEXT)
        self._show_changes(like.changes)

    def sentence(self) -> str:
        return "" if self.isHidden() else self._words.full_text()

    def _sentence(self, like: Resemblance) -> str:
        when = "just now" if time.time() - like.at < 60 else f"{ago(like.at)} ago"
        if like.likeness is Likeness.TEXT:
            return f"You allowed exactly this program {when}."
        if like.likeness is Likeness.TREE:
            return f"You allowed this program {when}: only spacing or comments changed."
        if like.likeness is Likeness.NEAR:
            return f"Most of its lines are those of a program that you allowed {when}."
        aims = sum(change.destination for change in like.changes)
        words = f"You allowed this program {when} with other values."
        return f"{words} {'It goes somewhere else now.'}" if aims else words

    def _show_changes(self, changes: tuple[ValueChange, ...]) -> None:
        """Old and new beside each other; where something goes somewhere else stands first."""
        self._column.removeWidget(self._table)
        self._table.deleteLater()
        self._table = QWidget(self)
        grid = QGridLayout(self._table)
        grid.setContentsMargins(self._theme.unit * 6, 0, 0, 0)
        grid.setHorizontalSpacing(self._theme.unit * 2)
        grid.setVerticalSpacing(self._theme.unit)
        grid.setColumnStretch(3, 1)
        for row, change in enumerate(sorted(changes, key=lambda one: not one.destination)[:_SHOWN]):
            self._add(grid, row, change)
        if len(changes) > _SHOWN:
            more = ForeignLabel(f"and {len(changes) - _SHOWN} more")
            mark(more, role="muted")
            grid.addWidget(more, _SHOWN, 0, 1, 4)
        self._column.addWidget(self._table)
        self._table.setVisible(bool(changes))

    def _add(self, grid: QGridLayout, row: int, change: ValueChange) -> None:
        link = QPushButton(f"line {change.line}")
        link.setProperty("line", change.line)
        link.setAutoDefault(True)
        link.setAccessibleName(f"Go to line {change.line}, where a value changed")
        mark(link, kind="link")
        link.clicked.connect(self._go)
        grid.addWidget(link, row, 0)
        for column, text in enumerate((f"− {change.before}", f"+ {change.after}"), 1):
            words = ForeignLabel(one_line(text, 90))
            words.setWordWrap(False)
            mark(words, role="mono")
            grid.addWidget(words, row, column)
        if change.destination:
            note = ForeignLabel("goes somewhere else")
            mark(note, role="warning")
            grid.addWidget(note, row, 3)

    def _go(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.line_wanted.emit(int(button.property("line")))
