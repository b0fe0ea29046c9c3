"""Small widgets: combo box, check box, button that drops its text where it is narrow, folding row, picture."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from workbench.gui.kit.icons import icon
from workbench.gui.kit.theme import Theme


class CalmCombo(QComboBox):
    """Combo box with an arrow in the theme's colours; scrolling over it does not change it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Like every combo box, but with an arrow of our own: the style's does not follow the theme."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0:
            option.currentText = self.placeholderText()
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
        option.subControls = QStyle.SubControl.SC_ComboBoxFrame
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        side = self.fontMetrics().height() * 3 // 4
        place = QRect(self.width() - side * 2, (self.height() - side) // 2, side, side)
        icon("chevron-down", "muted").paint(painter, place)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class TickBox(QCheckBox):
    """Check box whose frame is visible on every background of the theme."""

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


class RoomyButton(QPushButton):
    """Button that drops its text where there is no room; its name and tooltip stay."""

    def __init__(self, theme: Theme, symbol: QIcon, words: str, parent: QWidget | None = None) -> None:
        super().__init__(symbol, words, parent)
        self._theme = theme
        self._words = words
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The width with its text, also while the text is hidden."""
        hint = super().sizeHint()
        missing = 0 if self.text() else self.fontMetrics().horizontalAdvance(self._words) + self._theme.unit * 2
        return QSize(hint.width() + missing, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * (11 if self.menu() else 8), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        words = self._words if self.width() >= self.sizeHint().width() - self._theme.unit else ""
        if words != self.text():
            self.setText(words)


class FoldingRow(QWidget):
    """Two layouts beside each other, one above the other where it is narrow. The first takes the spare room."""

    def __init__(self, letters: int, first: QLayout, second: QLayout, spacing: int) -> None:
        super().__init__()
        self._letters = letters  # of width that both need beside each other
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(spacing)
        self._row.addLayout(first, 1)
        self._row.addLayout(second)
        self._parts = (first, second)

    def minimumSizeHint(self) -> QSize:
        """The width of the wider part, so that the window can become narrow enough to stack them."""
        hint = super().minimumSizeHint()
        return QSize(max(part.minimumSize().width() for part in self._parts), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self.fontMetrics().averageCharWidth() * self._letters
        below, beside = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._row.setDirection(below if narrow else beside)


class Picture(QLabel):
    """Label whose picture shrinks to fit and is never enlarged."""

    def minimumSizeHint(self) -> QSize:
        return QSize(1, 1) if not self.pixmap().isNull() else super().minimumSizeHint()

    def drawn(self) -> QRect:
        """Where the picture is drawn; empty without a picture."""
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
