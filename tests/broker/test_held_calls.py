"""A call that waits is decided once, by a person, for exactly what they saw; nobody's silence is a yes."""

from __future__ import annotations

import asyncio

import pytest

from workbench.broker.held_calls import HeldCalls
from workbench.errors import WorkbenchError
from workbench.events import PauseSettled, RunPaused
from workbench.records import Pause, PauseAnswer


class Told:
    """What doors heard, and a way to wait for it."""

    def __init__(self):
        self.events = []
        self._more = asyncio.Event()

    def __call__(self, event):
        self.events.append(event)
        self._more.set()

    async def paused(self, calls):
        """The newest pause that shows so many calls."""
        async with asyncio.timeout(60):
            while True:
                for event in reversed(self.events):
                    if isinstance(event, RunPaused) and len(event.pause.list) == calls:
                        return event.pause
                self._more.clear()
                await self._more.wait()

    @property
    def endings(self):
        return [event.ending for event in self.events if isinstance(event, PauseSettled)]


def pause(run="r1", tool="delete_order", **more):
    return Pause("", run, "c1", "demo", tool, "{}", **more)


def asked(pauses, line="{}", seconds=60.0, **more):
    return asyncio.ensure_future(pauses.ask(pause(**more), line, seconds))


async def test_calls_of_one_loop_are_one_question_with_a_list():
    told = Told()
    pauses = HeldCalls(told)
    calls = [asked(pauses, f"order {n}", why=(f"reason {n % 2}",)) for n in range(5)]
    shown = await told.paused(5)
    assert shown.list == tuple(f"order {n}" for n in range(5))
    assert shown.why == ("reason 0", "reason 1")
    assert pauses.all() == (shown,)
    pauses.answer(PauseAnswer(shown.id, allow=True))
    assert all(answer.allow for answer in await asyncio.gather(*calls))
    assert told.endings == ["allowed"]
    assert not pauses.holds("r1")


async def test_an_answer_is_about_the_calls_that_were_shown_and_no_others():
    told = Told()
    pauses = HeldCalls(told)
    first = asked(pauses, "first")
    seen = await told.paused(1)
    second = asked(pauses, "second")
    await told.paused(2)
    pauses.answer(PauseAnswer(seen.id, allow=True))
    assert (await first).allow
    left = await told.paused(1)
    assert left.list == ("second",)
    assert not second.done()
    with pytest.raises(WorkbenchError):
        pauses.answer(PauseAnswer(seen.id, allow=True))
    pauses.answer(PauseAnswer(left.id, allow=False, reason="no"))
    assert (await second).reason == "no"


async def test_nobody_in_time_is_a_no():
    told = Told()
    pauses = HeldCalls(told)
    assert not (await asked(pauses, seconds=0.01)).allow
    assert told.endings == ["timed out"]
    assert not (await asked(pauses, seconds=0)).allow
    assert len(told.endings) == 1, "with no time to answer nobody is asked"


async def test_what_is_cancelled_is_taken_back():
    told = Told()
    pauses = HeldCalls(told)
    calls = [asked(pauses, "a"), asked(pauses, "b")]
    await told.paused(2)
    calls[0].cancel()
    await asyncio.wait([calls[0]])
    assert (await told.paused(1)).list == ("b",)
    calls[1].cancel()
    await asyncio.wait([calls[1]])
    assert told.endings == ["withdrawn"]
    assert pauses.all() == ()


async def test_runs_and_tools_are_asked_about_apart_and_a_closing_core_refuses_all():
    told = Told()
    pauses = HeldCalls(told)
    calls = [asked(pauses), asked(pauses, run="r2"), asked(pauses, tool="send_email")]
    await asyncio.sleep(0)
    assert len(pauses.all()) == 3
    assert [one.tool for one in pauses.of("r1")] == ["delete_order", "send_email"]
    pauses.close()
    assert not any(answer.allow for answer in await asyncio.gather(*calls))
    assert told.endings == ["withdrawn"] * 3


async def test_a_call_that_joins_a_waiting_question_keeps_its_own_time():
    told = Told()
    pauses = HeldCalls(told)
    early = asked(pauses, "early", 0.6)
    await told.paused(1)
    await asyncio.sleep(0.4)
    late = asked(pauses, "late", 60.0)
    shown = await told.paused(2)
    assert (await early).reason == "Nobody answered in time."
    left = pauses.all()[0]
    assert (left.list, left.id != shown.id) == (("late",), True)
    assert left.deadline - shown.deadline > 50, "the question shows the time of the calls that still wait"
    pauses.answer(PauseAnswer(left.id, allow=True))
    assert (await late).allow
    assert told.endings == ["allowed"]


async def test_calls_beyond_the_list_have_their_own_time_too(monkeypatch):
    monkeypatch.setattr("workbench.broker.held_calls.LISTED", 2)
    told = Told()
    pauses = HeldCalls(told)
    calls = [asked(pauses, f"order {n}", 60.0 + n) for n in range(3)]
    shown = await told.paused(2)
    pauses.answer(PauseAnswer(shown.id, allow=True))
    (left,) = pauses.all()
    assert left.list == ("order 2",)
    assert left.deadline - shown.deadline > 1.5
    pauses.answer(PauseAnswer(left.id, allow=False))
    assert [answer.allow for answer in await asyncio.gather(*calls)] == [True, True, False]
