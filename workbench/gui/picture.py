"""A picture that fits the pane it stands in: made smaller where there is no room for it, never larger than it is."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel


class Picture(QLabel):
    """A label that gives way."""

    def minimumSizeHint(self) -> QSize:
        return QSize(1, 1) if not self.pixmap().isNull() else super().minimumSizeHint()

    def drawn(self) -> QRect:
        """Where the picture stands; empty when there is none."""
        whole = self.pixmap().deviceIndependentSize().toSize()
        size = whole.scaled(self.contentsRect().size().boundedTo(whole), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRect(0, 0, size.width(), size.height())
        place.moveCenter(self.contentsRect().center())
        return place

    def paintEvent(self, event: QPaintEvent) -> None:
        picture = self.pixmap()
        if picture.isNull():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(self.drawn(), picture)
