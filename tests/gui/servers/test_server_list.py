from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QStyleOptionViewItem,
    QTableView,
)

from tests.gui.screens.test_screens import shoot
from workbench.errors import WorkbenchError
from workbench.events import ToolsChanged
from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row, RowDelegate, RowsModel
from workbench.gui.servers.add_server import AddServer
from workbench.gui.servers.consent import ConsentList
from workbench.gui.servers.import_servers import PastedServers
from workbench.gui.servers.server_list import ServersPane
from workbench.records import Consent, Fault, ServerConfig, ServerState, ServerStatus


@pytest.fixture
def pane(window: Any) -> ServersPane:
    found: ServersPane = window.servers
    return found


def texts(widget: Any) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def question(window: Any, qtbot: Any) -> Question:
    qtbot.waitUntil(lambda: any(found.isVisible() for found in window.findChildren(Question)))
    return next(found for found in window.findChildren(Question) if found.isVisible())


def test_the_demo_server_connects_without_a_question_and_shows_its_tools(
    window: Any, pane: Any, fake_core: Any, settled: Any
) -> None:
    window.commands.do("demo.connect")
    settled()
    assert ("connect", ("demo",)) in fake_core.asked
    assert pane.tree.isExpanded(pane.model.find("demo"))
    assert "pid 1234" in texts(pane.card)


