"""What the flows share: a real core process, a person's connection to it, and a real MCP client as the agent."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from workbench.api.client import CoreConnection, connect
from workbench.events import Event, RunChanged, spawn
from workbench.paths import OVERRIDE, Paths
from workbench.records import Run, RunState

MARK = "MCP_WORKBENCH_TEST_SESSION"  # lets the leak check tell our processes from others
HANG = 60.0  # seconds; only a guard against waiting for ever


@pytest.fixture
async def person(paths: Paths) -> AsyncIterator[CoreConnection]:
    """A person's door on a core process that this test started; both are gone afterwards."""
    connection = await connect(paths)
    try:
        yield connection
    finally:
        if not connection.closed.is_set():
            await connection.api.shut_down()
            await asyncio.wait_for(connection.closed.wait(), HANG)
        await connection.close()


@pytest.fixture
def agent(paths: Paths) -> Callable[[], AbstractAsyncContextManager[Client]]:
    """Opens an agent's door the way every MCP client does: `mcp-workbench serve` over stdio."""

    @asynccontextmanager
    async def open_door() -> AsyncIterator[Client]:
        arguments = ["-m", "workbench", "serve", "--project", str(paths.project)]
        home = {name: os.environ[name] for name in (OVERRIDE, MARK)}  # the SDK hands on little else than HOME and PATH
        door = StdioServerParameters(command=sys.executable, args=arguments, env=home)
        async with Client(door, mode="legacy") as client:
            yield client

    return open_door


async def end_core(paths: Paths) -> None:
    """End the core process of a project."""
    connection = await connect(paths)
    await connection.api.shut_down()
    await connection.closed.wait()
    await connection.close()


@pytest.fixture
def window(qapp: Any, loop: Any, complete: Any, qtbot: Any, paths: Paths, monkeypatch: Any) -> Iterator[Any]:
    """The real window over a real core process, connected to the demo server."""
    from PySide6.QtTest import QTest

    from workbench.gui.app import live, open_window
    from workbench.gui.shell.bridge import LinkState

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    made = open_window(qapp, paths)
    made.show()
    living = spawn("window", live(made))
    qtbot.waitUntil(lambda: made.bridge.link.state is LinkState.LINKED, timeout=int(HANG * 1000))
    complete(made.context.api.connect("demo"))
    yield made
    made.close()
    qtbot.waitUntil(living.done, timeout=int(HANG * 1000))
    complete(end_core(paths))
    made.deleteLater()
    QTest.qWait(50)


@pytest.fixture
def run_that(person: CoreConnection) -> Callable[..., Awaitable[Run]]:
    """Waits for a run to reach one of these states, as a window would: from the events it hears."""
    seen: asyncio.Queue[Run] = asyncio.Queue()

    def hear(event: Event) -> None:
        if isinstance(event, RunChanged):
            seen.put_nowait(event.run)

    person.listen(hear)

    async def wait(*states: RunState) -> Run:
        async with asyncio.timeout(HANG):
            while (run := await seen.get()).state not in states:
                pass
        return run

    return wait
