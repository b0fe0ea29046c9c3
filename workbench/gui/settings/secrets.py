"""Dialog Secrets: where secrets are stored, which of them servers need, and a form to store and delete them."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QLineEdit, QPushButton, QWidget

from workbench.events import SecretsChanged
from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import column, row, to_top
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, label, paragraph
from workbench.gui.kit.rows import Row, grouped
from workbench.gui.kit.secret_field import SecretField
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.context import Context
from workbench.records import SecretInfo, SecretStore

_ICONS = {"keyring": ("lock", "success"), "file": ("lock", "success"), "locked": ("lock", "warning")}


def secret_rows(store: SecretStore) -> list[Row]:
    """Secrets that servers need and nobody stored come first."""
    return grouped(
        ("missing", "Needed, not stored", [secret_row(info) for info in store.secrets if not info.stored]),
        ("stored", "Stored", [secret_row(info) for info in store.secrets if info.stored]),
    )


def secret_row(info: SecretInfo) -> Row:
    """One secret; its value never leaves the core."""
    servers = ", ".join(map(visible, info.servers))
    use = f"used by {servers}" if servers else "not used by any server"
    if info.signed_in:
        use = f"from your sign-in at {visible(info.signed_in)}"
    return Row(
        key=info.name,
        title=visible(info.name),
        detail=use,
        icon="key" if info.stored else "warning",
        tone="muted" if info.stored else "warning",
        mono=True,
        tip=f"{visible(info.name)}\n{use}",
    )


class PassphraseRow(QFrame):
    """Asks for the passphrase of the encrypted file; a new one is entered twice. Hidden while none is needed."""

    entered = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._purpose = ""
        mark(self, kind="card")
        self.field = SecretField("Passphrase of the encrypted file")
        self.repeated = SecretField("Repeat the passphrase")
        self.button = QPushButton()
        self.button.setAutoDefault(False)
        self._problem = label("", "error")
        self._problem.hide()
        fields = row(None, self.field, self.repeated, self.button, spacing=theme.unit * 2)
        column(self, fields, self._problem, margins=(theme.unit * 3,) * 4, spacing=theme.unit * 2)
        self.repeated.setPlaceholderText("Repeat passphrase")
        self.field.entered.connect(self._next_field)
        self.repeated.entered.connect(self._submit)
        self.button.clicked.connect(self._submit)
        self.hide()

    def show_purpose(self, purpose: str) -> None:
        """`create`, `unlock` or nothing."""
        if purpose != self._purpose:
            self.field.take()
            self.repeated.take()
            self._problem.hide()
        self._purpose = purpose
        self.setVisible(bool(purpose))
        self.repeated.setVisible(purpose == "create")
        self.field.setPlaceholderText("New passphrase" if purpose == "create" else "Passphrase")
        self.button.setText("Create encrypted file" if purpose == "create" else "Unlock file")

    def _next_field(self) -> None:
        if self.repeated.isHidden():
            self._submit()
        else:
            self.repeated.setFocus()

    def _submit(self) -> None:
        same = self._purpose != "create" or self.field.text() == self.repeated.text()
        self._problem.setText("" if same else "The passphrases differ. Enter the same one twice.")
        self._problem.setVisible(not same)
        if same:
            self.repeated.take()
            self.entered.emit(self.field.take())


class SecretsDialog(Dialog):
    """Stays open while secrets are entered."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context.theme, "Secrets", parent=parent)
        self._context = context
        self._store = SecretStore("", "")
        unit = context.theme.unit
        self.setMinimumWidth(unit * 150)
        self._picture = QLabel()
        self._sentence = ForeignLabel("Opening the secret store…")
        self._hint = ForeignLabel()
        mark(self._hint, role="muted")
        self.passphrase = PassphraseRow(context.theme)
        empty = EmptyState(context.theme, "key", "No secrets", "Store one below and refer to it in a server's entry.")
        self.list = ListPane(context.theme, "Secrets by name", empty)
        self.list.setMinimumHeight(unit * 45)
        self.name, self.value = QLineEdit(), SecretField("Value of the secret")
        self._lay_out(unit)
        self._delete_button = self.add_button("Delete…", self._delete_shown, "quiet", left=True)
        self._search_button = self.add_button("Search for a keyring", self._open_store, left=True)
        self.add_button("Close", self.accept)
        self._store_button = self.add_button("Store", self._store_secret, "primary")
        for button in (self._delete_button, self._search_button, self._store_button):
            button.setAutoDefault(False)
        self._search_button.hide()
        self.name.textChanged.connect(self.update_buttons)
        self.value.textChanged.connect(self.update_buttons)
        self.value.entered.connect(self._store_secret)
        self.passphrase.entered.connect(self._unlock)
        self.list.selection_changed.connect(self._take_name)
        self.list.view.chosen.connect(self._edit_value)
        self._edit_action = menu_action(self, "Enter value", self.value.setFocus)
        self._delete_action = menu_action(self, "Delete…", self._delete_shown)
        self.list.set_menu(self._menu)
        context.store.secrets_changed.connect(self._show_store)
        self._show_store()
        self._open_store()

    def update_buttons(self) -> None:
        stored = any(info.name == self.name.text() and info.stored for info in self._store.secrets)
        self._store_button.setText("Replace" if stored else "Store")
        self._store_button.setEnabled(bool(self.name.text().strip()) and bool(self.value.text()))
        self._delete_button.setEnabled(stored)

    # inside

    def _lay_out(self, unit: int) -> None:
        sentences = column(None, self._sentence, self._hint, spacing=unit)
        head = row(None, self._picture, sentences, grows=sentences, spacing=unit * 3)
        to_top(head, self._picture)
        self.name.setAccessibleName("Name of the secret")
        self.name.setPlaceholderText("github")
        form = QFormLayout()
        form.setSpacing(unit * 2)
        form.addRow(label("Name"), self.name)
        form.addRow(label("Value"), self.value)
        note = "Refer to it as ${keyring:name} in args, env, headers or url of an entry in .mcp.json."
        self.body.addLayout(head)
        self.body.addWidget(self.passphrase)
        self.body.addWidget(self.list, 1)
        self.body.addLayout(form)
        self.body.addWidget(paragraph(note, "muted"))

    def _show_store(self) -> None:
        store = self._context.store.secrets
        if store is None:
            return
        self._store = store
        symbol, tone = _ICONS.get(store.kind, ("unlock", "warning"))
        self._picture.setPixmap(pixmap(symbol, tone, self.theme.unit * 5, self.devicePixelRatioF()))
        self._sentence.setText(store.sentence)
        self._hint.setText(store.hint)
        self._hint.setVisible(bool(store.hint))
        self.passphrase.show_purpose(store.passphrase)
        self._search_button.setVisible(store.kind in ("memory", "locked"))
        self.list.show_rows(secret_rows(store))
        self.update_buttons()
        self.resize(self.size().expandedTo(self.sizeHint()))  # longer sentences need more height

    def _take_name(self) -> None:
        if key := self.list.key():
            self.name.setText(key)

    def _edit_value(self, name: str) -> None:
        self.name.setText(name)
        self.value.setFocus()

    def _menu(self, name: str) -> list[QAction | None]:
        self.name.setText(name)
        return [self._edit_action, self._delete_action] if self._delete_button.isEnabled() else [self._edit_action]

    def _open_store(self) -> None:
        self._run("open the secret store", self._context.api.open_secrets())

    def _store_secret(self) -> None:
        if self._store_button.isEnabled():
            self._run("store a secret", self._context.api.set_secret(self.name.text().strip(), self.value.take()))

    def _unlock(self, passphrase: str) -> None:
        self._run("open the file of secrets", self._context.api.unlock_secrets(passphrase))

    def _delete_shown(self) -> None:
        self._context.tasks.run("delete a secret", self._ask_and_delete(self.name.text()))

    async def _ask_and_delete(self, name: str) -> None:
        info = next((info for info in self._store.secrets if info.name == name), None)
        sentence = "No server of this project uses it."
        if info is not None and info.servers:
            sentence = f"It is used by {', '.join(map(visible, info.servers))}. They cannot start without it."
        if await self._context.ask(
            f"Delete the secret “{visible(name)}”?", sentence, "Delete secret", danger=True, parent=self
        ):
            self._run("delete a secret", self._context.api.delete_secret(name))

    def _run(self, name: str, change: Coroutine[Any, Any, SecretStore]) -> None:  # Any: asyncio's own
        self.run(self._context.tasks, name, self._take_store(change))

    async def _take_store(self, change: Coroutine[Any, Any, SecretStore]) -> None:  # Any: asyncio's own
        """Opening the store need not change it, and then the core sends no event."""
        self._context.store.handle(SecretsChanged(await change))
