"""The pane of a run: live while it runs, whole when it ended."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from workbench.api.codec import TextPreview
from workbench.demo.chart import HEIGHT, WIDTH, bar_chart
from workbench.errors import WorkbenchError
from workbench.events import RunCall, RunChanged, RunOutput
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.kit.colours import contrast
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.output import OutputPane
from workbench.gui.runs.run_head import RunLinks
from workbench.gui.shell.actions import LINKED
from workbench.gui.shell.navigation import KeepSkill, ShowCode, ShowTool
from workbench.records import CallTrace, Decision, Fault, Ledger, Risk, Run, RunState

CALL = CallTrace("c1", "demo", "list_orders", "{}", Risk.LOW, "running")


@pytest.fixture
def pane(context: Any, qtbot: Any) -> OutputPane:
    made = OutputPane(context)
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


@pytest.fixture
def running(pane: OutputPane, fake_core: Any, make: Any, qtbot: Any) -> Run:
    run: Run = make.run("r", RunState.RUNNING, started=1.0)
    fake_core.run_list["r"] = run
    pane.show_run("r")
    qtbot.waitUntil(lambda: pane.head.state.full_text() == "Running")
    return run


def test_what_is_printed_appears_as_it_comes(pane: OutputPane, running: Run, qtbot: Any) -> None:
    pane.context.store.handle(RunOutput("r", "stdout", "one\n"))
    pane.context.store.handle(RunOutput("other", "stdout", "not mine\n"))
    pane.context.store.handle(RunOutput("r", "stderr", "odd\u202e\n"))
    qtbot.waitUntil(lambda: pane.stream.toPlainText() == "one\nodd‹U+202E›\n")
    pane.context.store.handle(RunCall("r", CALL))
    assert pane.calls_box.isVisible()
    assert pane.calls_title.full_text() == "1 call"


def test_a_finished_run_shows_result_ledger_and_the_models_view(
    pane: OutputPane, running: Run, make: Any, qtbot: Any
) -> None:
    done = make.run(
        "r",
        RunState.DONE,
        output="all of it\n",
        result='[{"a": 1}, {"a": 2}]',
        model_view='[{"a": "<EMAIL_1>"}]',
        ledger=Ledger(12_000, 400, 38_000, definitions=11_000),
        calls=(CALL,),
    )
    pane.context.store.handle(RunChanged(done))
    assert pane.stream.toPlainText() == "all of it\n"
    assert pane.tabs.currentWidget() is pane.result
    assert pane.result.view() == "Table"
    qtbot.waitUntil(lambda: bool(pane.ledger.full_text()))
    assert pane.ledger.full_text() == (
        "Direct calls ≈ 12,000 tokens, 11,000 of them tool definitions · this run ≈ 400 · "
        "38.0 kB of answers stayed in the sandbox · saved ≈ 11,600, worth $0.03"
    )
    assert pane.model_box.isHidden()
    qtbot.mouseClick(pane.seen_button, Qt.MouseButton.LeftButton)
    assert pane.model_box.isVisible()
    assert pane.model_title.full_text() == "What the model sees · ≈ 400 tokens"
    with qtbot.waitSignal(pane.context.messages.requested) as wanted:
        qtbot.mouseClick(pane.head.keep, Qt.MouseButton.LeftButton)
    assert wanted.args == [KeepSkill(run_id="r")]


def test_a_picture_in_a_result_is_shown_as_a_picture(pane: OutputPane, running: Run, make: Any) -> None:
    data = base64.b64encode(bar_chart([("01", 3.0), ("02", 5.0)])).decode()
    value = {"best": "02", "chart": {"type": "image", "mimeType": "image/png", "data": data}}
    view = 'result = {"best": "02", "chart": "picture 1 of this answer"}'
    pane.context.store.handle(RunChanged(make.run("r", RunState.DONE, result=json.dumps(value), model_view=view)))
    assert pane.result.view() == "Image"
    assert pane.result.views() == ("Image", "Tree", "JSON", "Raw")
    picture = pane.result.page().picture
    assert (picture.pixmap().width(), picture.pixmap().height()) == (WIDTH, HEIGHT)


def test_what_was_printed_stays_when_the_core_ends_and_later_it_is_said_to_be_gone(
    pane: OutputPane, running: Run, make: Any, fake_core: Any, qtbot: Any
) -> None:
    pane.context.store.handle(RunOutput("r", "stdout", "begun\n"))
    pane.context.store.handle(
        RunChanged(make.run("r", RunState.INTERRUPTED, fault=Fault("The core ended during the run.")))
    )
    qtbot.waitUntil(lambda: pane.stream.toPlainText() == "begun\n")
    fake_core.run_list["past"] = make.run("past", RunState.DONE, model_view="begun", started=1.0, restored=True)
    pane.show_run("past")
    qtbot.waitUntil(lambda: "What the model sees" in pane.stream.placeholderText())
    assert pane.stream.toPlainText() == ""
    fake_core.run_list["silent"] = make.run("silent", RunState.DONE, result="null", started=1.0)
    pane.show_run("silent")
    qtbot.waitUntil(lambda: pane.stream.placeholderText() == "Nothing printed.")


def test_a_program_that_prints_and_returns_nothing_has_lost_nothing(pane: OutputPane, running: Run, make: Any) -> None:
    pane.context.store.handle(RunChanged(make.run("r", RunState.DONE, started=1.0, output="", result="")))
    assert pane.stream.placeholderText() == "Nothing printed."


@pytest.mark.parametrize("state", [RunState.DONE, RunState.FAILED, RunState.STOPPED])
def test_the_output_of_a_run_of_an_earlier_core_is_said_to_be_lost(
    pane: OutputPane, fake_core: Any, make: Any, qtbot: Any, state: RunState
) -> None:
    fake_core.run_list["past"] = make.run("past", state, started=1.0, restored=True)
    pane.show_run("past")
    qtbot.waitUntil(lambda: pane.stream.placeholderText() == "The output was lost when the core ended.")
    fake_core.run_list["unrun"] = make.run("unrun", RunState.REFUSED, restored=True)
    pane.show_run("unrun")
    qtbot.waitUntil(lambda: pane.stream.placeholderText() == "The program did not run.")


def test_what_can_be_done_with_a_run_is_told_and_forgotten_with_it(
    pane: OutputPane, running: Run, make: Any, qtbot: Any
) -> None:
    commands = pane.context.commands
    commands.set_condition(LINKED, True)
    pane.context.store.handle(RunChanged(make.run("r", RunState.DONE, calls=(CALL,))))
    assert commands["run.keep"].isEnabled()
    assert commands["run.record"].isEnabled()
    pane.show_run("another")
    assert not commands["run.keep"].isEnabled()
    assert not commands["run.record"].isEnabled()


def test_a_failed_run_opens_its_traceback(pane: OutputPane, running: Run, make: Any) -> None:
    fault = Fault("ZeroDivisionError: division by zero", "", "Traceback …\n1/0")
    pane.context.store.handle(RunChanged(make.run("r", RunState.FAILED, fault=fault)))
    assert pane.fault.sentence() == "ZeroDivisionError: division by zero"
    assert pane.fault.detail() == "Traceback …\n1/0"
    assert not pane.head.keep.isVisible()


def test_streamed_output_is_not_doubled_at_the_end(pane: OutputPane, running: Run, make: Any, qtbot: Any) -> None:
    pane.context.store.handle(RunOutput("r", "stdout", "once\n"))
    pane.context.store.handle(RunChanged(make.run("r", RunState.DONE, output="once\n")))
    assert pane.stream.toPlainText() == "once\n"


def test_another_run_starts_from_nothing(pane: OutputPane, running: Run, fake_core: Any, make: Any, qtbot: Any) -> None:
    pane.context.store.handle(RunOutput("r", "stdout", "old\n"))
    fake_core.run_list["next"] = make.run("next", RunState.RUNNING, author="cursor")
    pane.show_run("next")
    qtbot.waitUntil(lambda: "by cursor" in pane.head.facts.full_text())
    assert pane.stream.placeholderText() == "Nothing printed yet."
    pane.stream.flush()
    assert pane.stream.toPlainText() == ""


def test_stop_reaches_the_core(pane: OutputPane, running: Run, fake_core: Any, qtbot: Any) -> None:
    qtbot.mouseClick(pane.head.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: ("stop_run", ("r",)) in fake_core.asked)


def test_an_answer_that_is_prepared_is_told_and_can_be_stopped(
    pane: OutputPane, running: Run, fake_core: Any, qtbot: Any
) -> None:
    pane.context.store.handle(RunChanged(replace(running, preparing=True)))
    assert pane.head.state.full_text() == "Preparing the answer…"
    qtbot.mouseClick(pane.head.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: ("stop_run", ("r",)) in fake_core.asked)
    pane.context.store.handle(RunChanged(replace(running, preparing=True, stopping=True)))
    assert pane.head.state.full_text() == "Stopping…"
    assert not pane.head.stop.isEnabled()


def test_endless_output_stays_bounded(pane: OutputPane, running: Run, qtbot: Any) -> None:
    for _ in range(30):
        pane.context.store.handle(RunOutput("r", "stdout", "line\n" * 1_000))
    pane.stream.flush()
    assert pane.stream.blockCount() <= 10_000


def test_colours_are_shown_and_other_commands_are_chips(pane: OutputPane, running: Run, qtbot: Any) -> None:
    pane.context.store.handle(RunOutput("r", "stdout", "\x1b[3"))
    pane.context.store.handle(RunOutput("r", "stdout", "1mred\x1b[0m \x1b[8mhidden\x1b[2J \x1b[38;2;0;0;0mblack"))
    qtbot.waitUntil(lambda: "black" in pane.stream.toPlainText())
    assert pane.stream.toPlainText() == "red ‹ESC[8m›hidden‹ESC[2J› black"
    cursor = pane.stream.textCursor()
    cursor.setPosition(2)
    assert cursor.charFormat().foreground().color() == pane.context.theme.colour("danger")
    cursor.movePosition(cursor.MoveOperation.End)
    colours = pane.context.theme.colours
    assert contrast(cursor.charFormat().foreground().color().name(), colours.sunken) >= 4.5


def test_a_flood_of_colours_is_written_out_whole(pane: OutputPane, running: Run) -> None:
    pane.stream.append_output("stdout", "\x1b[31ma\x1b[32mb" * 5_000)
    pane.stream.flush()
    assert pane.stream.toPlainText() == "ab" * 5_000


def test_the_program_of_a_run_opens_as_a_tab(pane: OutputPane, running: Run, qtbot: Any) -> None:
    with qtbot.waitSignal(pane.context.messages.requested) as told:
        qtbot.mouseClick(pane.open_button, Qt.MouseButton.LeftButton)
    assert told.args == [ShowCode(running.proposal.code, purpose="Tell the customer")]


def test_stop_is_acknowledged_at_once_and_taken_back_when_the_core_refuses(
    pane: OutputPane, running: Run, fake_core: Any, qtbot: Any
) -> None:
    async def stop_run(run_id: str) -> Run:
        raise WorkbenchError("The run cannot be stopped.", "It has just ended.")

    fake_core.stop_run = stop_run
    qtbot.mouseClick(pane.head.stop, Qt.MouseButton.LeftButton)
    assert pane.head.state.full_text() == "Stopping…"
    assert not pane.head.stop.isEnabled()
    qtbot.waitUntil(pane.head.stop.isEnabled)
    assert pane.head.state.full_text() == "Running"


def test_a_run_that_nobody_answered_can_be_run_now_and_says_nothing_that_is_for_the_agent(
    pane: OutputPane, running: Run, make: Any, qtbot: Any
) -> None:
    core = Fault("The approval request was not answered in time.", "Ask again when the user is available.")
    pane.context.store.handle(RunChanged(make.run("r", RunState.REFUSED, fault=core)))
    shown = " ".join(label.full_text() for label in pane.fault.findChildren(ForeignLabel))
    assert "the program was denied and did not run" in shown
    assert "Ask again" not in shown
    assert pane.stream.placeholderText() == "The program did not run."
    with qtbot.waitSignal(pane.context.messages.requested) as sent:
        qtbot.mouseClick(pane.head.again, Qt.MouseButton.LeftButton)
        assert not pane.head.again.isEnabled(), "a double click starts one run"
    assert sent.args == [ShowCode(running.proposal.code, purpose="Tell the customer", start=True)]


def test_a_denied_run_says_who_denied_it_and_why(pane: OutputPane, running: Run, make: Any) -> None:
    decision = Decision("r", "a" * 64, False, "you", "wrong address")
    fault = Fault("The user denied the program.", "Go on without it.")
    pane.context.store.handle(RunChanged(make.run("r", RunState.REFUSED, fault=fault, decision=decision)))
    assert pane.fault.sentence() == "You denied this program: wrong address"
    assert pane.head.state.full_text() == "Denied"


def test_a_program_that_a_rule_refused_says_why_and_was_not_denied(pane: OutputPane, running: Run, make: Any) -> None:
    fault = Fault("line 2: add await before list_orders(…)")
    pane.context.store.handle(RunChanged(make.run("r", RunState.REFUSED, fault=fault, deadline=0.0)))
    assert pane.fault.sentence() == "line 2: add await before list_orders(…)"
    assert pane.head.state.full_text() == "Refused"


def test_a_long_traceback_does_not_make_the_pane_higher(pane: OutputPane, running: Run, make: Any, qtbot: Any) -> None:
    before = pane.minimumSizeHint().height()
    pane.resize(900, 300)
    fault = Fault("ZeroDivisionError: division by zero", "", "\n".join(f"line {number}" for number in range(400)))
    pane.context.store.handle(RunChanged(make.run("r", RunState.FAILED, fault=fault)))
    QTest.qWait(20)
    assert pane.height() == 300
    assert pane.minimumSizeHint().height() <= before + pane.fontMetrics().lineSpacing() * 4
    assert pane.stream.isVisible()


def test_a_call_in_the_table_has_a_menu_and_leads_to_its_tool(pane: OutputPane, running: Run, qtbot: Any) -> None:
    pane.context.store.handle(RunCall("r", replace(CALL, state="done", arguments='{"limit": 3}')))
    table = pane.calls_table
    assert table.select("c1")
    table.customContextMenuRequested.emit(table.visualRect(table.currentIndex()).center())
    (menu,) = table.findChildren(QMenu)
    actions = {action.text(): action for action in menu.actions()}
    assert list(actions) == ["Show tool", "Copy arguments"]
    actions["Copy arguments"].trigger()
    assert QGuiApplication.clipboard().text() == '{"limit": 3}'
    menu.close()
    with qtbot.waitSignal(pane.context.messages.requested) as sent:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert sent.args == [ShowTool("demo", "list_orders")]


def test_a_narrow_pane_drops_no_more_texts_than_it_must(pane: OutputPane, running: Run, make: Any) -> None:
    done = make.run("r", RunState.DONE, model_view="seen", calls=(CALL,), result="1")
    pane.context.store.handle(RunChanged(done))
    buttons = (pane.open_button, pane.seen_button, pane.head.record)
    QApplication.processEvents()
    assert [button.text() for button in buttons] == ["Open program", "What the model sees", "Record…"]
    pane.resize(560, 400)
    QTest.qWait(20)
    assert [bool(button.text()) for button in buttons] == [False, True, True]
    assert pane.open_button.accessibleName() == "Open program"


def test_the_changes_of_a_long_program_are_compared_as_a_whole(context: Any, make: Any, qtbot: Any) -> None:
    texts = {"now": "x = 1\n" * 400 + "y = 3\n", "sent": "x = 1\n" * 400 + "y = 2\n"}

    async def fetch(handle: str, offset: int, length: int) -> str:
        return texts[handle]

    links = RunLinks(replace(context, fetch=fetch))
    qtbot.addWidget(links)
    code, original = (TextPreview("x = 1\n", handle, len(texts[handle])) for handle in ("now", "sent"))
    run = make.run("r", RunState.DONE)
    links.show_run(replace(run, proposal=replace(run.proposal, code=code, original=original)))
    links.changes.click()
    qtbot.waitUntil(lambda: bool(links.window().findChildren(DifferenceDialog)))
    (dialog,) = links.window().findChildren(DifferenceDialog)
    assert sorted(dialog.diff.changed_lines()) == ["+y = 3", "-y = 2"]
    dialog.done(0)


def test_what_a_model_would_see_is_one_click_away_before_the_run_ends(
    pane: OutputPane, running: Run, fake_core: Any, qtbot: Any
) -> None:
    pane.context.store.handle(RunOutput("r", "stdout", "write to rosa@corp.io\n"))
    qtbot.waitUntil(lambda: "rosa" in pane.stream.toPlainText())
    qtbot.mouseClick(pane.seen_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "so far" in pane.model_title.full_text())
    shown = pane.model_view.page().edit.toPlainText()
    assert "[EMAIL_" in shown
    assert "rosa" not in shown
