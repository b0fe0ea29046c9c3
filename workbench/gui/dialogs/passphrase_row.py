"""Where a passphrase is given: once to open the encrypted file, twice to make one, because a slip would lock it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.dialogs.secret_field import SecretField
from workbench.gui.theme import Theme, mark
from workbench.gui.views import label


class PassphraseRow(QFrame):
    """Hidden while no passphrase would do anything."""

    given = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._use = ""
        mark(self, kind="card")
        self.field = SecretField("Passphrase of the encrypted file")
        self.repeated = SecretField("The passphrase once more")
        self.button = QPushButton()
        self.button.setAutoDefault(False)
        self._fault = label("", "error")
        self._fault.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.unit * 3,) * 4)
        row = QHBoxLayout()
        row.setSpacing(theme.unit * 2)
        row.addWidget(self.field, 1)
        row.addWidget(self.repeated, 1)
        row.addWidget(self.button)
        column.addLayout(row)
        column.addWidget(self._fault)
        self.repeated.setPlaceholderText("Once more")
        self.field.entered.connect(self._next)
        self.repeated.entered.connect(self._give)
        self.button.clicked.connect(self._give)
        self.hide()

    def show_use(self, use: str) -> None:
        """`create`, `unlock` or nothing."""
        if use != self._use:
            self.field.take()
            self.repeated.take()
            self._fault.hide()
        self._use = use
        self.setVisible(bool(use))
        self.repeated.setVisible(use == "create")
        self.field.setPlaceholderText("New passphrase" if use == "create" else "Passphrase")
        self.button.setText("Keep them in an encrypted file" if use == "create" else "Unlock the file")

    def _next(self) -> None:
        if self.repeated.isHidden():
            self._give()
        else:
            self.repeated.setFocus()

    def _give(self) -> None:
        if self._use == "create" and self.field.text() != self.repeated.text():
            self._fault.setText("The two are not the same.")
            self._fault.show()
            return
        self._fault.hide()
        self.repeated.take()
        self.given.emit(self.field.take())
