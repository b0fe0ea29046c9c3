"""A check box whose frame can be seen on every ground of the theme; the style's own is nearly invisible there."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QWidget

from workbench.gui.icons import icon
from workbench.gui.theme import Theme


class TickBox(QCheckBox):
    """Like every check box, with a frame of ours."""

    def __init__(self, theme: Theme, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text.replace("&", "&&"), parent)
        self._theme = theme
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        place = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.checkState() is not Qt.CheckState.Unchecked
        edge = "accent" if self.hasFocus() or on else "faint"
        fill = "accent_fill" if on and self.isEnabled() else "raised"
        painter.setPen(QPen(self._theme.colour(edge if self.isEnabled() else "border"), 1))
        painter.setBrush(self._theme.colour(fill))
        side = min(place.width(), place.height()) - 1
        frame = QRect(place.left(), place.center().y() - side // 2, side, side)
        painter.drawRoundedRect(frame, 3, 3)
        if on:
            icon("check", "on_accent" if self.isEnabled() else "faint").paint(painter, frame.adjusted(1, 1, 0, 0))
        painter.end()
