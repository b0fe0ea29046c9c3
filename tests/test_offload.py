"""Short work runs on the event loop, long work on a worker thread, and each caller gets its own result."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from workbench import offload
from workbench.offload import LOOP_BUDGET_MS, WorkKind, value_size

KINDS = {name: kind for name, kind in vars(offload).items() if isinstance(kind, WorkKind)}
CALLER: ContextVar[int] = ContextVar("CALLER")


async def test_work_moves_to_a_thread_above_its_limit():
    assert len(KINDS) > 5
    for name, kind in KINDS.items():
        here, there = [await kind.run(size, threading.get_ident) for size in (kind.limit, kind.limit + 1)]
        assert here == threading.get_ident(), name
        assert there != threading.get_ident(), name


async def test_a_failure_reaches_the_caller_from_both_places():
    for size in (1, offload.MASKING.limit + 1):
        with pytest.raises(ZeroDivisionError):
            await offload.MASKING.run(size, divmod, 1, 0)


def test_the_limit_is_what_fits_into_the_budget():
    assert WorkKind(LOOP_BUDGET_MS).limit == 1_000
    assert WorkKind(LOOP_BUDGET_MS / 4).limit == 4_000


def test_the_size_of_a_value_is_counted_as_far_as_it_matters():
    value = {"a": ["x" * 100, 1, None, {"b": "y" * 100}]}
    assert 200 < value_size(value, 1_000) < 300
    assert value_size(["x" * 50] * 1_000_000, 100) < 200


async def test_callers_that_share_the_worker_pool_get_their_own_results(quick_switches):
    """400 callers, half of them on threads; every tenth fails, every seventh is cancelled."""
    kind, shared = WorkKind(LOOP_BUDGET_MS), list(range(200))

    def work(number: int) -> tuple[int, int, int]:
        total = sum(shared) + sum(number for _ in range(50))
        if number % 10 == 0:
            raise ValueError(number)
        return number, CALLER.get(), total

    async def call(number: int) -> tuple[int, int, int]:
        CALLER.set(number)
        return await kind.run(1_001 if number % 2 else 10, work, number)

    calls = [asyncio.ensure_future(call(number)) for number in range(400)]
    await asyncio.sleep(0)
    for one in calls[::7]:
        one.cancel()
    for number, found in enumerate(await asyncio.gather(*calls, return_exceptions=True)):
        if isinstance(found, asyncio.CancelledError):
            assert number % 7 == 0
        elif number % 10 == 0:
            assert isinstance(found, ValueError)
            assert found.args == (number,)
        else:
            assert found == (number, number, sum(shared) + 50 * number)
