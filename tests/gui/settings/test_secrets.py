"""The dialog Secrets: where secrets are stored; storing and deleting them. A value is never shown again."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit
from shiboken6 import isValid

from workbench.errors import WorkbenchError
from workbench.events import SecretsChanged
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.secret_field import SecretField
from workbench.gui.settings.secrets import SecretsDialog
from workbench.records import SecretInfo, SecretStore, ServerConfig, ServerState

MEMORY = SecretStore(
    "memory",
    "Secrets are kept in memory only and lost when the core ends, because this session has no keyring.",
    "Choose a passphrase to keep them in an encrypted file.",
    "create",
    (SecretInfo("github", stored=True, servers=("files",)), SecretInfo("jira", stored=False, servers=("files",))),
)
KEYRING = replace(MEMORY, kind="keyring", sentence="Secrets are kept in your system's keyring.", hint="", passphrase="")


@pytest.fixture
def asked(fake_core: Any) -> list[tuple[str, ...]]:
    """What the core was asked, in order."""
    words: list[tuple[str, ...]] = []

    async def set_secret(name: str, value: str) -> SecretStore:
        words.append(("put", name, value))
        return fake_core.secret_store

    async def delete_secret(name: str) -> SecretStore:
        words.append(("drop", name))
        return fake_core.secret_store

    async def unlock_secrets(passphrase: str) -> SecretStore:
        words.append(("unlock", passphrase))
        if len(passphrase) < 8:
            raise WorkbenchError("The passphrase needs at least 8 characters.", "Several words are easy to remember.")
        fake_core.secret_store = replace(MEMORY, kind="file", passphrase="")
        return fake_core.secret_store

    async def move_secrets(server: str) -> ServerState:
        words.append(("move", server))
        return fake_core.put(replace(fake_core.server_states[server], plain_secrets=()))

    fake_core.set_secret, fake_core.delete_secret, fake_core.unlock_secrets = set_secret, delete_secret, unlock_secrets
    fake_core.move_secrets, fake_core.secret_store = move_secrets, MEMORY
    return words


@pytest.fixture
def dialog(window: Any, asked: Any, qtbot: Any, settled: Any) -> Any:
    window.commands.do("secrets.open")
    settled()
    (found,) = window.findChildren(SecretsDialog)
    yield found
    if isValid(found):
        found.reject()


def words_in(widget: Any) -> str:
    return "\n".join(found.text() for found in widget.findChildren(QLabel) if found.isVisible())


def rows(dialog: Any) -> list[str]:
    return [dialog.list.model.index(row).data() for row in range(dialog.list.model.rowCount())]


def shown_question(window: Any, qtbot: Any) -> Question:
    qtbot.waitUntil(lambda: any(found.isVisible() for found in window.findChildren(Question)))
    return next(found for found in window.findChildren(Question) if found.isVisible())


def test_it_says_where_secrets_are_and_lists_what_is_missing_first(dialog: Any) -> None:
    assert "lost when the core ends" in words_in(dialog)
    assert rows(dialog) == ["Needed, not stored", "jira", "Stored", "github"]


def test_a_value_goes_to_the_core_and_leaves_the_field(dialog: Any, asked: Any, qtbot: Any, settled: Any) -> None:
    dialog.list.view.setCurrentIndex(dialog.list.model.find("jira"))
    assert dialog.name.text() == "jira"
    assert not dialog.button("Store").isEnabled()
    dialog.value.setFocus()
    qtbot.keyClicks(dialog.value, "hush-hush")
    assert dialog.value.echoMode() is QLineEdit.EchoMode.Password
    qtbot.keyClick(dialog.value, Qt.Key.Key_Return)
    settled()
    assert asked == [("put", "jira", "hush-hush")]
    assert dialog.value.text() == ""
    assert dialog.isVisible()


def test_what_is_typed_can_be_looked_at_and_is_covered_again(dialog: Any, qtbot: Any) -> None:
    field: SecretField = dialog.value
    field.setFocus()
    qtbot.keyClicks(field, "hush")
    qtbot.keyClick(field, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert field.echoMode() is QLineEdit.EchoMode.Normal
    assert field.take() == "hush"
    assert field.echoMode() is QLineEdit.EchoMode.Password


def test_deleting_asks_and_tells_who_needs_it(
    dialog: Any, window: Any, asked: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    dialog.list.view.setCurrentIndex(dialog.list.model.find("github"))
    qtbot.mouseClick(dialog.button("Delete…"), Qt.MouseButton.LeftButton)
    question = shown_question(window, qtbot)
    assert "used by files" in words_in(question)
    press(question, "Delete secret")
    settled()
    assert asked == [("drop", "github")]


def test_a_new_passphrase_is_given_twice(dialog: Any, asked: Any, qtbot: Any, settled: Any) -> None:
    row = dialog.passphrase
    assert row.isVisible()
    row.field.setText("four words are enough")
    row.repeated.setText("four words are enouhg")
    row.button.click()
    assert "passphrases differ" in words_in(row)
    row.repeated.setText("four words are enough")
    qtbot.keyClick(row.repeated, Qt.Key.Key_Return)
    settled()
    assert asked == [("unlock", "four words are enough")]
    assert not row.isVisible()


def test_a_refusal_is_read_in_the_dialog(dialog: Any, settled: Any) -> None:
    dialog.passphrase.field.setText("short")
    dialog.passphrase.repeated.setText("short")
    dialog.passphrase.button.click()
    settled()
    assert "at least 8 characters" in words_in(dialog)


def test_a_file_is_unlocked_with_one_field(dialog: Any, window: Any) -> None:
    window.context.store.handle(SecretsChanged(replace(MEMORY, kind="locked", passphrase="unlock")))
    assert dialog.passphrase.isVisible()
    assert not dialog.passphrase.repeated.isVisible()
    assert dialog.passphrase.button.text() == "Unlock file"


def test_a_banner_says_that_secrets_will_be_forgotten(window: Any, asked: Any, settled: Any, press: Any) -> None:
    window.context.store.handle(SecretsChanged(MEMORY))
    settled()
    assert "lost when the core ends" in words_in(window.banners)
    press(window.banners, "Secrets…")
    settled()
    (dialog,) = window.findChildren(SecretsDialog)
    dialog.reject()
    settled()
    window.context.store.handle(SecretsChanged(KEYRING))
    assert "lost when the core ends" not in words_in(window.banners)
    window.context.store.handle(SecretsChanged(replace(MEMORY, secrets=())))
    assert "lost when the core ends" not in words_in(window.banners)


@pytest.fixture
def needy(fake_core: Any, asked: Any) -> None:
    """A server that needs a secret which is not stored."""
    config = ServerConfig("files", "npx", ("-y",), {"TOKEN": "${keyring:jira}"})
    fake_core.put(ServerState(config, allowed=True))


def test_connecting_asks_for_the_missing_secret_and_goes_on(
    window: Any, fake_core: Any, needy: Any, asked: Any, qtbot: Any, settled: Any
) -> None:
    settled()
    window.servers.show_tool("files")
    window.commands.do("server.connect")
    question = shown_question(window, qtbot)
    field = question.findChild(SecretField)
    qtbot.keyClicks(field, "hush-hush")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: ("connect", ("files",)) in fake_core.asked)
    settled()
    assert asked == [("put", "jira", "hush-hush")]


def test_who_would_not_enter_it_does_not_connect(
    window: Any, fake_core: Any, needy: Any, asked: Any, qtbot: Any, settled: Any
) -> None:
    settled()
    window.servers.show_tool("files")
    window.commands.do("server.connect")
    qtbot.keyClick(shown_question(window, qtbot), Qt.Key.Key_Escape)
    settled()
    assert asked == []
    assert ("connect", ("files",)) not in fake_core.asked


def test_plain_secrets_are_told_at_the_server_and_moved_after_a_question(
    window: Any, fake_core: Any, asked: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    fake_core.put(replace(fake_core.server_states["files"], plain_secrets=("TOKEN in env",)))
    settled()
    window.servers.show_tool("files")
    assert "Looks like a secret in plain text: TOKEN in env." in words_in(window.servers.card)
    press(window.servers.card, "Move into the keyring…")
    press(shown_question(window, qtbot), "Move secrets")
    settled()
    assert asked == [("move", "files")]
    assert not window.servers.card.keys.isVisible()
    assert not window.commands["server.move_secrets"].isEnabled()
