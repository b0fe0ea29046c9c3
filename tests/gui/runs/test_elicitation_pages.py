"""When a question opens by itself, when it only says so, and when it goes away."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.runs.test_elicitation_page import dialog_is_open, make_ask
from workbench.gui.runs.elicitation_page import ElicitationPage


def dialogs(window: Any) -> list[Any]:
    return [dialog for dialog in window.findChildren(ElicitationPage) if dialog_is_open(dialog)]


def test_the_question_of_ones_own_call_opens_at_once(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_ask(make_ask())
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    assert "Needed by your call of book_table." in window.strip.text()


def test_nothing_opens_under_typing_fingers(window: Any, fake_core: Any, qtbot: Any) -> None:
    window.activateWindow()
    window.servers.finder.setFocus()
    QTest.keyClicks(window.servers.finder, "ord")
    fake_core.put_ask(make_ask())
    qtbot.waitUntil(lambda: window.strip.isVisible())
    assert dialogs(window) == []
    assert window.servers.finder.text() == "ord"
    qtbot.mouseClick(window.strip.act, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)


def test_what_was_typed_is_done_when_ctrl_enter_sent_it(window: Any, fake_core: Any, qtbot: Any) -> None:
    window.activateWindow()
    window.servers.finder.setFocus()
    QTest.keyClicks(window.servers.finder, "ord")
    QTest.keyClick(window.servers.finder, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    fake_core.put_ask(make_ask())
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)


def test_the_question_of_an_agents_program_only_says_so(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_ask(make_ask(by="claude-code", run_id="run-1"))
    qtbot.waitUntil(lambda: window.strip.isVisible())
    assert dialogs(window) == []
    assert window.strip.text() == (
        "inn asks you to fill in a form. Needed by a call of book_table in a program of claude-code."
    )
    window.commands.do("ask.answer")
    assert len(dialogs(window)) == 1


def test_a_question_that_is_taken_back_closes_and_says_so(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_ask(make_ask())
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    fake_core.settle_ask("a1", "withdrawn")
    qtbot.waitUntil(lambda: dialogs(window) == [])
    assert not window.strip.isVisible()
    assert window.status.message() == "inn no longer waits for your answer."


def test_the_next_question_of_the_same_call_follows_the_answered_one(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_ask(make_ask(schema="{}"))
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    fake_core.put_ask(replace(make_ask(), id="a2", message="And who else?"))
    qtbot.waitUntil(lambda: window.strip.aside().endswith("1 more"))
    dialogs(window)[0].button("Decline").click()
    qtbot.waitUntil(lambda: [dialog.ask.id for dialog in dialogs(window)] == ["a2"])


def test_the_strip_can_be_put_away_and_the_action_still_finds_the_question(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    assert window.commands.disabled_reason("ask.answer") == "no server asks"
    fake_core.put_ask(make_ask(by="claude-code"))
    qtbot.waitUntil(lambda: window.strip.isVisible())
    qtbot.mouseClick(window.strip.dismiss, Qt.MouseButton.LeftButton)
    assert not window.strip.isVisible()
    window.commands.do("ask.answer")
    assert len(dialogs(window)) == 1


def test_a_window_that_comes_later_finds_what_is_open(window: Any, fake_core: Any, qtbot: Any) -> None:
    ask = make_ask(by="claude-code")
    fake_core.ask_list[ask.id] = ask
    window.context.store.load()
    qtbot.waitUntil(lambda: window.strip.isVisible())


def test_nothing_opens_over_typing_when_a_dialog_closes(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_ask(make_ask(schema="{}"))
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    fake_core.put_ask(replace(make_ask(), id="a2"))
    qtbot.waitUntil(lambda: window.strip.aside().endswith("1 more"))
    window.activateWindow()
    window.servers.finder.setFocus()
    qtbot.waitUntil(window.servers.finder.hasFocus)
    QTest.keyClicks(window.servers.finder, "ord")
    fake_core.settle_ask("a1", "withdrawn")
    qtbot.waitUntil(lambda: "a1" not in window.context.store.elicitations)
    assert dialogs(window) == []
    assert window.strip.isVisible()
    assert window.servers.finder.text() == "ord"


def test_the_next_request_follows_a_form_that_was_filled_in_just_now(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_ask(make_ask())
    qtbot.waitUntil(lambda: len(dialogs(window)) == 1)
    fake_core.put_ask(replace(make_ask(), id="a2"))
    (dialog,) = dialogs(window)
    dialog.activateWindow()
    QTest.keyClicks(dialog.body.form.first_field(), "Ada")
    qtbot.mouseClick(dialog.button("Decline"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [dialog.ask.id for dialog in dialogs(window)] == ["a2"])
