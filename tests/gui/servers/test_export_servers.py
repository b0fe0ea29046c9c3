from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from tests.gui.fake_core import CURSOR, GOOSE
from workbench.errors import WorkbenchError
from workbench.events import AgentsChanged
from workbench.gui.servers.connect_agent import ConnectAgent, agent_instructions
from workbench.gui.servers.export_servers import ExportServers
from workbench.records import AgentInfo, ClientFile, ExportPreview, Fault


def texts(widget: Any) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


@pytest.fixture
def dialog(window: Any, qtbot: Any) -> Any:
    window.servers.show_tool("files")
    window.commands.do("servers.export")
    qtbot.waitUntil(lambda: bool(window.findChildren(ExportServers)))
    found = window.findChildren(ExportServers)[0]
    qtbot.waitUntil(lambda: found.form.write.isEnabled())
    return found


def test_the_chosen_server_is_ticked_and_every_line_is_shown(dialog: Any) -> None:
    assert list(dialog.boxes) == ["files"]  # the demo server is a part of the workbench
    assert dialog.boxes["files"].isChecked()
    assert dialog.form.clients.currentText() == "Cursor"  # installed clients come first
    assert '+    "files"' in dialog.form.diff.toPlainText()
    assert "by hand" in texts(dialog)
    dialog.boxes["files"].setChecked(False)
    assert not dialog.form.write.isEnabled()
    assert "Tick a server" in dialog.form.diff.toPlainText()


def test_it_is_written_and_can_be_taken_back(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    dialog.form.write.click()
    qtbot.waitUntil(lambda: dialog.form.undo.isVisible())
    assert ("export_servers", ("cursor:x", ("files",), False, "sha")) in fake_core.asked
    assert "mcp.json.before" in texts(dialog)
    dialog.form.undo.click()
    qtbot.waitUntil(lambda: "previous content" in texts(dialog))
    assert ("undo_export", ("sha",)) in fake_core.asked


def test_an_app_that_is_not_here_and_a_file_that_cannot_be_changed_leave_the_clipboard(
    dialog: Any, fake_core: Any, qtbot: Any
) -> None:
    dialog.form.clients.setCurrentIndex(1)
    qtbot.waitUntil(lambda: "is not installed" in texts(dialog))
    assert not dialog.form.write.isEnabled()
    fake_core.blocked = Fault("The file is not in YAML block style.", "Copy the entry.")
    dialog.form.clients.setCurrentIndex(0)
    qtbot.waitUntil(lambda: "YAML block style" in texts(dialog))
    assert not dialog.form.write.isEnabled()
    dialog.form.copy.click()
    assert QGuiApplication.clipboard().text() == "files"


def refuse_goose(fake_core: Any, monkeypatch: Any) -> None:
    """The file of one client cannot be previewed."""
    preview = fake_core.preview_export

    async def preview_export(client: str, names: tuple[str, ...], itself: bool) -> ExportPreview:
        if client == GOOSE.id:
            raise WorkbenchError("config.yaml cannot be read: it is a link.", "Replace the link by a file.")
        found: ExportPreview = await preview(client, names, itself)
        return found

    monkeypatch.setattr(fake_core, "preview_export", preview_export)


def test_nothing_of_the_client_before_stays_when_a_preview_fails(
    dialog: Any, fake_core: Any, qtbot: Any, monkeypatch: Any, window: Any
) -> None:
    refuse_goose(fake_core, monkeypatch)
    faults = list[Fault]()
    window.context.tasks.failed.connect(faults.append)
    qtbot.keyClick(dialog.form.clients, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: "config.yaml cannot be read" in texts(dialog))
    assert dialog.form.clients.currentText().startswith("goose")
    assert CURSOR.file not in texts(dialog)
    assert "mcpServers" not in dialog.form.diff.toPlainText()
    assert not dialog.form.copy.isEnabled()
    assert not dialog.form.write.isEnabled()
    qtbot.mouseClick(dialog.form.write, Qt.MouseButton.LeftButton)
    assert not [name for name, _ in fake_core.asked if name == "export_servers"]
    assert not faults
    qtbot.keyClick(dialog.form.clients, Qt.Key.Key_Up)
    qtbot.waitUntil(dialog.form.write.isEnabled)
    assert "cannot be read" not in texts(dialog)
    assert CURSOR.file in texts(dialog)


def test_a_late_answer_for_another_client_is_dropped(
    dialog: Any, fake_core: Any, qtbot: Any, monkeypatch: Any, settled: Any
) -> None:
    ready, preview = asyncio.Event(), fake_core.preview_export

    async def preview_export(client: str, names: tuple[str, ...], itself: bool) -> ExportPreview:
        if client == CURSOR.id:
            await ready.wait()
        found: ExportPreview = await preview(client, names, itself)
        return found

    qtbot.keyClick(dialog.form.clients, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: GOOSE.file in texts(dialog))
    monkeypatch.setattr(fake_core, "preview_export", preview_export)
    qtbot.keyClick(dialog.form.clients, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: GOOSE.file not in texts(dialog))
    qtbot.keyClick(dialog.form.clients, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: GOOSE.file in texts(dialog))
    ready.set()
    settled()
    assert GOOSE.file in texts(dialog)
    assert not dialog.form.write.isEnabled()


def test_clients_that_cannot_be_read_are_told_in_the_dialog(
    window: Any, fake_core: Any, qtbot: Any, monkeypatch: Any
) -> None:
    async def client_files() -> tuple[ClientFile, ...]:
        raise WorkbenchError("Your home folder cannot be read.", "Check its permissions.")

    monkeypatch.setattr(fake_core, "client_files", client_files)
    window.servers.show_tool("files")
    window.commands.do("servers.export")
    qtbot.waitUntil(lambda: bool(window.findChildren(ExportServers)))
    dialog = window.findChildren(ExportServers)[0]
    qtbot.waitUntil(lambda: "Your home folder cannot be read." in texts(dialog))
    qtbot.mouseClick(dialog.boxes["files"], Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert "Your home folder cannot be read." in texts(dialog)
    assert not dialog.form.write.isEnabled()


def test_the_workbench_itself_goes_the_same_way(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    window.commands.do("agent.connect")
    qtbot.waitUntil(lambda: bool(window.findChildren(ConnectAgent)))
    dialog = window.findChildren(ConnectAgent)[0]
    qtbot.waitUntil(lambda: dialog.form.write.isEnabled())
    assert "workbench" in dialog.form.diff.toPlainText()
    dialog.form.write.click()
    qtbot.waitUntil(lambda: ("export_servers", ("cursor:x", (), True, "sha")) in fake_core.asked)
    settled()
    assert "Waiting for an agent…" in texts(dialog)
    for names, words in (
        (("an agent",), "An agent is connected"),
        (("claude-code",), "Claude Code is connected"),
        (("claude-code", "codex-mcp-client"), "Connected: Claude Code, Codex"),
    ):
        window.context.store.handle(AgentsChanged(tuple(AgentInfo(name, name, "1", 0.0) for name in names)))
        assert words in texts(dialog)


def test_the_words_for_the_agent_are_copied_whole(window: Any, qtbot: Any, settled: Any) -> None:
    window.commands.do("agent.connect")
    qtbot.waitUntil(lambda: bool(window.findChildren(ConnectAgent)))
    settled()
    dialog = window.findChildren(ConnectAgent)[0]
    copy = next(one for one in dialog.findChildren(QPushButton) if "Instructions" in one.accessibleName())
    copy.click()
    assert QGuiApplication.clipboard().text() == agent_instructions()
    assert window.status.message() == "Copied."
    assert "execute_code" in agent_instructions()
