"""Follows a program from its submission to its end, for doors that wait: the command line and a person's own scripts.

Whoever lets go of the wait stops the program: nothing runs on for a script that is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.records import Run, RunState, ServerStatus
from workbench.records.runs import ENDS

if TYPE_CHECKING:
    from workbench.events import Event
    from workbench.wire.client import Connection
    from workbench.wire.methods import ApiMethods

LOOK_SECONDS = 2.0  # asked again at the latest after this, in case nothing is heard

Attend = Callable[[Run], Awaitable[None]]


async def follow(connection: Connection, run_id: str, attend: Attend | None = None) -> Run:
    """The run at its end. `attend` is told of it each time it begins to wait for a person."""
    over: Run | None = None
    try:
        over = await _to_its_end(connection, run_id, attend)
        return over
    finally:
        if over is None and not connection.closed.is_set():
            with contextlib.suppress(WorkbenchError):  # the core is gone, and the program with it
                await connection.questions.stop_run(run_id)


async def learn_tools(questions: ApiMethods) -> None:
    """Start what may start and was never seen running, so that programs can import its tools."""
    for state in await questions.servers():
        known = state.tool_count or state.config.disabled or state.status is not ServerStatus.STOPPED
        if not known and (state.allowed or state.config.builtin):
            with contextlib.suppress(WorkbenchError):  # its state says why; a program that needs it will say so too
                await questions.connect(state.config.name)


async def _to_its_end(connection: Connection, run_id: str, attend: Attend | None) -> Run:
    stir, told = asyncio.Event(), set[str]()

    def hear(event: Event) -> None:
        stir.set()

    forget = connection.listen(hear)
    try:
        while (run := await connection.questions.run(run_id)).state not in ENDS:
            stir.clear()
            if attend is not None and (fresh := _waits_for(run) - told):
                told |= fresh
                await attend(run)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await stir.wait()
        return run
    finally:
        forget()


def _waits_for(run: Run) -> set[str]:
    """The decision about its text, and each call of it that waits."""
    decision = {run.proposal.sha} if run.state is RunState.WAITING else set[str]()
    return decision | {pause.id for pause in run.pauses}
