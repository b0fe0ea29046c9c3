"""A text box that is as tall as its text, between two limits, and that Tab leaves."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from workbench.gui.editor.exact import tamed
from workbench.gui.plain_edit import PlainEdit


class GrowingText(PlainEdit):
    """Plain text inside a form."""

    def __init__(self, least: int = 3, most: int = 12, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._least, self._most = least, most
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(self.fontMetrics().averageCharWidth())
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.blockCountChanged.connect(self._fit)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(tamed(source.text()))

    def sizeHint(self) -> QSize:
        lines = min(max(self.blockCount(), self._least), self._most)
        margins = self.contentsMargins()
        around = (
            margins.top()
            + margins.bottom()
            + round(self.document().documentMargin()) * 2
            + self.fontMetrics().height() // 3
        )
        return QSize(super().sizeHint().width(), self.fontMetrics().lineSpacing() * lines + around)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 12, self.sizeHint().height())

    def _fit(self) -> None:
        self.updateGeometry()
