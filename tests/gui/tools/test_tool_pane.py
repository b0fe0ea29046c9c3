"""The tool pane: step by step, asked before harm, and nothing typed lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QCursor, QGuiApplication, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton, QScrollArea, QToolButton, QWidget

from workbench.errors import WorkbenchError
from workbench.events import CallProgress, ServerChanged, ToolsChanged
from workbench.gui.forms.field import Field
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.shell.context import Message
from workbench.gui.shell.keyboard import FocusKeys
from workbench.gui.shell.navigation import Search, ShowCode, ShowTool
from workbench.gui.tools import call_panel
from workbench.gui.tools.call_panel import CallPanel
from workbench.gui.tools.tool_page import WRAPPER
from workbench.gui.tools.tool_pane import ToolPane
from workbench.records import CallDecision, Companion, Content, Fault, Outcome, Permission, Tool, ToolCall


@pytest.fixture
def calls(fake_core: Any) -> list[ToolCall]:
    """What reached the core; delete_customer wants to be confirmed."""
    made: list[ToolCall] = []

    async def call(call: ToolCall) -> Outcome:
        made.append(call)
        if call.tool == "delete_customer" and not call.confirmed:
            fault = Fault("delete_customer destroys data for good.", "Check the arguments.")
            return Outcome(call.id, False, fault=fault, needs_confirmation=True, asks="destroys")
        return Outcome(call.id, True, (Content("text", "hello"),), ms=12, bytes=5, tokens=2)

    fake_core.call = call
    return made


@pytest.fixture
def pane(context: Any, qtbot: Any, calls: list[ToolCall]) -> ToolPane:
    made = ToolPane(context)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def button(panel: QWidget, text: str) -> QPushButton:
    """The visible button with this text."""
    return next(one for one in panel.findChildren(QPushButton) if one.text() == text and one.isVisible())


def press(panel: QWidget, text: str, qtbot: Any) -> None:
    qtbot.mouseClick(button(panel, text), Qt.MouseButton.LeftButton)


def open_tool(pane: ToolPane, qtbot: Any, name: str) -> None:
    pane.show_tool("demo", name)
    qtbot.waitUntil(lambda: pane.page() is not None and pane.page().tool.name == name)


def test_ctrl_enter_calls_and_the_answer_stands_beside_the_form(pane: ToolPane, calls: list[Any], qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    panel.form.set_value({"limit": 5})
    with qtbot.waitSignal(pane.context.messages.said) as said:
        qtbot.keyClick(panel, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert calls[0].arguments == {"limit": 5}
    assert not calls[0].confirmed
    assert said.args == [Message("Done · 12 ms · 5 B · ≈ 2 tokens")]
    assert panel.form.isVisible()
    assert panel.answer.result.isVisible()


def test_a_destructive_tool_asks_in_place_and_cancel_has_the_keyboard(
    pane: ToolPane, calls: list[Any], qtbot: Any
) -> None:
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.page().call
    panel.run()
    qtbot.waitUntil(lambda: panel.question.isVisible())
    assert panel.question.sentence() == "delete_customer destroys data for good."
    assert button(panel, "Cancel").hasFocus()
    qtbot.keyClick(panel.question, Qt.Key.Key_Escape)
    assert panel.question.isHidden()
    assert len(calls) == 1
    panel.run()
    qtbot.waitUntil(lambda: panel.question.isVisible())
    press(panel, "Call once", qtbot)
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Done"))
    assert [call.confirmed for call in calls] == [False, False, True]


def test_an_answer_is_about_the_arguments_that_were_shown(
    pane: ToolPane, calls: list[Any], fake_core: Any, qtbot: Any
) -> None:
    """The form can be edited while the core is asked; what was not shown is never sent as confirmed."""
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.page().call
    answer, gate = fake_core.call, asyncio.Event()

    async def slow(call: ToolCall) -> Outcome:
        await gate.wait()
        outcome: Outcome = await answer(call)
        return outcome

    fake_core.call = slow
    panel.form.set_value({"limit": 1})
    panel.run()
    qtbot.waitUntil(lambda: panel.running)
    panel.form.set_value({"limit": 2})
    gate.set()
    qtbot.waitUntil(lambda: panel.question.isVisible())
    press(panel, "Call once", qtbot)
    qtbot.waitUntil(lambda: len(calls) == 2)
    assert [(call.arguments, call.confirmed) for call in calls] == [({"limit": 1}, False), ({"limit": 2}, False)]


def test_the_keyboard_comes_to_the_first_field_and_stays_on_the_button_that_runs(
    pane: ToolPane, calls: list[Any], context: Any, qtbot: Any
) -> None:
    many: dict[str, Any] = {
        "type": "object",
        "properties": {f"field_{number}": {"type": "string"} for number in range(15)},
    }
    many["required"] = ["field_0"]
    panel = CallPanel(context, Tool("demo", "many", input_schema=many))
    qtbot.addWidget(panel)
    panel.show()
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    panel.setFocus()
    assert panel.form.first_field() is panel.focusWidget()
    assert panel.focusWidget().property("kind") != "search", "not the filter above the fields"
    panel.form.set_value({"field_0": "x"})
    button(panel, "Run").setFocus()
    qtbot.keyClick(button(panel, "Run"), Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Done"))
    assert button(panel, "Run").hasFocus()


@pytest.mark.parametrize(("words", "tool"), [("Always call this tool", "delete_customer"), ("Trust this server", "")])
def test_a_lasting_yes_is_kept_for_own_calls_and_the_call_goes_out(
    pane: ToolPane, calls: list[Any], fake_core: Any, qtbot: Any, words: str, tool: str
) -> None:
    kept: list[Permission] = []

    async def set_permission(rule: Permission) -> Permission:
        kept.append(rule)
        return rule

    fake_core.set_permission = set_permission
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.page().call
    panel.run()
    qtbot.waitUntil(lambda: panel.question.isVisible())
    press(panel, words, qtbot)
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Done"))
    assert [(one.kind, one.server, one.tool, one.word) for one in kept] == [("own", "demo", tool, CallDecision.ALLOW)]
    assert [call.confirmed for call in calls] == [False, True]


def test_enter_presses_the_button_of_the_question_that_has_the_keyboard(
    pane: ToolPane, calls: list[Any], qtbot: Any
) -> None:
    FocusKeys(pane)
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.page().call
    for text, confirmed in (("Cancel", [False]), ("Call once", [False, False, True])):
        panel.run()
        qtbot.waitUntil(lambda: panel.question.isVisible())
        button(panel, text).setFocus()
        qtbot.keyClick(button(panel, text), Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: panel.question.isHidden() and not panel.running)
        assert [call.confirmed for call in calls] == confirmed


def test_a_question_tells_the_arguments_and_is_taken_back_when_they_change(
    pane: ToolPane, calls: list[Any], qtbot: Any
) -> None:
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.page().call
    panel.form.set_value({"customer_id": "CUS-0007"})
    panel.run()
    qtbot.waitUntil(lambda: panel.question.isVisible())
    assert "CUS-0007" in panel.question.hint()
    panel.form.set_value({"customer_id": "CUS-0008"})
    assert panel.question.isHidden()
    assert panel.answer.sentence() == "Nothing was sent."
    assert [call.confirmed for call in calls] == [False]


def test_a_form_with_faults_asks_before_it_sends(pane: ToolPane, calls: list[Any], qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    panel.form.set_value({"limit": "many"})
    panel.run()
    assert calls == []
    assert panel.question.sentence() == "1 argument is not valid."
    fault = next(field.fault() for field in panel.form.findChildren(Field) if field.fault())
    assert fault == "must be a whole number."
    assert panel.form.fault_list.isHidden()  # it is shown once, at the field
    assert button(panel, "1 fault").isVisible()
    press(panel, "Send anyway", qtbot)
    qtbot.waitUntil(lambda: len(calls) == 1)
    assert calls[0].arguments == {"limit": "many"}


def test_what_was_typed_is_kept_while_another_tool_is_looked_at(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    pane.page().call.form.set_value({"limit": 7})
    open_tool(pane, qtbot, "send_email")
    assert pane.page().call.form.value() == {}
    open_tool(pane, qtbot, "list_orders")
    assert pane.page().call.form.value() == {"limit": 7}


def test_a_changed_definition_keeps_the_arguments(pane: ToolPane, fake_core: Any, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    old = pane.page()
    old.call.form.set_value({"limit": 7})
    told: Tool = old.tool

    async def tool(server: str, name: str) -> Tool:
        return replace(told, description="Changed.", hash="0" * 64)

    fake_core.tool = tool
    pane.context.store.handle(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: pane.page() is not None and pane.page().tool.description == "Changed.")
    assert pane.page().call.form.value() == {"limit": 7}


def titles(pane: ToolPane) -> list[str]:
    return [pane.tabs.tabText(number) for number in range(pane.tabs.count())]


def asked(fake_core: Any) -> list[str]:
    """The tools that were read."""
    return [words[1] for name, words in fake_core.asked if name == "tool_view"]


def test_opening_a_tool_is_one_request(pane: ToolPane, fake_core: Any, qtbot: Any, monkeypatch: Any) -> None:
    requests: list[str] = []
    for name in ("tool_view", "servers", "permissions", "wrapper", "saved_calls", "past_calls", "settings", "status"):
        original = getattr(fake_core, name)

        def counted(*args: Any, _name: str = name, _original: Any = original) -> Any:
            requests.append(_name)
            return _original(*args)

        monkeypatch.setattr(fake_core, name, counted, raising=False)
    open_tool(pane, qtbot, "list_orders")
    qtbot.waitUntil(lambda: pane.context.tasks.running() == 0)
    assert requests == ["tool_view"]


def test_tools_that_are_only_looked_at_share_a_tab(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    open_tool(pane, qtbot, "send_email")
    assert titles(pane) == ["send_email"]
    qtbot.keyClicks(pane.page().call.form.first_field(), "5")  # editing makes it stay
    open_tool(pane, qtbot, "delete_customer")
    open_tool(pane, qtbot, "list_orders")
    assert titles(pane) == ["send_email", "list_orders"]
    qtbot.mouseDClick(pane.tabs, Qt.MouseButton.LeftButton, pos=pane.tabs.tabRect(1).center())
    open_tool(pane, qtbot, "delete_customer")
    assert titles(pane) == ["send_email", "list_orders", "delete_customer"]
    assert pane.tabs.preview == ("demo", "delete_customer")
    image = pane.tabs.grab().toImage()
    pane.tabs.preview = None
    pane.tabs.repaint()
    assert pane.tabs.grab().toImage() != image  # its title was italic


def test_enter_a_call_and_given_arguments_make_a_tab_stay(pane: ToolPane, qtbot: Any) -> None:
    pane.show_tool("demo", "list_orders", enter=True)
    qtbot.waitUntil(lambda: titles(pane) == ["list_orders"])
    pane.show_call("demo", "send_email", {"limit": 1}, start=False)
    qtbot.waitUntil(lambda: titles(pane) == ["list_orders", "send_email"])
    open_tool(pane, qtbot, "delete_customer")
    pane.run()
    assert pane.tabs.preview is None
    assert pane.open_tools() == (("demo", "list_orders"), ("demo", "send_email"), ("demo", "delete_customer"))


def test_tabs_are_closed_by_button_and_middle_click_and_keep_what_was_typed(pane: ToolPane, qtbot: Any) -> None:
    for name in ("list_orders", "send_email", "delete_customer"):
        pane.show_tool("demo", name, stay=True)
        qtbot.waitUntil(lambda name=name: pane.page() is not None and pane.page().tool.name == name)
    pane.page().call.form.set_value({"limit": 7})
    pane.close_tool("demo", "delete_customer")
    assert titles(pane) == ["list_orders", "send_email"]
    qtbot.waitUntil(lambda: pane.page() is not None and pane.page().tool.name == "send_email")
    qtbot.mouseClick(pane.tabs, Qt.MouseButton.MiddleButton, pos=pane.tabs.tabRect(0).center())
    assert titles(pane) == ["send_email"]
    close = next(one for one in pane.tabs.findChildren(QToolButton) if one.accessibleName() == "Close send_email")
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert pane.open_tools() == ()
    assert pane.page() is None
    open_tool(pane, qtbot, "delete_customer")
    assert pane.page().call.form.value() == {"limit": 7}


def test_tabs_have_a_menu(pane: ToolPane, qtbot: Any) -> None:
    for name in ("list_orders", "send_email", "delete_customer"):
        pane.show_tool("demo", name, stay=name != "delete_customer")
        qtbot.waitUntil(lambda name=name: pane.page() is not None and pane.page().tool.name == name)

    def choose(text: str, tab: int) -> None:
        pane.tabs.customContextMenuRequested.emit(pane.tabs.tabRect(tab).center())
        qtbot.waitUntil(lambda: any(menu.isVisible() for menu in pane.findChildren(QMenu)))
        menu = next(menu for menu in pane.findChildren(QMenu) if menu.isVisible())
        next(action for action in menu.actions() if action.text() == text).trigger()
        menu.close()

    choose("Keep open", 2)
    assert pane.tabs.preview is None
    choose("Close others", 1)
    assert titles(pane) == ["send_email"]
    qtbot.waitUntil(lambda: pane.page().tool.name == "send_email")
    choose("Close all", 0)
    assert titles(pane) == []


def test_restored_tabs_are_read_when_they_come_to_the_front(pane: ToolPane, fake_core: Any, qtbot: Any) -> None:
    keys = [("demo", name) for name in ("list_orders", "send_email", "delete_customer")]
    pane.restore(keys, keys[1])
    qtbot.waitUntil(lambda: pane.page() is not None and pane.page().tool.name == "send_email")
    assert titles(pane) == ["list_orders", "send_email", "delete_customer"]
    assert asked(fake_core) == ["send_email"]
    qtbot.mouseClick(pane.tabs, Qt.MouseButton.LeftButton, pos=pane.tabs.tabRect(2).center())
    qtbot.waitUntil(lambda: pane.page().tool.name == "delete_customer")
    assert asked(fake_core) == ["send_email", "delete_customer"]


def test_many_tabs_keep_few_pages(pane: ToolPane, fake_core: Any, make: Any, qtbot: Any) -> None:
    fake_core.tool_list += [make.tool("demo", f"tool_{number}") for number in range(30)]
    for number in range(30):
        pane.show_tool("demo", f"tool_{number}", stay=True)
        qtbot.waitUntil(lambda number=number: pane.page() is not None and pane.page().tool.name == f"tool_{number}")
    assert len(titles(pane)) == 30
    assert len(pane.findChildren(CallPanel)) <= 17  # one may still be on its way out
    assert pane.width() == 900


def test_changes_are_read_for_the_tool_in_front_and_later_for_others(
    pane: ToolPane, fake_core: Any, qtbot: Any
) -> None:
    for name in ("list_orders", "send_email"):
        pane.show_tool("demo", name, stay=True)
        qtbot.waitUntil(lambda name=name: pane.page() is not None and pane.page().tool.name == name)
    fake_core.asked.clear()
    pane.context.store.handle(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: asked(fake_core) == ["send_email"])
    qtbot.waitUntil(lambda: pane.context.tasks.running() == 0)
    pane.show_tool("demo", "list_orders")
    qtbot.waitUntil(lambda: asked(fake_core) == ["send_email", "list_orders"])


@pytest.fixture
def running(pane: ToolPane, fake_core: Any, qtbot: Any) -> Iterator[Any]:
    """A panel whose call has not been answered, and the calls that were cancelled."""
    gate, cancelled = asyncio.Event(), []

    async def call(call: ToolCall) -> Outcome:
        await gate.wait()
        return Outcome(call.id, False, fault=Fault("The call was cancelled."))

    async def cancel_call(call_id: str) -> None:
        cancelled.append(call_id)
        gate.set()

    fake_core.call, fake_core.cancel_call = call, cancel_call
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    panel.run()
    qtbot.waitUntil(lambda: panel.running)
    yield panel, cancelled
    gate.set()
    qtbot.waitUntil(lambda: pane.context.tasks.running() == 0)


def test_a_tab_may_be_closed_while_its_call_is_running(pane: ToolPane, fake_core: Any, qtbot: Any) -> None:
    gate = asyncio.Event()
    faults: list[Any] = []
    pane.context.tasks.failed.connect(faults.append)

    async def call(call: ToolCall) -> Outcome:
        await gate.wait()
        return Outcome(call.id, True)

    fake_core.call = call
    open_tool(pane, qtbot, "list_orders")
    pane.run()
    qtbot.waitUntil(lambda: pane.page().call.running)
    pane.close_tool("demo", "list_orders")
    qtbot.wait(10)
    gate.set()
    qtbot.waitUntil(lambda: pane.context.tasks.running() == 0)
    assert faults == []
    assert pane.open_tools() == ()


def test_a_definition_that_changes_during_a_call_is_shown_after_it(
    pane: ToolPane, fake_core: Any, running: Any, qtbot: Any
) -> None:
    panel, _ = running
    before = pane.page().tool

    async def tool(server: str, name: str) -> Tool:
        return replace(before, description="Changed.", hash="0" * 64)

    fake_core.tool = tool
    fake_core.asked.clear()
    pane.context.store.handle(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: asked(fake_core) == ["list_orders"])
    assert pane.page().call is panel
    panel.cancel()
    qtbot.waitUntil(lambda: pane.page() is not None and pane.page().tool.description == "Changed.")


def test_escape_in_a_search_field_cancels_no_call(pane: ToolPane, running: Any, qtbot: Any) -> None:
    panel, cancelled = running
    panel.answer.result.open_find()
    search = next(box for box in panel.findChildren(QLineEdit) if box.accessibleName() == "Find in the result")
    search.show()
    search.setFocus()
    qtbot.keyClick(search, Qt.Key.Key_Escape)
    qtbot.keyClick(pane.tabs, Qt.Key.Key_Escape)  # neither outside the panel
    assert cancelled == []
    button(panel, "Cancel").setFocus()
    qtbot.keyClick(button(panel, "Cancel"), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(cancelled) == 1)


@pytest.fixture
def let_time_pass(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the clock of the call panel."""
    passed = [0.0]
    clock = SimpleNamespace(**{**vars(time), "monotonic": lambda: time.monotonic() + passed[0]})
    monkeypatch.setattr(call_panel, "time", clock)

    def advance(seconds: float) -> None:
        passed[0] += seconds

    return advance


