"""Helpers that wait for a state of a run by its events, so that no test guesses durations."""

from __future__ import annotations

import asyncio

from workbench.core import Core
from workbench.events import Event, RunChanged
from workbench.records import Run, RunState

PATIENCE = 60.0


async def reached(core: Core, run: Run, *states: RunState) -> Run:
    """Wait until the run has one of these states, and return it."""
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
    """Wait until the run waits for the user, and return it."""
    return await reached(core, run, RunState.WAITING)
