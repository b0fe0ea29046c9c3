"""Open elicitation requests: who waits, who is notified, and all ways they end."""

from __future__ import annotations

import asyncio

import pytest

from workbench.errors import WorkbenchError
from workbench.servers.elicitation.open_requests import MOST_OPEN, OpenElicitations
from workbench.servers.elicitation.request_parsing import ElicitationRefusal
from workbench.settings import Settings

CREATE = "elicitation/create"
RIGHT = '{"name": "Ada", "seats": 2}'
PAGE = {"mode": "url", "message": "Sign in", "url": "https://inn.example/sign", "elicitationId": "e1"}


class Clock:
    """Reports whether the call's timeout is paused."""

    def __init__(self) -> None:
        self.pauses = 0

    def pause(self) -> None:
        self.pauses += 1

    def resume(self) -> None:
        self.pauses -= 1


async def asking(room, params, server="inn") -> asyncio.Task:
    """Send a request and return when it is open."""
    before = len(room.asks.all())
    task = asyncio.create_task(room.asks.answer_request(server, CREATE, params))
    while len(room.asks.all()) == before and not task.done():
        await asyncio.sleep(0)
    return task


async def test_an_answer_reaches_the_server_and_is_told(room, booking):
    task = await asking(room, booking)
    room.asks.answer(room.asks.all()[0].id, "accept", RIGHT)
    assert await task == {"action": "accept", "content": {"name": "Ada", "seats": 2}}
    assert room.endings() == ["accept"]
    assert room.asks.all() == ()


async def test_a_wrong_answer_leaves_the_question_open(room, booking):
    task = await asking(room, booking)
    with pytest.raises(WorkbenchError, match="seats is required"):
        room.asks.answer(room.asks.all()[0].id, "accept", '{"name": "Ada"}')
    assert len(room.asks.all()) == 1
    room.asks.answer(room.asks.all()[0].id, "cancel", "")
    assert await task == {"action": "cancel"}


async def test_nobody_there_is_said_at_once(booking):
    asks = OpenElicitations(lambda event: None)
    with pytest.raises(ElicitationRefusal, match="No user can answer"):
        await asks.answer_request("inn", CREATE, booking)


async def test_a_question_may_wait_for_a_window_but_not_for_ever(booking):
    asks = OpenElicitations(
        lambda event: None, lambda: Settings(elicitation_without_window="wait", elicitation_wait_seconds=0)
    )
    task = asyncio.create_task(asks.answer_request("inn", CREATE, booking))
    while not asks.all():
        await asyncio.sleep(0)
    assert asks.all()[0].deadline > asks.all()[0].asked_at
    with asks.attending():
        asks.answer(asks.all()[0].id, "decline", "")
    assert await task == {"action": "decline"}


async def test_time_runs_out(booking):
    events: list = []
    asks = OpenElicitations(events.append, lambda: Settings(elicitation_wait_seconds=1))
    with asks.attending():
        assert await asks.answer_request("inn", CREATE, booking) == {"action": "cancel"}
    assert events[-1].ending == "timed out"


async def test_a_server_that_asks_too_much_is_refused_and_others_are_not(room, booking):
    tasks = [await asking(room, booking) for _ in range(MOST_OPEN)]
    with pytest.raises(ElicitationRefusal, match="already open"):
        await room.asks.answer_request("inn", CREATE, booking)
    other = await asking(room, booking, "museum")
    room.asks.forget("inn")
    assert [ask.server for ask in room.asks.all()] == ["museum"]
    assert all(isinstance(one, ElicitationRefusal) for one in await asyncio.gather(*tasks, return_exceptions=True))
    room.asks.forget("museum")
    with pytest.raises(ElicitationRefusal, match="stopped"):
        await other


async def test_a_question_that_the_server_takes_back_is_over(room, booking):
    task = await asking(room, booking)
    task.cancel()
    await asyncio.wait([task])
    assert room.endings() == ["withdrawn"]


async def test_the_only_call_is_the_one_that_asks_and_its_clock_stands(room, booking, wish):
    clock = Clock()
    with room.asks.calling(wish(run_id="run-1", session="agent-7"), clock):
        task = await asking(room, booking)
        ask = room.asks.all()[0]
        assert (ask.call_id, ask.tool, ask.run_id, ask.by) == ("call-1", "book", "run-1", "agent-7")
        assert clock.pauses == 1
        assert room.asks.holds("run-1")
        room.asks.answer(ask.id, "decline", "")
        assert clock.pauses == 0
        assert not room.asks.holds("run-1")
        await task


async def test_of_several_calls_the_one_in_its_own_task_is_known(room, booking, wish):
    async def call(name: str, *, loud: bool) -> None:
        with room.asks.calling(wish(name), Clock()):
            if loud:
                await room.asks.answer_request("inn", CREATE, booking)
            else:
                await done.wait()

    done = asyncio.Event()
    calls = [asyncio.create_task(call("quiet", loud=False)), asyncio.create_task(call("loud", loud=True))]
    while not room.asks.all():
        await asyncio.sleep(0)
    outside = await asking(room, booking)
    assert [ask.call_id for ask in room.asks.all()] == ["loud", ""]
    for ask in room.asks.all():
        room.asks.answer(ask.id, "decline", "")
    done.set()
    await asyncio.gather(*calls, outside)


async def test_a_question_ends_with_its_call(room, booking, wish):
    clock = Clock()
    with room.asks.calling(wish(), clock):
        task = await asking(room, booking)
    with pytest.raises(ElicitationRefusal, match="has ended"):
        await task
    assert room.endings() == ["withdrawn"]
    assert clock.pauses == 0


async def test_a_page_is_consented_to_at_once_and_stays_until_it_is_done(room):
    task = await asking(room, PAGE)
    room.asks.answer(room.asks.all()[0].id, "accept", "")
    assert await task == {"action": "accept"}
    assert room.asks.all()[0].opened
    room.asks.completed("museum", {"elicitationId": "e1"})
    room.asks.completed("inn", {})
    assert len(room.asks.all()) == 1
    room.asks.completed("inn", {"elicitationId": "e1"})
    assert room.endings() == ["accept"]


async def test_a_page_without_a_name_is_done_when_it_was_opened(room):
    task = await asking(room, {key: value for key, value in PAGE.items() if key != "elicitationId"})
    room.asks.answer(room.asks.all()[0].id, "accept", "")
    assert await task == {"action": "accept"}
    assert room.asks.all() == ()


async def test_a_call_that_needs_pages_waits_until_each_was_visited(room):
    task = asyncio.create_task(room.asks.visit("inn", [PAGE, {**PAGE, "elicitationId": "e2"}]))
    for _ in range(2):
        while not room.asks.all():
            await asyncio.sleep(0)
        ask = room.asks.all()[0]
        assert ask.repeats
        room.asks.answer(ask.id, "accept", "")
        assert not task.done()
        assert room.asks.all()[0].opened
        room.asks.answer(ask.id, "accept", "")
    await task


async def test_a_page_that_is_declined_ends_the_wait(room):
    for listed in (None, [], ["x"]):
        with pytest.raises(ElicitationRefusal):
            await room.asks.visit("inn", listed)
    task = asyncio.create_task(room.asks.visit("inn", [PAGE]))
    while not room.asks.all():
        await asyncio.sleep(0)
    room.asks.answer(room.asks.all()[0].id, "decline", "")
    with pytest.raises(ElicitationRefusal, match=r"The user did not visit inn\.example"):
        await task


async def test_what_is_not_open_cannot_be_answered(room):
    with pytest.raises(WorkbenchError):
        room.asks.answer("nothing", "accept", "")
