"""What is wrong with the arguments, one line each; a press or Enter goes to the field."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSizePolicy, QWidget

from workbench.gui.forms.check import FieldPath, PathFault, written
from workbench.gui.icons import icon
from workbench.gui.text import one_line, plain_tip
from workbench.gui.theme import Theme

_ROWS = 3  # lines that are seen at once; more are scrolled to
_LONGEST = 300


class FaultList(QListWidget):
    """Hidden while nothing is wrong."""

    wanted = Signal(object)
    """Carries the path of the field somebody wants to go to."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._faults: tuple[PathFault, ...] = ()
        self.setAccessibleName("What is wrong with the arguments")
        self.setUniformItemSizes(True)
        self.setIconSize(QSize(theme.unit * 3, theme.unit * 3))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.itemActivated.connect(self._chosen)
        self.itemClicked.connect(self._chosen)
        self.hide()

    def show_faults(self, faults: Sequence[PathFault]) -> None:
        """Show these, outermost first; the chosen line stays chosen as far as it is still there."""
        if tuple(faults) == self._faults:
            return
        row = self.currentRow()
        self._faults = tuple(faults)
        self.clear()
        for path, sentence in faults:
            words = f"{written(path)}: {sentence}" if path else sentence
            item = QListWidgetItem(icon("alert", "danger"), one_line(words, _LONGEST))
            item.setToolTip(plain_tip(words))
            self.addItem(item)
        self.setCurrentRow(min(row, len(faults) - 1))
        self.setVisible(bool(faults))
        self.updateGeometry()

    def sentences(self) -> tuple[str, ...]:
        """The lines as they stand there."""
        return tuple(self.item(row).text() for row in range(self.count()))

    def sizeHint(self) -> QSize:
        line = self.sizeHintForRow(0) if self.count() else 0
        return QSize(super().sizeHint().width(), line * min(self.count(), _ROWS) + self._theme.unit * 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * 10, self.sizeHint().height())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.updateGeometry()

    def _chosen(self, item: QListWidgetItem) -> None:
        path: FieldPath = self._faults[self.row(item)][0]
        self.wanted.emit(path)
