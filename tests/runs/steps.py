"""Waiting for a run to take a step: by its events, so that no test guesses how long a step takes."""

from __future__ import annotations

import asyncio

from workbench.core import Core
from workbench.events import Event, RunChanged
from workbench.records import Run, RunState

PATIENCE = 60.0


async def reached(core: Core, run: Run, *states: RunState) -> Run:
    """The run as it is when it has one of these states."""
    there = asyncio.Event()

    def hear(event: Event) -> None:
        if isinstance(event, RunChanged) and event.run.id == run.id and event.run.state in states:
            there.set()

    stop = core.bus.listen(hear)
    try:
        if core.run_manager.run(run.id).state not in states:
            async with asyncio.timeout(PATIENCE):
                await there.wait()
    finally:
        stop()
    return core.run_manager.run(run.id)


async def waiting(core: Core, run: Run) -> Run:
    """The run when a person is asked about it."""
    return await reached(core, run, RunState.WAITING)
