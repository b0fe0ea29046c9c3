"""Names and messages of servers that are one word of thousands of letters make neither a page nor a dialog too wide."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QDialog, QWidget

from workbench.gui.servers.server_pane import PAGES
from workbench.records import (
    ChangeKind,
    Check,
    CheckState,
    Consent,
    DefinitionChange,
    Fault,
    FoundServer,
    ServerConfig,
    ServerState,
    ServerStatus,
    ServerTask,
    ToolWarning,
)

LONG = "n" * 3_000
WIDEST = 1_300  # pixels: a screen of 1,366 pixels without the borders of a window
DIALOGS = (
    "server.edit", "server.connect", "server.move_secrets", "servers.export", "servers.import", "agent.connect",
)  # fmt: skip


def too_wide(top: QWidget) -> list[str]:
    """The innermost widgets that need more room than the screen has."""
    parts = (part for part in (top, *top.findChildren(QWidget)) if part.isVisible())
    found = [part for part in parts if part.minimumSizeHint().width() > WIDEST]
    inner = (part for part in found if not any(part is not other and part.isAncestorOf(other) for other in found))
    return [f"{type(part.parent()).__name__}/{type(part).__name__}" for part in inner]


@pytest.fixture
def server(window: Any, fake_core: Any, settled: Any, monkeypatch: Any) -> ServerState:
    """A server whose every text is long; it failed."""
    config = ServerConfig(LONG, LONG, (LONG,), {LONG: LONG}, cwd=f"/{LONG}", category=LONG, description=LONG)
    state = ServerState(
        config, ServerStatus.FAILED, fault=Fault(f"{LONG} did not start: {LONG}", LONG, LONG), warnings=(LONG, LONG),
        plain_secrets=(f"env {LONG}",), title=LONG, version=LONG, protocol=LONG, capabilities=("tasks", LONG),
        instructions=LONG,
    )  # fmt: skip

    async def diagnose(name: str) -> tuple[Check, ...]:
        return (Check("Executable", CheckState.BAD, LONG, LONG, LONG),)

    monkeypatch.setattr(fake_core, "diagnose", diagnose)
    fake_core.changed[LONG] = [
        DefinitionChange(LONG, LONG, ChangeKind.CHANGED, "a" * 64, 1.0, "{}", "{}", warnings=(LONG,), blocked=True)
    ]
    fake_core.odd[LONG] = [ToolWarning(LONG, LONG, LONG, LONG, LONG)]
    fake_core.tasks[LONG] = ServerTask(LONG, LONG, "working", LONG, LONG, 1.7e9)
    fake_core.consents[LONG] = Consent(LONG, LONG, "a" * 64, notes=(LONG,), warnings=(LONG,))
    fake_core.found = [FoundServer("k", LONG, f"/{LONG}", config, "s", masked=(f"env {LONG}",), notes=(LONG,))]
    fake_core.put(state)
    settled()
    window.servers.show_tool(LONG)
    settled()
    return state


def test_the_list_and_the_card_keep_their_width(window: Any, server: ServerState, fake_core: Any, settled: Any) -> None:
    assert too_wide(window.servers) == []
    fake_core.put(replace(server, status=ServerStatus.READY, fault=None))
    settled()
    assert too_wide(window.servers) == []


@pytest.mark.parametrize("page", [page.id for page in PAGES])
def test_no_page_is_too_wide(window: Any, server: ServerState, fake_core: Any, settled: Any, page: str) -> None:
    window.centre.server.show_server(LONG, page)
    window.centre.setCurrentWidget(window.centre.server)
    settled()
    if page == "doctor":
        window.commands.do("front.start")
        settled()
    assert too_wide(window.centre.server) == []
    fake_core.put(replace(server, status=ServerStatus.READY, fault=None))
    settled()
    assert too_wide(window.centre.server) == []


def test_the_table_of_all_servers_keeps_its_width(window: Any, server: ServerState, settled: Any) -> None:
    window.commands.do("servers.all")
    settled()
    assert too_wide(window.centre.server) == []


@pytest.mark.parametrize("action", DIALOGS)
def test_no_dialog_is_too_wide(window: Any, server: ServerState, qtbot: Any, action: str) -> None:
    window.commands.do(action)
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in window.findChildren(QDialog)))
    dialog = next(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())
    qtbot.wait(100)
    assert too_wide(dialog) == []
    assert dialog.width() <= WIDEST
    dialog.reject()
