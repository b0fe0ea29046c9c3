"""Writes the screens of importing, exporting and editing servers into ./screenshots, so that a person can look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from workbench.gui.servers.import_servers import ImportServers
from workbench.records import Fault, ServerConfig, ServerState

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"


def shoot(widget: Any, name: str) -> None:
    QTest.qWait(350)
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


def opened(window: Any, qtbot: Any, action: str) -> Any:
    window.commands.do(action)
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in window.findChildren(QDialog)))
    return next(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_importing_can_be_looked_at(window: Any, fake_core: Any, qtbot: Any, settled: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    window.resize(1440, 900)
    fake_core.faults = (
        Fault("~/.codeium/windsurf/mcp_config.json cannot be read: line 3, column 1: Expecting value."),
    )
    dialog = opened(window, qtbot, "servers.import")
    assert isinstance(dialog, ImportServers)
    qtbot.waitUntil(lambda: bool(dialog.found_rows))
    dialog.found_rows[0].box.setChecked(True)
    dialog.found_rows[0].reveal.click()
    dialog.found_rows[1].box.setChecked(True)
    settled()
    shoot(dialog, f"import-{colours}")
    dialog.reject()
    fake_core.found = []
    empty = opened(window, qtbot, "servers.import")
    settled()
    shoot(empty, f"import-none-{colours}")
    empty.reject()


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_exporting_can_be_looked_at(window: Any, fake_core: Any, qtbot: Any, settled: Any, colours: str) -> None:
    window.context.theme.choose(colours)
    window.servers.show_tool("files")
    for action, name in (("servers.export", "export"), ("agent.connect", "connect-agent")):
        dialog = opened(window, qtbot, action)
        qtbot.waitUntil(lambda form=dialog.form: form.write.isEnabled())
        shoot(dialog, f"{name}-{colours}")
        dialog.form.write.click()
        qtbot.waitUntil(lambda form=dialog.form: form.undo.isVisible())
        shoot(dialog, f"{name}-written-{colours}")
        dialog.reject()
        settled()


def test_an_empty_project_can_be_looked_at(window: Any, fake_core: Any, settled: Any) -> None:
    window.context.theme.choose("dark")
    del fake_core.server_states["files"]
    window.context.store.load()
    for size in ((1440, 900), (900, 640)):
        window.resize(*size)
        settled()
        shoot(window, f"welcome-found-{size[0]}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_list_and_its_form_can_be_looked_at(
    window: Any, fake_core: Any, qtbot: Any, settled: Any, colours: str
) -> None:
    window.context.theme.choose(colours)
    window.resize(1440, 900)
    for name, category in (("git", "code"), ("github", "code"), ("calendar", "office"), ("notes", "")):
        fake_core.put(
            ServerState(ServerConfig(name, "npx", ("-y", name), category=category, disabled=name == "github"))
        )
    qtbot.waitUntil(lambda: window.servers.model.find("notes").isValid())
    settled()
    window.servers.show_tool("notes")
    window.commands.do("server.remove")
    qtbot.waitUntil(lambda: window.status.offer.isVisible())
    settled()
    window.servers.show_tool("git")
    shoot(window, f"registry-{colours}")
    dialog = opened(window, qtbot, "server.edit")
    shoot(dialog, f"edit-server-{colours}")
    dialog.paste.setText('{"hub": {"url": "https://e.org/mcp", "headers": {"Authorization": "Bearer x"}}}')
    shoot(dialog, f"edit-address-{colours}")
    dialog.reject()
    settled()
    dialog = opened(window, qtbot, "server.add")
    dialog.known.select(fake_core.known[1])
    shoot(dialog, f"known-server-{colours}")
    dialog.reject()
    settled()
