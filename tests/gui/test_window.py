from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTabBar, QWidget

from workbench.errors import WorkbenchError
from workbench.events import AgentsChanged, Noticed, RunChanged, ServerChanged, ServerRemoved, SettingsChanged
from workbench.gui.shell.bridge import NOT_CONNECTED, Link, LinkState
from workbench.gui.shell.navigation import ShowTool
from workbench.records import AgentInfo, Fault, ServerStatus, Strength
from workbench.settings import DEFINITIONS, Settings


def shown(widget: Any) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def test_a_lost_core_is_said_and_the_strip_goes_when_it_is_back(window: Any) -> None:
    window.bridge.linked.emit(Link(LinkState.LOST))
    assert "The core stopped unexpectedly; restarting…" in shown(window.banners)
    assert not window.commands["server.add"].isEnabled()
    window.bridge.linked.emit(Link(LinkState.LINKED))
    assert "unexpectedly" not in shown(window.banners)
    assert window.commands["server.add"].isEnabled()


def test_what_was_asked_too_early_is_no_trouble_once_the_core_is_there(window: Any) -> None:
    window.context.tasks.failed.emit(NOT_CONNECTED)
    assert "not connected" in shown(window.banners)
    window.bridge.linked.emit(Link(LinkState.LINKED))
    assert not window.banners.visible_banners()


def test_after_the_last_try_a_person_gets_a_button(window: Any) -> None:
    window.bridge.linked.emit(Link(LinkState.BROKEN, fault=Fault("The core could not be started.", "See its log.")))
    assert "See its log." in shown(window.banners)
    assert window.commands["core.again"].isEnabled()


def test_what_was_typed_survives_a_lost_core(window: Any, settled: Any) -> None:
    window.servers.finder.setText("send")
    window.centre.editor.open_code("mine", "print(1)")
    window.bridge.linked.emit(Link(LinkState.LOST))
    window.bridge.linked.emit(Link(LinkState.LINKED))
    settled()
    assert window.servers.finder.text() == "send"
    assert window.centre.editor.current_tab().text() == "print(1)"


def test_a_fault_is_said_once_with_its_hint_and_a_storm_does_not_fill_the_window(window: Any) -> None:
    for _ in range(3):
        window.context.store.handle(Noticed(Fault("One thing is wrong.", "Mend it.")))
    assert len(window.banners.visible_banners()) == 1
    assert "Mend it." in shown(window.banners)
    for number in range(10):
        window.context.store.handle(Noticed(Fault(f"Fault {number}.")))
    assert [banner.fault.message for banner in window.banners.visible_banners()] == ["Fault 7.", "Fault 8.", "Fault 9."]


def test_why_a_server_did_not_start_goes_once_it_is_ready_or_removed(window: Any, fake_core: Any, settled: Any) -> None:
    def fail() -> None:
        for name in ("demo", "demo2"):
            window.context.store.handle(
                Noticed(Fault(f"{name}: The server did not answer within 20 seconds.", "Try again."))
            )

    def left() -> list[str]:
        return [banner.fault.message.partition(":")[0] for banner in window.banners.visible_banners()]

    state = fake_core.server_states["demo"]
    fail()
    window.context.store.handle(ServerChanged(replace(state, status=ServerStatus.STARTING)))
    assert left() == ["demo", "demo2"]
    window.context.store.handle(ServerChanged(replace(state, status=ServerStatus.READY)))
    assert left() == ["demo2"]
    fail()
    window.context.store.handle(ServerRemoved("demo2"))
    assert left() == ["demo"]


def test_foreign_words_in_a_fault_are_never_markup(window: Any) -> None:
    window.context.store.handle(Noticed(Fault("<a href='x'>press</a>", "<b>now</b>")))
    labels = window.banners.visible_banners()[0].findChildren(QLabel)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels if label.text())


