"""Answers what a person asks of the calls that were made."""

from __future__ import annotations

from workbench.desk.seat import Seat
from workbench.records import PastCall, PastQuery


class PastDesk(Seat):
    """The history of calls."""

    async def past(self, query: PastQuery) -> tuple[PastCall, ...]:
        return await self._rooms.history.find(query)

    async def past_call(self, number: int) -> PastCall:
        return await self._rooms.history.get(number)

    async def forget(self, numbers: tuple[int, ...]) -> None:
        await self._rooms.history.forget(numbers)
        self._note("history.forgotten", f"You had {len(numbers)} calls forgotten")

    async def clear_history(self) -> None:
        await self._rooms.history.clear()
        self._note("history.cleared", "You cleared the history of calls")
