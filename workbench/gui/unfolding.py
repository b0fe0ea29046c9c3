"""Opens the rows of a tree a stretch at a time: laying out ten thousand rows at once would make every key wait."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QTimer
from PySide6.QtWidgets import QTreeView

_STRETCH = 1_000  # rows that are laid out at once; what one sees is among the first
_PAUSE_MS = 4  # in which the window paints and hears keys


class Unfolding(QObject):
    """Belongs to one tree; what was asked for last counts."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self._tree = tree
        self._left: list[QPersistentModelIndex] = []
        self._next = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._next.timeout.connect(self._go_on)

    def open(self, rows: Iterable[QModelIndex]) -> None:
        """Open these, from the first to the last; the current row's own before all others."""
        self._left = [QPersistentModelIndex(row) for row in rows]
        own = self._tree.currentIndex().parent()
        self._left.sort(key=lambda row: row != own)
        self._stretch()

    def busy(self) -> bool:
        """Whether rows are still to be opened."""
        return bool(self._left)

    def _go_on(self) -> None:
        """What a person looks at stays where it is while rows come above it."""
        current = self._tree.currentIndex()
        before = self._tree.visualRect(current)
        self._stretch()
        seen = before.isValid() and self._tree.viewport().rect().intersects(before)
        if seen and (moved := self._tree.visualRect(current).top() - before.top()):
            bar = self._tree.verticalScrollBar()
            bar.setValue(bar.value() + moved)

    def _stretch(self) -> None:
        rows = 0
        while self._left and rows < _STRETCH:
            row = self._left.pop(0)
            if row.isValid() and not self._tree.isExpanded(row):
                rows += self._tree.model().rowCount(row)
                self._tree.expand(row)
        if self._left:
            self._next.start()
