from __future__ import annotations

import json
import time
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit

from workbench.records import Origin, RunState


def test_a_waiting_run_is_counted_announced_and_reviewed_by_key(
    window: Any, paper: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    assert not window.commands["run.review"].isEnabled()
    paper.put_run(make.run("one"))
    paper.put_run(make.run("two"))
    settled()
    assert "2" in window.docks["runs"].windowTitle()
    assert window.strip.isVisible()
    assert window.commands["run.review"].isEnabled()
    wishes: list[Any] = []
    window.context.messages.requested.connect(wishes.append)
    window.commands.do("run.review")
    assert wishes[0].run_id in {"one", "two"}


def test_a_waiting_run_never_takes_the_keyboard_from_who_types(
    window: Any, paper: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    window.activateWindow()
    box: QLineEdit = window.servers.finder
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    paper.put_run(make.run("one"))
    settled()
    assert window.strip.isVisible()
    assert box.hasFocus()
    qtbot.keyClick(box, Qt.Key.Key_Return)
    settled()
    assert not [asked for asked in paper.asked if asked[0] == "decide"]


def test_the_strip_shows_the_most_urgent_and_goes_when_decided(
    window: Any, paper: Any, make: Any, settled: Any
) -> None:
    paper.put_run(make.run("slow", deadline=time.time() + 300))
    paper.put_run(make.run("fast", deadline=time.time() + 20))
    settled()
    assert window.strip.current().id == "fast"
    paper.put_run(make.run("fast", RunState.REFUSED))
    paper.put_run(make.run("slow", RunState.DONE))
    settled()
    assert not window.strip.isVisible()
    assert not window.commands["run.review"].isEnabled()


def test_the_only_run_under_way_is_stopped(window: Any, paper: Any, make: Any, settled: Any) -> None:
    paper.put_run(make.run("one", RunState.RUNNING))
    settled()
    window.commands.do("run.stop")
    settled()
    assert ("stop_run", ("one",)) in paper.asked
    assert not window.commands["run.stop"].isEnabled()


def test_the_users_own_program_is_stopped_while_it_waits(window: Any, paper: Any, make: Any, settled: Any) -> None:
    waiting = make.run("mine")
    paper.put_run(replace(waiting, proposal=replace(waiting.proposal, origin=Origin.PERSON)))
    paper.put_run(make.run("an agent's"))
    settled()
    window.commands.do("run.stop")
    settled()
    assert ("stop_run", ("mine",)) in paper.asked


def test_with_two_under_way_one_has_to_be_chosen(window: Any, paper: Any, make: Any, settled: Any) -> None:
    paper.put_run(make.run("one", RunState.RUNNING))
    paper.put_run(make.run("two", RunState.RUNNING))
    settled()
    assert not window.commands["run.stop"].isEnabled()
    window.runs.list.setCurrentIndex(window.runs.model.find("two"))
    window.commands.do("run.stop")
    settled()
    assert ("stop_run", ("two",)) in paper.asked


def test_an_empty_list_teaches_and_offers_the_example(window: Any, paper: Any, settled: Any) -> None:
    window.commands.do("agent.example")
    settled()
    assert ("start_example_agent", ()) in paper.asked
    assert window.runs.list.isVisible()


def test_one_click_shows_a_run_that_is_over_but_opens_no_question(
    window: Any, paper: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    paper.put_run(make.run("over", RunState.DONE))
    paper.put_run(make.run("asks"))
    settled()
    window.context.messages.requested.disconnect()
    wishes: list[Any] = []
    window.context.messages.requested.connect(wishes.append)
    runs = window.runs.list
    for name in ("asks", "over"):
        place = runs.visualRect(window.runs.model.find(name)).center()
        qtbot.mouseClick(runs.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [wish.run_id for wish in wishes] == ["over"]


def test_findings_of_a_run_are_written_as_sarif(
    window: Any, paper: Any, make: Any, settled: Any, qtbot: Any, tmp_path: Any
) -> None:
    assert not window.commands["run.sarif"].isEnabled(), "there is no run"
    paper.put_run(make.run("one"))
    settled()
    window.commands.do("run.sarif")
    qtbot.waitUntil(lambda: bool(window.runs.findChildren(QFileDialog)))
    (dialog,) = window.runs.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "one.sarif"))
    dialog.close()
    qtbot.waitUntil(lambda: (tmp_path / "one.sarif").is_file() and (tmp_path / "one.sarif").read_text() != "")
    assert json.loads((tmp_path / "one.sarif").read_text()) == {"runs": []}
    assert next(asked for asked in paper.asked if asked[0] == "sarif")[1] == (("one.py",),)
