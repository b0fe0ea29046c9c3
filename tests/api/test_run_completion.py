"""Following a program to its end: letting go of the wait stops the program, also at the moment something is heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.api.run_completion import wait_for_run
from workbench.events import Noticed
from workbench.records import Fault, RunState


class Link:
    """A door behind which one program runs for ever."""

    def __init__(self) -> None:
        self.closed, self.stopped = asyncio.Event(), list[str]()
        self.api = self
        self.tell: Callable[[Any], None] = lambda event: None

    def listen(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        self.tell = listener
        return lambda: None

    async def run(self, run_id: str) -> Any:
        return SimpleNamespace(id=run_id, state=RunState.RUNNING, held_calls=())

    async def stop_run(self, run_id: str) -> None:
        self.stopped.append(run_id)


async def test_letting_go_while_something_is_heard_stops_the_program():
    link: Any = Link()
    waiting = asyncio.get_running_loop().create_task(wait_for_run(link, "r"))
    await asyncio.sleep(0.01)
    link.tell(Noticed(Fault("An event that wakes the wait.")))
    await asyncio.sleep(0)  # the wait for it is over, and nobody has been told yet
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(waiting, 10)
    assert link.stopped == ["r"]
