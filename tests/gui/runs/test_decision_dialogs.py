"""The owner of the decision dialogs: one dialog for each request, all ended when the core is gone."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.gui.fake_core import make_held_call
from tests.gui.runs.test_elicitation_page import make_ask
from workbench.events import AskArrived, CallHeld, HeldCallSettled
from workbench.gui.runs.decision_dialog import DecisionDialog
from workbench.gui.runs.decision_dialogs import DecisionDialogs
from workbench.gui.shell.bridge import Link, LinkState
from workbench.records import Run, RunState


@pytest.fixture
def owner(context: Any, qtbot: Any) -> Any:
    window = QWidget()
    qtbot.addWidget(window)
    made = DecisionDialogs(context, window)
    made.window = window  # type: ignore[attr-defined]  # kept alive for the test
    yield made
    for dialog in window.findChildren(DecisionDialog):
        dialog.done(0)


@pytest.fixture
def opened(owner: Any, context: Any, make: Any) -> list[DecisionDialog]:
    """One dialog of each kind that waits."""
    run: Run = make.run("w")
    context.store.handle(CallHeld(make_held_call(), ""))
    context.store.handle(AskArrived(make_ask(by="claude-code")))
    owner.show_run(run)
    owner.show_held_call()
    owner.show_elicitation()
    return [owner.find(name) for name in ("w", "p1-1", "a1")]


def test_a_request_has_one_page_which_comes_back(owner: Any, opened: list[DecisionDialog], make: Any) -> None:
    shows = (
        lambda: owner.show_run(make.run("w")),
        lambda: owner.show_held_call("c1"),  # by the id of its call
        lambda: owner.show_elicitation("a1"),
    )
    for dialog, show in zip(opened, shows, strict=True):
        show()
        assert owner.review.page() is dialog
        assert dialog.isVisible()
        dialog.put_away()
        assert not owner.review.isVisible()
    assert len(owner.window.findChildren(DecisionDialog)) == 3


def test_a_core_that_is_gone_ends_every_dialog_and_allows_nothing(
    owner: Any, opened: list[DecisionDialog], fake_core: Any, qtbot: Any
) -> None:
    owner.link(Link(LinkState.BROKEN))
    for dialog in opened:
        assert dialog.is_over
        assert "connection to the core was lost" in dialog.fault.sentence()
        assert dialog.allow_button.isHidden()
        dialog.allow()
        dialog.deny()
    QTest.qWait(20)
    assert fake_core.answers == []
    assert not [name for name, _ in fake_core.asked if name in ("decide", "answer_held_call")]
    while (dialog := owner.review.page()) is not None:
        qtbot.mouseClick(dialog.button("Close"), Qt.MouseButton.LeftButton)
    assert owner.find("w") is owner.find("p1-1") is owner.find("a1") is None


def test_escape_and_the_close_button_of_the_window_never_answer(
    owner: Any, opened: list[DecisionDialog], fake_core: Any, qtbot: Any
) -> None:
    for dialog in opened:
        owner.show_request(dialog.request_id)
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not owner.review.isVisible()
        assert not dialog.is_over
    QTest.qWait(20)
    assert fake_core.answers == []
    assert not [name for name, _ in fake_core.asked if name in ("decide", "answer_held_call")]


def test_enter_allows_nothing_on_any_page(
    owner: Any, opened: list[DecisionDialog], make: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.run_list["w"] = make.run("w")
    for dialog in opened:
        owner.show_request(dialog.request_id)
        qtbot.waitUntil(dialog.allow_button.settled)
        for focus in (dialog, dialog.focusWidget() or dialog):
            QTest.keyClick(focus, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(fake_core.asked) >= 2)
    decided = [arguments[0].allow for name, arguments in fake_core.asked if name in ("decide", "answer_held_call")]
    assert decided == [False, False]
    assert fake_core.answers == []


def test_what_is_gone_is_said_and_opens_nothing(owner: Any, context: Any) -> None:
    said: list[str] = []
    context.messages.said.connect(lambda message: said.append(message.text))
    context.store.handle(CallHeld(make_held_call(), ""))
    context.store.handle(HeldCallSettled(make_held_call(), "denied"))
    owner.show_held_call("p1-1")
    owner.show_held_call()
    owner.show_elicitation("gone")
    assert said == ["This call no longer waits."] * 2 + ["This request is closed."]
    assert owner.window.findChildren(DecisionDialog) == []


def test_a_program_that_was_decided_elsewhere_closes_while_it_is_away(owner: Any, context: Any, make: Any) -> None:
    from workbench.events import RunChanged

    owner.show_run(make.run("w"))
    dialog = owner.find("w")
    dialog.put_away()
    context.store.handle(RunChanged(make.run("w", RunState.STOPPED)))
    assert owner.find("w") is None
