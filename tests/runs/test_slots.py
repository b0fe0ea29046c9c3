"""No more programs than the limit run at once, whatever becomes of those that wait."""

from __future__ import annotations

import asyncio

from workbench.events import spawn
from workbench.runs.slots import Slots


class Crowd:
    """Tasks that each hold a slot until they are told to go."""

    def __init__(self, slots: Slots) -> None:
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
    crowd = Crowd(Slots(lambda: limit[0]))
    tasks = [spawn(f"visit {n}", crowd.visit(n)) for n in range(4)]
    await _settle()
    assert crowd.inside == [0]
    limit[0] = 3
    crowd.slots.look_again()
    await _settle()
    assert crowd.inside == [0, 1, 2]
    crowd.go.set()
    await asyncio.gather(*tasks)
    assert crowd.inside == [0, 1, 2, 3]


async def test_one_that_is_cancelled_while_it_waits_takes_no_slot_with_it():
    crowd = Crowd(Slots(lambda: 1))
    tasks = [spawn(f"visit {n}", crowd.visit(n)) for n in range(3)]
    await _settle()
    tasks[1].cancel()
    crowd.go.set()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert crowd.inside == [0, 2]
