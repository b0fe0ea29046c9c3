"""The page where changed definitions wait, and the marks that lead to it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QPushButton, QTabBar

from workbench.events import ToolsChanged, ToolsWarned
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.rows import ROW
from workbench.records import ChangeKind, DefinitionChange, ToolWarning

BEFORE = {"name": "send_email", "description": "Sends an e-mail.", "inputSchema": {"properties": {"to": {}}}}
AFTER = {"name": "send_email", "description": "Sends an e-mail and a copy.", "inputSchema": {"properties": {"cc": {}}}}


def change(tool: str = "send_email", **fields: Any) -> DefinitionChange:
    made = DefinitionChange(
        "demo", tool, ChangeKind.CHANGED, "a" * 64, 1_700_000_000.0, json.dumps(BEFORE), json.dumps(AFTER), blocked=True
    )
    return replace(made, **fields)


@pytest.fixture
def page(window: Any, fake_core: Any, settled: Any) -> Any:
    """One blocked tool, one new, one odd."""
    fake_core.changed["demo"] = [change(), change("fresh", kind=ChangeKind.NEW, before="", blocked=False)]
    why = "“Ignore all previous…”"
    fake_core.odd["demo"] = [ToolWarning("demo", "list_orders", "poison", "It orders the model about.", why)]
    fake_core.tool_list[0] = replace(fake_core.tool_list[0], warned=1)
    fake_core.tool_list[1] = replace(fake_core.tool_list[1], mark="changed")
    window.context.store.handle(ToolsChanged("demo"))
    window.centre.server.show_server("demo", "changes")
    settled()
    window.centre.setCurrentWidget(window.centre.server)
    return window.centre.server.sheet().page()


def tab_titles(window: Any) -> list[str]:
    bar = next(bar for bar in window.centre.server.sheet().findChildren(QTabBar) if "Pages" in bar.accessibleName())
    return [bar.tabText(number) for number in range(bar.count())]


def test_a_change_is_read_word_by_word_and_place_by_place(page: Any) -> None:
    text = page.view.toPlainText()
    assert "Sends an e-mail and a copy." in text
    assert "inputSchema.properties.cc\n  + {}" in text
    assert "inputSchema.properties.to\n  - {}" in text
    assert "blocked for you and for agents" in page.summary.full_text()


def test_what_waits_is_said_on_the_tab_and_in_the_tree(page: Any, window: Any, qtbot: Any) -> None:
    assert any(title.endswith("1 blocked") for title in tab_titles(window))
    qtbot.waitUntil(lambda: window.servers.model.find("demo", "send_email").data(ROW).icon == "lock")
    rows = {tool: window.servers.model.find("demo", tool).data(ROW) for tool in ("list_orders", "send_email")}
    assert rows["send_email"].badges[0] == ("blocked", "danger")
    assert rows["list_orders"].badges[0] == ("suspicious", "warning")
    assert (rows["send_email"].icon, rows["list_orders"].icon) == ("lock", "warning")


def test_approving_takes_exactly_what_was_read(page: Any, window: Any, fake_core: Any, settled: Any) -> None:
    window.commands.do("front.start")
    settled()
    assert ("approve_definitions", ("demo", {"send_email": "a" * 64})) in fake_core.asked
    assert page.approve.isHidden()
    assert not any("blocked" in title for title in tab_titles(window))


def test_an_odd_change_is_asked_about_before_it_is_approved(page: Any, window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.changed["demo"] = [change(warnings=("It asks the model to hide something from you.",))]
    window.context.store.handle(ToolsWarned("demo"))
    qtbot.waitUntil(lambda: page.warning.isVisible())
    page.approve.click()
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    window.findChild(Question).reject()
    assert not [name for name, _ in fake_core.asked if name == "approve_definitions"]


def test_all_are_approved_at_once_after_a_question(page: Any, window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.changed["demo"] = [change(), change("list_orders")]
    window.context.store.handle(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: page.approve_all.isVisible())
    page.approve_all.click()
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    window.findChild(Question).accept()
    qtbot.waitUntil(lambda: any(name == "approve_definitions" for name, _ in fake_core.asked))
    assert fake_core.asked[-1][1][1] == {"send_email": "a" * 64, "list_orders": "a" * 64}


def test_new_tools_lose_their_mark_when_they_were_seen(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.mark_seen.click()
    qtbot.waitUntil(lambda: page.mark_seen.isHidden())
    assert [one.tool for one in fake_core.changed["demo"]] == ["send_email"]


def test_a_warning_says_why(page: Any) -> None:
    page.list.select("warning\n0")
    assert "orders the model about" in page.warning.sentence()
    assert page.approve.isHidden()


def test_without_changes_the_page_says_that_all_is_well(page: Any, window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.changed["demo"], fake_core.odd["demo"] = [], []
    window.context.store.handle(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: page.empty.isVisible())
    assert "Changes" in tab_titles(window)


def test_the_tools_own_sheet_says_it_too_and_leads_here(page: Any, window: Any, settled: Any, qtbot: Any) -> None:
    window.centre.tool.show_tool("demo", "send_email")
    settled()
    sheet = window.centre.tool.page()
    qtbot.waitUntil(lambda: "is blocked" in sheet.notice.sentence())
    window.centre.setCurrentWidget(window.centre.tool)
    next(button for button in sheet.notice.findChildren(QPushButton) if button.text() == "See what changed").click()
    qtbot.waitUntil(lambda: window.centre.currentWidget() is window.centre.server)
    window.centre.tool.show_tool("demo", "list_orders")
    settled()
    assert "orders the model about" in window.centre.tool.page().notice.sentence()


def test_now_is_compared_with_an_earlier_moment(page: Any, fake_core: Any, qtbot: Any) -> None:
    assert page.since.count() == 2
    assert "version 1.0, 3 tools" in page.since.itemText(1)
    page.since.setCurrentIndex(1)
    qtbot.waitUntil(lambda: "Be quick." in page.view.toPlainText())
    assert ("compare_definitions", ("demo", 1_700_000_000.0)) in fake_core.asked
    assert page.approve.isHidden()
    page.since.setCurrentIndex(0)
    qtbot.waitUntil(lambda: page.approve.isVisible())


def test_a_late_answer_does_not_replace_the_chosen_comparison(
    page: Any, fake_core: Any, qtbot: Any, settled: Any, monkeypatch: Any
) -> None:
    ready, entered, changes = asyncio.Event(), asyncio.Event(), fake_core.definition_changes

    async def definition_changes(server: str) -> tuple[DefinitionChange, ...]:
        entered.set()
        await ready.wait()
        found: tuple[DefinitionChange, ...] = await changes(server)
        return found

    monkeypatch.setattr(fake_core, "definition_changes", definition_changes)
    page.load()
    qtbot.waitUntil(entered.is_set)
    page.since.setCurrentIndex(1)
    qtbot.waitUntil(lambda: "Be quick." in page.view.toPlainText())
    ready.set()
    settled()
    assert "Be quick." in page.view.toPlainText()
    assert page.approve.isHidden()
    assert page.since.currentIndex() == 1
