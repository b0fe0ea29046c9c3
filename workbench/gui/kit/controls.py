"""Small widgets: combo box, check box, buttons that drop their text or are protected, folding row, picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QLabel,
    QLayout,
    QLayoutItem,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from workbench.gui.kit.icons import icon
from workbench.gui.kit.theme import Theme

_UNLIMITED = 16_777_215  # Qt's QWIDGETSIZE_MAX


class CalmCombo(QComboBox):
    """Combo box with an arrow in the theme's colours; scrolling over it does not change it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def show_choices(self, choices: Mapping[Any, str], current: object = None) -> None:
        """Offer these texts; `currentData()` is their key. No signal is emitted. Any: whatever can be a key."""
        with QSignalBlocker(self):
            self.clear()
            for data, text in choices.items():
                self.addItem(text, data)
            self.setCurrentIndex(max(0, self.findData(current)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Like every combo box, but with its own arrow: the style's does not follow the theme."""
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


class RadioBox(QRadioButton):
    """Radio button whose circle is visible on every background of the theme."""

    def __init__(self, theme: Theme, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text.replace("&", "&&"), parent)
        self._theme = theme
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        place = self.style().subElementRect(QStyle.SubElement.SE_RadioButtonIndicator, option, self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = "accent" if self.hasFocus() or self.isChecked() else "faint"
        painter.setPen(QPen(self._theme.colour(edge if self.isEnabled() else "border"), 1))
        painter.setBrush(self._theme.colour("raised"))
        side = min(place.width(), place.height()) - 1
        circle = QRect(place.left(), place.center().y() - side // 2, side, side)
        painter.drawEllipse(circle)
        if self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("accent_fill" if self.isEnabled() else "faint"))
            inner = side // 4
            painter.drawEllipse(circle.adjusted(inner, inner, -inner, -inner))
        painter.end()


class RoomyButton(QPushButton):
    """Button that drops its text where its row has no room; its name and tooltip stay.

    Of several in one row, the first one drops its text first, and the others only if that is not enough.
    """

    def __init__(self, theme: Theme, symbol: QIcon, words: str, parent: QWidget | None = None) -> None:
        self._full = 0  # width with its text
        super().__init__(symbol, words, parent)
        self._theme = theme
        self._words = words
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        if parent is not None:
            parent.installEventFilter(self)

    def rename(self, words: str) -> None:
        """Show a different text."""
        self._words, self._full = words, 0
        self.setAccessibleName(words)
        self.setText(words)

    def sizeHint(self) -> QSize:
        """The size with its text, also while the text is hidden."""
        hint = super().sizeHint()
        if self.text():
            self._full = hint.width()
        return QSize(max(self._full, hint.width()), hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * (11 if self.menu() else 8), super().sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ParentChange and (parent := self.parentWidget()) is not None:
            parent.installEventFilter(self)
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The row has another size, or other widgets are shown in it."""
        parent = self.parentWidget()
        if parent is watched and parent and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            layout = parent.layout()
            row = _innermost(layout, self)
            if layout is not None and row is not None and not self.isHidden():
                layout.setGeometry(parent.contentsRect())  # Qt does it after the event filters
                self._fit(row)
        return False

    def _fit(self, row: QLayout) -> None:
        buttons = [widget for widget in _shown_widgets(row) if isinstance(widget, RoomyButton)]
        missing = row.sizeHint().width() - row.geometry().width()
        missing += sum(button._saving() for button in buttons if not button.text())
        missing -= sum(button._saving() for button in buttons[: buttons.index(self)])
        words = self._words if missing <= 0 else ""
        if words != self.text():
            self.sizeHint()
            self.setText(words)
            self.setMaximumWidth(_UNLIMITED if words else self.minimumSizeHint().width())

    def _saving(self) -> int:
        """The room that it takes less without its text."""
        return self.sizeHint().width() - self.minimumSizeHint().width()


def _items(layout: QLayout) -> list[QLayoutItem]:
    return [item for place in range(layout.count()) if (item := layout.itemAt(place)) is not None]


def _shown_widgets(layout: QLayout) -> list[QWidget]:
    widgets = (item.widget() for item in _items(layout))
    return [widget for widget in widgets if widget is not None and not widget.isHidden()]


def _innermost(layout: QLayout | None, widget: QWidget) -> QLayout | None:
    """The layout that holds the widget itself, in this one or inside it."""
    if layout is None or layout.indexOf(widget) >= 0:
        return layout
    inner = (_innermost(item.layout(), widget) for item in _items(layout))
    return next((found for found in inner if found is not None), None)


class FoldingRow(QWidget):
    """Two layouts beside each other, one above the other where it is narrow. The first takes the spare room.

    `letters` is the width that both need beside each other; None: as much as their widgets need now.
    """

    def __init__(self, letters: int | None, first: QLayout, second: QLayout, spacing: int) -> None:
        super().__init__()
        self._letters = letters
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

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):  # widgets were shown or hidden
            if self._letters is None:
                shown = [widget.sizeHint().width() for part in self._parts for widget in _shown_widgets(part)]
                needed = sum(shown) + self._row.spacing() * len(shown)
            else:
                needed = self.fontMetrics().averageCharWidth() * self._letters
            below, beside = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
            direction = below if self.width() < needed else beside
            if self._row.direction() is not direction:
                self._row.setDirection(direction)
        return handled


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


SETTLE_MS: Final = 700  # disabled for so long after the dialog appeared or got the focus again
_PRESS_KEYS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class AllowButton(QPushButton):
    """Disabled while its dialog settles and while there is an obstacle. A key that is held down does not press it."""

    allowed = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setAutoDefault(False)
        self._obstacle = ""
        self._settling = QTimer(self, singleShot=True)
        self._settling.setTimerType(Qt.TimerType.PreciseTimer)  # a coarse timer may end five per cent early
        self._settling.timeout.connect(self._update_state)
        self._pressed = False
        self.clicked.connect(self._clicked)
        self._update_state()

    def restart_settling(self) -> None:
        """The dialog appeared, got the focus again or shows something else: wait again."""
        self._settling.start(SETTLE_MS)
        self._pressed = False
        self._update_state()

    def settled(self) -> bool:
        return not self._settling.isActive()

    def set_obstacle(self, reason: str) -> None:
        """Say why it cannot be pressed; an empty reason lifts the obstacle."""
        self._obstacle = reason
        self._update_state()

    def obstacle(self) -> str:
        return self._obstacle

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Space act on release, and only if the press itself began on this button after it had settled."""
        if event.key() in _PRESS_KEYS:
            self._pressed = not event.isAutoRepeat() and self._can_be_pressed()
            event.accept()
            return
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _PRESS_KEYS:
            super().keyReleaseEvent(event)
            return
        event.accept()
        if event.isAutoRepeat():
            return
        pressed, self._pressed = self._pressed, False
        if pressed and self._can_be_pressed():
            self.allowed.emit()

    def _clicked(self) -> None:
        if self._can_be_pressed():
            self.allowed.emit()

    def _can_be_pressed(self) -> bool:
        return self.settled() and not self._obstacle and self.isEnabled()

    def _update_state(self) -> None:
        self.setEnabled(self.settled() and not self._obstacle)
        self.setToolTip(self._obstacle)
        self.setAccessibleDescription(self._obstacle)
