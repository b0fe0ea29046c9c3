"""The pane of a run: live while it runs, whole when it ended."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from workbench.demo.chart import HEIGHT, WIDTH, bar_chart
from workbench.events import RunCall, RunChanged, RunOutput
from workbench.gui.kit.colours import contrast
from workbench.gui.runs.output import OutputPane
from workbench.gui.shell.actions import LINKED
from workbench.gui.shell.navigation import KeepRun, ShowCode
from workbench.records import CallTrace, Fault, Ledger, Risk, Run, RunState

CALL = CallTrace("c1", "demo", "list_orders", "{}", Risk.LOW, "running")


@pytest.fixture
def pane(context: Any, qtbot: Any) -> OutputPane:
    made = OutputPane(context)
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


@pytest.fixture
def running(pane: OutputPane, paper: Any, make: Any, qtbot: Any) -> Run:
    run: Run = make.run("r", RunState.RUNNING, started=1.0)
    paper.run_list["r"] = run
    pane.show_run("r")
    qtbot.waitUntil(lambda: pane._run is not None)
    return run


def test_what_is_printed_appears_as_it_comes(pane: OutputPane, running: Run, qtbot: Any) -> None:
    pane.hear(RunOutput("r", "stdout", "one\n"))
    pane.hear(RunOutput("other", "stdout", "not mine\n"))
    pane.hear(RunOutput("r", "stderr", "odd\u202e\n"))
    qtbot.waitUntil(lambda: pane._stream.toPlainText() == "one\nodd‹U+202E›\n")
    pane.hear(RunCall("r", CALL))
    assert pane._calls_box.isVisible()
    assert pane._calls_title.full_text() == "1 call"


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
    pane.hear(RunChanged(done))
    assert pane._stream.toPlainText() == "all of it\n"
    assert pane._tabs.currentWidget() is pane._result
    assert pane._result.view() == "Table"
    qtbot.waitUntil(lambda: bool(pane._ledger.full_text()))
    assert pane._ledger.full_text() == (
        "Direct calls ≈ 12,000 tokens, 11,000 of them tool definitions · this run ≈ 400 · "
        "38.0 kB of answers stayed in the sandbox · saved ≈ 11,600, worth $0.03"
    )
    assert pane._model_box.isHidden()
    pane._eye.click()
    assert pane._model_box.isVisible()
    assert pane._model_title.full_text() == "The model sees · ≈ 400 tokens"
    with qtbot.waitSignal(pane.context.messages.requested) as wanted:
        pane._head._keep.click()
    assert wanted.args == [KeepRun("r")]


def test_a_picture_in_a_result_is_shown_as_a_picture(pane: OutputPane, running: Run, make: Any) -> None:
    data = base64.b64encode(bar_chart([("01", 3.0), ("02", 5.0)])).decode()
    value = {"best": "02", "chart": {"type": "image", "mimeType": "image/png", "data": data}}
    view = 'result = {"best": "02", "chart": "picture 1 of this answer"}'
    pane.hear(RunChanged(make.run("r", RunState.DONE, result=json.dumps(value), model_view=view)))
    assert pane._result.view() == "Image"
    assert pane._result.views() == ("Image", "Tree", "Text", "Raw")
    picture = pane._result.page().picture
    assert (picture.pixmap().width(), picture.pixmap().height()) == (WIDTH, HEIGHT)


def test_what_was_printed_stays_when_the_core_ends_and_later_it_is_said_to_be_gone(
    pane: OutputPane, running: Run, make: Any, paper: Any, qtbot: Any
) -> None:
    pane.hear(RunOutput("r", "stdout", "begun\n"))
    pane.hear(RunChanged(make.run("r", RunState.INTERRUPTED, fault=Fault("The core ended during the run."))))
    qtbot.waitUntil(lambda: pane._stream.toPlainText() == "begun\n")
    paper.run_list["past"] = make.run("past", RunState.DONE, model_view="begun")
    pane.show_run("past")
    qtbot.waitUntil(lambda: "What the model sees" in pane._stream.placeholderText())
    assert pane._stream.toPlainText() == ""
    paper.run_list["silent"] = make.run("silent", RunState.DONE, result="null")
    pane.show_run("silent")
    qtbot.waitUntil(lambda: pane._stream.placeholderText() == "Nothing printed.")


def test_what_can_be_done_with_a_run_is_told_and_forgotten_with_it(
    pane: OutputPane, running: Run, make: Any, qtbot: Any
) -> None:
    commands = pane.context.commands
    commands.hold(LINKED, True)
    pane.hear(RunChanged(make.run("r", RunState.DONE, calls=(CALL,))))
    assert commands["run.keep"].isEnabled()
    assert commands["run.record"].isEnabled()
    pane.show_run("another")
    assert not commands["run.keep"].isEnabled()
    assert not commands["run.record"].isEnabled()


def test_a_failed_run_opens_its_traceback(pane: OutputPane, running: Run, make: Any) -> None:
    fault = Fault("ZeroDivisionError: division by zero", "", "Traceback …\n1/0")
    pane.hear(RunChanged(make.run("r", RunState.FAILED, fault=fault)))
    assert pane._fault.sentence() == "ZeroDivisionError: division by zero"
    assert pane._fault._detail.isVisible()
    assert not pane._head._keep.isVisible()


def test_streamed_output_is_not_doubled_at_the_end(pane: OutputPane, running: Run, make: Any, qtbot: Any) -> None:
    pane.hear(RunOutput("r", "stdout", "once\n"))
    pane.hear(RunChanged(make.run("r", RunState.DONE, output="once\n")))
    assert pane._stream.toPlainText() == "once\n"


def test_another_run_starts_from_nothing(pane: OutputPane, running: Run, paper: Any, make: Any, qtbot: Any) -> None:
    pane.hear(RunOutput("r", "stdout", "old\n"))
    paper.run_list["next"] = make.run("next", RunState.RUNNING)
    pane.show_run("next")
    qtbot.waitUntil(lambda: pane._run is not None and pane._run.id == "next")
    pane._stream.flush()
    assert pane._stream.toPlainText() == ""


def test_stop_reaches_the_core(pane: OutputPane, running: Run, paper: Any, qtbot: Any) -> None:
    pane._head._stop.click()
    qtbot.waitUntil(lambda: ("stop_run", ("r",)) in paper.asked)


def test_an_answer_that_is_prepared_is_told_and_can_be_stopped(
    pane: OutputPane, running: Run, paper: Any, qtbot: Any
) -> None:
    pane.hear(RunChanged(replace(running, preparing=True)))
    assert pane._head._state.full_text() == "Preparing the answer…"
    qtbot.mouseClick(pane._head._stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: ("stop_run", ("r",)) in paper.asked)
    pane.hear(RunChanged(replace(running, preparing=True, stopping=True)))
    assert pane._head._state.full_text() == "Stopping…"
    assert not pane._head._stop.isEnabled()


def test_endless_output_stays_bounded(pane: OutputPane, running: Run, qtbot: Any) -> None:
    for _ in range(30):
        pane.hear(RunOutput("r", "stdout", "line\n" * 1_000))
    pane._stream.flush()
    assert pane._stream.blockCount() <= 10_000


def test_colours_are_shown_and_other_commands_are_chips(pane: OutputPane, running: Run, qtbot: Any) -> None:
    pane.hear(RunOutput("r", "stdout", "\x1b[3"))
    pane.hear(RunOutput("r", "stdout", "1mred\x1b[0m \x1b[8mhidden\x1b[2J \x1b[38;2;0;0;0mblack"))
    qtbot.waitUntil(lambda: "black" in pane._stream.toPlainText())
    assert pane._stream.toPlainText() == "red ‹ESC[8m›hidden‹ESC[2J› black"
    cursor = pane._stream.textCursor()
    cursor.setPosition(2)
    assert cursor.charFormat().foreground().color() == pane.context.theme.colour("danger")
    cursor.movePosition(cursor.MoveOperation.End)
    colours = pane.context.theme.colours
    assert contrast(cursor.charFormat().foreground().color().name(), colours.sunken) >= 4.5


def test_a_flood_of_colours_is_written_out_whole(pane: OutputPane, running: Run) -> None:
    pane._stream.take("stdout", "\x1b[31ma\x1b[32mb" * 5_000)
    pane._stream.flush()
    assert pane._stream.toPlainText() == "ab" * 5_000


def test_the_program_of_a_run_opens_as_a_tab(pane: OutputPane, running: Run, qtbot: Any) -> None:
    with qtbot.waitSignal(pane.context.messages.requested) as told:
        pane._tab.click()
    assert told.args == [ShowCode(running.proposal.code, purpose="Tell the customer")]
