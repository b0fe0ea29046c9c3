"""A page that waits in the browser: whose it is, a button that opens it, and a way for those on another machine."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from workbench.gui.kit.lists import label
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context

_OPENED = ("https", "http")


class BrowserCard(QFrame):
    """Hidden while nothing waits."""

    brought = Signal(str)
    """Carries the address at which the browser ended."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._url = ""
        mark(self, kind="banner", tone="info")
        unit = context.theme.unit
        self._host = ForeignLabel()
        mark(self._host, role="heading")
        self._address = ForeignLabel(elide=True)
        mark(self._address, role="muted")
        self.open = QPushButton("Open in the browser")
        mark(self.open, kind="primary")
        self.copy = QPushButton("Copy the address")
        self.field = QLineEdit()
        self.field.setPlaceholderText("http://127.0.0.1:…/callback?code=…")
        self.field.setAccessibleName("The address at which the browser ended")
        self.use = QPushButton("Use it")
        self._lay_out(unit)
        self.open.clicked.connect(self._open)
        self.copy.clicked.connect(self._copy)
        self.use.clicked.connect(self._bring)
        self.field.returnPressed.connect(self._bring)
        self.hide()

    def show_page(self, url: str, host: str) -> None:
        fresh = url != self._url
        self._url = url
        self.setVisible(bool(url))
        self._host.setText(host)
        self._address.setText(url)
        self.open.setEnabled(QUrl(url).scheme() in _OPENED)
        if fresh:
            self.field.clear()
            if url and self.window().isActiveWindow():
                self.open.setFocus()

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        head = QHBoxLayout()
        head.addWidget(label("You sign in at"))
        head.addWidget(self._host, 1)
        column.addLayout(head)
        column.addWidget(self._address)
        row = QHBoxLayout()
        row.setSpacing(unit)
        row.addWidget(self.open)
        row.addWidget(self.copy)
        row.addStretch()
        column.addLayout(row)
        words: QLabel = label(
            "Is the browser on another machine? Its last page cannot be reached there: paste its address here.",
            "muted",
        )
        words.setWordWrap(True)
        words.setAlignment(Qt.AlignmentFlag.AlignLeft)
        column.addWidget(words)
        last = QHBoxLayout()
        last.setSpacing(unit)
        last.addWidget(self.field, 1)
        last.addWidget(self.use)
        column.addLayout(last)

    def _open(self) -> None:
        QDesktopServices.openUrl(QUrl(self._url))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)

    def _bring(self) -> None:
        if text := self.field.text().strip():
            self.brought.emit(text)
