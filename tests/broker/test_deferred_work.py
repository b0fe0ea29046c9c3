"""What is done after a call is done soon, in order, and whatever one of them does."""

from __future__ import annotations

import asyncio

from workbench.broker.deferred_work import DeferredWork


async def test_what_waits_is_done_in_order_without_being_asked_and_at_once_when_asked():
    done, heard = [], asyncio.Event()
    afterwards = DeferredWork()
    afterwards.put(lambda: done.append(1))
    afterwards.put(lambda: (done.append(2), heard.set()))
    assert done == []
    async with asyncio.timeout(60):
        await heard.wait()
    afterwards.put(lambda: done.append(3))
    afterwards.catch_up()
    assert done == [1, 2, 3]


async def test_some_of_it_is_done_in_a_pause_and_the_rest_in_its_time():
    done, heard = [], asyncio.Event()
    afterwards = DeferredWork()
    for number in range(6):
        afterwards.put(lambda number=number: done.append(number))
    afterwards.put(heard.set)
    afterwards.do_some()
    assert done == [0, 1, 2, 3]
    async with asyncio.timeout(60):
        await heard.wait()
    assert done == [0, 1, 2, 3, 4, 5]
    afterwards.do_some()


async def test_one_that_fails_is_told_in_the_log_and_stops_no_other(caplog):
    done = []
    afterwards = DeferredWork()
    afterwards.put(lambda: [][0])
    afterwards.put(lambda: afterwards.put(lambda: done.append("added meanwhile")))
    afterwards.catch_up()
    assert done == ["added meanwhile"]
    assert "IndexError" in caplog.text
