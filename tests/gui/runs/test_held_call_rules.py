"""A yes to a call may be kept as a rule that is as narrow as the call; of what is doubtful nothing is learned."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from tests.gui.fake_core import make_held_call
from tests.gui.runs.test_held_call_page import answers, opened
from workbench.errors import WorkbenchError
from workbench.records import HeldCall, HeldCallAnswer, Permission, Risk


def plain(**more: Any) -> HeldCall:
    arguments = json.dumps({"to": "bob@acme.com", "body": "hello"})
    return replace(make_held_call(), arguments=arguments, risk=Risk.MEDIUM, trifecta=False, origins=(), **more)


def test_always_for_this_recipient_is_a_rule_and_allows_the_call(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    choice = dialog.rules.choice
    qtbot.waitUntil(lambda: choice.count() == 3)
    assert choice.currentText() == "Only this time"
    assert choice.itemText(1).startswith(
        "From now on: Programs may call demo.send_email without asking when “to” is “bob@acme.com”"
    )
    choice.setCurrentIndex(1)
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    dialog.allow_button.click()
    qtbot.waitUntil(lambda: bool(fake_core.rooms_rules.rules))  # the answer is sent first
    assert answers(fake_core)
    assert [(one.where[0].pattern, one.source) for one in fake_core.rooms_rules.rules] == [
        ("bob@acme.com", "a decision")
    ]


def test_a_no_teaches_nothing(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    qtbot.waitUntil(lambda: dialog.rules.choice.count() == 3)
    dialog.rules.choice.setCurrentIndex(1)
    dialog.button("Deny").click()
    qtbot.waitUntil(lambda: bool(answers(fake_core)))
    assert fake_core.rooms_rules.rules == ()


@pytest.mark.parametrize(
    "more",
    [
        {"trifecta": True},
        {"risk": Risk.HIGH},
        {"risk": Risk.CRITICAL},
        {"more": 2},
        {"origins": make_held_call().origins},
    ],
)
def test_nothing_is_learned_of_what_is_doubtful(
    window: Any, fake_core: Any, qtbot: Any, settled: Any, more: dict[str, Any]
) -> None:
    fake_core.put_held_call(replace(plain(), **more))
    dialog = opened(window, qtbot)
    settled()
    assert dialog.rules.isHidden()
    assert dialog.rules.rule is None


def test_rules_that_arrive_late_are_not_offered_for_the_calls_that_joined(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    suggest, answered = fake_core.suggest_permissions, asyncio.Event()

    async def late(*about: Any) -> Any:
        rules = await suggest(*about)
        await answered.wait()
        return rules

    fake_core.suggest_permissions = late
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    fake_core.put_held_call(replace(plain(), id="p1-2", more=1, list=("first", "second")), before="p1-1")
    qtbot.waitUntil(lambda: dialog.held_call.id == "p1-2")
    answered.set()
    settled()
    assert dialog.rules.isHidden()
    assert dialog.rules.rule is None


def allow_with_rule(window: Any, fake_core: Any, qtbot: Any) -> Any:
    """Choose the first rule in the dialog of a plain call, and press Allow."""
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    qtbot.waitUntil(lambda: dialog.rules.choice.count() == 3)
    dialog.rules.choice.setCurrentIndex(1)
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    qtbot.mouseClick(dialog.allow_button, Qt.MouseButton.LeftButton)
    return dialog


def test_an_answer_that_the_core_refuses_creates_no_rule(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    async def refuse(answer: HeldCallAnswer) -> HeldCall:
        raise WorkbenchError("This call no longer waits for a decision.", "Its run continued or ended.")

    fake_core.answer_held_call = refuse
    dialog = allow_with_rule(window, fake_core, qtbot)
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "This call no longer waits for a decision.")
    settled()
    assert fake_core.rooms_rules.rules == ()


def test_a_rule_that_could_not_be_created_is_reported_after_the_call_was_allowed(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    async def refuse(rule: Permission) -> Permission:
        raise WorkbenchError("The rules cannot be written.", "Check the disk.")

    fake_core.set_permission = refuse
    dialog = allow_with_rule(window, fake_core, qtbot)
    sentence = "The call was allowed, but the rule was not created: The rules cannot be written."
    qtbot.waitUntil(lambda: dialog.fault.sentence() == sentence)
    assert dialog.fault.hint() == "Check the disk."
    assert [answer.allow for answer in answers(fake_core)] == [True]
    assert not dialog.allow_button.isVisible()
    assert dialog.button("Close").isVisible()
