"""A call that waits: shown with where its values came from, never let pass by a reflex, and decided once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.paper_pauses import make_pause
from tests.gui.screens.test_many_screens import shoot
from workbench.gui.pauses.dialog import PauseDialog
from workbench.gui.text import ForeignLabel
from workbench.records import CallTrace, Risk, RunState


def opened(window: Any, qtbot: Any) -> Any:
    qtbot.waitUntil(lambda: window.pauses.pause() is not None)
    window.commands.do("pause.decide")
    qtbot.waitUntil(lambda: bool(window.findChildren(PauseDialog)))
    return window.findChildren(PauseDialog)[-1]


def answers(paper: Any) -> list[Any]:
    return [words[0] for name, words in paper.asked if name == "answer_pause"]


def test_the_strip_says_so_without_taking_the_keyboard_and_leads_to_the_dialog(
    window: Any, paper: Any, qtbot: Any
) -> None:
    window.activateWindow()
    window.servers.finder.setFocus()
    paper.put_pause(make_pause())
    qtbot.waitUntil(lambda: window.pauses.isVisible())
    assert window.servers.finder.hasFocus() or not window.isActiveWindow()
    assert "Where it goes (to)" in window.pauses.words()
    assert "(1)" in window.docks["runs"].windowTitle() or "1" in window.docks["runs"].windowTitle()
    window.pauses.act.click()
    qtbot.waitUntil(lambda: bool(window.findChildren(PauseDialog)))
    words = " ".join(one.full_text() for one in window.findChildren(PauseDialog)[0].findChildren(ForeignLabel))
    assert "demo.read_mail, in an earlier run" in words
    assert "claude-code wants to call demo.send_email" in words


def test_nothing_passes_in_the_first_moment_or_by_a_held_key_and_escape_denies(
    window: Any, paper: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "workbench.gui.dialogs.allow_button.SETTLE_MS", 600_000
    )  # the first moment, however slow we are
    paper.put_pause(make_pause())
    dialog = opened(window, qtbot)
    dialog.allow.click()
    dialog.rest.click()
    assert answers(paper) == []
    dialog.allow._settle.start(1)
    qtbot.waitUntil(dialog.allow.settled)
    dialog.allow._settle.setInterval(600_000)
    paper.put_pause(make_pause("p1-2", more=1, list=("first", "second")), before="p1-1")
    qtbot.waitUntil(lambda: dialog.pause.id == "p1-2")
    assert not dialog.allow.settled(), "another call joined: what is allowed is another thing now"
    assert dialog.allow.text() == "Allow these 2"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isHidden()
    assert window.pauses.isVisible(), "it keeps waiting, and the strip leads back to it"
    window.pauses.act.click()
    assert dialog.isVisible()
    QTest.keyClick(dialog.deny, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(answers(paper)))
    (answer,) = answers(paper)
    assert (answer.pause_id, answer.allow) == ("p1-2", False)
    qtbot.waitUntil(lambda: not window.pauses.isVisible())


def test_the_rest_of_a_run_is_allowed_and_a_reason_goes_with_a_no(window: Any, paper: Any, qtbot: Any) -> None:
    paper.put_pause(make_pause(more=3, list=("a", "b", "c", "d")))
    dialog = opened(window, qtbot)
    qtbot.waitUntil(dialog.rest.settled)
    dialog.rest.click()
    qtbot.waitUntil(lambda: bool(answers(paper)))
    assert (answers(paper)[0].allow, answers(paper)[0].scope) == (True, "rest")
    paper.put_pause(make_pause("p2-1"))
    qtbot.waitUntil(lambda: window.pauses.pause() is not None)
    dialog = opened(window, qtbot)
    dialog.with_reason.click()
    QTest.keyClicks(dialog._reason, "wrong address")
    QTest.keyClick(dialog._reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(answers(paper)) == 2)
    assert (answers(paper)[1].allow, answers(paper)[1].reason) == (False, "wrong address")


def test_a_waiting_call_in_the_tree_of_a_run_leads_to_its_question(
    window: Any, paper: Any, make: Any, qtbot: Any
) -> None:
    trace = CallTrace("c1", "demo", "send_email", "{}", Risk.HIGH, "waiting")
    paper.run_list["run-1"] = make.run("run-1", RunState.RUNNING, started=1.0, calls=(trace,))
    paper.put_pause(make_pause("other-1", call_id="c9", deadline=1.0))
    paper.put_pause(make_pause())
    qtbot.waitUntil(lambda: window.pauses.pause("p1-1").id == "p1-1" if window.pauses.pause() else False)
    window.output.show_run("run-1")
    qtbot.waitUntil(lambda: window.output._calls.rowCount() == 1)
    assert window.output._calls.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole).startswith("Waits for you")
    window.output._calls_view.activated.emit(window.output._calls.index(0, 0))
    qtbot.waitUntil(lambda: bool(window.findChildren(PauseDialog)))
    assert window.findChildren(PauseDialog)[0].pause.id == "p1-1"


def test_what_is_over_says_so_and_closing_the_window_decides_nothing(window: Any, paper: Any, qtbot: Any) -> None:
    pause = paper.put_pause(make_pause())
    qtbot.waitUntil(lambda: window.pauses.isVisible())
    dialog = opened(window, qtbot)
    dialog.close()
    qtbot.waitUntil(lambda: not window.findChildren(PauseDialog))
    assert answers(paper) == []
    dialog = opened(window, qtbot)
    paper.settle_pause(pause, "timed out")
    qtbot.waitUntil(lambda: dialog.allow.isHidden())
    assert dialog.deny.text() == "Close"
    dialog.deny.click()
    qtbot.waitUntil(lambda: not window.findChildren(PauseDialog))
    assert answers(paper) == []


def test_what_would_be_sent_stands_above_the_same_evidence_told_once(window: Any, paper: Any, qtbot: Any) -> None:
    origin = make_pause().origins[0]
    origins = tuple(replace(origin, path=f"recipients[{number}]") for number in range(10))
    paper.put_pause(make_pause(origins=origins, why=tuple(f"Reason {number}." for number in range(9))))
    dialog = opened(window, qtbot)
    words = [one.full_text() for one in dialog.findChildren(ForeignLabel)]
    (card,) = [one for one in words if "records@" in one]
    assert card.startswith("recipients[0], recipients[1], recipients[2] and 7 more places = ")
    assert any("Reason 3." in one and "and 5 more reasons" in one and "Reason 4." not in one for one in words)
    assert dialog._arguments.y() < dialog._evidence.y()


@pytest.mark.parametrize(("colours", "width"), [("light", 0), ("dark", 0), ("dark", 460)])
def test_it_can_be_looked_at(window: Any, paper: Any, qtbot: Any, colours: str, width: int) -> None:
    window.context.theme.choose(colours)
    paper.put_pause(make_pause(risk=Risk.CRITICAL, trifecta=True))
    qtbot.waitUntil(lambda: window.pauses.isVisible())
    dialog = opened(window, qtbot)
    if width:
        dialog.resize(width, 480)
    shoot(dialog, f"pause-{colours}{width or ''}")
    shoot(window, f"pause-window-{colours}{width or ''}")
