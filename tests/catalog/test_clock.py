"""A call's clock gives the whole time again on progress, and stands while somebody is asked."""

from __future__ import annotations

import asyncio

import pytest

from workbench.catalog.clock import CallClock, Clocks


async def test_it_runs_out() -> None:
    with pytest.raises(TimeoutError):
        async with CallClock(0.01):
            await asyncio.Event().wait()


async def test_a_clock_that_stands_does_not_run_out_and_has_the_rest_afterwards() -> None:
    async with CallClock(0.05) as clock:
        clock.pause()
        clock.pause()
        await asyncio.sleep(0.1)
        clock.resume()
        await asyncio.sleep(0.1)  # still one pause
        assert clock._left <= 0.05
        clock.resume()


async def test_a_clock_that_goes_on_runs_out() -> None:
    async def stand_and_wait() -> None:
        async with CallClock(0.05) as clock:
            clock.pause()
            clock.resume()
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await stand_and_wait()


async def test_a_restart_gives_the_whole_time() -> None:
    async with CallClock(100) as clock:
        before = clock._timeout.when()
        await asyncio.sleep(0.01)
        clock.restart()
        assert clock._timeout.when() > before


async def test_what_comes_after_the_end_changes_nothing() -> None:
    async with CallClock(10) as clock:
        clock.pause()
    clock.resume()
    clock.restart()
    clock.pause()


async def test_all_clocks_of_a_server_stand_together_also_those_that_start_meanwhile() -> None:
    clocks = Clocks()
    async with clocks.running(100) as first:
        with clocks.paused():
            async with clocks.running(0.01) as second:
                with clocks.paused():
                    await asyncio.sleep(0.05)
                await asyncio.sleep(0.05)
                assert (first._timeout.when(), second._timeout.when()) == (None, None)
        assert first._timeout.when() is not None
        with pytest.raises(TimeoutError):
            async with clocks.running(0.01):
                await asyncio.sleep(10)
