"""Actions about tabs apply to whatever is in front: tools, programs, or the pages themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.gui.shell.navigation import ShowCall, ShowTool

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def press(window: Any, settled: Any) -> Callable[..., None]:
    """Press a key where the keyboard is."""

    def send(key: Qt.Key, modifiers: Qt.KeyboardModifier = CTRL) -> None:
        QTest.keyClick(QApplication.focusWidget() or window, key, modifiers)
        settled()

    return send


@pytest.fixture
def tools(window: Any, settled: Any) -> Any:
    """Three open tools; the last one is in front and its form has the keyboard."""
    window.activateWindow()
    for name in ("list_orders", "send_email", "delete_customer"):
        window.context.go(ShowTool("demo", name, enter=True))
        settled()
    return window.centre.tool


def front(pane: Any) -> str:
    return str(pane.page().tool.name)


def in_form(pane: Any) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and pane.page().call.form.isAncestorOf(focus)


def test_keys_step_through_the_open_tools_and_the_keyboard_stays_in_the_form(tools: Any, press: Any) -> None:
    for key, modifiers, name in (
        (Qt.Key.Key_Tab, CTRL, "list_orders"),
        (Qt.Key.Key_Backtab, CTRL | SHIFT, "delete_customer"),
        (Qt.Key.Key_PageUp, CTRL, "send_email"),
        (Qt.Key.Key_PageDown, CTRL, "delete_customer"),
    ):
        press(key, modifiers)
        assert (front(tools), in_form(tools)) == (name, True)
    press(Qt.Key.Key_PageUp, CTRL | SHIFT)
    assert [name for _, name in tools.open_tools()] == ["list_orders", "delete_customer", "send_email"]


def test_the_tool_in_front_is_closed_and_reopened_with_what_was_typed(tools: Any, press: Any) -> None:
    tools.page().call.form.set_value({"limit": 7})
    press(Qt.Key.Key_W)
    assert (front(tools), in_form(tools)) == ("send_email", True)
    press(Qt.Key.Key_W)
    assert [name for _, name in tools.open_tools()] == ["list_orders"]
    press(Qt.Key.Key_T, CTRL | SHIFT)
    assert (front(tools), in_form(tools)) == ("send_email", True)
    press(Qt.Key.Key_T, CTRL | SHIFT)
    assert front(tools) == "delete_customer"
    assert tools.page().call.form.value() == {"limit": 7}


def test_without_tabs_in_it_the_page_in_front_is_closed_and_reopened(tools: Any, window: Any, press: Any) -> None:
    for _ in range(3):
        press(Qt.Key.Key_W)
    assert window.centre.currentWidget() is tools
    assert tools.open_tools() == ()
    press(Qt.Key.Key_W)
    assert window.centre.indexOf(tools) < 0
    press(Qt.Key.Key_T, CTRL | SHIFT)
    assert window.centre.currentWidget() is tools
    press(Qt.Key.Key_T, CTRL | SHIFT)
    assert front(tools) == "list_orders"


def test_with_one_tab_in_it_the_next_page_comes(window: Any, settled: Any, press: Any) -> None:
    window.activateWindow()
    window.context.go(ShowTool("demo", "list_orders", enter=True))
    settled()
    press(Qt.Key.Key_Tab)
    assert window.centre.currentWidget() is window.centre.welcome
    press(Qt.Key.Key_Backtab, CTRL | SHIFT)
    assert window.centre.currentWidget() is window.centre.tool
    assert in_form(window.centre.tool)


def test_the_last_closed_tab_is_reopened_wherever_it_was(tools: Any, window: Any, press: Any, settled: Any) -> None:
    window.commands.do("editor.new")
    window.centre.editor.current_tab().editor.setPlainText("x = 1")
    press(Qt.Key.Key_W)
    assert window.centre.editor.tabs() == []
    window.activateWindow()  # offscreen, the editor's list of completions may leave no window active
    window.context.go(ShowTool("demo", "send_email", enter=True))
    settled()
    press(Qt.Key.Key_T, CTRL | SHIFT)
    assert window.centre.currentWidget() is window.centre.editor
    assert window.centre.editor.current_tab().text() == "x = 1"


def test_the_list_selects_the_tool_of_the_tab_in_front(tools: Any, window: Any, press: Any, qtbot: Any) -> None:
    def selected() -> tuple[str, bool]:
        tool = window.servers.model.tool_at(window.servers.tree.currentIndex())
        return ("" if tool is None else tool.name), window.servers.tree.hasFocus()

    press(Qt.Key.Key_Tab)
    assert selected() == ("list_orders", False)
    qtbot.mouseClick(tools.tabs, Qt.MouseButton.LeftButton, pos=tools.tabs.tabRect(1).center())
    qtbot.waitUntil(lambda: front(tools) == "send_email")
    assert selected() == ("send_email", False)
    window.centre.show_welcome()
    window.servers.show_tool("demo", "delete_customer")
    window.centre.setCurrentWidget(tools)
    assert selected() == ("send_email", False)


def test_an_opened_call_puts_the_keyboard_into_the_first_field(window: Any, settled: Any) -> None:
    window.activateWindow()
    window.docks["calls"].come()
    for _ in range(2):  # its page is made, then shown again
        window.calls.setFocus()
        window.context.go(ShowCall("demo", "list_orders", {"limit": 3}))
        settled()
        assert QApplication.focusWidget() is window.centre.tool.page().call.form.first_field()