def test_a_first_start_shows_the_whole_command_and_waits(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    pane.show_tool("files")
    window.commands.do("server.connect")
    dialog = question(window, qtbot)
    shown = dialog.findChild(QPlainTextEdit).toPlainText()
    assert shown == "npx -y @acme/files ."
    assert not [asked for asked in fake_core.asked if asked[0] == "connect"]
    press(dialog, "Start the server")
    qtbot.waitUntil(lambda: ("connect", ("files",)) in fake_core.asked)
    assert fake_core.agreed == "a" * 64  # what was shown, and nothing else
    settled()


def test_where_a_secret_would_go_is_said_before_an_address_is_spoken_to(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    warning = "Your stored secret “github” is sent to evil.example."
    told = "https://evil.example/mcp\nAuthorization: Bearer ${keyring:github}"
    fake_core.consents["files"] = Consent("files", told, "b" * 64, warnings=(warning,), remote=True)
    pane.show_tool("files")
    window.commands.do("server.connect")
    dialog = question(window, qtbot)
    assert dialog.findChild(QPlainTextEdit).toPlainText() == told
    assert warning in texts(dialog)
    assert "will run on your computer" not in texts(dialog)
    shoot(dialog, "consent-remote")
    press(dialog, "Connect")
    qtbot.waitUntil(lambda: fake_core.agreed == "b" * 64)
    settled()


def test_escape_on_the_question_starts_nothing(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    pane.show_tool("files")
    window.commands.do("server.connect")
    qtbot.keyClick(question(window, qtbot), Qt.Key.Key_Escape)
    settled()
    assert not [asked for asked in fake_core.asked if asked[0] == "connect"]
    assert window.commands["server.connect"].isEnabled()


def test_a_server_that_fails_while_another_pane_is_in_front_says_so_above_everything(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.connect_fault = Fault("The server could not be started.", "Install Node.js.")
    fake_core.put(replace(fake_core.server_states["files"], allowed=True))
    settled()
    pane.show_tool("files")
    window.docks["skills"].come()
    qtbot.waitUntil(lambda: pane.visibleRegion().isEmpty())
    window.commands.do("server.connect")
    qtbot.waitUntil(lambda: bool(window.banners.visible_banners()))
    assert [banner.fault.message for banner in window.banners.visible_banners()] == [
        "files: The server could not be started."
    ]


def test_a_server_that_fails_says_why_what_to_do_and_what_it_wrote(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.connect_fault = Fault(
        "The server “files” could not be started.", "Install Node.js.", "sh: npx: not found"
    )
    fake_core.put(replace(fake_core.server_states["files"], allowed=True))
    settled()
    pane.show_tool("files")
    window.commands.do("server.connect")
    settled()
    assert "could not be started" in texts(pane.card)
    assert "Install Node.js." in texts(pane.card)
    assert not window.banners.visible_banners()  # said once, where it belongs
    log = pane.card.findChild(QPlainTextEdit)
    assert "sh: npx: not found" in texts(pane.card), "the line that says most"
    assert not log.isVisible()
    qtbot.mouseClick(button(pane.card, "Error output"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "404 Not Found" in log.toPlainText())
    assert log.toPlainText().count("npx: not found") == 1
    assert button(pane.card, "Connect").isEnabled()


def test_the_card_keeps_its_height_while_a_server_starts(window: Any, pane: Any, fake_core: Any, settled: Any) -> None:
    state = replace(fake_core.server_states["files"], allowed=True)
    heights = set()
    for change in (
        {},
        {"status": ServerStatus.STARTING},
        {"status": ServerStatus.READY, "pid": 7, "title": "Everything", "version": "2", "protocol": "2025-06-18"},
    ):
        fake_core.put(replace(state, **change))
        settled()
        pane.show_tool("files")
        settled()
        heights.add(pane.card.height())
    assert len(heights) == 1


def test_only_what_is_possible_is_enabled(window: Any, pane: Any, fake_core: Any, settled: Any) -> None:
    def able() -> set[str]:
        return {name for name in ("connect", "disconnect", "remove") if window.commands[f"server.{name}"].isEnabled()}

    pane.show_tool("files")
    assert able() == {"connect", "remove"}
    window.commands.do("demo.connect")
    settled()
    assert able() == {"disconnect"}


def test_disconnecting_and_removing_ask_the_core(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    window.commands.do("demo.connect")
    settled()
    window.commands.do("server.disconnect")
    settled()
    assert pane.selected_server().status is ServerStatus.STOPPED
    pane.show_tool("files")
    window.commands.do("server.remove")
    qtbot.waitUntil(lambda: not pane.model.find("files").isValid())


def test_a_restart_stops_the_server_and_starts_it_again(window: Any, pane: Any, fake_core: Any, settled: Any) -> None:
    window.commands.do("demo.connect")
    settled()
    fake_core.asked.clear()
    window.commands.do("server.restart")
    settled()
    assert [name for name, _ in fake_core.asked if name in ("connect", "disconnect")] == ["disconnect", "connect"]
    assert pane.selected_server().status is ServerStatus.READY


def test_the_card_makes_its_pane_no_wider_whatever_becomes_of_the_server(
    window: Any, pane: Any, fake_core: Any, settled: Any
) -> None:
    pane.show_tool("demo")
    settled()
    wide = window.docks["servers"].width()
    for action in ("demo.connect", "server.restart", "server.disconnect"):
        window.commands.do(action)
        settled()
        assert window.docks["servers"].width() == wide, action


def test_the_filter_opens_the_first_find_by_enter_and_goes_by_escape(
    window: Any, pane: Any, qtbot: Any, settled: Any
) -> None:
    qtbot.keyClicks(pane.finder, "mail")
    qtbot.keyClick(pane.finder, Qt.Key.Key_Return)
    settled()
    assert window.centre.currentWidget() is window.centre.tool
    assert window.centre.tool.page().tool.name == "send_email"
    qtbot.keyClick(pane.finder, Qt.Key.Key_Escape)
    assert pane.finder.text() == ""


def test_enter_on_a_tool_puts_the_keyboard_into_its_form(window: Any, pane: Any, qtbot: Any, settled: Any) -> None:
    pane.show_tool("demo", "list_orders")
    pane.tree.setFocus()
    qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    settled()
    assert window.centre.tool.isAncestorOf(QApplication.focusWidget())
    pane.tree.setFocus()
    qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    assert window.centre.tool.isAncestorOf(QApplication.focusWidget()), "also when its sheet is there already"


def paint_row(theme: Any, row: Row, width: int) -> QImage:
    picture = QImage(width, 24, QImage.Format.Format_ARGB32)
    picture.fill(theme.colour("surface"))
    model, option = RowsModel(), QStyleOptionViewItem()
    model.show_rows([row])
    option.rect = picture.rect()  # type: ignore[attr-defined]  # PySide6's stubs lack the fields of options
    painter = QPainter(picture)
    RowDelegate(theme).paint(painter, option, model.index(0))
    painter.end()
    return picture


def test_a_danger_is_painted_where_there_is_hardly_room(window: Any) -> None:
    row = Row("k", "delete_customer_for_good", badges=(("destructive", "danger"),))

    def red(narrow: Row) -> bool:
        picture = paint_row(window.context.theme, narrow, 170)
        soft = window.context.theme.soft("danger")
        return any(picture.pixelColor(x, y) == soft for x in range(170) for y in range(24))

    assert red(row)
    assert not red(replace(row, badges=()))


def test_a_filter_that_finds_nothing_says_so_and_offers_a_way_back(pane: Any, qtbot: Any) -> None:
    pane.finder.setText("nothing like it")
    qtbot.waitUntil(lambda: "No matches" in texts(pane))
    next(button for button in pane.findChildren(QPushButton) if button.text() == "Clear the filter").click()
    qtbot.waitUntil(lambda: pane.tree.isVisible())


def test_what_was_open_and_chosen_stays_so_when_the_core_comes_back(window: Any, pane: Any, settled: Any) -> None:
    window.commands.do("demo.connect")
    settled()
    pane.show_tool("demo", "send_email")
    window.context.store.load()
    settled()
    assert pane.model.tool_at(pane.tree.currentIndex()).name == "send_email"
    assert pane.tree.isExpanded(pane.model.find("demo"))


def test_a_server_that_hangs_at_its_start_does_not_hold_up_the_others(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    gate, asked = asyncio.Event(), []

    async def connect(server: str, sha: str = "", automatic: bool = False) -> ServerState:
        asked.append(server)
        await gate.wait()
        raise WorkbenchError("The server did not answer.", "Try again.")

    fake_core.connect = connect
    for name in ("files", "slow"):
        fake_core.put(replace(fake_core.server_states["files"], config=ServerConfig(name, command=name), allowed=True))
    settled()
    for name in ("files", "files", "slow"):
        pane.show_tool(name)
        window.commands.do("server.connect")
    qtbot.waitUntil(lambda: asked == ["files", "slow"])
    pane.show_tool("demo")
    gate.set()
    qtbot.waitUntil(lambda: "slow: The server did not answer." in texts(window.banners))


def test_changes_of_many_servers_at_once_are_read_together(
    window: Any, pane: ServersPane, fake_core: Any, qtbot: Any
) -> None:
    asked = 0
    read = fake_core.tools

    async def tools() -> Any:
        nonlocal asked
        asked += 1
        return await read()

    fake_core.tools = tools
    fake_core.tool_list[0] = replace(fake_core.tool_list[0], title="Another title")
    for _ in range(30):
        window.context.store.handle(ToolsChanged("demo"))
        window.context.store.handle(ToolsChanged("files"))
    qtbot.waitUntil(lambda: pane.model.tool_at(pane.model.find("demo", "list_orders")).title == "Another title")
    assert asked == 1


def test_the_sheet_follows_whoever_walks_through_the_list(
    window: Any, pane: ServersPane, qtbot: Any, settled: Any
) -> None:
    window.activateWindow()
    window.centre.setCurrentWidget(window.centre.tool)
    pane.tree.setFocus()
    qtbot.waitUntil(pane.tree.hasFocus)
    pane.show_tool("demo", "list_orders")
    qtbot.waitUntil(lambda: window.centre.tool.page() is not None)
    qtbot.keyClick(pane.tree, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.centre.tool.page().tool.name == "send_email")
    assert pane.tree.hasFocus()
    window.centre.setCurrentWidget(window.centre.editor)
    pane.tree.setFocus()
    qtbot.waitUntil(pane.tree.hasFocus)
    qtbot.keyClick(pane.tree, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: not pane.follow_timer.isActive())
    settled()
    assert window.centre.currentWidget() is window.centre.editor


def test_letters_typed_in_the_list_filter_it_and_the_choice_stays(window: Any, pane: ServersPane, qtbot: Any) -> None:
    window.activateWindow()
    pane.show_tool("demo", "send_email")
    pane.tree.setFocus()
    qtbot.waitUntil(pane.tree.hasFocus)
    qtbot.keyClicks(pane.tree, "s")
    qtbot.waitUntil(pane.finder.hasFocus)
    qtbot.keyClicks(pane.finder, "end")
    qtbot.waitUntil(lambda: not pane.model.find("demo", "list_orders").isValid())
    assert pane.finder.text() == "send"
    assert pane.model.tool_at(pane.tree.currentIndex()).name == "send_email"
    qtbot.keyClick(pane.finder, Qt.Key.Key_Down)
    qtbot.waitUntil(pane.tree.hasFocus)


def test_another_file_behind_the_command_asks_again_and_says_so(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    fake_core.put(replace(fake_core.server_states["files"], allowed=True))
    settled()
    real, asked = fake_core.connect, []

    async def connect(server: str, sha: str = "", automatic: bool = False) -> ServerState:
        asked.append(server)
        if len(asked) == 1:
            state = replace(
                fake_core.server_states[server], allowed=False, doubt="npx is now a different file: /tmp/npx"
            )
            fake_core.server_states[server] = state
            raise WorkbenchError("It was not started.", "Look at it.")
        answer: ServerState = await real(server)
        return answer

    fake_core.connect = connect
    pane.show_tool("files")
    window.commands.do("server.connect")
    dialog = question(window, qtbot)
    assert "npx is now a different file: /tmp/npx" in texts(dialog)
    press(dialog, "Start the server")
    qtbot.waitUntil(lambda: asked == ["files", "files"])
    settled()
    assert pane.model.state("files").status is ServerStatus.READY


def test_a_removed_server_can_be_put_back_from_the_status_bar(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    pane.show_tool("files")
    window.commands.do("server.remove")
    qtbot.waitUntil(lambda: not pane.model.find("files").isValid())
    settled()
    assert window.status.offer.isVisible()
    assert "Removed files" in window.status.message()
    window.status.offer.click()
    qtbot.waitUntil(lambda: pane.model.find("files").isValid())
    settled()
    assert not window.status.offer.isVisible()
    assert not window.commands["server.restore"].isEnabled()


def test_a_server_that_could_not_be_restored_can_be_restored_later(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any, monkeypatch: Any
) -> None:
    async def restore_server(server: str) -> ServerState:
        raise WorkbenchError(f"The project already has a server named {server}.", "Rename that server first.")

    pane.show_tool("files")
    window.commands.do("server.remove")
    qtbot.waitUntil(lambda: not pane.model.find("files").isValid())
    settled()
    with monkeypatch.context() as patch:
        patch.setattr(fake_core, "restore_server", restore_server)
        qtbot.mouseClick(window.status.offer, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: "already has a server named files" in texts(window.banners))
        settled()
    assert window.commands["server.restore"].isEnabled()
    window.commands.do("server.restore")
    qtbot.waitUntil(lambda: pane.model.find("files").isValid())
    settled()
    assert not window.commands["server.restore"].isEnabled()


def test_the_key_of_edit_acts_only_in_the_list_of_servers(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.put_files({"notes.txt": "x"})
    pane.show_tool("files")
    window.activateWindow()
    for name in ("skills", "files", "calls"):
        window.docks[name].come()
        settled()
        window.commands.do(f"pane.{name}")
        focus = QApplication.focusWidget()
        assert focus is not None
        assert not pane.isAncestorOf(focus)
        qtbot.keyClick(focus, Qt.Key.Key_F2)
        settled()
        assert not window.findChildren(AddServer)
        for dialog in window.findChildren(QDialog):  # in other lists the key may rename
            dialog.reject()
    window.commands.do("pane.servers")
    assert pane.tree.hasFocus()
    qtbot.keyClick(pane.tree, Qt.Key.Key_F2)
    qtbot.waitUntil(lambda: bool(window.findChildren(AddServer)))
    assert window.findChildren(AddServer)[0].windowTitle() == "Edit files"


def test_servers_are_moved_by_keyboard_and_stay_chosen(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    for name in ("b", "c"):
        fake_core.put(ServerState(ServerConfig(name, "x")))
    settled()
    pane.show_tool("c")
    qtbot.keyClick(pane.tree, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: ("move_server", ("c", "b")) in fake_core.asked)
    settled()
    assert pane.selected_server().config.name == "c"
    assert [pane.model.server_at(pane.model.index(row, 0)).config.name for row in range(4)] == [
        "files",
        "c",
        "b",
        "demo",
    ]
    qtbot.keyClick(pane.tree, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: ("move_server", ("b", "c")) in fake_core.asked)
    settled()


def test_a_server_is_copied_switched_and_edited(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    pane.show_tool("files")
    window.commands.do("server.duplicate")
    qtbot.waitUntil(lambda: pane.selected_server().config.name == "files-2")
    pane.show_tool("files")
    window.commands.do("server.switch")
    qtbot.waitUntil(lambda: pane.model.state("files").config.disabled)
    settled()
    window.commands.do("server.edit")
    qtbot.waitUntil(lambda: bool(window.findChildren(AddServer)))
    dialog = window.findChildren(AddServer)[0]
    assert dialog.command.text() == "npx -y @acme/files ."
    dialog.category.setText("work")
    dialog.button("Save").click()
    qtbot.waitUntil(lambda: pane.model.category_at(pane.model.index(1, 0)) == "work")
    settled()
    pane.tree.setCurrentIndex(pane.model.index(1, 0))
    qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    assert not pane.model.find("files").isValid()
    assert pane.model.category_at(pane.tree.currentIndex()) == "work"


def test_an_added_server_is_chosen_so_that_the_next_step_is_there(
    window: Any, pane: Any, qtbot: Any, settled: Any
) -> None:
    window.commands.do("server.add")
    qtbot.waitUntil(lambda: bool(window.findChildren(AddServer)))
    dialog = window.findChildren(AddServer)[0]
    dialog.paste.setText("npx -y @acme/notes")
    dialog.button("Add").click()
    qtbot.waitUntil(lambda: pane.selected_server() is not None and pane.selected_server().config.name == "notes")
    settled()
    assert "Connect it" in window.status.message()


def test_the_menu_of_a_row_offers_what_is_possible(window: Any, pane: Any, qtbot: Any) -> None:
    pane.show_tool("files")
    menu = pane.server_commands.menu()
    words = [action.objectName() for action in menu.actions()]
    assert {"server.connect", "server.edit", "server.remove"} <= set(words)
    assert "server.disconnect" not in words
    menu.deleteLater()


ENTRIES = {f"s{number:02}": {"command": "npx", "args": ["-y", f"@acme/s{number}"]} for number in range(14)}
WHOLE = {"mcpServers": ENTRIES}


def button(top: Any, words: str) -> Any:
    return next(one for one in top.findChildren(QPushButton) if one.text() == words and one.isVisible())


def shown(window: Any, kind: type[Any], qtbot: Any) -> Any:
    qtbot.waitUntil(lambda: any(one.isVisible() for one in window.findChildren(kind)))
    return next(one for one in window.findChildren(kind) if one.isVisible())


def test_add_and_connect_asks_once_with_the_whole_command(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    window.commands.do("server.add")
    dialog = shown(window, AddServer, qtbot)
    dialog.paste.setText("npx -y @acme/notes")
    qtbot.mouseClick(button(dialog, "Add and connect"), Qt.MouseButton.LeftButton)
    question = shown(window, Question, qtbot)
    assert question.windowTitle() == "Start “notes” for the first time?"
    assert "npx -y @acme/notes" in question.findChild(PlainEdit).text()
    press(question, "Start the server")
    qtbot.waitUntil(lambda: ("connect", ("notes",)) in fake_core.asked)
    settled()
    assert fake_core.agreed == "a" * 64


def test_a_second_ctrl_return_does_not_start_a_command_unread(
    window: Any, pane: Any, fake_core: Any, qtbot: Any
) -> None:
    window.commands.do("server.add")
    dialog = shown(window, AddServer, qtbot)
    dialog.paste.setText("npx -y @acme/notes")
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    question = shown(window, Question, qtbot)
    question.activateWindow()
    qtbot.waitUntil(question.isActiveWindow)
    qtbot.keyClick(question, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert question.isVisible()
    assert not [asked for asked in fake_core.asked if asked[0] == "connect"]
    qtbot.waitUntil(question.submit.isEnabled)
    qtbot.keyClick(question, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: ("connect", ("notes",)) in fake_core.asked)


def test_a_pasted_configuration_offers_all_of_its_servers_and_connects_them_in_one_question(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any, press: Any
) -> None:
    window.commands.do("server.add")
    dialog = shown(window, AddServer, qtbot)
    dialog.paste.setText(json.dumps(WHOLE))
    several = shown(window, PastedServers, qtbot)
    qtbot.waitUntil(lambda: len(several.found_rows) == 14 and several.add_and_connect.isEnabled())
    assert [row.ticked() for row in several.found_rows] == [True] * 14
    qtbot.keyClick(several, Qt.Key.Key_Escape)  # back to what was pasted
    assert json.loads(dialog.paste.text()) == WHOLE
    text, _ = dialog.paste.text(), dialog.paste.clear()
    dialog.paste.setText(text)
    several = shown(window, PastedServers, qtbot)
    qtbot.waitUntil(lambda: len(several.found_rows) == 14 and several.add_and_connect.isEnabled())
    several.found_rows[0].box.setChecked(False)
    qtbot.mouseClick(several.add_and_connect, Qt.MouseButton.LeftButton)
    question = shown(window, ConsentList, qtbot)
    told = [box.text() for box in question.findChildren(PlainEdit) if box.isVisible()]
    assert told == [f"npx -y @acme/s{number}" for number in range(1, 14)]
    ticks = [box for box in question.findChildren(TickBox) if box.isChecked()]
    ticks[0].setChecked(False)
    press(question, "Connect ticked servers")
    connected = {f"s{number:02}" for number in range(2, 14)}
    settled()
    qtbot.waitUntil(lambda: {words[0] for name, words in fake_core.asked if name == "connect"} == connected)
    settled()
    assert "s00" not in fake_core.server_states
    assert fake_core.server_states["s01"].status is ServerStatus.STOPPED
    assert not any(one.isVisible() for one in window.findChildren(QDialog))


def test_servers_that_are_chosen_together_are_asked_about_together(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    for name in ("one", "two"):
        fake_core.put(ServerState(ServerConfig(name, "npx", (name,))))
    settled()
    window.commands.do("servers.all")
    settled()
    table = next(view for view in window.centre.currentWidget().findChildren(QTableView) if view.isVisible())
    table.selectAll()
    qtbot.mouseClick(button(window.centre.currentWidget(), "Connect"), Qt.MouseButton.LeftButton)
    question = shown(window, ConsentList, qtbot)
    assert len(question.findChildren(TickBox)) == 3
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    settled()
    assert {words[0] for name, words in fake_core.asked if name == "connect"} <= {"demo"}


def test_a_form_that_was_left_opens_again_with_what_was_typed(window: Any, pane: Any, qtbot: Any) -> None:
    window.commands.do("server.add")
    dialog = shown(window, AddServer, qtbot)
    dialog.paste.setText("{ broken")
    dialog.name.setText("mine")
    dialog.variables.setPlainText("KEY=1\nOTHER=2")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not any(one.isVisible() for one in window.findChildren(AddServer)))
    window.commands.do("server.add")
    again = shown(window, AddServer, qtbot)
    assert (again.paste.text(), again.name.text(), again.variables.text()) == ("{ broken", "mine", "KEY=1\nOTHER=2")
    again.reject()


def test_what_cannot_be_added_stays_with_a_sentence(
    window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    window.commands.do("server.add")
    dialog = shown(window, AddServer, qtbot)
    dialog.paste.setText(json.dumps({"demo": {"command": "x"}, "empty": {"args": []}, "good": {"command": "y"}}))
    several = shown(window, PastedServers, qtbot)
    qtbot.waitUntil(lambda: len(several.found_rows) == 3 and several.add.isEnabled())
    ticked = {row.found.config.name: (row.ticked(), row.box.isEnabled()) for row in several.found_rows}
    assert ticked == {"demo": (False, True), "empty": (False, False), "good": (True, True)}
    several.found_rows[0].box.setChecked(True)
    several.found_rows[0].conflict.setCurrentIndex(1)
    settled()
    qtbot.mouseClick(several.add, Qt.MouseButton.LeftButton)
    settled()
    assert several.isVisible()
    assert "demo: The name demo is taken" in several.fault.sentence()
    assert "good" in fake_core.server_states
    several.reject()
    dialog.reject()


def menu_action(pane: Any, text: str) -> Any:
    return next(action for action in pane.server_commands.menu().actions() if action.text() == text)


def test_the_menu_of_a_tool_acts_on_that_tool(window: Any, pane: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    pane.show_tool("demo", "send_email")
    texts = [action.text() for action in pane.server_commands.menu().actions()]
    assert texts == ["Open", "Run", "Save call…", "Trust…", "Copy name", "Copy definition"]
    menu_action(pane, "Copy name").trigger()
    assert QApplication.clipboard().text() == "send_email"
    menu_action(pane, "Copy definition").trigger()
    qtbot.waitUntil(lambda: '"name": "send_email"' in QApplication.clipboard().text())
    menu_action(pane, "Open").trigger()
    settled()
    assert window.centre.tool.page().tool.name == "send_email"
    window.commands.bind("front.start", lambda: fake_core.note("started"))
    pane.show_tool("demo", "list_orders")
    menu_action(pane, "Run").trigger()
    qtbot.waitUntil(lambda: ("started", ()) in fake_core.asked)
    assert window.centre.tool.page().tool.name == "list_orders"


def test_a_selected_tool_stays_selected_when_the_definitions_change(
    window: Any, pane: Any, fake_core: Any, make: Any, qtbot: Any, settled: Any
) -> None:
    window.commands.do("demo.connect")
    settled()
    pane.show_tool("demo", "send_email")
    fake_core.tool_list[1] = replace(fake_core.tool_list[1], mark="changed")
    fake_core.tool_list.insert(0, make.tool("demo", "brand_new"))
    window.context.store.handle(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: pane.model.find("demo", "brand_new").isValid())
    assert pane.model.tool_at(pane.tree.currentIndex()).name == "send_email"
    del fake_core.tool_list[2]
    window.context.store.handle(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: not pane.model.find("demo", "send_email").isValid())
    assert pane.selected_server().config.name == "demo", "the server of a tool that is gone"


def test_a_new_server_far_down_is_selected_and_in_sight(window: Any, pane: Any, fake_core: Any, settled: Any) -> None:
    for number in range(80):
        fake_core.put(ServerState(ServerConfig(f"s{number:02}", "npx")))
    settled()
    pane.show_tool("s79")
    assert pane.tree.viewport().rect().intersects(pane.tree.visualRect(pane.model.find("s79")))


def test_badges_without_room_are_icons(window: Any) -> None:
    row = Row("k", "trigger-long-running-operation", badges=(("reads", "success"), ("reaches out", "info")))

    def right_column(shown: Row) -> set[str]:
        picture = paint_row(window.context.theme, shown, 260)
        return {picture.pixelColor(x, y).name() for x in range(205, 260) for y in range(24)}

    both, one = replace(row, title="x" * 60), replace(row, title="x" * 60, badges=(("reads", "success"),))
    assert right_column(both) != right_column(one), "each badge has its icon"
    assert len(right_column(replace(row, badges=()))) < len(right_column(row))
