"""Writes the table of all servers into ./screenshots, light, dark and narrow."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest

from workbench.events import ServerChanged
from workbench.records import Fault, ServerConfig, ServerState, ServerStatus, Vitals

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
_NAMES = ("github", "filesystem", "postgres", "sentry", "playwright", "notes", "calendar")


def shoot(widget: Any, name: str) -> None:
    QTest.qWait(350)
    FOLDER.mkdir(exist_ok=True)
    picture = widget.grab()
    assert picture.save(str(FOLDER / f"{name}.png"))
    image = picture.toImage()
    seen = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(seen) > 20, f"{name} shows next to nothing"


def fill(fake_core: Any) -> None:
    dice = random.Random(3)
    for number, name in enumerate(_NAMES):
        status = ServerStatus.FAILED if name == "sentry" else ServerStatus.STOPPED if number > 4 else ServerStatus.READY
        runs = status is ServerStatus.READY
        fake_core.server_states[name] = ServerState(
            ServerConfig(name, "npx", category="Work" if number < 4 else "Home"), status,
            fault=Fault("The server left with code 1 before it answered.") if name == "sentry" else None,
            protocol="2025-11-25" if number % 2 else "2026-07-28", era="legacy" if number % 2 else "modern",
            tool_count=dice.randrange(2, 80), resource_count=number * 3, prompt_count=number,
            pid=4000 + number if runs else 0,
            restarts=int(name == "postgres"),
        )  # fmt: skip
        if runs:
            words = "Unknown tool: list_isues" if name == "github" else ""
            fake_core.conditions[name] = Vitals(
                name, 1.7e9, 30 + dice.random() * 90, 1, dice.randrange(900), len(words) % 5, dice.random() * 300,
                900.0, words, 1.7e9,
            )  # fmt: skip


@pytest.mark.parametrize(
    ("colours", "width", "height"), [("light", 1440, 900), ("dark", 1440, 900), ("dark", 900, 640)]
)
def test_all_servers_can_be_looked_at(
    window: Any, fake_core: Any, settled: Any, qtbot: Any, colours: str, width: int, height: int
) -> None:
    window.context.theme.choose(colours)
    window.resize(width, height)
    fill(fake_core)
    for state in fake_core.server_states.values():
        window.context.store.handle(ServerChanged(state))
    window.commands.do("servers.all")
    page = window.centre.server.all
    qtbot.waitUntil(lambda: page.model.rowCount() == 9 and "MB" in page.totals.text())
    page.table.selectRow(2)
    settled()
    shoot(window, f"all-servers-{colours if width > 1000 else f'{colours}-narrow'}")
