"""Entries of `.mcp.json` are edited, removed and added again while several callers call: no process of an old entry
survives, and each call ends with an answer or a fault.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.records import Outcome, ServerConfig

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


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "edited.py"
    file.write_text(_SERVER, encoding="utf-8")
    return file


def edition(script: Path, number: int) -> ServerConfig:
    return ServerConfig("edited", sys.executable, ("-S", str(script)), {"EDITION": str(number)})


def running(script: Path) -> list[str]:
    """The editions of the processes that run this script."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if str(script) in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.environ().get("EDITION", ""))
        except psutil.Error:
            continue  # it ended meanwhile
    return found


class Callers:
    """Call without a pause until they are told to stop."""

    def __init__(self, home: Any) -> None:
        self._home = home
        self._stopped = False
        self.begun = 0
        self.outcomes: list[Outcome] = []

    async def __aenter__(self) -> Callers:
        self._tasks = [asyncio.create_task(self._call()) for _ in range(CALLERS)]  # they are waited for here
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
        """Until so many more calls have ended."""
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
        assert running(script) == []  # the user has not allowed this entry
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
