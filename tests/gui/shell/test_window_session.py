"""What was typed into forms, the open tool and the expanded servers are there again after a restart or a crash."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from workbench.gui.forms.form import SchemaForm
from workbench.gui.forms.text_purpose import draft_without_secrets
from workbench.gui.shell.navigation import ShowServer, ShowSkill, ShowTool
from workbench.gui.shell.window_state import LONGEST, WindowSession
from workbench.records import Tool

SCHEMA = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "limit": {"type": "integer"},
        "password": {"type": "string"},
        "pin": {"type": "string", "writeOnly": True},
        "login": {"type": "object", "properties": {"user": {"type": "string"}, "api_key": {"type": "string"}}},
    },
}


@pytest.fixture
def schema(fake_core: Any) -> dict[str, Any]:
    """The schema of every tool; a test may change it."""
    now: dict[str, Any] = {"schema": SCHEMA}

    async def tool(server: str, name: str) -> Tool:
        found = next(one for one in fake_core.tool_list if (one.server, one.name) == (server, name))
        return Tool(server, name, name, "", now["schema"], None, found.hints, {}, "e" * 64, 120)

    fake_core.tool = tool
    return now


@pytest.fixture
def again(
    window: Any, loop: Any, complete: Any, theme: Any, fake_core: Any, bus: Any, paths: Any, qtbot: Any
) -> Iterator[Callable[[], Any]]:
    """Opens the window of the same project once more, as after a crash of the first one."""
    from workbench.api.in_memory import connect_in_memory
    from workbench.events import spawn
    from workbench.gui.app import make_context
    from workbench.gui.main_window import MainWindow
    from workbench.gui.shell.bridge import Bridge
    from workbench.gui.shell.tasks import Tasks
    from workbench.gui.window_controller import WindowController

    opened: list[tuple[Any, ...]] = []

    async def connect() -> Any:
        return await connect_in_memory(fake_core, bus)

    def show() -> Any:
        tasks, bridge = Tasks(), Bridge(connect)
        made = MainWindow(make_context(bridge, tasks, theme, paths), bridge)
        qtbot.addWidget(made, before_close_func=lambda _: None)
        made.make_late_panes()
        made.centre.make_all()
        WindowController(made)
        made.show()
        opened.append((made, tasks, bridge, spawn("core link", bridge.keep())))
        qtbot.waitUntil(lambda: made.servers.model.rowCount() > 0 and tasks.running() == 0, timeout=60_000)
        return made

    yield show
    for made, tasks, bridge, keeping in opened:
        keeping.cancel()
        complete(tasks.close())
        complete(bridge.close())
        made.deleteLater()


@pytest.fixture
def press_tab(qtbot: Any) -> Callable[[Any, str], None]:
    """Click the tab of a page in the centre."""

    def click(window: Any, title: str) -> None:
        bar = window.centre.tabBar()
        place = next(place for place in range(bar.count()) if bar.tabText(place) == title)
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(place).center())

    return click


def field(window: Any, name: str) -> QLineEdit:
    fields = window.centre.tool.page().call.form.findChildren(QLineEdit)
    return next(one for one in fields if one.accessibleName() == name)


def test_forms_the_open_tool_and_expanded_servers_come_back(
    window: Any, schema: Any, paths: Any, settled: Any, again: Any, qtbot: Any
) -> None:
    window.context.go(ShowTool("demo", "send_email"))
    settled()
    qtbot.keyClicks(field(window, "note"), "the other one")
    window.context.go(ShowTool("demo", "list_orders"))
    settled()
    qtbot.keyClicks(field(window, "note"), "remember me")
    qtbot.keyClicks(field(window, "password"), "hunter2")
    qtbot.keyClicks(field(window, "pin"), "12345")
    window.servers.tree.setExpanded(window.servers.model.find("demo"), True)
    qtbot.waitUntil(lambda: paths.window_session.exists() and "remember me" in paths.window_session.read_text())
    settled()
    text = paths.window_session.read_text()
    assert "hunter2" not in text
    assert "12345" not in text
    assert stat.S_IMODE(paths.window_session.stat().st_mode) == 0o600
    second = again()
    qtbot.waitUntil(lambda: second.centre.tool.page() is not None)
    assert second.centre.currentWidget() is second.centre.tool
    assert second.centre.tool.page().tool.name == "list_orders"
    assert second.centre.tool.page().call.form.value() == {"note": "remember me"}
    assert second.servers.tree.isExpanded(second.servers.model.find("demo"))
    assert second.centre.tool.open_tools() == (("demo", "send_email"), ("demo", "list_orders"))
    second.context.go(ShowTool("demo", "send_email"))
    qtbot.waitUntil(lambda: second.centre.tool.page().tool.name == "send_email")
    assert second.centre.tool.page().call.form.value() == {"note": "the other one"}


def test_text_that_is_no_json_and_what_a_new_schema_has_no_field_for_come_back(
    window: Any, schema: Any, paths: Any, settled: Any, again: Any, qtbot: Any
) -> None:
    schema["schema"] = {"type": "object", "properties": {"note": {"type": "string"}, "limit": {"type": "integer"}}}
    window.context.go(ShowTool("demo", "send_email"))
    settled()
    window.commands.do("tool.json")
    form = window.centre.tool.page().call.form
    form.paste('{"note": "half')
    window.context.go(ShowTool("demo", "list_orders"))
    settled()
    window.centre.tool.page().call.form.set_value({"note": "kept", "limit": 7})
    field(window, "note").setFocus()
    qtbot.keyClicks(field(window, "note"), "!")
    window.close()  # writes at once
    schema["schema"] = {"type": "object", "properties": {"note": {"type": "string"}, "limit": {"type": "string"}}}
    second = again()
    qtbot.waitUntil(lambda: second.centre.tool.page() is not None)
    assert second.centre.tool.page().call.form.value() == {"note": "kept!", "limit": 7}
    second.context.go(ShowTool("demo", "send_email"))
    qtbot.waitUntil(lambda: second.centre.tool.page().tool.name == "send_email")
    assert second.centre.tool.page().call.form.draft() == {"text": '{"note": "half'}


def test_a_tool_that_is_gone_and_a_file_that_is_none_are_passed_over(
    window: Any, paths: Any, settled: Any, again: Any
) -> None:
    paths.window_session.parent.mkdir(parents=True, exist_ok=True)
    told = {"open": ["demo", "gone"], "expanded": ["nobody"], "forms": [["demo", "gone", '{"value": {}}']]}
    for text in (
        json.dumps(told),
        "{",
        "[]",
        '{"forms": 3}',
        '{"open": [1]}',
        "\x00",
        '{"forms": [[1, 2]]}',
        '{"pages": [3]}',
    ):
        paths.window_session.write_text(text)
        second = again()
        assert second.centre.tool.page() is None
        assert not second.banners.findChildren(QLineEdit)
        assert second.centre.currentWidget() is second.centre.welcome


@pytest.mark.parametrize(("left", "below"), [("skills", "audit"), ("files", "output")])
def test_the_panes_in_front_of_their_neighbours_come_back(
    window: Any, settled: Any, again: Any, qtbot: Any, left: str, below: str
) -> None:
    settled()
    window.resizeDocks([window.docks["output"]], [350], Qt.Orientation.Vertical)
    window.context.go(ShowTool("demo", "list_orders"))
    settled()
    for name in (left, below):
        window.docks[name].come()
    settled()
    window.close()
    second = again()
    qtbot.waitUntil(lambda: second.centre.tool.page() is not None)
    for name in (left, below):
        qtbot.waitUntil(lambda name=name: not second.docks[name].visibleRegion().isEmpty())
    shown = {name for name, dock in second.docks.items() if not dock.visibleRegion().isEmpty()}
    assert shown == {left, below, "runs"}
    assert second.docks[below].height() == window.docks[below].height() > 300, "the height that the user gave them"


def pages(window: Any) -> list[str]:
    return [window.centre.tabText(place) for place in range(window.centre.count())]


def test_the_pages_of_the_centre_come_back_with_the_same_one_in_front(
    window: Any, settled: Any, again: Any, qtbot: Any, press_tab: Any
) -> None:
    window.context.go(ShowTool("demo", "list_orders"))
    window.commands.do("editor.show")
    qtbot.keyClicks(window.centre.editor.current_tab().editor, "print(1)")
    window.context.go(ShowServer("demo", "log"))
    window.context.go(ShowSkill("weekly_report"))
    window.commands.do("settings.open")
    settled()
    before = pages(window)
    assert before == ["Welcome", "Tools", "Editor", "demo", "weekly_report", "Settings"]
    press_tab(window, "demo")
    window.close()
    window.centre.keep()
    second = again()
    qtbot.waitUntil(lambda: pages(second) == before, timeout=5_000)
    qtbot.waitUntil(lambda: second.centre.is_front("server"))
    sheet = second.centre.server.sheet()
    assert sheet is not None
    assert type(sheet.page()).__name__ == "LogPage"
    assert second.centre.editor.current_tab().text() == "print(1)"
    qtbot.waitUntil(lambda: second.centre.skill.page is not None)
    press_tab(second, "Settings")
    second.close()
    third = again()
    qtbot.waitUntil(lambda: third.centre.is_front("settings"))
    assert pages(third) == before


def test_pages_that_make_no_sense_any_more_do_not_come_back(
    window: Any, fake_core: Any, settled: Any, again: Any, qtbot: Any, press_tab: Any
) -> None:
    window.context.go(ShowServer("files", "log"))
    window.commands.do("settings.open")
    window.context.go(ShowSkill("first_try"))
    settled()
    window.close()
    del fake_core.skill_list["first_try"]
    del fake_core.server_states["files"]
    second = again()
    qtbot.waitUntil(lambda: pages(second) == ["Welcome", "Settings"])
    assert second.centre.is_front("welcome")


def test_a_page_that_the_user_closed_stays_closed_and_welcome_stays_in_front(
    window: Any, settled: Any, again: Any, qtbot: Any, press_tab: Any
) -> None:
    window.context.go(ShowTool("demo", "list_orders"))
    window.commands.do("settings.open")
    window.commands.do("tab.close")
    settled()
    press_tab(window, "Welcome")
    window.close()
    second = again()
    qtbot.waitUntil(lambda: pages(second) == ["Welcome", "Tools"])
    assert second.centre.is_front("welcome")


def test_the_centre_is_not_empty_when_nothing_comes_back(window: Any, again: Any, qtbot: Any) -> None:
    window.commands.do("settings.open")
    window.layout_file.welcome = False
    window.centre.hide_welcome()
    window.commands.do("tab.close")
    window.close()
    second = again()
    qtbot.waitUntil(lambda: second.centre.currentWidget() is second.centre.welcome)


def test_what_is_kept_has_a_bound_and_the_newest_stays(tmp_path: Path, qapp: Any) -> None:
    session = WindowSession(tmp_path / "deep" / "session.json")
    for number in range(12):
        session.note_form("demo", f"t{number}", lambda: {"text": "x" * (LONGEST // 2)})
    session.note_form("demo", "long", lambda: {"text": "x" * (LONGEST + 1)})
    session.note_form("demo", "secret", lambda: None)
    session.write()
    kept = WindowSession(tmp_path / "deep" / "session.json").forms()
    assert ("demo", "t11") in kept
    assert ("demo", "t0") not in kept
    assert not {("demo", "long"), ("demo", "secret")} & kept.keys()
    assert sum(len(str(draft)) for draft in kept.values()) <= 4_000_000


NAMES = st.sampled_from(["note", "limit", "password", "pin", "login", "api_key", "Authorization", "page"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just("public"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def sealed(value: Any, name: str = "") -> Any:
    """The same value with a secret in every text whose name says so, or that the schema says so of."""
    if isinstance(value, dict):
        return {key: sealed(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [sealed(one, name) for one in value]
    return "s3cr3t-value" if isinstance(value, str) and name in ("password", "api_key", "Authorization") else value


@given(value=st.dictionaries(NAMES, VALUES, max_size=4), as_text=st.booleans(), broken=st.booleans())
def test_no_secret_is_ever_in_a_draft_that_is_kept(value: Any, as_text: bool, broken: bool) -> None:
    value = sealed(value)
    text = json.dumps(value) + (" and more" if broken else "")
    draft = draft_without_secrets({"text": text} if as_text else {"value": value}, SCHEMA)
    assert "s3cr3t-value" not in json.dumps(draft)


def test_the_layout_of_a_text_without_secrets_is_kept(theme: Any, qtbot: Any) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    form.set_schema(SCHEMA)
    form.show_draft({"text": '{"note":   "as typed",\n "limit": 1e2}'})
    kept = draft_without_secrets(form.draft(), SCHEMA)
    assert kept == {"text": '{"note":   "as typed",\n "limit": 1e2}'}
    assert form.json_shown()
