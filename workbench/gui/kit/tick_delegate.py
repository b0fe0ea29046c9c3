"""Check boxes of a list with a frame that is visible on every background; the style's own is nearly invisible."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.theme import Theme


class TickDelegate(QStyledItemDelegate):
    """Draws the check boxes of a list with a frame that is visible on every background."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The same height before and after the first layout: rows must not move below the mouse."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), option.fontMetrics.height() + self._theme.unit * 2)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        widget = self.parent()
        if not isinstance(widget, QWidget):
            return
        place = widget.style().subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, own, widget)
        on = index.data(Qt.ItemDataRole.CheckStateRole) in (Qt.CheckState.Checked, Qt.CheckState.Checked.value)
        side = min(place.width(), place.height()) - 1
        frame = QRect(place.left(), place.center().y() - side // 2, side, side)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("accent" if on else "faint"), 1))
        painter.setBrush(self._theme.colour("accent_fill" if on else "raised"))
        painter.drawRoundedRect(frame, 3, 3)
        if on:
            icon("check", "on_accent").paint(painter, frame.adjusted(1, 1, 0, 0))
        painter.restore()
