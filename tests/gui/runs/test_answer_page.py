"""A masked answer that waits is read, sent, withheld or masked again, by mouse and by key."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from tests.gui.fake_core import make_held_call, make_run
from tests.gui.screens.test_many_screens import shoot
from workbench.events import RunChanged
from workbench.gui.results.token_chips import MarkMenu
from workbench.gui.runs.held_call_page import HeldCallPage
from workbench.records import HeldCall, HeldCallAnswer, RunState


@pytest.fixture
def waiting(fake_core: Any) -> HeldCall:
    session = fake_core.fill_privacy()
    text = session.mask("Ada wrote from ada0@example.org and asks about order zq-77.")
    return replace(
        make_held_call("a1-1", more=0, list=()),
        server="",
        tool="answer",
        arguments=text,
        why=("It contains tokens for 1 e-mail address.",),
        origins=(),
        session=session.id,
        is_answer=True,
    )


@pytest.fixture
def dialog(window: Any, fake_core: Any, waiting: HeldCall, qtbot: Any) -> HeldCallPage:
    fake_core.put_held_call(waiting)
    qtbot.waitUntil(lambda: bool(window.context.store.held_calls))
    qtbot.waitUntil(lambda: "An answer to claude-code waits" in window.strip.text())
    qtbot.mouseClick(window.strip.act, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.findChildren(HeldCallPage)))
    return window.findChildren(HeldCallPage)[-1]


def answers(fake_core: Any) -> list[HeldCallAnswer]:
    return [words[0] for name, words in fake_core.asked if name == "answer_held_call"]


def test_an_answer_is_read_and_sent(dialog: Any, waiting: HeldCall, fake_core: Any, press: Any, qtbot: Any) -> None:
    assert dialog.arguments.text() == waiting.arguments
    assert dialog.chips.visible_boxes()
    assert not dialog.rest_button.isVisible()
    assert dialog.button("Withhold with reason…").isVisible()
    assert not dialog.allow_button.isEnabled(), "not in the first moment"
    shoot(dialog, "answer-preview")
    press(dialog, "Send")
    qtbot.waitUntil(lambda: [(one.allow, one.scope) for one in answers(fake_core)] == [(True, "once")])


def test_an_answer_is_withheld_by_key(dialog: Any, fake_core: Any, qtbot: Any) -> None:
    qtbot.waitUntil(dialog.allow_button.settled)
    QTest.keyClick(dialog.button("Withhold"), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [one.allow for one in answers(fake_core)] == [False])


def test_a_mark_made_in_the_dialog_masks_the_answer_again(
    dialog: Any, waiting: HeldCall, fake_core: Any, press: Any, qtbot: Any
) -> None:
    assert dialog.arguments.find("zq-77") or dialog.arguments.moveCursor(QTextCursor.MoveOperation.Start) is None
    dialog.arguments.findChild(MarkMenu).mark_missed("CUSTOM", "project")
    qtbot.waitUntil(lambda: [one.scope for one in answers(fake_core)] == ["again"])
    assert not dialog.is_over
    again = replace(waiting, id="a2-1", arguments=waiting.arguments.replace("zq-77", "[CUSTOM_1.aaaa]"))
    fake_core.put_held_call(again)
    qtbot.waitUntil(lambda: "CUSTOM_1" in dialog.arguments.text())
    press(dialog, "Send")
    qtbot.waitUntil(lambda: answers(fake_core)[-1].held_call_id == "a2-1")


def test_a_run_that_is_stopped_while_its_answer_is_masked_again_ends_the_question(
    dialog: Any, waiting: HeldCall, fake_core: Any, window: Any, qtbot: Any
) -> None:
    dialog.arguments.find("zq-77")
    dialog.arguments.findChild(MarkMenu).mark_missed("CUSTOM", "project")
    qtbot.waitUntil(lambda: [one.scope for one in answers(fake_core)] == ["again"])
    window.context.store.handle(RunChanged(make_run(waiting.run_id, RunState.STOPPED)))
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "The run was stopped, so its answer is not sent.")


def test_an_answer_that_nobody_decided_about_in_time_is_called_withheld(
    dialog: Any, waiting: HeldCall, fake_core: Any, qtbot: Any
) -> None:
    fake_core.settle_held_call(waiting, "timed out")
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "Time is up: the answer was withheld.")


def test_edit_marks_opens_the_page(dialog: Any, window: Any, press: Any, qtbot: Any) -> None:
    press(dialog, "Edit marks")
    qtbot.waitUntil(lambda: window.centre.tabText(window.centre.currentIndex()) == "Personal data")
    assert not dialog.is_over
