"""A person sees what waits in the middle of a run, and their word lets it pass or not."""

from __future__ import annotations

import asyncio

import pytest

from workbench.desk.pauses import PausesDesk
from workbench.errors import WorkbenchError
from workbench.records import Pause, PauseAnswer
from workbench.runs.pauses import Pauses


class House:
    """As much of the core as this part of the desk asks for."""

    rooms = None

    def __init__(self):
        self.conveyor = self
        self.pauses = Pauses(lambda event: None)


async def test_what_waits_is_listed_and_answered():
    house = House()
    desk, pauses = PausesDesk(house), house.pauses
    call = asyncio.ensure_future(pauses.ask(Pause("", "r1", "c1", "demo", "send_email", "{}"), "{}", 60.0))
    await asyncio.sleep(0)
    (waiting,) = await desk.pauses()
    assert (await desk.answer_pause(PauseAnswer(waiting.id, allow=False, reason="not now"))).tool == "send_email"
    assert (await call).reason == "not now"
    with pytest.raises(WorkbenchError):
        await desk.answer_pause(PauseAnswer(waiting.id, allow=True))
