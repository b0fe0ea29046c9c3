"""The timeout of a call restarts on progress, and is paused while the user is asked."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import pytest

from workbench.servers import call_timeout
from workbench.servers.call_timeout import CallTimeout, CallTimeouts


async def test_it_runs_out() -> None:
    with pytest.raises(TimeoutError):
        async with CallTimeout(0.01):
            await asyncio.Event().wait()


async def test_a_clock_that_stands_does_not_run_out_and_has_the_rest_afterwards() -> None:
    async with CallTimeout(0.05) as clock:
        clock.pause()
        clock.pause()
        await asyncio.sleep(0.1)
        clock.resume()
        await asyncio.sleep(0.1)  # still paused: pauses are counted
        assert clock.remaining <= 0.05
        clock.resume()


async def test_a_clock_that_goes_on_runs_out() -> None:
    async def stand_and_wait() -> None:
        async with CallTimeout(0.05) as clock:
            clock.pause()
            clock.resume()
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await stand_and_wait()


async def _until_over(seconds: float) -> float:
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(TimeoutError):
        async with CallTimeout(seconds):
            await asyncio.Event().wait()
    return loop.time() - began


async def test_each_of_many_ends_at_its_own_time_whoever_began_first() -> None:
    took = await asyncio.gather(*map(_until_over, (0.09, 0.03, 0.06)))
    assert took[1] < took[2] < took[0]
    assert all(one >= least for one, least in zip(took, (0.09, 0.03, 0.06), strict=True))


async def test_a_stop_from_elsewhere_is_no_timeout() -> None:
    async def work() -> None:
        async with CallTimeout(60):
            await asyncio.Event().wait()

    task = asyncio.create_task(work())  # the task is awaited here
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_stop_together_with_the_end_of_the_time_stays_a_stop() -> None:
    async def work() -> None:
        async with CallTimeout(0.01):
            await asyncio.Event().wait()

    task = asyncio.create_task(work())  # as above
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(task.cancel)
    time.sleep(0.03)  # noqa: ASYNC251  # the loop stands, so that both are due in its next turn
    await asyncio.wait([task])
    assert task.cancelled()


async def test_a_restart_gives_the_whole_time() -> None:
    async with CallTimeout(100) as clock:
        await asyncio.sleep(0.05)
        before = clock.remaining
        clock.restart()
        assert clock.remaining > before


async def test_what_comes_after_the_end_changes_nothing() -> None:
    async with CallTimeout(10) as clock:
        clock.pause()
    clock.resume()
    clock.restart()
    clock.pause()


async def test_all_clocks_of_a_server_stand_together_also_those_that_start_meanwhile() -> None:
    clocks = CallTimeouts()
    async with clocks.running(100) as first:
        with clocks.paused():
            async with clocks.running(0.01) as second:
                with clocks.paused():
                    await asyncio.sleep(0.05)
                await asyncio.sleep(0.05)
                assert (first.paused, second.paused) == (True, True)
        assert not first.paused
        with pytest.raises(TimeoutError):
            async with clocks.running(0.01):
                await asyncio.sleep(10)


async def test_the_length_of_all_pauses_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(call_timeout, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    async with CallTimeout(5) as clock:
        for inner in (False, True):
            clock.pause()
            if inner:  # two questions at once count once
                clock.pause()
                now[0] += 1
                clock.resume()
            now[0] += 3
            clock.resume()
            now[0] += 50  # not paused
    assert clock.paused_seconds == 7
