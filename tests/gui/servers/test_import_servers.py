from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QToolButton
from shiboken6 import isValid

from workbench.errors import WorkbenchError
from workbench.gui.servers.import_servers import REPLACE, ImportServers
from workbench.records import Discovery, Fault, ImportChoice, ImportReport, SecretStore


def texts(widget: Any) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


@pytest.fixture
def dialog(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> Any:
    fake_core.secret_store = SecretStore("keyring", "Secrets are kept in your system's keyring.")
    window.commands.do("servers.import")
    qtbot.waitUntil(lambda: bool(window.findChildren(ImportServers)))
    found = window.findChildren(ImportServers)[0]
    qtbot.waitUntil(lambda: bool(found.found_rows))
    settled()
    return found


def test_everything_is_off_and_the_full_command_is_shown(dialog: Any) -> None:
    assert not any(row.ticked() for row in dialog.found_rows)
    assert not dialog.add.isEnabled()
    assert "HUB_TOKEN=… npx -y @acme/hub" in texts(dialog)
    assert "already in this project" in texts(dialog)
    assert "~/.cursor/mcp.json" in texts(dialog)


def test_a_ticked_server_comes_in_with_its_secret_kept_apart(
    dialog: Any, window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    dialog.found_rows[0].box.setChecked(True)
    assert dialog.separate_secrets.isVisible()
    assert dialog.separate_secrets.isChecked()
    assert "Store 1 secret separately" in dialog.separate_secrets.text()
    assert dialog.add.text() == "Import 1 server"
    dialog.add.click()
    qtbot.waitUntil(lambda: window.servers.model.find("hub").isValid())
    assert ("import_servers", ((ImportChoice("k1", "s1", "hub", keep_secrets=True),),)) in fake_core.asked
    settled()
    assert "Imported 1 server: hub" in window.status.message()
    assert window.servers.selected_server().config.name == "hub"


def test_a_dialog_that_was_closed_meanwhile_is_left_alone(
    dialog: Any, window: Any, fake_core: Any, qtbot: Any, settled: Any, monkeypatch: Any
) -> None:
    ready, faults = asyncio.Event(), list[Fault]()
    window.context.tasks.failed.connect(faults.append)

    async def slowly(choices: tuple[ImportChoice, ...]) -> ImportReport:
        await ready.wait()
        return ImportReport(("hub",))

    monkeypatch.setattr(fake_core, "import_servers", slowly)
    dialog.found_rows[0].box.setChecked(True)
    dialog.add.click()
    dialog.reject()
    qtbot.waitUntil(lambda: not isValid(dialog))
    ready.set()
    settled()
    assert not faults


def test_a_taken_name_can_be_another_one_or_replace_the_server_here(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    row = dialog.found_rows[1]
    row.box.setChecked(True)
    assert row.name.isVisible()
    assert row.choice(separate_secrets=True) == ImportChoice("k2", "s2", "files-2")
    row.name.setText("")
    row.name.textEdited.emit("")
    assert not dialog.add.isEnabled()
    row.conflict.setCurrentIndex(REPLACE)
    assert not row.name.isVisible()
    assert row.choice(separate_secrets=True) == ImportChoice("k2", "s2", "files", replace=True)
    assert dialog.add.isEnabled()


def test_two_of_the_same_name_do_not_meet(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    from msgspec.structs import replace

    fake_core.found.append(replace(fake_core.found[0], key="k9", client="goose", file="~/.config/goose/config.yaml"))
    dialog.load()
    qtbot.waitUntil(lambda: len(dialog.found_rows) == 4)
    for row in (dialog.found_rows[0], dialog.found_rows[3]):
        row.box.setChecked(True)
    assert [row.chosen_name() for row in (dialog.found_rows[0], dialog.found_rows[3])] == ["hub", "hub-2"]
    assert not dialog.found_rows[3].conflict.isEnabled()


def test_secrets_are_shown_when_asked_for_and_hidden_again(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    button = dialog.found_rows[0].reveal
    button.click()
    qtbot.waitUntil(lambda: "the-value" in texts(dialog))
    button.click()
    assert "the-value" not in texts(dialog)
    assert ("reveal_found_server", ("k1",)) in fake_core.asked


def test_without_a_keyring_it_is_said_where_secrets_would_be(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.secret_store = SecretStore("memory", "Secrets are kept in memory only.")
    dialog.load()
    qtbot.waitUntil(lambda: not dialog.separate_secrets.isChecked())
    dialog.found_rows[0].box.setChecked(True)
    assert "in memory only" in texts(dialog)
    assert not dialog.found_rows[0].choice(separate_secrets=dialog.separate_secrets.isChecked()).keep_secrets


def test_what_did_not_go_is_said_and_the_dialog_stays(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    dialog.found_rows[1].box.setChecked(True)
    dialog.found_rows[1].name.setText("odd")
    dialog.add.click()
    qtbot.waitUntil(lambda: "odd changed." in texts(dialog))
    assert dialog.isVisible()


def test_files_that_cannot_be_read_are_told_and_nothing_found_is_no_dead_end(
    dialog: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.found, fake_core.faults = [], (Fault("mcp.json cannot be read: line 1.", "Mend it."),)
    dialog.load()
    qtbot.waitUntil(lambda: "No servers in other clients" in texts(dialog))
    assert "line 1" in texts(dialog)
    assert "Claude Desktop" in texts(dialog)


def test_a_search_that_fails_is_told_and_can_be_repeated(
    window: Any, fake_core: Any, qtbot: Any, press: Any, monkeypatch: Any
) -> None:
    faults = list[Fault]()
    window.context.tasks.failed.connect(faults.append)

    async def found_servers() -> Discovery:
        raise WorkbenchError("Your home folder cannot be read.", "Check its permissions.")

    with monkeypatch.context() as patch:
        patch.setattr(fake_core, "found_servers", found_servers)
        window.commands.do("servers.import")
        qtbot.waitUntil(lambda: bool(window.findChildren(ImportServers)))
        dialog = window.findChildren(ImportServers)[0]
        qtbot.waitUntil(lambda: "Your home folder cannot be read." in texts(dialog))
    assert "Searching…" not in texts(dialog)
    assert not faults
    press(dialog, "Search again")
    qtbot.waitUntil(lambda: bool(dialog.found_rows))
    assert "cannot be read" not in texts(dialog)


def test_the_list_and_an_empty_project_tell_of_them(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    assert "2 servers found in other clients" in texts(window.servers)
    assert window.centre.welcome.found.isHidden()  # the project has a server of its own
    del fake_core.server_states["files"]
    window.context.store.load()
    settled()
    assert "Claude Desktop and Cursor" in texts(window.centre.welcome)
    window.centre.welcome.found.findChild(QPushButton).click()
    qtbot.waitUntil(lambda: any(found.isVisible() for found in window.findChildren(QDialog)))
    window.findChildren(ImportServers)[0].reject()
    show, close = window.servers.found.findChild(QPushButton), window.servers.found.findChild(QToolButton)
    assert show.text() == "Show"
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    window.context.store.load()
    settled()
    assert not window.servers.found.isVisible()
