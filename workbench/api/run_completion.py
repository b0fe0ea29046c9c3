"""Waits for the end of a run, for clients that only wait: the command line and Python scripts.

Cancelling the wait stops the run, so that no program continues for a script that has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.records import Run, RunState, ServerStatus
from workbench.records.runs import ENDS

if TYPE_CHECKING:
    from workbench.api.client import CoreConnection
    from workbench.api.client_stub import CoreApi
    from workbench.events import Event

POLL_SECONDS = 2.0  # seconds between queries of the run, in case an event is lost

OnHeld = Callable[[Run], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class TaskStats:
    """Resources that one program used."""

    duration: float = 0.0  # milliseconds from start to end; 0 if the program was not run
    tokens_used: int = 0  # estimated model tokens of its text and its answer
    memory_used: int = 0  # peak bytes
    tools_called: tuple[str, ...] = ()  # each "server.tool" once, in order of the first calls

    @classmethod
    def of(cls, run: Run) -> TaskStats:
        took = (run.ended - run.started) * 1000 if run.started and run.ended else 0.0
        tools = dict.fromkeys(f"{call.server}.{call.tool}" for call in run.calls)
        return cls(round(took, 3), run.ledger.actual, round(run.memory_mb * 1_000_000), tuple(tools))


async def wait_for_run(connection: CoreConnection, run_id: str, on_held: OnHeld | None = None) -> Run:
    """Return the run at its end. `on_held` is called each time the run starts to wait for the user."""
    over: Run | None = None
    try:
        over = await _wait(connection, run_id, on_held)
        return over
    finally:
        if over is None and not connection.closed.is_set():
            with contextlib.suppress(WorkbenchError):  # the core has exited, and the program with it
                await connection.api.stop_run(run_id)


async def connect_allowed_servers(api: CoreApi) -> None:
    """Start allowed servers whose tools are unknown, so that programs can import them."""
    for state in await api.servers():
        known = state.tool_count or state.config.disabled or state.status is not ServerStatus.STOPPED
        if not known and (state.allowed or state.config.builtin):
            # the reason is in the server's status and in the fault of a program that needs it
            with contextlib.suppress(WorkbenchError):
                await api.connect(state.config.name, automatic=True)


async def _wait(connection: CoreConnection, run_id: str, on_held: OnHeld | None) -> Run:
    changed, reported = asyncio.Event(), set[str]()

    def hear(event: Event) -> None:
        changed.set()

    forget = connection.listen(hear)
    try:
        while (run := await connection.api.run(run_id)).state not in ENDS:
            changed.clear()
            if on_held is not None and (fresh := _pending_decisions(run) - reported):
                reported |= fresh
                await on_held(run)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await changed.wait()
        return run
    finally:
        forget()


def _pending_decisions(run: Run) -> set[str]:
    """Return what waits for the user: the decision about the program, and each held call."""
    decision = {run.proposal.sha} if run.state is RunState.WAITING else set[str]()
    return decision | {held_call.id for held_call in run.held_calls}
