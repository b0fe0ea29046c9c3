"""Entries of `.mcp.json` are edited, removed and added again while several clients call.

No process of an old entry survives, and each call ends with an answer or a fault. The thread switch interval is very
short.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.errors import WorkbenchError
from workbench.records import Depth, Outcome, ServerConfig
from workbench.servers.server_faults import ServerFault

_SERVER = """
import json, os, sys

for line in sys.stdin:
    asked = json.loads(line)
    number, method = asked.get("id"), asked.get("method")
    if number is None:
        continue
    result = {}
    if method == "initialize":
        info = {"name": "edited", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = {"tools": [{"name": "edition", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": os.environ["EDITION"]}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
"""
CALLERS = 4


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "edited.py"
    file.write_text(_SERVER, encoding="utf-8")
    return file


def edition(script: Path, number: int) -> ServerConfig:
    return ServerConfig("edited", sys.executable, ("-S", str(script)), {"EDITION": str(number)})


def running(script: Path) -> list[str]:
    """The versions of the script that run, one per process."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if str(script) in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.environ().get("EDITION", ""))
        except psutil.Error:
            continue  # the process has ended
    return found


class Callers:
    """Clients that call without a pause until they are stopped."""

    def __init__(self, home: Any) -> None:
        self._home = home
        self._stopped = False
        self.begun = 0
        self.outcomes: list[Outcome] = []

    async def __aenter__(self) -> Callers:
        self._tasks = [asyncio.create_task(self._call()) for _ in range(CALLERS)]  # awaited in this class
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopped = True
        async with asyncio.timeout(60):
            await asyncio.gather(*self._tasks)

    async def _call(self) -> None:
        while not self._stopped:
            self.begun += 1
            self.outcomes.append(await self._home.call("edited", "edition"))
            await asyncio.sleep(0)

    async def go_on(self, calls: int = 12) -> None:
        """Wait until this many more calls have ended."""
        wanted = len(self.outcomes) + calls
        async with asyncio.timeout(60):
            while len(self.outcomes) < wanted:
                await asyncio.sleep(0.005)


async def test_an_edited_entry_leaves_no_process_of_an_older_one(house: Any, script: Path) -> None:
    home = await house(edition(script, 0))
    await home.catalog.connect("edited")
    async with Callers(home) as callers:
        for number in range(1, 6):
            await callers.go_on()
            await home.catalog.replace(edition(script, number))
        await callers.go_on()
    assert len(callers.outcomes) == callers.begun
    assert all(one.ok or (one.fault is not None and one.fault.message) for one in callers.outcomes)
    told = [int(one.content[0].text) for one in callers.outcomes if one.ok]
    assert told[-1] == 5
    assert {0, 5} <= set(told)
    assert running(script) == ["5"]
    await home.catalog.disconnect("edited")
    assert running(script) == []


async def test_a_removed_entry_is_not_started_again_by_its_callers(house: Any, script: Path) -> None:
    home = await house(edition(script, 0))
    await home.catalog.connect("edited")
    async with Callers(home) as callers:
        await callers.go_on()
        await home.catalog.remove("edited")
        await callers.go_on()
        assert running(script) == []
        await home.catalog.add(edition(script, 7))
        await callers.go_on()
        assert running(script) == []  # the user has not consented to this entry
        await home.catalog.connect("edited")
        await callers.go_on()
    assert len(callers.outcomes) == callers.begun
    assert all(one.ok or (one.fault is not None and one.fault.message) for one in callers.outcomes)
    assert callers.outcomes[-1].content[0].text == "7"
    assert running(script) == ["7"]


async def test_a_reload_that_changes_nothing_disturbs_no_call(house: Any, script: Path) -> None:
    home = await house(edition(script, 0))
    await home.catalog.connect("edited")
    async with Callers(home) as callers:
        for _ in range(10):
            await callers.go_on(4)
            await asyncio.gather(home.catalog.reload(), home.catalog.reload())
    assert all(one.ok for one in callers.outcomes)
    assert running(script) == ["0"]


async def test_whatever_is_done_with_the_entries_the_last_one_counts(house: Any, script: Path) -> None:
    """Edits, removals, stops and starts at once, while other tasks call, search and read the state."""
    home = await house(edition(script, 0))
    await home.catalog.connect("edited")
    draw = random.Random(16)
    catalog, stopped = home.catalog, False

    async def disturb(deed: Any) -> None:
        with contextlib.suppress(WorkbenchError):
            await deed

    async def read() -> None:
        while not stopped:
            tools = catalog.tools()
            assert {tool.name for tool in tools if tool.server == "edited"} <= {"edition"}
            assert await asyncio.to_thread(lambda some: [tool.hash for tool in some], tools) == [
                tool.hash for tool in tools
            ]
            catalog.summaries()
            assert catalog.names.find("edited", "edition") in (None, *catalog.tools())
            catalog.search("edition", Depth.NAME, 3)
            for state in catalog.states():
                catalog.frames(state.config.name)
            await asyncio.sleep(0)

    reading = [asyncio.create_task(read()) for _ in range(2)]  # awaited below
    async with Callers(home) as callers:
        for number in range(1, 9):
            config = edition(script, number)
            deeds = [
                partial(catalog.replace, config),
                catalog.reload,
                partial(catalog.disconnect, "edited"),
                partial(catalog.connect, "edited"),
                partial(catalog.remove, "edited"),
                partial(catalog.add, config),
                partial(catalog.set_roots, "edited", (str(script.parent),)),
            ]
            async with asyncio.timeout(60):
                await asyncio.gather(*(disturb(draw.choice(deeds)()) for _ in range(6)))
            await callers.go_on(2)
        with contextlib.suppress(WorkbenchError):
            await catalog.remove("edited")
        await catalog.add(edition(script, 99))
        await catalog.connect("edited")
        await callers.go_on()
    stopped = True
    await asyncio.gather(*reading)
    assert len(callers.outcomes) == callers.begun
    assert all(one.ok or (one.fault is not None and one.fault.message) for one in callers.outcomes)
    assert callers.outcomes[-1].content[0].text == "99"
    assert running(script) == ["99"]
    await catalog.remove("edited")
    assert running(script) == []


async def test_calls_under_way_end_when_their_connection_closes_from_many_sides(house: Any, script: Path) -> None:
    home = await house(edition(script, 0))
    for _ in range(5):
        await home.catalog.connect("edited")
        connection = home.catalog.server("edited").running
        calls = [asyncio.create_task(home.call("edited", "edition")) for _ in range(30)]  # awaited below
        await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await asyncio.gather(connection.close(), connection.close(), home.catalog.disconnect("edited"))
            outcomes = await asyncio.gather(*calls)
        assert all(one.ok or (one.fault is not None and one.fault.message) for one in outcomes)
        with pytest.raises(ServerFault):
            await connection.notify("notifications/x")
    await home.catalog.disconnect("edited")
    assert running(script) == []


async def test_a_remote_server_is_edited_while_it_is_called(house: Any, far: Any) -> None:
    servers = [await far("json"), await far("events")]
    home = await house(ServerConfig("edited", url=servers[0].url))
    await home.catalog.connect("edited")

    async def call() -> Outcome:
        return await home.call("edited", "echo", text="x")

    for turn in range(1, 7):
        calls = [asyncio.create_task(call()) for _ in range(8)]  # awaited below
        await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await home.catalog.replace(ServerConfig("edited", url=servers[turn % 2].url))
            outcomes = await asyncio.gather(*calls)
        assert all(one.ok or (one.fault is not None and one.fault.message) for one in outcomes)
        assert (await call()).ok
    await home.catalog.disconnect("edited")
    async with asyncio.timeout(10):
        while any(server.connections for server in servers):
            await asyncio.sleep(0.02)
