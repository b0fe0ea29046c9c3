"""The clock of a call: it stands while somebody is asked."""

from __future__ import annotations

import asyncio

import pytest

from workbench.asks.clock import CallClock


async def test_time_that_is_used_up_is_a_timeout():
    with pytest.raises(TimeoutError):
        async with CallClock(0.01):
            await asyncio.Event().wait()


async def test_it_stands_until_the_last_who_is_asked_is_done():
    async def ask_twice() -> None:
        async with CallClock(0.02) as clock:
            clock.pause()
            clock.pause()
            clock.resume()
            assert clock.stands
            await asyncio.sleep(0.06)  # three times as long as the call may take
            clock.resume()
            assert not clock.stands
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await ask_twice()


async def test_progress_begins_the_time_anew_also_while_it_stands():
    async with CallClock(30) as clock:
        clock.begin_anew()
        clock.pause()
        clock.begin_anew()
        assert clock.stands


async def test_what_comes_after_the_end_changes_nothing():
    async with CallClock(30) as clock:
        clock.pause()
    clock.resume()
    clock.begin_anew()
    assert clock.over
