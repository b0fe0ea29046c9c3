from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar

from workbench.errors import WorkbenchError
from workbench.events import ToolsChanged
from workbench.gui.kit.rows import ROW, Row
from workbench.gui.shell.actions import ACTIONS
from workbench.gui.shell.bridge import Link, LinkState
from workbench.gui.shell.help import Help, help_rows
from workbench.gui.shell.palette import Palette


@pytest.fixture
def palette(window: Any, qtbot: Any, settled: Any) -> Palette:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.findChild(Palette) is not None)
    settled()
    found: Palette = window.findChild(Palette)
    return found


@pytest.fixture
def type_words(palette: Palette, settled: Any) -> Callable[[str], list[str]]:
    """Type, and wait for what is found."""

    def write(words: str) -> list[str]:
        palette.field.setText(words)
        settled()
        return titles(palette)

    return write


def titles(palette: Palette) -> list[str]:
    return [str(palette.model.index(row).data()) for row in range(palette.model.rowCount())]


def row(palette: Palette, place: int = 0) -> Row:
    found = palette.model.index(place).data(ROW)
    assert isinstance(found, Row)
    return found


def test_words_find_a_tool_and_enter_before_the_answer_opens_it(
    palette: Palette, window: Any, qtbot: Any, settled: Any
) -> None:
    qtbot.keyClicks(palette.field, "sendmail")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    settled()
    assert window.centre.currentWidget() is window.centre.tool
    assert window.centre.tabText(window.centre.currentIndex()) == "Tools"


def test_a_find_says_what_it_is_whose_why_and_what_it_costs(palette: Palette, type_words: Any) -> None:
    assert type_words("list_orders")[0] == "list_orders"
    shown = row(palette)
    assert shown.badges[0][0] == "Tool"
    assert shown.aside == "exact name · ≈ 120 tokens"
    assert shown.detail == "demo · not running; starts at the first call · Lists orders, newest first."
    type_words("company")
    assert (row(palette).badges[0][0], row(palette).aside) == ("Resource", "“company” in its name · 1.2 kB")


def test_a_tool_stands_before_the_saved_calls_of_it(type_words: Any) -> None:
    shown = type_words("orders")
    assert shown[0] == "list_orders"
    assert shown.index("front page") > 0


def test_tab_goes_through_the_kinds(palette: Palette, type_words: Any, qtbot: Any, settled: Any) -> None:
    type_words("e")
    kinds = []
    for _ in range(4):
        qtbot.keyClick(palette.field, Qt.Key.Key_Tab)
        settled()
        kinds.append({row(palette, place).badges[0][0] for place in range(palette.model.rowCount())})
    assert kinds == [{"Tool"}, {"Resource"}, {"Prompt"}, {"Skill"}]
    qtbot.keyClick(palette.field, Qt.Key.Key_Tab)
    type_words("verify")
    assert titles(palette) == ["Verify the audit"]
    qtbot.keyClick(palette.field, Qt.Key.Key_Backtab)
    assert palette.tabs.tabText(palette.tabs.currentIndex()) == "Skills"


def test_where_no_tool_is_known_it_says_how_to_get_some(
    palette: Palette, fake_core: Any, type_words: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.tool_list, fake_core.resource_list = [], []
    shown = type_words("who are my customers")
    assert "Connect a server" in shown[0]
    assert {"Add a server", "Import servers from other clients", "Connect the demo server"} <= set(shown)
    assert palette.list.key().startswith("begin:action:")


def test_a_question_that_cannot_be_answered_says_why_and_actions_still_work(
    palette: Palette, fake_core: Any, type_words: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(**_: Any) -> None:
        raise WorkbenchError("The core is gone.", "It starts again.")

    monkeypatch.setattr(fake_core, "find", broken)
    assert type_words("verify") == ["The core is gone. It starts again.", "Verify the audit"]


def test_what_changes_while_it_is_open_is_found(
    palette: Palette, fake_core: Any, type_words: Any, settled: Any
) -> None:
    tool = fake_core.tool_list.pop(0)
    assert "list_orders" not in type_words("list_orders")
    fake_core.tool_list.append(tool)
    fake_core.bus.tell(ToolsChanged("demo"))
    settled()
    assert titles(palette)[0] == "list_orders"


def test_actions_servers_and_skills_are_found_too(palette: Palette, type_words: Any) -> None:
    for typed, found in (("verify", "Verify the audit"), ("files", "files"), ("weekly", "weekly_report")):
        assert found in type_words(typed)[:3]


def test_what_cannot_be_done_now_says_why_and_is_not_done(
    palette: Palette, type_words: Any, qtbot: Any, settled: Any
) -> None:
    assert type_words("review what")[0] == "Review what waits"
    assert (row(palette).faded, row(palette).aside) == (True, "nothing waits")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    settled()
    assert palette.isVisible()
    assert palette.foot() == "Review what waits: nothing waits."


def test_an_action_whose_words_are_typed_stands_before_tools(palette: Palette, type_words: Any) -> None:
    assert type_words("undo changes")[0] == "Undo changes"
    assert type_words("keep as skill")[0] == "Keep the run as a skill"
    assert type_words("copy the path")[0] == "Copy the path"
    assert not row(palette).badges


def test_without_a_tool_the_action_one_names_comes_before_the_advice(
    palette: Palette, fake_core: Any, type_words: Any
) -> None:
    fake_core.tool_list, fake_core.resource_list = [], []
    shown = type_words("connect demo")
    assert shown[0] == "Connect the demo server"
    assert shown.count("Connect the demo server") == 1


def test_typing_selects_the_first_row_again_although_the_selected_one_is_still_listed(
    palette: Palette, type_words: Any, qtbot: Any, settled: Any
) -> None:
    type_words("connect")
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    moved_to = palette.list.currentIndex().data()
    settled()
    assert palette.list.currentIndex().data() == moved_to
    assert moved_to in type_words("connect ")
    assert palette.list.currentIndex().data() == titles(palette)[0] != moved_to


def test_a_palette_that_came_before_the_core_fills_when_it_is_there(
    palette: Palette, window: Any, type_words: Any, settled: Any
) -> None:
    window.bridge.linked.emit(Link(LinkState.LOST))
    type_words("verify")
    assert row(palette).aside == "the core is not connected"
    window.bridge.linked.emit(Link(LinkState.LINKED))
    settled()
    assert not row(palette).faded
    assert palette.isVisible()


def test_retired_skills_are_not_found(type_words: Any) -> None:
    assert "old_one" not in type_words("old_one")


def test_arrows_move_and_enter_does_the_action(
    palette: Palette, window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    palette.field.setText("read .mcp.json")
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    settled()
    assert ("reload_servers", ()) in fake_core.asked


def test_words_that_fit_nothing_say_so_and_escape_closes(palette: Palette, type_words: Any, qtbot: Any) -> None:
    (said,) = type_words("zzzzqqqq")
    assert said.startswith("Nothing contains these words")
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


def test_resources_and_prompts_lead_to_their_place(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    fake_core.put(replace(fake_core.server_states["demo"], resource_count=4, prompt_count=2))
    settled()
    for typed, page in (("about the company", "resources"), ("answer a ticket", "prompts")):
        window.commands.do("palette.open")
        qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(Palette)))
        settled()
        palette = next(one for one in window.findChildren(Palette) if one.isVisible())
        palette.field.setText(typed)
        settled()
        assert titles(palette)[0].casefold() == typed
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
        settled()
        sheet = window.centre.server.sheet()
        tabs = sheet.findChild(QTabBar)
        assert tabs.tabText(tabs.currentIndex()).casefold().startswith(page)
