"""Answers what a person asks of the calls that were made."""

from __future__ import annotations

from workbench.api.marker import api
from workbench.desk.seat import Seat


class PastDesk(Seat):
    """The history of calls."""

    @api(decides=True)
    async def forget(self, numbers: tuple[int, ...]) -> None:
        """Take single calls out of the history."""
        await self._services.history.forget(numbers)
        self._note("history.forgotten", f"You had {len(numbers)} calls forgotten")

    @api(decides=True)
    async def clear_history(self) -> None:
        """Forget every call."""
        await self._services.history.clear()
        self._note("history.cleared", "You cleared the history of calls")
