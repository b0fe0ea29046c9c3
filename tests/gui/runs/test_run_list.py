from __future__ import annotations

import json
import time
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu

from tests.gui.fake_core import make_held_call
from tests.gui.runs.test_elicitation_page import make_ask
from workbench.events import CallHeld, RunChanged
from workbench.gui.kit.rows import KEY, ROW
from workbench.gui.runs.review_dialog import ReviewDialog
from workbench.gui.runs.run_list import RunsPane
from workbench.gui.runs.run_rows import run_rows
from workbench.gui.shell.actions import LINKED
from workbench.gui.shell.navigation import FollowRun, KeepSkill, Search, ShowReview, ShowRun
from workbench.records import Origin, Run, RunState
from workbench.records.runs import EXAMPLE_AGENT


def test_a_waiting_run_is_counted_announced_and_reviewed_by_key(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    assert not window.commands["run.review"].isEnabled()
    fake_core.put_run(make.run("one"))
    fake_core.put_run(make.run("two"))
    settled()
    assert "2" in window.docks["runs"].windowTitle()
    assert window.strip.isVisible()
    assert window.commands["run.review"].isEnabled()
    wishes: list[Any] = []
    window.context.messages.requested.connect(wishes.append)
    window.commands.do("run.review")
    assert wishes == [ShowReview()]
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)))
    assert set(window.findChildren(ReviewDialog)[0].order()) == {"one", "two"}


