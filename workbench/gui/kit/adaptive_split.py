"""A splitter whose parts are beside each other where it is wide, and one above the other where it is narrow."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget


class AdaptiveSplit(QSplitter):
    """Shares its room by `shares` until the user moves the border; each direction remembers where it was put."""

    def __init__(self, letters: int, shares: tuple[int, ...], *parts: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._letters = letters  # of width that the parts need beside each other
        self._shares = shares
        self._moved: dict[Qt.Orientation, list[int]] = {}
        self.setChildrenCollapsible(False)
        for part in parts:
            self.addWidget(part)
        self.splitterMoved.connect(self._remember)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.fontMetrics().averageCharWidth() * self._letters
        direction = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.orientation() is not direction:
            self.setOrientation(direction)
        super().resizeEvent(event)
        if (sizes := self._moved.get(direction)) is not None:
            self.setSizes(sizes)
        else:
            self.setSizes(self.usual_sizes(self.width() if wide else self.height()))

    def usual_sizes(self, room: int) -> list[int]:
        """The sizes until the user moves the border."""
        return [room * share // sum(self._shares) for share in self._shares]

    def _remember(self) -> None:
        self._moved[self.orientation()] = self.sizes()
