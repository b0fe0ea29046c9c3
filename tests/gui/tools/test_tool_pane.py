"""The tool pane: step by step, asked before harm, and nothing typed lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.errors import WorkbenchError
from workbench.events import CallProgress, ToolsChanged
from workbench.gui.kit.faults import QuestionBar
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.shell.context import Message
from workbench.gui.shell.keyboard import ButtonKeys
from workbench.gui.shell.navigation import FilterServers, ShowCode, ShowTool
from workbench.gui.tools.call_panel import CallPanel
from workbench.gui.tools.tool_pane import ToolPane
from workbench.records import CallDecision, Companion, Content, Fault, Outcome, Permission, Tool, ToolCall


@pytest.fixture
def calls(paper: Any) -> list[ToolCall]:
    """What reached the core; delete_customer wants to be confirmed."""
    made: list[ToolCall] = []

    async def call(call: ToolCall) -> Outcome:
        made.append(call)
        if call.tool == "delete_customer" and not call.confirmed:
            fault = Fault("delete_customer destroys data for good.", "Check the arguments.")
            return Outcome(call.id, False, fault=fault, needs_confirmation=True, asks="destroys")
        return Outcome(call.id, True, (Content("text", "hello"),), ms=12, bytes=5, tokens=2)

    paper.call = call
    return made


@pytest.fixture
def pane(context: Any, qtbot: Any, calls: list[ToolCall]) -> ToolPane:
    made = ToolPane(context)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def open_tool(pane: ToolPane, qtbot: Any, name: str) -> None:
    pane.show_tool("demo", name)
    qtbot.waitUntil(lambda: pane.sheet() is not None and pane.sheet().tool.name == name)


def test_ctrl_enter_calls_and_the_answer_stands_beside_the_form(pane: ToolPane, calls: list[Any], qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.sheet().call
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
    panel = pane.sheet().call
    panel.run()
    qtbot.waitUntil(lambda: panel._ask.isVisible())
    assert panel._ask._sentence.full_text() == "delete_customer destroys data for good."
    assert panel._ask._yes.text() == "Call once"
    qtbot.keyClick(panel._ask, Qt.Key.Key_Escape)
    assert panel._ask.isHidden()
    assert len(calls) == 1
    panel.run()
    qtbot.waitUntil(lambda: panel._ask.isVisible())
    panel._ask._yes.click()
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Done"))
    assert [call.confirmed for call in calls] == [False, False, True]


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
    panel.setFocus()
    assert panel.form.first_field() is panel.focusWidget()
    assert panel.focusWidget() is not panel.form._filter
    panel.form.set_value({"field_0": "x"})
    panel._run.setFocus()
    qtbot.keyClick(panel._run, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Done"))
    assert panel._run.hasFocus()


@pytest.mark.parametrize(("words", "tool"), [("Always call this tool", "delete_customer"), ("Trust this server", "")])
def test_a_lasting_yes_is_kept_for_own_calls_and_the_call_goes_out(
    pane: ToolPane, calls: list[Any], paper: Any, qtbot: Any, words: str, tool: str
) -> None:
    kept: list[Permission] = []

    async def set_permission(rule: Permission) -> Permission:
        kept.append(rule)
        return rule

    paper.set_permission = set_permission
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.sheet().call
    panel.run()
    qtbot.waitUntil(lambda: panel._ask.isVisible())
    button = next(one for one in panel._ask.findChildren(QPushButton) if one.text() == words)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Done"))
    assert [(one.kind, one.server, one.tool, one.word) for one in kept] == [("own", "demo", tool, CallDecision.ALLOW)]
    assert [call.confirmed for call in calls] == [False, True]


def test_enter_presses_the_button_of_the_question_that_has_the_keyboard(
    pane: ToolPane, calls: list[Any], qtbot: Any
) -> None:
    ButtonKeys(pane)
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.sheet().call
    for button, confirmed in ((panel._ask._no, [False]), (panel._ask._yes, [False, False, True])):
        panel.run()
        qtbot.waitUntil(lambda: panel._ask.isVisible())
        button.setFocus()
        qtbot.keyClick(button, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: panel._ask.isHidden() and not panel.running)
        assert [call.confirmed for call in calls] == confirmed


def test_a_question_tells_the_arguments_and_is_taken_back_when_they_change(
    pane: ToolPane, calls: list[Any], qtbot: Any
) -> None:
    open_tool(pane, qtbot, "delete_customer")
    panel = pane.sheet().call
    panel.form.set_value({"customer_id": "CUS-0007"})
    panel.run()
    qtbot.waitUntil(lambda: panel._ask.isVisible())
    assert "CUS-0007" in panel._ask._hint.full_text()
    panel.form.set_value({"customer_id": "CUS-0008"})
    assert panel._ask.isHidden()
    assert panel.answer.sentence() == "Nothing was sent."
    assert [call.confirmed for call in calls] == [False]


def test_a_form_with_faults_asks_before_it_sends(pane: ToolPane, calls: list[Any], qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.sheet().call
    panel.form.set_value({"limit": "many"})
    panel.run()
    assert calls == []
    assert panel._ask._sentence.full_text() == "limit must be a whole number."
    panel._ask._yes.click()
    qtbot.waitUntil(lambda: len(calls) == 1)
    assert calls[0].arguments == {"limit": "many"}


def test_what_was_typed_is_kept_while_another_tool_is_looked_at(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    pane.sheet().call.form.set_value({"limit": 7})
    open_tool(pane, qtbot, "send_email")
    assert pane.sheet().call.form.value() == {}
    open_tool(pane, qtbot, "list_orders")
    assert pane.sheet().call.form.value() == {"limit": 7}


def test_a_changed_definition_keeps_the_arguments(pane: ToolPane, paper: Any, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    old = pane.sheet()
    old.call.form.set_value({"limit": 7})
    told: Tool = old.tool

    async def tool(server: str, name: str) -> Tool:
        return replace(told, description="Changed.", hash="0" * 64)

    paper.tool = tool
    pane.hear(ToolsChanged("demo"))
    qtbot.waitUntil(lambda: pane.sheet() is not None and pane.sheet().tool.description == "Changed.")
    assert pane.sheet().call.form.value() == {"limit": 7}


def test_progress_is_shown_and_cancel_reaches_the_server(pane: ToolPane, paper: Any, qtbot: Any) -> None:
    cancelled: list[str] = []
    gate = asyncio.Event()

    async def call(call: ToolCall) -> Outcome:
        await gate.wait()
        return Outcome(call.id, False, fault=Fault("The call was cancelled."))

    async def cancel_call(call_id: str) -> None:
        cancelled.append(call_id)
        gate.set()

    paper.call, paper.cancel_call = call, cancel_call
    open_tool(pane, qtbot, "list_orders")
    panel = pane.sheet().call
    panel.run()
    qtbot.waitUntil(lambda: panel.running)
    pane.hear(CallProgress(panel._call_id, 3, 10, "third page"))
    assert panel.answer.sentence().endswith(" · 3 / 10 (30%) · third page")
    panel.answer._began -= 5
    qtbot.waitUntil(lambda: panel.answer.sentence().startswith("Running for 6"))  # also while the server says nothing
    assert panel.answer.sentence().endswith("third page")
    assert panel._cancel.isVisible()
    assert not panel._run.isVisible()
    qtbot.keyClick(panel, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not panel.running)
    assert len(cancelled) == 1
    assert panel.answer.fault.sentence() == "The call was cancelled."


def test_a_lost_core_is_a_sentence_and_a_hint(pane: ToolPane, paper: Any, qtbot: Any) -> None:
    async def call(call: ToolCall) -> Outcome:
        raise WorkbenchError("The core is not connected.", "It is being started again.")

    paper.call = call
    open_tool(pane, qtbot, "list_orders")
    pane.run()
    answer = pane.sheet().call.answer
    qtbot.waitUntil(lambda: answer.fault.sentence() == "The core is not connected.")
    assert not pane.sheet().call.running


def test_an_unknown_tool_says_so(pane: ToolPane, qtbot: Any) -> None:
    pane.show_tool("demo", "nothing")
    qtbot.waitUntil(lambda: pane._fault.sentence() == "There is no tool nothing.")


def test_an_answer_that_departs_from_its_schema_is_pointed_out(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    answer = pane.sheet().call.answer
    outcome = Outcome("c", True, (), '{"a": 1}', schema_fault="a must be text.")
    answer.show_outcome(outcome, has_schema=True)
    assert answer._schema.full_text() == "departs from its schema"
    assert answer._schema_fault.sentence() == "a must be text."


def test_each_step_says_what_it_costs_and_the_wrapper_comes_when_asked(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    sheet = pane.sheet()
    words = sheet.tab_words()
    assert words[0] == "Call"
    assert "≈" in words[1]
    assert "≈" in words[2]
    sheet.look(3)
    qtbot.waitUntil(lambda: "≈" in sheet.tab_words()[3])


def test_the_same_call_opens_as_code(pane: ToolPane, paper: Any, qtbot: Any) -> None:
    async def call_as_code(server: str, tool: str, arguments: Any) -> str:
        return f"await {tool}({arguments})"

    paper.call_as_code = call_as_code
    open_tool(pane, qtbot, "list_orders")
    pane.sheet().call.form.set_value({"limit": 2})
    with qtbot.waitSignal(pane.context.messages.requested) as wanted:
        pane.sheet().call.open_as_code()
    assert wanted.args == [ShowCode("await list_orders({'limit': 2})")]


def test_everything_that_takes_the_keyboard_has_a_name(pane: ToolPane, qtbot: Any) -> None:
    open_tool(pane, qtbot, "list_orders")
    pane.run()
    qtbot.waitUntil(lambda: pane.sheet().call.answer.result.isVisible())
    for widget in pane.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), f"{type(widget).__name__} has no name"


def test_what_is_often_used_with_a_tool_and_its_category_are_one_press_away(
    pane: ToolPane, paper: Any, qtbot: Any
) -> None:
    demo = paper.server_states["demo"]
    paper.server_states["demo"] = replace(demo, config=replace(demo.config, category="Sales"))
    paper.companion_list = (Companion("demo", "send_email", 4), Companion("mail", "post", 2))
    open_tool(pane, qtbot, "list_orders")
    companions = pane.sheet().companions
    qtbot.waitUntil(companions.isVisible)
    assert [button.text() for button in companions.buttons()] == ["Sales", "send_email", "mail › post"]
    assert companions.buttons()[1].toolTip() == "Ran in 4 programs together with this tool"
    wishes: list[object] = []
    pane.context.messages.requested.connect(wishes.append)
    companions.buttons()[0].click()
    companions.buttons()[1].click()
    companions.buttons()[2].click()
    assert wishes == [
        FilterServers("Sales"),
        ShowTool("demo", "send_email", enter=True),
        ShowTool("mail", "post", enter=True),
    ]
    paper.companion_list, paper.server_states["demo"] = (), demo
    pane.show_tool("demo", "list_orders")
    qtbot.waitUntil(lambda: not companions.isVisible())


@pytest.mark.parametrize(
    "text", ['{"limit": 5} garbage', "", "[1, 2]", '"limit"', '{"limit": 5', "null", "{'limit': 5}"]
)
def test_what_is_no_json_object_is_never_sent_saved_or_copied(
    pane: ToolPane, calls: list[Any], qtbot: Any, text: str
) -> None:
    open_tool(pane, qtbot, "list_orders")
    panel = pane.sheet().call
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
    bar = panel.findChild(QuestionBar)
    assert bar.isVisible()
    buttons = [button for button in bar.findChildren(QPushButton) if button.isVisible()]
    assert [button.text() for button in buttons] == ["Close"]
    assert panel.window().focusWidget() is editor  # what is typed next corrects the text
    qtbot.mouseClick(buttons[0], Qt.MouseButton.LeftButton)
    assert bar.isHidden()
    panel.save_call()
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
    panel = pane.sheet().call
    panel.form.show_json(True)
    focused_text(panel).setPlainText('{"limit": 5, half')
    panel.take({"limit": 7})
    assert panel.form.value() == {"limit": 7}
    panel.bring_back()
    assert focused_text(panel).toPlainText() == '{"limit": 5, half'


def focused_text(panel: Any) -> Any:
    """The text box of the JSON view."""
    return next(box for box in panel.form.findChildren(PlainEdit) if box.isVisible())
