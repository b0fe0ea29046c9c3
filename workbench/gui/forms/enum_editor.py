"""One of a few values, each kept with its real type."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QVBoxLayout, QWidget

from workbench.gui.forms.brief import Brief
from workbench.gui.forms.editor import Editor
from workbench.gui.forms.hint import hint_of
from workbench.gui.forms.json_text import dump, identical
from workbench.gui.icons import icon
from workbench.gui.text import one_line
from workbench.records import JsonValue


class CalmCombo(QComboBox):
    """A combo box that the mouse wheel does not change while somebody scrolls past it."""

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


class EnumEditor(Editor):
    """A list to choose from; a value that is not in it is left to raw JSON."""

    def __init__(self, brief: Brief, parent: QWidget | None = None) -> None:
        super().__init__(brief, parent)
        self._choices = brief.shape.choices
        self._box = CalmCombo(self)
        self._box.addItems([_label(choice) for choice in self._choices])
        self._box.setPlaceholderText(hint_of(brief.shape) or self.tr("choose…"))
        self._box.setCurrentIndex(-1)
        self._box.setAccessibleName(brief.name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._box)
        self.setFocusProxy(self._box)
        self._box.currentIndexChanged.connect(self._moved)

    def read(self) -> JsonValue:
        row = self._box.currentIndex()
        return self._choices[row] if row >= 0 else None

    def write(self, value: JsonValue) -> bool:
        for row, choice in enumerate(self._choices):
            if identical(choice, value):
                self._box.setCurrentIndex(row)
                return True
        return False

    def clear(self) -> None:
        self._box.setCurrentIndex(-1)

    def _moved(self, _row: int) -> None:
        self.changed.emit()


def _label(choice: JsonValue) -> str:
    if isinstance(choice, str):
        return one_line(choice, 120) or "“”"
    return one_line(dump(choice, indent=None), 120)
