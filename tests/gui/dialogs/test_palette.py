from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt

from workbench.gui.actions import ACTIONS
from workbench.gui.dialogs.help import Help, help_rows
from workbench.gui.dialogs.palette import Palette


@pytest.fixture
def palette(window: Any, qtbot: Any, settled: Any) -> Palette:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.findChild(Palette) is not None)
    settled()
    found: Palette = window.findChild(Palette)
    return found


def titles(palette: Palette) -> list[str]:
    return [str(palette.model.index(row).data()) for row in range(palette.model.rowCount())]


def test_letters_find_a_tool_and_enter_opens_it(palette: Palette, window: Any, qtbot: Any, settled: Any) -> None:
    qtbot.keyClicks(palette.field, "sendmail")
    assert titles(palette)[0] == "send_email"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    settled()
    assert window.centre.currentWidget() is window.centre.tool
    assert window.centre.tabText(window.centre.currentIndex()) == "send_email"


def test_actions_servers_and_skills_are_found_too(palette: Palette, qtbot: Any) -> None:
    for typed, found in (("verify", "Verify the audit"), ("files", "files"), ("weekly", "weekly_report")):
        palette.field.setText(typed)
        assert found in titles(palette)[:3]


def test_what_cannot_be_done_now_is_not_offered(palette: Palette) -> None:
    palette.field.setText("waiting run")
    assert "Review the waiting run" not in titles(palette)


def test_retired_skills_are_not_found(palette: Palette) -> None:
    palette.field.setText("old_one")
    assert "old_one" not in titles(palette)


def test_arrows_move_and_enter_does_the_action(
    palette: Palette, window: Any, paper: Any, qtbot: Any, settled: Any
) -> None:
    palette.field.setText("read .mcp.json")
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    settled()
    assert ("reload_servers", ()) in paper.asked


def test_letters_that_fit_nothing_say_so_and_escape_closes(palette: Palette, qtbot: Any) -> None:
    palette.field.setText("zzzzqqqq")
    assert titles(palette) == []
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not palette.isVisible())


def test_the_help_lists_every_action_with_its_keys(window: Any, qtbot: Any) -> None:
    rows = {row.key: row for row in help_rows("")}
    assert all(entry.id in rows and rows[entry.id].detail for entry in ACTIONS)
    assert [row.key for row in help_rows("ctrl+k") if not row.section] == ["palette.open"]
    qtbot.keyClick(window, Qt.Key.Key_F1)
    qtbot.waitUntil(lambda: window.findChild(Help) is not None)


def test_resources_and_prompts_lead_to_their_place(window: Any, paper: Any, qtbot: Any, settled: Any) -> None:
    paper.put(replace(paper.server_states["demo"], resource_count=4, prompt_count=2))
    settled()
    for typed, page in (("about the company", "resources"), ("answer a ticket", "prompts")):
        window.commands.do("palette.open")
        qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(Palette)))
        settled()
        palette = next(one for one in window.findChildren(Palette) if one.isVisible())
        palette.field.setText(typed)
        assert titles(palette)[0].casefold() == typed
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
        settled()
        sheet = window.centre.server.sheet()
        assert sheet._tabs.tabText(sheet._tabs.currentIndex()).casefold().startswith(page)
