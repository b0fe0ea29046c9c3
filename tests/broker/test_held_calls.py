"""A held call is decided once, by the user, for exactly what was shown. Without an answer it is denied."""

from __future__ import annotations

import asyncio

import pytest

from workbench.broker.held_calls import HeldCalls
from workbench.errors import WorkbenchError
from workbench.events import CallHeld, HeldCallSettled
from workbench.records import HeldCall, HeldCallAnswer


class Told:
    """Records events, and waits for them."""

    def __init__(self):
        self.events = []
        self._more = asyncio.Event()

    def __call__(self, event):
        self.events.append(event)
        self._more.set()

    async def paused(self, calls):
        """The newest held call with this many calls."""
        async with asyncio.timeout(60):
            while True:
                for event in reversed(self.events):
                    if isinstance(event, CallHeld) and len(event.held_call.list) == calls:
                        return event.held_call
                self._more.clear()
                await self._more.wait()

    @property
    def endings(self):
        return [event.ending for event in self.events if isinstance(event, HeldCallSettled)]


def held_call(run="r1", tool="delete_order", call_id="c1", arguments="{}", **more):
    return HeldCall("", run, call_id, "demo", tool, arguments, **more)


def asked(held_calls, line="{}", seconds=60.0, **more):
    return asyncio.ensure_future(held_calls.ask(held_call(**more), line, seconds))


async def test_calls_of_one_loop_are_one_question_with_a_list():
    told = Told()
    held_calls = HeldCalls(told)
    calls = [asked(held_calls, f"order {n}", why=(f"reason {n % 2}",)) for n in range(5)]
    shown = await told.paused(5)
    assert shown.list == tuple(f"order {n}" for n in range(5))
    assert shown.why == ("reason 0", "reason 1")
    assert held_calls.all() == (shown,)
    held_calls.answer(HeldCallAnswer(shown.id, allow=True))
    assert all(answer.allow for answer in await asyncio.gather(*calls))
    assert told.endings == ["allowed"]
    assert not held_calls.has_waiting("r1")


async def test_an_answer_is_about_the_calls_that_were_shown_and_no_others():
    told = Told()
    held_calls = HeldCalls(told)
    first = asked(held_calls, "first")
    seen = await told.paused(1)
    second = asked(held_calls, "second")
    await told.paused(2)
    held_calls.answer(HeldCallAnswer(seen.id, allow=True))
    assert (await first).allow
    left = await told.paused(1)
    assert left.list == ("second",)
    assert not second.done()
    with pytest.raises(WorkbenchError):
        held_calls.answer(HeldCallAnswer(seen.id, allow=True))
    held_calls.answer(HeldCallAnswer(left.id, allow=False, reason="no"))
    assert (await second).reason == "no"


async def test_a_call_is_changed_by_itself_although_others_joined_it():
    told = Told()
    held_calls = HeldCalls(told)

    async def edit(text):
        return held_call(arguments=text)

    first = asyncio.ensure_future(held_calls.ask(held_call(), "first", 60.0, edit=edit))
    seen = await told.paused(1)
    second = asked(held_calls, "second", call_id="c2")
    both = await told.paused(2)
    with pytest.raises(WorkbenchError, match="Several calls"):
        await held_calls.edit(both.id, "{}")
    changed = await held_calls.edit(seen.id, '{"id": 7}')
    assert [one.arguments for one in held_calls.all()] == ["{}", '{"id": 7}']
    events = [event for event in told.events if isinstance(event, CallHeld)][-2:]
    assert [(event.held_call.list, event.before) for event in events] == [(('{"id": 7}',), both.id), (("second",), "")]
    for gone in (seen, both):
        with pytest.raises(WorkbenchError):
            held_calls.answer(HeldCallAnswer(gone.id, allow=True))
    held_calls.answer(HeldCallAnswer(changed.id, allow=True))
    assert (await first).arguments == '{"id": 7}'
    assert not second.done()
    held_calls.withdraw("r1")
    assert not (await second).allow
    assert held_calls.all() == ()


async def test_nobody_in_time_is_a_no():
    told = Told()
    held_calls = HeldCalls(told)
    assert not (await asked(held_calls, seconds=0.01)).allow
    assert told.endings == ["timed out"]
    assert not (await asked(held_calls, seconds=0)).allow
    assert len(told.endings) == 1, "with no time to answer nobody is asked"


async def test_what_is_cancelled_is_taken_back():
    told = Told()
    held_calls = HeldCalls(told)
    calls = [asked(held_calls, "a"), asked(held_calls, "b")]
    await told.paused(2)
    calls[0].cancel()
    await asyncio.wait([calls[0]])
    assert (await told.paused(1)).list == ("b",)
    calls[1].cancel()
    await asyncio.wait([calls[1]])
    assert told.endings == ["withdrawn"]
    assert held_calls.all() == ()


async def test_runs_and_tools_are_asked_about_apart_and_a_closing_core_refuses_all():
    told = Told()
    held_calls = HeldCalls(told)
    calls = [asked(held_calls), asked(held_calls, run="r2"), asked(held_calls, tool="send_email")]
    await asyncio.sleep(0)
    assert len(held_calls.all()) == 3
    assert [one.tool for one in held_calls.for_run("r1")] == ["delete_order", "send_email"]
    held_calls.close()
    assert not any(answer.allow for answer in await asyncio.gather(*calls))
    assert told.endings == ["withdrawn"] * 3


async def test_a_call_that_joins_a_waiting_question_keeps_its_own_time():
    told = Told()
    held_calls = HeldCalls(told)
    early = asked(held_calls, "early", 0.6)
    await told.paused(1)
    await asyncio.sleep(0.4)
    late = asked(held_calls, "late", 60.0)
    shown = await told.paused(2)
    assert (await early).reason == "The approval request was not answered in time."
    left = held_calls.all()[0]
    assert (left.list, left.id != shown.id) == (("late",), True)
    assert left.deadline - shown.deadline > 50, "the question shows the time of the calls that still wait"
    held_calls.answer(HeldCallAnswer(left.id, allow=True))
    assert (await late).allow
    assert told.endings == ["allowed"]


async def test_calls_beyond_the_list_have_their_own_time_too(monkeypatch):
    monkeypatch.setattr("workbench.broker.held_calls.LISTED", 2)
    told = Told()
    held_calls = HeldCalls(told)
    calls = [asked(held_calls, f"order {n}", 60.0 + n) for n in range(3)]
    shown = await told.paused(2)
    held_calls.answer(HeldCallAnswer(shown.id, allow=True))
    (left,) = held_calls.all()
    assert left.list == ("order 2",)
    assert left.deadline - shown.deadline > 1.5
    held_calls.answer(HeldCallAnswer(left.id, allow=False))
    assert [answer.allow for answer in await asyncio.gather(*calls)] == [True, True, False]


async def test_a_denial_counts_although_the_caller_waits_no_longer_than_it_can_be_undone():
    told = Told()
    held_calls = HeldCalls(told, undo_seconds=lambda: 60.0)
    call = asyncio.ensure_future(held_calls.ask(held_call(), "{}", 60.0, limit=0.2))
    shown = await told.paused(1)
    held_calls.answer(HeldCallAnswer(shown.id, allow=False, reason="not there", undoable=True))
    assert (await call).reason == "not there"
    with pytest.raises(WorkbenchError):
        held_calls.undo_denial(shown.id)
    nobody = await held_calls.ask(held_call(), "{}", 60.0, limit=0.01)
    assert (nobody.allow, nobody.reason) == (False, "The approval request was not answered in time.")
    held_calls.close()
