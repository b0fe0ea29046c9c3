"""Secrets as rows: what servers need and is missing first, because a person has to do something about it."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.events import Event, SecretsChanged
from workbench.gui.kit.faults import Question
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import RowsView, label
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.secret_field import SecretField
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.records import SecretInfo, SecretStore


def secret_rows(store: SecretStore) -> list[Row]:
    missing = [secret_row(info) for info in store.secrets if not info.stored]
    stored = [secret_row(info) for info in store.secrets if info.stored]
    rows: list[Row] = []
    if missing:
        rows.append(Row("section:missing", "Needed, not stored", section=True))
    rows += missing
    rows.append(Row("section:stored", "Stored", aside=str(len(stored)), section=True))
    return rows + stored


def secret_row(info: SecretInfo) -> Row:
    used = ", ".join(visible(server) for server in info.servers)
    by = f"used by {used}" if used else "no server refers to it"
    if info.signed_in:
        by = f"what your sign-in at {visible(info.signed_in)} brought"
    return Row(
        key=info.name,
        title=visible(info.name),
        detail=by,
        icon="key" if info.stored else "warning",
        tone="muted" if info.stored else "warning",
        mono=True,
        tip=f"{visible(info.name)}\n{by}",
    )


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


_SIGNS = {"keyring": ("lock", "success"), "file": ("lock", "success"), "locked": ("lock", "warning")}


class SecretsDialog(QDialog):
    """Stays open while secrets are entered, and shows at once what changed."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._store = SecretStore("", "")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Secrets")
        unit = context.theme.unit
        self.setMinimumWidth(unit * 150)
        self._picture = QLabel()
        self._sentence = label("Opening the place where secrets are kept…")
        self._hint = label("", "muted")
        self.passphrase = PassphraseRow(context.theme)
        self.again = QPushButton("Look for a keyring again")
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Secrets by name")
        self.list.setModel(self.model)
        self.list.setMinimumHeight(unit * 45)
        self.name = QLineEdit()
        self.value = SecretField("Value of the secret")
        self.store = QPushButton("Store")
        self.delete = QPushButton("Delete…")
        self._fault = label("", "error")
        self._lay_out(unit)
        self._bind()
        self._run("open secrets", context.api.open_secrets())

    def hear(self, event: Event) -> None:
        if isinstance(event, SecretsChanged):
            self.show_store(event.store)

    def show_store(self, store: SecretStore) -> None:
        self._store = store
        symbol, tone = _SIGNS.get(store.kind, ("unlock", "warning"))
        self._picture.setPixmap(pixmap(symbol, tone, self._context.theme.unit * 5, self.devicePixelRatioF()))
        self._sentence.setText(visible(store.sentence))
        self._hint.setText(visible(store.hint))
        self._hint.setVisible(bool(store.hint))
        self.passphrase.show_use(store.passphrase)
        self.again.setVisible(store.kind in ("memory", "locked"))
        self.model.show_rows(secret_rows(store))
        self._choose()
        self.resize(self.size().expandedTo(self.sizeHint()))  # words that wrap may need more than before

    # inside

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addLayout(self._head(unit))
        column.addWidget(self.passphrase)
        column.addWidget(self.list, 1)
        form = QFormLayout()
        form.setSpacing(unit * 2)
        form.addRow(label("Name"), self.name)
        form.addRow(label("Value"), self.value)
        column.addLayout(form)
        note = label("An entry of .mcp.json refers to it as ${keyring:name}, in args, env, headers or url.", "muted")
        note.setWordWrap(True)
        column.addWidget(note)
        self._fault.setWordWrap(True)
        self._fault.hide()
        column.addWidget(self._fault)
        column.addLayout(self._buttons(unit))

    def _head(self, unit: int) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(unit * 3)
        head.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(unit)
        for text in (self._sentence, self._hint):
            text.setWordWrap(True)
            words.addWidget(text)
        head.addLayout(words, 1)
        self.again.hide()
        head.addWidget(self.again, 0, Qt.AlignmentFlag.AlignTop)
        return head

    def _buttons(self, unit: int) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(unit)
        mark(self.delete, kind="quiet")
        row.addWidget(self.delete)
        row.addStretch()
        close = QPushButton("Close")
        close.clicked.connect(self.accept)
        row.addWidget(close)
        mark(self.store, kind="primary")
        row.addWidget(self.store)
        for button in (self.delete, close, self.store, self.again):
            button.setAutoDefault(False)
        return row

    def _bind(self) -> None:
        self.name.setAccessibleName("Name of the secret")
        self.name.setPlaceholderText("github")
        self.name.textChanged.connect(self._choose)
        self.value.textChanged.connect(self._choose)
        self.value.entered.connect(self._put)
        self.store.clicked.connect(self._put)
        self.delete.clicked.connect(self._drop)
        self.again.clicked.connect(self._look_again)
        self.passphrase.given.connect(self._unlock)
        self.list.selection_changed.connect(self._picked)
        self.list.chosen.connect(self._to_value)

    def _choose(self) -> None:
        """Which buttons make sense now."""
        stored = any(info.name == self.name.text() and info.stored for info in self._store.secrets)
        self.store.setText("Replace" if stored else "Store")
        self.store.setEnabled(bool(self.name.text().strip()) and bool(self.value.text()))
        self.delete.setEnabled(stored)

    def _picked(self) -> None:
        if key := self.list.key():
            self.name.setText(key)

    def _to_value(self, key: str) -> None:
        self.name.setText(key)
        self.value.setFocus()

    def _put(self) -> None:
        if self.store.isEnabled():
            self._run("store a secret", self._context.api.set_secret(self.name.text().strip(), self.value.take()))

    def _drop(self) -> None:
        self._context.tasks.run("delete a secret", self._ask_and_drop(self.name.text()))

    async def _ask_and_drop(self, name: str) -> None:
        info = next((info for info in self._store.secrets if info.name == name), None)
        used = ", ".join(visible(server) for server in info.servers) if info else ""
        told = f"It is used by {used}: they will not start without it." if used else ""
        words = told or "No server of this project refers to it."
        question = Question(self._context.theme, f"Delete the secret “{visible(name)}”?", words, self)
        if await question.ask("Delete it", danger=True):
            await self._ask_core(self._context.api.delete_secret(name))

    def _unlock(self, passphrase: str) -> None:
        self._run("open the file of secrets", self._context.api.unlock_secrets(passphrase))

    def _look_again(self) -> None:
        self._run("look for a keyring", self._context.api.open_secrets())

    def _run(self, name: str, question: Coroutine[Any, Any, SecretStore]) -> None:  # Any: as in Tasks.run
        self._context.tasks.run(name, self._ask_core(question))

    async def _ask_core(self, question: Coroutine[Any, Any, SecretStore]) -> None:
        try:
            self.show_store(await question)
            self._fault.hide()
        except WorkbenchError as fault:
            self._fault.setText(visible(str(fault)))
            self._fault.show()
