"""Answers what a person asks of sandboxes that are kept between programs."""

from __future__ import annotations

from workbench.api.marker import api
from workbench.desk.seat import Seat
from workbench.records import KeptState


class StatesDesk(Seat):
    """Kept states. Each that begins or ends is in the audit, whoever began or ended it."""

    @api(decides=True)
    async def end_state(self, session: str, name: str) -> tuple[KeptState, ...]:
        """End one; its variables are lost, and a program that runs in it is ended. Answers with what is left."""
        await self._house.run_manager.states.end(session, name, "a person ended it")
        return self._house.run_manager.states.now()
