"""The first page of a server: its facts, how it does right now, and what it writes to its error output."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtWidgets import QLabel

from workbench.gui.kit.text import ForeignLabel
from workbench.records import Vitals


def words(page: Any) -> str:
    return "\n".join(found.full_text() for found in page.findChildren(ForeignLabel) if not found.isHidden())


def test_facts_and_condition_stand_together(window: Any, fake_core: Any, settled: Any, qtbot: Any) -> None:
    fake_core.conditions["demo"] = Vitals(
        "demo", 1_700_000_000.0, 61.4, 3, 12, 2, 8.0, 410.0, "It broke.", 1_700_000_100.0, 2_000, 50_000, 40, 0
    )
    state = replace(fake_core.server_states["demo"], restarts=2, era="legacy", instructions="x" * 50_000)
    state = replace(state, capabilities=("tools", "prompts.listChanged"))
    fake_core.put(state)
    window.centre.server.show_server("demo", "overview")
    settled()
    window.centre.setCurrentWidget(window.centre.server)
    page = window.centre.server.sheet().page()
    qtbot.waitUntil(lambda: "61 MB in 3 processes" in words(page))
    shown = words(page)
    assert "12 calls, 2 failed" in shown
    assert "median 8 ms, slowest 410 ms" in shown
    assert "It broke." in shown
    assert "with a session that begins with a handshake" in shown
    assert page.capabilities.texts() == ("tools", "prompts.listChanged")
    assert page.capabilities.heightForWidth(30) > page.capabilities.heightForWidth(400) > 0
    assert len(shown) < 10_000  # long instructions are cut


def test_a_server_that_never_ran_shows_no_empty_lines(window: Any, settled: Any) -> None:
    window.centre.server.show_server("files", "overview")
    settled()
    page = window.centre.server.sheet().page()
    titles = {
        title.text() for title in page.facts.findChildren(QLabel) if type(title) is QLabel and not title.isHidden()
    }
    assert titles == {"State", "Command"}
