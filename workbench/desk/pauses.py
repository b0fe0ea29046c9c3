"""Answers what a person asks of calls that wait in the middle of a run, and takes their word."""

from __future__ import annotations

from workbench.desk.seat import Seat
from workbench.records import Pause, PauseAnswer


class PausesDesk(Seat):
    """Calls that wait."""

    async def pauses(self) -> tuple[Pause, ...]:
        return self._house.conveyor.pauses.all()

    async def answer_pause(self, answer: PauseAnswer) -> Pause:
        return self._house.conveyor.pauses.answer(answer)