def test_a_waiting_run_never_takes_the_keyboard_from_who_types(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    window.activateWindow()
    box: QLineEdit = window.servers.finder
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    fake_core.put_run(make.run("one"))
    settled()
    assert window.strip.isVisible()
    assert box.hasFocus()
    qtbot.keyClick(box, Qt.Key.Key_Return)
    settled()
    assert not [asked for asked in fake_core.asked if asked[0] == "decide"]


def test_the_strip_shows_the_most_urgent_and_goes_when_decided(
    window: Any, fake_core: Any, make: Any, settled: Any
) -> None:
    fake_core.put_run(make.run("slow", deadline=time.time() + 300))
    fake_core.put_run(make.run("fast", deadline=time.time() + 20))
    settled()
    assert window.strip.current().id == "fast"
    fake_core.put_run(make.run("fast", RunState.REFUSED))
    fake_core.put_run(make.run("slow", RunState.DONE))
    settled()
    assert not window.strip.isVisible()
    assert not window.commands["run.review"].isEnabled()


def test_each_action_for_what_waits_is_enabled_for_its_own_kind(
    window: Any, fake_core: Any, make: Any, settled: Any
) -> None:
    def reasons() -> list[str]:
        names = ("run.review", "run.dry_run", "held_call.decide", "ask.answer")
        return [window.commands.disabled_reason(name) for name in names]

    assert reasons() == ["nothing waits", "no program waits", "no call is held", "no server asks"]
    held_call = fake_core.put_held_call(make_held_call())
    settled()
    assert reasons() == ["", "no program waits", "", "no server asks"]
    fake_core.settle_held_call(held_call, "denied")
    fake_core.put_ask(make_ask(by="claude-code"))
    settled()
    assert reasons() == ["", "no program waits", "no call is held", ""]
    fake_core.settle_ask("a1", "withdrawn")
    fake_core.put_run(make.run("w"))
    settled()
    assert reasons() == ["", "", "no call is held", "no server asks"]


def test_the_only_run_under_way_is_stopped(window: Any, fake_core: Any, make: Any, settled: Any) -> None:
    fake_core.put_run(make.run("one", RunState.RUNNING))
    settled()
    window.commands.do("run.stop")
    settled()
    assert ("stop_run", ("one",)) in fake_core.asked
    assert not window.commands["run.stop"].isEnabled()


def test_the_users_own_program_is_stopped_while_it_waits(window: Any, fake_core: Any, make: Any, settled: Any) -> None:
    waiting = make.run("mine")
    fake_core.put_run(replace(waiting, proposal=replace(waiting.proposal, origin=Origin.PERSON)))
    fake_core.put_run(make.run("an agent's"))
    settled()
    window.commands.do("run.stop")
    settled()
    assert ("stop_run", ("mine",)) in fake_core.asked


def test_with_two_under_way_one_has_to_be_chosen(window: Any, fake_core: Any, make: Any, settled: Any) -> None:
    fake_core.put_run(make.run("one", RunState.RUNNING))
    fake_core.put_run(make.run("two", RunState.RUNNING))
    settled()
    assert not window.commands["run.stop"].isEnabled()
    assert window.runs.list.select("two")
    window.commands.do("run.stop")
    settled()
    assert ("stop_run", ("two",)) in fake_core.asked


def test_an_empty_list_teaches_and_offers_the_example(window: Any, fake_core: Any, settled: Any) -> None:
    window.commands.do("agent.example")
    settled()
    assert ("start_example_agent", ()) in fake_core.asked
    assert window.runs.list.isVisible()


def test_one_click_shows_a_run_that_is_over_but_opens_no_question(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    fake_core.put_run(make.run("over", RunState.DONE))
    fake_core.put_run(make.run("asks"))
    settled()
    window.context.messages.requested.disconnect()
    wishes: list[Any] = []
    window.context.messages.requested.connect(wishes.append)
    runs = window.runs.list.view
    for name in ("asks", "over"):
        place = runs.visualRect(window.runs.model.find(name)).center()
        qtbot.mouseClick(runs.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [wish.run_id for wish in wishes] == ["over"]


def test_findings_of_a_run_are_written_as_sarif(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any, tmp_path: Any
) -> None:
    assert not window.commands["run.sarif"].isEnabled(), "there is no run"
    fake_core.put_run(make.run("one"))
    settled()
    window.commands.do("run.sarif")
    qtbot.waitUntil(lambda: bool(window.runs.findChildren(QFileDialog)))
    (dialog,) = window.runs.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "one.sarif"))
    dialog.close()
    qtbot.waitUntil(lambda: (tmp_path / "one.sarif").is_file() and (tmp_path / "one.sarif").read_text() != "")
    assert json.loads((tmp_path / "one.sarif").read_text()) == {"runs": []}
    assert next(asked for asked in fake_core.asked if asked[0] == "sarif")[1] == (("one.py",),)


@pytest.fixture
def pane(context: Any, qtbot: Any) -> RunsPane:
    made = RunsPane(context, context.commands)
    qtbot.addWidget(made)
    made.resize(420, 500)
    made.show()
    return made


def put(pane: RunsPane, *runs: Run) -> None:
    for run in runs:
        pane.context.store.handle(RunChanged(run))
    timers = [timer for timer in pane.findChildren(QTimer) if timer.isSingleShot()]
    while any(timer.isActive() for timer in timers):  # the changes are drawn together, a moment later
        QTest.qWait(5)


def menu_texts(pane: RunsPane, run_id: str) -> list[str]:
    """The context menu of a row, opened by a right click."""
    assert pane.list.select(run_id)
    place = pane.list.view.visualRect(pane.model.find(run_id)).center()
    pane.list.view.customContextMenuRequested.emit(place)
    (menu,) = pane.list.findChildren(QMenu)
    texts = [action.text() for action in menu.actions() if action.text()]
    menu.close()
    menu.deleteLater()
    QTest.qWait(1)
    return texts


def test_a_run_whose_call_waits_is_among_those_that_wait_for_you(pane: RunsPane, make: Any, qtbot: Any) -> None:
    put(pane, make.run("run-1", RunState.RUNNING, started=1.0), make.run("w"))
    pane.context.store.handle(CallHeld(make_held_call(), ""))
    qtbot.waitUntil(lambda: pane.model.index(0).data(ROW).aside == "2")
    assert pane.context.store.waiting_count == 2
    rows = [pane.model.index(row).data() for row in range(pane.model.rowCount())]
    assert rows[0] == "Waiting for you"
    assert len(rows) == 3, "there is no second section"
    assert "Call waits" in pane.model.find("run-1").data(Qt.ItemDataRole.AccessibleTextRole)
    assert pane.model.find("run-1").data(ROW).aside.startswith("3:"), "the time that is left for the call"
    put(pane, make.run("run-1", RunState.RUNNING, started=1.0, preparing=True))
    qtbot.waitUntil(lambda: "Answer waits" in pane.model.find("run-1").data(Qt.ItemDataRole.AccessibleTextRole))


def test_the_filter_finds_runs_by_purpose_author_and_state(pane: RunsPane, make: Any, qtbot: Any) -> None:
    put(pane, make.run("a", RunState.DONE, author="cursor"), make.run("b", RunState.FAILED))
    assert pane.list.finder is not None
    QTest.keyClicks(pane.list.finder, "cursor done")
    qtbot.waitUntil(lambda: pane.model.rowCount() == 2)
    assert pane.model.find("a").isValid()
    pane.list.finder.setText("nothing like it")
    qtbot.waitUntil(lambda: pane.list.empty.isVisible())
    assert pane.list.empty.accessibleName() == "No run matches the filter"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Down])
