"""A held call can be allowed with one of the rules that the core offers, in one answer."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from tests.gui.fake_core import make_held_call
from tests.gui.runs.test_held_call_page import answers, opened
from workbench.errors import WorkbenchError
from workbench.records import HeldCall, HeldCallAnswer, Risk, RuleOffer

SENTENCE = "Programs may call demo.send_email without asking when “to” is “bob@acme.com”."


def plain(**more: Any) -> HeldCall:
    arguments = json.dumps({"to": "bob@acme.com", "body": "hello"})
    offers = (RuleOffer("rule-0", "call", "always", SENTENCE),)
    more = {"rule_offers": offers, **more}
    return replace(make_held_call(), arguments=arguments, risk=Risk.MEDIUM, trifecta=False, origins=(), **more)


def test_one_answer_allows_the_call_and_names_the_rule(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    choice = dialog.rules.choice
    assert [choice.itemText(place) for place in range(choice.count())] == ["Only this time", f"From now on: {SENTENCE}"]
    choice.setCurrentIndex(1)
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    dialog.allow_button.click()
    qtbot.waitUntil(lambda: bool(answers(fake_core)))
    assert [(one.allow, one.scope) for one in answers(fake_core)] == [(True, "rule-0")]


def test_a_denial_makes_no_rule(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    dialog.rules.choice.setCurrentIndex(1)
    dialog.button("Deny").click()
    qtbot.waitUntil(lambda: bool(answers(fake_core)))
    assert [(one.allow, one.scope) for one in answers(fake_core)] == [(False, "once")]


def test_a_rule_is_not_offered_for_the_calls_that_joined(window: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    dialog.rules.choice.setCurrentIndex(1)
    joined = plain(id="p1-2", more=1, list=("first", "second"), rule_offers=())
    fake_core.put_held_call(joined, before="p1-1")
    qtbot.waitUntil(lambda: dialog.held_call.id == "p1-2")
    assert dialog.rules.isHidden()
    assert dialog.rules.scope == "once"


def test_a_rule_that_the_core_cannot_make_leaves_the_call_waiting(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    async def refuse(answer: HeldCallAnswer) -> HeldCall:
        raise WorkbenchError("The rules cannot be written.", "Check the disk.")

    fake_core.answer_held_call = refuse
    fake_core.put_held_call(plain())
    dialog = opened(window, qtbot)
    dialog.rules.choice.setCurrentIndex(1)
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    dialog.allow_button.click()
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "The rules cannot be written.")
    settled()
    assert not dialog.is_over
    assert dialog.rules.scope == "rule-0", "the choice is kept"