def test_a_failure_shows_how_long_the_call_really_took(
    pane: ToolPane, fake_core: Any, qtbot: Any, let_time_pass: Any
) -> None:
    async def call(call: ToolCall) -> Outcome:
        let_time_pass(7)
        raise WorkbenchError("The connection to the core was lost.")

    fake_core.call = call
    open_tool(pane, qtbot, "list_orders")
    pane.run()
    qtbot.waitUntil(lambda: pane.page().call.answer.sentence() == "Failed · 7.0 s")


def test_after_a_call_without_arguments_run_has_the_keyboard(pane: ToolPane, fake_core: Any, qtbot: Any) -> None:
    async def tool(server: str, name: str) -> Tool:
        return Tool(server, name, name, "", {"type": "object", "properties": {}}, None)

    fake_core.tool = tool
    pane.show_tool("demo", "list_orders", enter=True)
    qtbot.waitUntil(lambda: pane.page() is not None and button(pane, "Run").hasFocus())
    qtbot.keyClick(button(pane, "Run"), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: pane.page().call.answer.sentence().startswith("Done"))
    assert button(pane, "Run").hasFocus()


def test_the_menu_of_arguments_names_what_each_entry_does(pane: ToolPane, calls: list[Any], qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    menu = next(one for one in panel.findChildren(QPushButton) if one.accessibleName() == "Arguments").menu()
    assert [action.text() for action in menu.actions()] == [
        "Paste JSON (Ctrl+Shift+V)", "Bring back the last arguments", "Reset form (Ctrl+Shift+R)",
    ]  # fmt: skip
    assert not menu.actions()[1].isEnabled()
    QGuiApplication.clipboard().setText('{"limit": 3}')
    menu.actions()[0].trigger()
    assert panel.form.value() == {"limit": 3}
    menu.actions()[1].trigger()
    assert panel.form.value() == {}
    with qtbot.waitSignal(pane.context.messages.said) as said:
        menu.actions()[2].trigger()
    assert said.args == [Message("Form reset.", "tool.back")]


def test_progress_is_shown_and_cancel_reaches_the_server(
    pane: ToolPane, fake_core: Any, qtbot: Any, let_time_pass: Any
) -> None:
    sent: list[str] = []
    cancelled: list[str] = []
    gate = asyncio.Event()

    async def call(call: ToolCall) -> Outcome:
        sent.append(call.id)
        await gate.wait()
        return Outcome(call.id, False, fault=Fault("The call was cancelled."))

    async def cancel_call(call_id: str) -> None:
        cancelled.append(call_id)
        gate.set()

    fake_core.call, fake_core.cancel_call = call, cancel_call
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    panel.run()
    qtbot.waitUntil(lambda: panel.running and len(sent) == 1)
    pane.context.store.handle(CallProgress(sent[0], 3, 10, "third page"))
    assert panel.answer.sentence().endswith(" · 3 / 10 (30%) · third page")
    let_time_pass(5)
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Running for 6"))  # also without reports of the server
    assert panel.answer.sentence().endswith("third page")
    assert button(panel, "Cancel").isVisible()
    assert not [one for one in panel.findChildren(QPushButton) if one.text() == "Run" and one.isVisible()]
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not panel.running)
    assert cancelled == sent
    assert panel.answer.fault.sentence() == "The call was cancelled."
    assert panel.answer.sentence().startswith("Cancelled · 6")