def test_a_key_that_leaves_the_filter_at_once_acts_on_what_was_typed(pane: RunsPane, make: Any, key: Qt.Key) -> None:
    put(pane, make.run("first", author="cursor", deadline=time.time() + 20), make.run("wanted", author="goose"))
    opened: list[Any] = []
    pane.context.messages.requested.connect(opened.append)
    assert pane.list.finder is not None
    pane.list.finder.setFocus()
    QTest.keyClicks(pane.list.finder, "goose")
    QTest.keyClick(pane.list.finder, key)
    assert pane.list.key() == "wanted"
    assert opened == ([ShowRun("wanted")] if key == Qt.Key.Key_Return else [])


def test_the_current_run_comes_into_view_by_key_and_no_row_moves_under_the_mouse(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    window.activateWindow()
    for number in range(60):
        fake_core.put_run(make.run(f"r{number:02}", RunState.DONE, ended=float(number)))
    settled()
    pane, view = window.runs, window.runs.list.view

    def in_view() -> bool:
        return bool(view.viewport().rect().contains(view.visualRect(pane.model.find("r00")).center()))

    assert pane.list.select("r00")
    window.servers.finder.setFocus()
    view.verticalScrollBar().setValue(0)
    assert not in_view()
    window.docks["runs"].come()
    qtbot.waitUntil(in_view)
    window.servers.finder.setFocus()
    view.verticalScrollBar().setValue(0)
    clicked = pane.model.index(2)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(clicked).center())
    assert pane.list.key() == clicked.data(KEY)


def test_a_click_shows_the_run_and_the_arrows_go_on_in_the_list(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    window.activateWindow()
    fake_core.put_run(make.run("one", RunState.DONE))
    fake_core.put_run(make.run("two", RunState.DONE, ended=5.0))
    settled()
    view = window.runs.list.view
    qtbot.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(window.runs.model.find("two")).center()
    )
    qtbot.waitUntil(lambda: window.output.run_id == "two")
    assert window.focusWidget() is view
    before = view.key()
    QTest.keyClick(view, Qt.Key.Key_Up if window.runs.model.find("two").row() > 1 else Qt.Key.Key_Down)
    assert view.key() != before


def test_the_context_menu_offers_what_makes_sense_for_the_run(pane: RunsPane, make: Any) -> None:
    put(
        pane,
        make.run("w"),
        make.run("r", RunState.RUNNING),
        make.run("d", RunState.DONE),
        make.run("x", RunState.REFUSED),
    )
    commands = pane.context.commands
    review, stop, dry_run = (commands[name].text() for name in ("run.review", "run.stop", "run.dry_run"))
    always = ["Open program", "Show in audit", "Copy ID"]
    assert menu_texts(pane, "w") == [review, dry_run, "Deny", stop, *always]
    assert menu_texts(pane, "r") == [stop, *always]
    assert menu_texts(pane, "d") == ["Run again", "Open program", "Keep as skill…", "Show in audit", "Copy ID"]
    assert menu_texts(pane, "x") == ["Let it run after all", "Run again", *always]


