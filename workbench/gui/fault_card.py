"""A fault as a person reads it: the sentence, what to do about it, and the long detail for whoever wants it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from workbench.gui.icons import pixmap
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import Theme, mark
from workbench.records import Fault

_LINES = 10  # lines of the detail one sees without scrolling


class FaultCard(QFrame):
    """Hidden while there is no fault."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        unit = theme.unit
        self._picture = QLabel(self)
        self._message = ForeignLabel()
        self._hint = ForeignLabel()
        mark(self._hint, role="muted")
        self._more = QPushButton("Details", self)
        self._more.setCheckable(True)
        mark(self._more, kind="link")
        self._detail = PlainEdit(parent=self)
        self._detail.setReadOnly(True)
        self._detail.setTabChangesFocus(True)
        self._detail.setAccessibleName("Details of the fault")
        self._detail.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        mark(self._detail, kind="code")
        words = QVBoxLayout()
        words.setSpacing(unit)
        for part in (self._message, self._hint, self._detail):
            words.addWidget(part)
        words.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        row = QHBoxLayout(self)
        row.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 2)
        row.setSpacing(unit * 2)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self._more.toggled.connect(self._detail.setVisible)
        self._more.toggled.connect(self._rename)
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    def show_fault(self, fault: Fault | None, *, tone: str = "danger", open_detail: bool = False) -> None:
        self.setVisible(fault is not None)
        if fault is None:
            return
        mark(self, kind="banner", tone=tone)
        self._picture.setPixmap(pixmap("alert", tone, self._theme.unit * 4, self.devicePixelRatioF()))
        self._message.setText(fault.message)
        self._hint.setText(fault.hint)
        self._hint.setVisible(bool(fault.hint))
        self._detail.setPlainText(visible(fault.detail))
        self._fit()
        self._more.setVisible(bool(fault.detail))
        self._more.setChecked(open_detail and bool(fault.detail))
        self._detail.setVisible(self._more.isChecked())

    def sentence(self) -> str:
        """What the card says now."""
        return "" if self.isHidden() else self._message.full_text()

    def _rename(self, on: bool) -> None:
        self._more.setText("Hide details" if on else "Details")

    def _dress(self) -> None:
        self._detail.setFont(self._theme.mono(-1))
        self._fit()

    def _fit(self) -> None:
        lines = min(max(self._detail.blockCount(), 2), _LINES)
        self._detail.setFixedHeight(self._detail.fontMetrics().lineSpacing() * lines + self._theme.unit * 6)
