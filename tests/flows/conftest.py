"""What the flows share: a real core process, a person's connection to it, and a real MCP client as the agent."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from mcp import Client, StdioServerParameters
from workbench.wire.client import Connection, connect

from workbench.events import Event, RunChanged
from workbench.paths import Paths
from workbench.records import Run, RunState

HANG = 60.0  # seconds; only a guard against waiting for ever


@pytest.fixture
async def person(paths: Paths) -> AsyncIterator[Connection]:
    """A person's door on a core process that this test started; both are gone afterwards."""
    connection = await connect(paths)
    try:
        yield connection
    finally:
        if not connection.closed.is_set():
            await connection.questions.shut_down()
            await asyncio.wait_for(connection.closed.wait(), HANG)
        await connection.close()


@pytest.fixture
def agent(paths: Paths) -> Callable[[], AbstractAsyncContextManager[Client]]:
    """Opens an agent's door the way every MCP client does: `mcp-workbench serve` over stdio."""

    @asynccontextmanager
    async def open_door() -> AsyncIterator[Client]:
        door = StdioServerParameters(
            command=sys.executable, args=["-m", "workbench", "serve", "--bench", str(paths.bench)]
        )
        async with Client(door, mode="legacy") as client:
            yield client

    return open_door


@pytest.fixture
def run_that(person: Connection) -> Callable[[RunState], Awaitable[Run]]:
    """Waits for a run to reach a state, as a window would: from the events it hears."""
    seen: asyncio.Queue[Run] = asyncio.Queue()

    def hear(event: Event) -> None:
        if isinstance(event, RunChanged):
            seen.put_nowait(event.run)

    person.listen(hear)

    async def wait(state: RunState) -> Run:
        async with asyncio.timeout(HANG):
            while (run := await seen.get()).state is not state:
                pass
        return run

    return wait