def test_the_menu_acts_on_the_selected_run(pane: RunsPane, make: Any, qtbot: Any) -> None:
    put(pane, make.run("d", RunState.DONE))
    requests: list[Any] = []
    pane.context.messages.requested.connect(requests.append)
    actions = {action.text(): action for action in pane.actions_for("d") if action is not None}
    assert pane.list.select("d")
    for text in ("Show in audit", "Keep as skill…", "Run again", "Copy ID"):
        actions[text].trigger()
    qtbot.waitUntil(lambda: len(requests) == 3)
    assert requests[:2] == [Search("audit", "run:d"), KeepSkill(run_id="d")]
    assert (requests[2].start, requests[2].language) == (True, "python")
    assert QGuiApplication.clipboard().text() == "d"


def test_your_own_program_is_stopped_although_another_one_is_running(pane: RunsPane, make: Any, fake_core: Any) -> None:
    mine = make.run("mine")
    mine = replace(mine, proposal=replace(mine.proposal, origin=Origin.PERSON))
    fake_core.run_list["mine"] = mine
    put(pane, make.run("theirs", RunState.RUNNING), mine)
    pane.context.commands.set_condition(LINKED, True)
    pane.context.commands.do("run.stop")
    QTest.qWait(20)
    assert ("stop_run", ("mine",)) in fake_core.asked


def test_thousands_of_runs_stay_bounded_and_quick(pane: RunsPane, make: Any) -> None:
    run = make.run("r", RunState.DONE)
    store = pane.context.store
    for number in range(3_000):
        store.handle(RunChanged(replace(run, id=f"r{number}", ended=float(number))))
    store.handle(RunChanged(make.run("waits")))
    assert len(store.runs) < 1_200
    assert "r2999" in store.runs
    assert "r0" not in store.runs
    began = time.perf_counter()
    rows = run_rows(store.runs.values(), time.time())
    assert time.perf_counter() - began < 0.5
    assert len(rows) == 1 + 1 + 1 + 500


def test_the_run_that_the_user_has_just_started_is_selected(pane: RunsPane, make: Any, qtbot: Any) -> None:
    put(pane, make.run("old", RunState.DONE))
    assert pane.list.select("old")
    pane.context.go(FollowRun("mine"))
    QTest.qWait(40)
    assert pane.list.key() == "old", "it is not in the list yet"
    pane.context.store.handle(RunChanged(make.run("mine", RunState.RUNNING)))
    qtbot.waitUntil(lambda: pane.list.key() == "mine")
    QTest.keyClick(pane.list.view, Qt.Key.Key_Down)
    put(pane, make.run("mine", RunState.DONE))
    assert pane.list.key() == "old", "what the user selects stays"


def test_the_example_agent_that_waits_is_shown_instead_of_started_twice(
    pane: RunsPane, make: Any, fake_core: Any, qtbot: Any
) -> None:
    requests: list[Any] = []
    pane.context.messages.requested.connect(requests.append)
    pane.context.commands.set_condition(LINKED, True)
    put(pane, make.run("other"), make.run("shown", RunState.DONE, author=EXAMPLE_AGENT))
    pane.context.commands.do("agent.example")
    qtbot.waitUntil(lambda: ("start_example_agent", ()) in fake_core.asked)
    assert requests == []
    put(pane, make.run("example", author=EXAMPLE_AGENT))
    qtbot.waitUntil(lambda: pane.context.commands["agent.example"].isEnabled())
    pane.context.commands.do("agent.example")
    qtbot.waitUntil(lambda: requests == [ShowRun("example")])
    assert fake_core.asked.count(("start_example_agent", ())) == 1


def test_review_opens_whatever_waits(pane: RunsPane, qtbot: Any) -> None:
    requests: list[Any] = []
    pane.context.messages.requested.connect(requests.append)
    pane.context.commands.set_condition(LINKED, True)
    pane.context.store.handle(CallHeld(make_held_call(), ""))
    qtbot.waitUntil(lambda: pane.context.commands["run.review"].isEnabled())
    pane.context.commands.do("run.review")
    assert requests == [ShowReview()]
