"""Never more programs than the limit run at once, even if waiting ones are cancelled."""

from __future__ import annotations

import asyncio

from workbench.events import spawn
from workbench.runs.run_slots import RunSlots


class Crowd:
    """Asyncio tasks that each hold a slot until they are released."""

    def __init__(self, slots: RunSlots) -> None:
        self.slots = slots
        self.inside: list[int] = []
        self.go = asyncio.Event()

    async def visit(self, number: int) -> None:
        async with self.slots:
            self.inside.append(number)
            await self.go.wait()


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_raised_limit_lets_the_waiting_in_at_once():
    limit = [1]
    crowd = Crowd(RunSlots(lambda: limit[0]))
    tasks = [spawn(f"visit {n}", crowd.visit(n)) for n in range(4)]
    await _settle()
    assert crowd.inside == [0]
    limit[0] = 3
    crowd.slots.admit_waiting()
    await _settle()
    assert crowd.inside == [0, 1, 2]
    crowd.go.set()
    await asyncio.gather(*tasks)
    assert crowd.inside == [0, 1, 2, 3]


async def test_one_that_is_cancelled_while_it_waits_takes_no_slot_with_it():
    crowd = Crowd(RunSlots(lambda: 1))
    tasks = [spawn(f"visit {n}", crowd.visit(n)) for n in range(3)]
    await _settle()
    tasks[1].cancel()
    crowd.go.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert crowd.inside == [0, 2]


async def test_those_who_wait_take_turns_however_many_programs_one_of_them_has():
    slots, entered = RunSlots(lambda: 1), []

    async def visit(owner: str, number: int) -> None:
        async with slots.hold_slot(owner, f"{owner}{number}"):
            entered.append(f"{owner}{number}")
            await asyncio.sleep(0)

    tasks = [spawn(f"a {n}", visit("a", n)) for n in range(5)]
    await asyncio.sleep(0)
    tasks += [spawn("b", visit("b", 0)), spawn("c", visit("c", 0))]
    await asyncio.gather(*tasks)
    assert entered.index("b0") <= 3, entered
    assert entered.index("c0") <= 4, entered
    assert (slots.waiting, slots.full) == (0, False)


async def test_a_program_that_waits_is_told_how_many_come_before_it():
    slots, go = RunSlots(lambda: 1), asyncio.Event()

    async def visit(owner: str, run: str) -> None:
        async with slots.hold_slot(owner, run):
            await go.wait()

    tasks = [spawn(run, visit(owner, run)) for owner, run in (("a", "1"), ("a", "2"), ("a", "3"), ("b", "4"))]
    await _settle()
    assert [slots.queue_position(run) for run in ("1", "2", "4", "3")] == [None, 0, 1, 2]
    go.set()
    await asyncio.gather(*tasks)
