"""One strip for everything that waits: the most urgent first, how many more there are, never in the way."""

from __future__ import annotations

import time
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.fake_core import make_held_call
from tests.gui.runs.test_elicitation_page import make_ask
from workbench.events import AskArrived, AskSettled, CallHeld, HeldCallSettled, RunChanged
from workbench.gui.runs.pending_strip import PendingStrip
from workbench.gui.shell.navigation import ShowAsk, ShowChanges, ShowHeldCall, ShowRun
from workbench.records import Origin, RunState


@pytest.fixture
def strip(context: Any, qtbot: Any) -> PendingStrip:
    made = PendingStrip(context)
    qtbot.addWidget(made)
    made.resize(900, 40)
    return made


def waits(context: Any, make: Any, name: str, seconds: float) -> None:
    context.store.handle(RunChanged(make.run(name, deadline=time.time() + seconds)))


def test_the_most_urgent_of_all_kinds_is_shown_with_its_button(
    strip: PendingStrip, context: Any, make: Any, qtbot: Any
) -> None:
    assert strip.isHidden()
    requests: list[Any] = []
    context.messages.requested.connect(requests.append)
    waits(context, make, "w", 300)
    assert (strip.text()[:11], strip.act.text()) == ("claude-code", "Review")
    context.store.handle(CallHeld(make_held_call(deadline=time.time() + 200), ""))
    assert (strip.text()[:9], strip.act.text()) == ("A call of", "Decide")
    context.store.handle(AskArrived(make_ask(deadline=time.time() + 100)))
    assert (strip.text()[:11], strip.act.text()) == ("inn asks yo", "Answer")
    assert strip.aside().endswith("left · 2 more")
    for settled in (AskSettled(make_ask(), "accept"), HeldCallSettled(make_held_call(), "denied")):
        QTest.mouseClick(strip.act, Qt.MouseButton.LeftButton)
        context.store.handle(settled)
    QTest.mouseClick(strip.act, Qt.MouseButton.LeftButton)
    assert requests == [ShowAsk("a1"), ShowHeldCall("p1-1"), ShowRun("w")]
    assert strip.aside().endswith("left")
    context.store.handle(RunChanged(make.run("w", RunState.REFUSED)))
    assert strip.isHidden()
    assert strip.text() == ""


def test_several_calls_of_one_tool_and_an_own_program_are_named_as_such(
    strip: PendingStrip, context: Any, make: Any
) -> None:
    context.store.handle(CallHeld(make_held_call(more=2), ""))
    assert strip.text().startswith("3 calls of demo.send_email wait: The destination (to) comes from")
    assert strip.aside().endswith(" left"), "a held call counts down as in its dialog"
    context.store.handle(HeldCallSettled(make_held_call(), "denied"))
    sentence = "Claude Code wants to run a command: deletes build."
    context.store.handle(CallHeld(make_held_call("h", run_id="", sentence=sentence), ""))
    assert strip.text() == sentence
    context.store.handle(HeldCallSettled(make_held_call("h"), "denied"))
    run = make.run("mine")
    context.store.handle(RunChanged(replace(run, proposal=replace(run.proposal, origin=Origin.PERSON))))
    assert strip.text().startswith("Your program waits: Sends an e-mail")


def test_changes_of_files_that_wait_come_last_and_lead_to_the_changes(
    strip: PendingStrip, context: Any, make: Any, qtbot: Any
) -> None:
    context.store.handle(RunChanged(make.run("f", RunState.DONE, held=("a.txt", "b.txt"))))
    assert strip.text() == "A program of claude-code wants to change 2 files: a.txt, b.txt"
    assert strip.aside() == ""
    with qtbot.waitSignal(context.messages.requested) as sent:
        QTest.mouseClick(strip.act, Qt.MouseButton.LeftButton)
    assert sent.args == [ShowChanges("held:f")]
    waits(context, make, "w", 300)
    assert strip.current() is not None
    assert strip.current().id == "w"


def test_what_was_hidden_still_waits_and_something_new_is_shown(strip: PendingStrip, context: Any, make: Any) -> None:
    waits(context, make, "old", 100)
    QTest.mouseClick(strip.dismiss, Qt.MouseButton.LeftButton)
    assert strip.isHidden()
    waits(context, make, "new", 300)
    assert strip.current() is not None
    assert strip.current().id == "new"
    assert strip.aside().endswith("1 more")
    context.store.handle(RunChanged(make.run("old", RunState.REFUSED)))
    waits(context, make, "old", 100)
    assert strip.current().id == "old", "what is over may come again"


def test_it_never_moves_what_the_user_is_working_with(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    window.activateWindow()
    window.servers.finder.setFocus()
    before = window.centre.mapTo(window, window.centre.rect().topLeft())
    fake_core.put_run(make.run("one"))
    settled()
    assert window.strip.isVisible()
    assert window.centre.mapTo(window, window.centre.rect().topLeft()) == before
    assert window.servers.finder.hasFocus() or not window.isActiveWindow()


def test_title_status_bar_and_strip_count_the_same_decisions(
    window: Any, fake_core: Any, make: Any, qtbot: Any
) -> None:
    fake_core.put_run(make.run("one"))
    fake_core.put_run(make.run("two", RunState.DONE, held=("a.txt",)))
    fake_core.put_held_call(make_held_call())
    fake_core.put_ask(make_ask(by="claude-code"))
    qtbot.waitUntil(lambda: window.windowTitle().startswith("(4 waiting)"))
    qtbot.waitUntil(lambda: window.status.waiting.accessibleName() == "4 waiting")
    assert window.docks["runs"].windowTitle() == "Runs · 4"
    assert window.strip.aside().endswith("3 more")
