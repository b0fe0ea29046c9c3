"""Limits how many programs run at once; other programs wait. A changed limit applies at once.

Agents take turns, each with its oldest waiting program, so an agent that submits many does not delay others.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import zip_longest


@dataclass(eq=False, slots=True)
class _Waiting:
    run_id: str
    admitted: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class RunSlots:
    """Slots for running programs: `async with slots.hold_slot(owner, run):` holds one; leaving it admits the next
    program."""

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._in_use = 0
        self._queues: OrderedDict[str, deque[_Waiting]] = OrderedDict()  # the next owner is first

    @property
    def full(self) -> bool:
        return self._in_use >= self._most()

    @property
    def limit(self) -> int:
        return self._most()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    def queue_position(self, run_id: str) -> int | None:
        """Return how many programs come before this one; None when it does not wait."""
        rounds = zip_longest(*self._queues.values())
        order = [one.run_id for turn in rounds for one in turn if one is not None]
        return order.index(run_id) if run_id in order else None

    @asynccontextmanager
    async def hold_slot(self, owner: str, run_id: str = "") -> AsyncIterator[None]:
        """Wait for a slot; owners take turns."""
        await self._enter(owner, run_id)
        try:
            yield
        finally:
            self._leave()

    async def __aenter__(self) -> None:
        await self._enter("", "")

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def admit_waiting(self) -> None:
        """Admit waiting programs, because a slot is free or the limit changed."""
        while self._queues and not self.full:
            owner, queue = self._queues.popitem(last=False)
            one = queue.popleft()
            if queue:
                self._queues[owner] = queue  # to the end of the queue
            if not one.admitted.done():
                self._in_use += 1
                one.admitted.set_result(None)

    async def _enter(self, owner: str, run_id: str) -> None:
        if not self.full and not self._queues:
            self._in_use += 1
            return
        one = _Waiting(run_id)
        self._queues.setdefault(owner, deque()).append(one)
        self.admit_waiting()
        try:
            await one.admitted
        except asyncio.CancelledError:
            if one.admitted.done() and not one.admitted.cancelled():
                self._leave()  # it was admitted and cancelled at the same time
            else:
                self._forget(owner, one)
            raise

    def _leave(self) -> None:
        self._in_use -= 1
        self.admit_waiting()

    def _forget(self, owner: str, one: _Waiting) -> None:
        queue = self._queues.get(owner)
        if queue is not None and one in queue:
            queue.remove(one)
            if not queue:
                del self._queues[owner]
