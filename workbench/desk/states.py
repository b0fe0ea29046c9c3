"""Answers what a person asks of sandboxes that are kept between programs."""

from __future__ import annotations

from workbench.desk.seat import Seat
from workbench.records import KeptState


class StatesDesk(Seat):
    """Kept states. Each that begins or ends is in the audit, whoever began or ended it."""

    async def states(self) -> tuple[KeptState, ...]:
        return await self._house.conveyor.states.measured()

    async def end_state(self, session: str, name: str) -> tuple[KeptState, ...]:
        await self._house.conveyor.states.end(session, name, "a person ended it")
        return self._house.conveyor.states.now()
