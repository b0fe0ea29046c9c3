"""What a held call is answered with, and how much one plan holds."""

from __future__ import annotations

import json

import pytest

from workbench.dry_run import held_side_effects as module
from workbench.dry_run.held_side_effects import HeldSideEffects, hold_files
from workbench.errors import WorkbenchError
from workbench.records import Content, Hints, Origin, Outcome, PastCall, Risk, Tool, ToolCall

MAIL = Tool("s", "send_mail", "", {}, hash="h1", hints=Hints(destructive=True))


class Past:
    """A history of two calls."""

    def __init__(self, fault=None):
        self.fault = fault

    async def find(self, query):
        if self.fault:
            raise self.fault
        return (PastCall(2, 0.0, "s", "send_mail", '{"to": "b"}'), PastCall(1, 0.0, "s", "send_mail", '{"to": "a"}'))

    async def get(self, number):
        return PastCall(
            number, 0.0, "s", "send_mail", "", outcome=Outcome("old", True, (Content("text", str(number)),))
        )


def dry_run(history):
    return HeldSideEffects(history)


async def held(one, arguments, tool=MAIL, number=0):
    call = ToolCall(f"c{number}", tool.server, tool.name, arguments, Origin.PERSON, "person", "r1")
    return await one.hold(call, tool, arguments, Risk.HIGH, (), None)


async def test_without_a_schema_it_is_what_was_answered_before_at_best_to_the_same_arguments():
    one = dry_run(Past())
    same, other = await held(one, {"to": "a"}), await held(one, {"to": "c"}, number=1)
    assert (same.content[0].text, other.content[0].text) == ("1", "2")
    assert (same.call_id, same.held) == ("c0", True)
    assert [step.held.answered for step in one.steps] == ["recorded", "recorded"]
    assert one.plan[0].reversible is False


async def test_without_a_history_it_is_an_empty_object():
    one = dry_run(Past(WorkbenchError("The history cannot be read just now.")))
    assert (await held(one, {"to": "a"})).structured == "{}"
    assert one.plan[0].answered == "nothing"


async def test_a_plan_is_short_enough_to_be_read(monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    one = dry_run(Past())
    answers = [await held(one, {"to": "a"}, number=number) for number in range(3)]
    assert [answer.ok for answer in answers] == [True, True, False]
    assert (len(one.plan), one.full) == (2, True)
    big = dry_run(Past())
    assert not (await held(big, {"to": "x" * module.MOST_LETTERS})).ok


@pytest.mark.parametrize("deleted", [(), ("workspace/b",)])
def test_files_are_one_line_that_says_what_happens_to_each(deleted):
    one = dry_run(Past())
    hold_files(one, {}, ())
    assert one.plan == ()
    hold_files(one, {"workspace/a": 1200}, deleted)
    assert json.loads(one.plan[0].arguments)["workspace/a"] == "written, 1,200 bytes"
    assert (one.plan[0].risk is Risk.HIGH) is bool(deleted)
