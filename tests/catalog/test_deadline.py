"""One timer ends the calls whose time is over, and only those, each at its time."""

from __future__ import annotations

import asyncio

import pytest

from workbench.catalog.clock import CallClock
from workbench.catalog.deadline import Deadline, _bell


async def _until_over(seconds: float) -> float:
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(TimeoutError):
        async with CallClock(seconds):
            await asyncio.Event().wait()
    return loop.time() - began


async def test_each_of_many_ends_at_its_own_time_whoever_began_first() -> None:
    took = await asyncio.gather(*map(_until_over, (0.09, 0.03, 0.06)))
    assert took[1] < took[2] < took[0]
    assert all(one >= least for one, least in zip(took, (0.09, 0.03, 0.06), strict=True))


async def test_many_calls_one_after_the_other_make_one_timer() -> None:
    async with CallClock(50):
        first = _bell()._timer
    for _ in range(20):
        async with CallClock(60):
            assert _bell()._timer is first
    assert not _bell()._waiting


async def test_a_call_that_is_over_lets_the_next_one_have_its_whole_time() -> None:
    async with CallClock(0.02):
        pass
    assert await _until_over(0.08) >= 0.08  # the bell rang for the first in between


async def test_a_stop_from_elsewhere_is_no_timeout() -> None:
    async def work() -> None:
        async with CallClock(60):
            await asyncio.Event().wait()

    task = asyncio.create_task(work())  # the task is waited for here
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_stop_together_with_the_end_of_the_time_stays_a_stop() -> None:
    entered = asyncio.Event()
    deadline = Deadline()

    async def work() -> bool:
        deadline.enter()
        entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as fault:
            return deadline.leave(type(fault))
        return True

    task = asyncio.create_task(work())  # as above
    await entered.wait()
    task.cancel()
    deadline.ring()
    assert await task is False
    assert task.cancelling() == 1