def test_a_lost_core_is_a_sentence_and_a_hint(pane: ToolPane, fake_core: Any, qtbot: Any) -> None:
    async def call(call: ToolCall) -> Outcome:
        raise WorkbenchError("The core is not connected.", "It is being started again.")

    fake_core.call = call
    open_tool(pane, qtbot, "list_orders")
    pane.run()
    answer = pane.page().call.answer
    qtbot.waitUntil(lambda: answer.fault.sentence() == "The core is not connected.")
    assert not pane.page().call.running


def test_an_unknown_tool_says_so(pane: ToolPane, qtbot: Any) -> None:
    pane.show_tool("demo", "nothing")
    qtbot.waitUntil(lambda: pane.fault.sentence() == "There is no tool nothing.")


def test_an_answer_that_departs_from_its_schema_is_pointed_out(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    answer = pane.page().call.answer
    outcome = Outcome("c", True, (), '{"a": 1}', schema_fault="a must be text.")
    answer.show_outcome(outcome, has_schema=True)
    assert "does not match schema" in [text.full_text() for text in answer.findChildren(ForeignLabel)]
    assert answer.schema_fault.sentence() == "a must be text."


def test_a_name_of_one_token_costs_one_token(pane: ToolPane, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tokens.count", lambda _text: 1)
    open_tool(pane, qtbot, "list_orders")
    labels = [label.full_text() for label in pane.page().findChildren(ForeignLabel)]
    assert "demo › list_orders · name ≈ 1 token, complete definition ≈ 120 tokens" in labels


def test_a_button_is_not_highlighted_after_a_choice_from_its_menu(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    for text in ("Save or copy", "Arguments"):
        button = next(one for one in panel.findChildren(QPushButton) if one.accessibleName() == text)
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)  # as on a real screen
        button.menu().popup(button.mapToGlobal(button.rect().bottomLeft()))
        QCursor.setPos(button.mapToGlobal(button.rect().bottomLeft()) + QPoint(20, 20))
        button.menu().close()
        assert not button.underMouse(), text


def test_each_step_says_what_it_costs_and_the_wrapper_comes_when_asked(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    sheet = pane.page()
    words = sheet.tab_texts()
    assert words[0] == "Call"
    sheet.show_tab(WRAPPER)
    qtbot.waitUntil(lambda: "≈" in sheet.tab_texts()[3])


def test_the_same_call_opens_as_code(pane: ToolPane, fake_core: Any, qtbot: Any) -> None:
    async def call_as_code(server: str, tool: str, arguments: Any) -> str:
        return f"await {tool}({arguments})"

    fake_core.call_as_code = call_as_code
    open_tool(pane, qtbot, "list_orders")
    pane.page().call.form.set_value({"limit": 2})
    with qtbot.waitSignal(pane.context.messages.requested) as wanted:
        pane.page().call.open_as_code()
    assert wanted.args == [ShowCode("await list_orders({'limit': 2})")]


def test_everything_that_takes_the_keyboard_has_a_name(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    pane.run()
    qtbot.waitUntil(lambda: pane.page().call.answer.result.isVisible())
    for widget in pane.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), f"{type(widget).__name__} has no name"


def test_what_is_often_used_with_a_tool_and_its_category_are_one_press_away(
    pane: ToolPane, fake_core: Any, qtbot: Any
) -> None:
    demo = fake_core.server_states["demo"]
    fake_core.server_states["demo"] = replace(demo, config=replace(demo.config, category="Sales"))
    fake_core.companion_list = (Companion("demo", "send_email", 4), Companion("mail", "post", 2))
    pane.context.store.load()
    qtbot.waitUntil(lambda: "demo" in pane.context.store.servers)
    open_tool(pane, qtbot, "list_orders")
    related = pane.page().related
    qtbot.waitUntil(related.isVisible)
    links = related.findChildren(QPushButton)
    assert [link.text() for link in links] == ["Sales", "send_email", "mail › post"]
    assert links[1].toolTip() == "Used in 4 programs together with this tool"
    wishes: list[object] = []
    pane.context.messages.requested.connect(wishes.append)
    qtbot.mouseClick(links[0], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(links[1], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(links[2], Qt.MouseButton.LeftButton)
    assert wishes == [
        Search("servers", "Sales"),
        ShowTool("demo", "send_email", enter=True),
        ShowTool("mail", "post", enter=True),
    ]
    fake_core.companion_list = ()
    pane.context.store.handle(ServerChanged(demo))
    pane.show_tool("demo", "list_orders")
    qtbot.waitUntil(lambda: not related.isVisible())


@pytest.mark.parametrize(
    "text", ['{"limit": 5} garbage', "", "[1, 2]", '"limit"', '{"limit": 5', "null", "{'limit': 5}"]
)
def test_what_is_no_json_object_is_never_sent_saved_or_copied(
    pane: ToolPane, calls: list[Any], qtbot: Any, text: str
) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    saved: list[Any] = []
    said: list[str] = []
    pane.context.messages.requested.connect(saved.append)
    pane.context.messages.said.connect(lambda message: said.append(message.text))
    panel.form.show_json(True)
    editor = focused_text(panel)
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Delete)
    editor.insertPlainText(text)
    editor.setFocus()
    qtbot.keyClick(panel, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    bar = panel.question
    assert bar.isVisible()
    buttons = [button for button in bar.findChildren(QPushButton) if button.isVisible()]
    assert [button.text() for button in buttons] == ["Close"]
    assert panel.window().focusWidget() is editor  # what is typed next corrects the text
    qtbot.mouseClick(buttons[0], Qt.MouseButton.LeftButton)
    assert bar.isHidden()
    panel.menu.save()
    panel.open_as_code()
    panel.menu.copy("json-rpc")
    assert calls == []
    assert saved == []
    assert len(said) == 3
    assert all("JSON object" in words for words in said)
    assert editor.toPlainText() == text


def test_a_text_that_is_no_json_is_kept_while_another_tool_is_looked_at_and_replaced(
    pane: ToolPane, qtbot: Any
) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    panel.form.show_json(True)
    focused_text(panel).setPlainText('{"limit": 5, half')
    panel.fill({"limit": 7})
    assert panel.form.value() == {"limit": 7}
    panel.bring_back()
    assert focused_text(panel).toPlainText() == '{"limit": 5, half'


def focused_text(panel: Any) -> Any:
    """The text box of the JSON view."""
    return next(box for box in panel.form.findChildren(PlainEdit) if box.isVisible())


def test_held_ctrl_enter_calls_once(pane: ToolPane, calls: list[Any], qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.page().call
    field, control = panel.form.first_field(), Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(field, Qt.Key.Key_Return, control)
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Done"))
    QApplication.sendEvent(field, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, control, "", True))
    assert not panel.running
    assert len(calls) == 1


NESTED: Any = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "where": {"type": "object", "properties": {"city": {"type": "string"}, "street": {"type": "string"}}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["title", "where", "labels"],
}


@pytest.fixture
def changing(pane: ToolPane, fake_core: Any, qtbot: Any) -> Callable[[], None]:
    """An open tool with nested arguments; the returned function changes its definition and waits for the new page."""
    versions = [Tool("demo", "nested", "nested", "First.", NESTED, None)]

    async def tool(server: str, name: str) -> Tool:
        return versions[-1]

    fake_core.tool = tool
    open_tool(pane, qtbot, "nested")
    pane.activateWindow()
    qtbot.waitUntil(pane.isActiveWindow)

    def change() -> None:
        versions.append(replace(versions[0], description="Changed.", hash=f"{len(versions)}" * 64))
        pane.context.store.handle(ToolsChanged("demo"))
        qtbot.waitUntil(lambda: pane.page() is not None and pane.page().tool.hash == versions[-1].hash)

    return change


def in_form(pane: ToolPane, name: str) -> QWidget:
    """The widget of the form with this accessible name that Tab reaches."""
    widgets = pane.page().call.form.findChildren(QWidget)
    reached = (widget for widget in widgets if widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return next(widget for widget in reached if widget.accessibleName() == name and not widget.isHidden())


def type_keys(text: str) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClicks(focus, text)


@pytest.mark.parametrize("name", ["street", "Name 1 in labels", "value 1"])
def test_typing_goes_on_after_the_definition_has_changed(
    pane: ToolPane, changing: Callable[[], None], name: str
) -> None:
    pane.page().call.form.set_value({"title": "", "where": {"city": "", "street": "ad"}, "labels": {"ad": "ad"}})
    field = in_form(pane, name)
    field.setFocus()
    assert isinstance(field, QLineEdit)
    field.setCursorPosition(1)
    type_keys("b")
    changing()
    type_keys("c")
    focus = QApplication.focusWidget()
    assert isinstance(focus, QLineEdit)
    assert (focus.accessibleName(), focus.text()) == (name, "abcd")
    assert pane.page().call.form.isAncestorOf(focus)


def test_typing_of_json_goes_on_after_the_definition_has_changed(pane: ToolPane, changing: Callable[[], None]) -> None:
    pane.page().call.switch_json()
    pane.setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    type_keys('{"title": "a')
    changing()
    type_keys('b"}')
    assert pane.page().call.form.value() == {"title": "ab"}


def test_a_definition_that_changes_takes_the_keyboard_from_nowhere_else(
    pane: ToolPane, changing: Callable[[], None]
) -> None:
    pane.tabs.setFocus()
    changing()
    assert QApplication.focusWidget() is pane.tabs


def test_returning_to_json_arguments_puts_the_keyboard_into_the_text(
    pane: ToolPane, changing: Callable[[], None]
) -> None:
    pane.page().call.switch_json()
    pane.tabs.setFocus()
    pane.setFocus()
    assert QApplication.focusWidget() is focused_text(pane.page().call)


def test_returning_to_a_form_puts_the_keyboard_into_the_last_field_and_shows_it(
    pane: ToolPane, changing: Callable[[], None], qtbot: Any
) -> None:
    pane.resize(900, 360)
    last = in_form(pane, "street")
    last.setFocus()
    area = pane.page().call.form.findChild(QScrollArea)
    pane.tabs.setFocus()
    area.verticalScrollBar().setValue(0)
    assert last.visibleRegion().isEmpty()
    pane.setFocus()
    assert QApplication.focusWidget() is last
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())