def test_the_status_bar_tells_the_core_servers_sandbox_agents_and_tokens(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    status = window.status
    assert status.core.text().strip() == "Core running"
    assert status.sandbox.text().strip() == "Sandbox: full"
    assert status.tokens.text().strip() == "≈ 41.8k tokens saved since start"
    fake_core.strength = Strength("none", "none", {}, "User namespaces are forbidden here.", "Ask the administrator.")
    window.context.store.handle(AgentsChanged(()))
    qtbot.waitUntil(lambda: status.sandbox.text().strip() == "Sandbox: none")
    assert status.sandbox.text().strip() == "Sandbox: none"
    assert "forbidden" in status.sandbox.toolTip()
    agent = AgentInfo("s", "claude\u202e-code", "1", 0.0)
    fake_core.agents = (agent,)
    window.context.store.handle(AgentsChanged(fake_core.agents))
    qtbot.waitUntil(lambda: "‹U+202E›" in status.agents.text())


def test_f6_goes_through_all_panes_and_back(window: Any, qtbot: Any) -> None:
    window.activateWindow()
    window.docks["servers"].come()
    seen = []
    for _ in range(4):
        window.commands.do("pane.next")
        focus = QApplication.focusWidget()
        seen.append(
            next(
                name
                for name, place in [("centre", window.centre), *((n, d.pane) for n, d in window.docks.items())]
                if place is focus or place.isAncestorOf(focus)
            )
        )
    assert seen == ["centre", "runs", "output", "servers"]
    window.commands.do("pane.previous")
    assert window.output.isAncestorOf(QApplication.focusWidget()) or window.output is QApplication.focusWidget()


@pytest.mark.parametrize("name", ["servers", "skills", "runs", "output", "audit"])
def test_a_key_brings_the_keyboard_into_each_dock(window: Any, name: str, qtbot: Any) -> None:
    window.activateWindow()
    window.commands.do(f"pane.{name}")
    pane = window.docks[name].pane
    qtbot.waitUntil(lambda: not pane.visibleRegion().isEmpty())
    focus = QApplication.focusWidget()
    assert focus is pane or pane.isAncestorOf(focus)


def test_the_theme_is_switched_and_remembered_by_the_core(window: Any, fake_core: Any, settled: Any) -> None:
    window.commands.do("theme.switch")
    settled()
    assert not window.context.theme.dark
    assert ("change_setting", ("window.theme", "light")) in fake_core.asked


def close_button(centre: Any, page: Any) -> QWidget:
    return centre.tabBar().tabButton(centre.indexOf(page), QTabBar.ButtonPosition.RightSide)


def test_at_first_only_servers_and_the_centre_are_shown_and_a_run_brings_its_panes(
    qapp: Any, context: Any, make: Any, qtbot: Any
) -> None:
    from workbench.gui.main_window import MainWindow
    from workbench.gui.shell.bridge import Bridge

    async def nowhere() -> Any:
        raise WorkbenchError("No core here.", "None is needed.")

    window = MainWindow(context, Bridge(nowhere))
    qtbot.addWidget(window, before_close_func=lambda _: None)
    window.make_late_panes()
    window.show()
    assert [name for name, dock in window.docks.items() if not dock.isHidden()] == [
        "servers", "skills", "calls", "files",
    ]  # fmt: skip
    assert window.screen().availableGeometry().contains(window.frameGeometry())
    window.resize(5_000, 5_000)
    window.reset_layout()
    assert window.screen().availableGeometry().contains(window.frameGeometry())
    assert window.docks["runs"].isHidden()
    context.store.handle(RunChanged(make.run("first")))
    assert all(window.docks[name].isVisible() for name in ("runs", "output"))
    assert window.centre.height() > window.docks["output"].height()
    window.docks["runs"].hide()
    context.store.handle(RunChanged(make.run("second")))
    assert window.docks["runs"].isHidden(), "what the user closed stays closed"
    window.deleteLater()


def test_in_a_narrow_window_the_first_run_brings_its_pane_below(qapp: Any, context: Any, make: Any, qtbot: Any) -> None:
    from workbench.gui.main_window import MainWindow
    from workbench.gui.shell.bridge import Bridge

    async def nowhere() -> Any:
        raise WorkbenchError("No core here.", "None is needed.")

    window = MainWindow(context, Bridge(nowhere))
    qtbot.addWidget(window, before_close_func=lambda _: None)
    window.make_late_panes()
    window.show()
    window.resize(1024, 700)
    qtbot.wait(150)
    context.store.handle(RunChanged(make.run("first")))
    assert window.docks["runs"] in window.tabifiedDockWidgets(window.docks["audit"])
    window.deleteLater()


def test_pages_are_closed_and_come_back_as_they_were(window: Any, qtbot: Any) -> None:
    centre = window.centre
    window.context.go(ShowTool("demo", "list_orders"))
    qtbot.waitUntil(lambda: centre.currentWidget() is centre.tool)
    qtbot.mouseClick(close_button(centre, centre.tool), Qt.MouseButton.LeftButton)
    assert centre.indexOf(centre.tool) < 0
    window.commands.do("editor.show")
    assert centre.currentWidget() is centre.editor
    qtbot.mouseClick(close_button(centre, centre.editor), Qt.MouseButton.LeftButton)
    while centre.count() > 1:
        qtbot.mouseClick(close_button(centre, centre.currentWidget()), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(close_button(centre, centre.currentWidget()), Qt.MouseButton.LeftButton)
    assert centre.currentWidget() is centre.welcome, "the centre is never empty"
    window.context.go(ShowTool("demo", "list_orders"))
    assert centre.currentWidget() is centre.tool


def test_the_layout_and_the_closed_welcome_page_are_remembered(window: Any, qtbot: Any) -> None:
    from workbench.gui.main_window import MainWindow

    window.docks["runs"].hide()
    qtbot.mouseClick(close_button(window.centre, window.centre.welcome), Qt.MouseButton.LeftButton)
    window.close()
    assert window.isVisible()  # it leaves in order, not at once
    again = MainWindow(window.context, window.bridge)
    qtbot.addWidget(again, before_close_func=lambda _: None)
    assert again.docks["runs"].isHidden()
    assert again.centre.indexOf(again.centre.welcome) < 0
    again.deleteLater()


def test_the_centre_takes_the_room_of_the_panes_around_it_and_gives_it_back(window: Any, qtbot: Any) -> None:
    window.docks["audit"].hide()
    narrow = window.centre.width()
    window.commands.do("layout.room")
    assert window.docks["runs"].isHidden()
    assert not window.docks["servers"].isHidden()
    qtbot.waitUntil(lambda: window.centre.width() > narrow)
    window.commands.do("layout.room")
    assert not window.docks["runs"].isHidden()
    assert window.docks["audit"].isHidden(), "what was not there before does not come"


def test_the_welcome_page_starts_the_three_roads(window: Any, fake_core: Any, settled: Any) -> None:
    tool, ask, skill = (card.button for card in window.centre.welcome.cards)
    tool.setFocus()
    tool.click()
    settled()
    assert tool.hasFocus(), "not on the next card, where Enter would start something else"
    assert ("connect", ("demo",)) in fake_core.asked
    ask.click()
    settled()
    assert ("start_example_agent", ()) in fake_core.asked
    skill.click()
    assert not window.skills.visibleRegion().isEmpty()
    assert "demo is connected" in shown(window.centre.welcome)
    assert tool.text() == "Pick a tool"
    tool.click()
    assert window.servers.finder.hasFocus()


def test_the_welcome_page_takes_in_a_server_of_ones_own(window: Any, qtbot: Any) -> None:
    from workbench.gui.servers.add_server import AddServer

    button = next(one for one in window.centre.welcome.findChildren(QPushButton) if "Add a server" in one.text())
    button.click()
    qtbot.waitUntil(lambda: bool(window.findChildren(AddServer)))
    window.findChildren(AddServer)[0].reject()


def test_an_exception_nobody_foresaw_is_shown_with_its_traceback(window: Any) -> None:
    from workbench.gui.shell.tasks import describe

    try:
        raise ZeroDivisionError("deep inside")
    except ZeroDivisionError as fault:
        window.banners.show_fault(describe("the window", fault))
    banner = window.banners.visible_banners()[0]
    assert "deep inside" in banner.fault.message
    assert "ZeroDivisionError" in banner.fault.detail


def test_a_small_window_does_not_grow_by_what_is_opened_in_it(
    window: Any, make: Any, fake_core: Any, settled: Any
) -> None:
    window.resize(900, 600)
    window.servers.tree.setCurrentIndex(window.servers.model.index(0, 0))
    window.centre.tool.show_tool("demo", "delete_customer")
    window.centre.setCurrentWidget(window.centre.tool)
    settled()
    call = window.centre.tool.page().call
    call.question.ask("danger", "A sentence that asks.", "What would be sent.", "Run anyway", settled)
    fake_core.put_run(make.run("one"))
    for dock in ("audit", "output", "skills", "servers"):
        window.docks[dock].come()
        settled()
        assert (window.width(), window.height()) == (900, 600)


def test_what_was_wrong_before_the_window_came_is_said(window: Any, fake_core: Any, settled: Any) -> None:
    fake_core.notices = (Fault(".mcp.json cannot be read: line 3, column 49.", "A comma is missing."),)
    window.bridge.linked.emit(Link(LinkState.LINKED))
    settled()
    assert "line 3, column 49" in shown(window.banners)
    assert "A comma is missing." in shown(window.banners)


def test_what_just_happened_is_said_in_the_status_bar(window: Any, settled: Any) -> None:
    window.centre.setCurrentWidget(window.centre.editor)
    window.commands.do("front.start")
    assert "Nothing here can run" in window.status.said.full_text()
    assert window.status.said.width() > 200


def test_writing_a_program_begins_with_an_empty_one(window: Any, settled: Any, qtbot: Any) -> None:
    window.activateWindow()
    window.commands.do("editor.show")
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    qtbot.keyClicks(QApplication.focusWidget(), "print(1)")
    assert window.centre.editor.current_tab().text() == "print(1)"


def test_going_to_the_centre_puts_the_keyboard_into_the_first_field_of_the_tool(
    window: Any, settled: Any, qtbot: Any
) -> None:
    window.activateWindow()
    window.centre.tool.show_tool("demo", "list_orders")
    window.centre.setCurrentWidget(window.centre.tool)
    settled()
    window.commands.do("pane.centre")
    focus = QApplication.focusWidget()
    assert focus is not None
    assert window.centre.tool.page().call.form.isAncestorOf(focus)


def test_a_pane_that_the_stored_layout_does_not_contain_gets_a_tab_beside_its_neighbours(
    context: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.gui import main_window
    from workbench.gui.shell.bridge import Bridge

    async def nowhere() -> Any:
        raise WorkbenchError("No core here.", "None is needed.")

    def open_window() -> Any:
        made = main_window.MainWindow(context, Bridge(nowhere))
        qtbot.addWidget(made, before_close_func=lambda _: None)
        made.make_late_panes()
        made.show()
        return made

    panes = main_window.PANES
    monkeypatch.setattr(main_window, "PANES", tuple(entry for entry in panes if entry.name != "files"))
    before = open_window()
    before.close()
    monkeypatch.undo()
    after = open_window()
    assert after.docks["files"] in after.tabifiedDockWidgets(after.docks["servers"])
    assert after.docks["files"].isVisible()
    before.deleteLater()
    after.deleteLater()


def test_every_setting_of_the_window_is_applied_at_start_and_after_a_change(
    window: Any, fake_core: Any, bus: Any, settled: Any, theme: Any
) -> None:
    from workbench.gui.main_window import APPLIED_SETTINGS

    assert APPLIED_SETTINGS.keys() == {name for name in DEFINITIONS if name.startswith("window.")}
    window.apply_settings(Settings(window_theme="light", window_font_size=11))
    assert (theme.dark, QApplication.font().pointSize()) == (False, 11)
    fake_core.current_settings = Settings(window_theme="dark", window_font_size=12)
    bus.tell(SettingsChanged(("run.seconds",)))
    settled()
    assert not theme.dark, "another setting was changed"
    bus.tell(SettingsChanged(("window.font_size",)))
    settled()
    assert (theme.dark, QApplication.font().pointSize()) == (True, 12)
