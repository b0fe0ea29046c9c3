"""MCP tasks of a server as shown to the user: listed with their tool, cancelled, their results fetched."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig
from workbench.servers.mcp_tasks import cancel_task, list_tasks, task_result

ASKING = str(Path(__file__).resolve().parent.parent / "mcp_servers" / "asking.py")


@pytest.fixture
async def inn(house: Any) -> Any:
    home = await house(ServerConfig("inn", sys.executable, ("-S", ASKING, "")))
    await home.catalog.connect("inn")
    return home


async def test_a_task_that_ended_keeps_its_result(inn: Any) -> None:
    await inn.call("inn", "long_work")
    server = inn.catalog.server("inn")
    (task,) = await list_tasks(server, 10)
    assert (task.tool, task.status, task.open, task.has_result) == ("long_work", "completed", False, True)
    assert task.since == 1_767_225_600.0
    assert json.loads(await task_result(server, task.id, 10))["content"][0]["text"] == "long_work"


async def test_a_task_that_goes_on_is_cancelled(inn: Any, house: Any) -> None:
    begun = asyncio.Event()
    wish = house.wish("inn", "long_work", {"steps": 10_000})
    calling = asyncio.create_task(inn.catalog.call(wish, lambda *_: begun.set()))
    async with asyncio.timeout(60):
        await begun.wait()
    server = inn.catalog.server("inn")
    (task,) = await list_tasks(server, 10)
    assert (task.status, task.message.startswith(("Begun", "Step"))) == ("working", True)
    await cancel_task(server, task.id, 10)
    assert [one.status for one in await list_tasks(server, 10)] == ["cancelled"]
    assert not (await calling).ok


async def test_a_refusal_and_a_server_that_rests_are_sentences(inn: Any) -> None:
    server = inn.catalog.server("inn")
    with pytest.raises(WorkbenchError, match="tasks/result with error"):
        await task_result(server, "no-such", 10)
    await inn.catalog.disconnect("inn")
    assert await list_tasks(server, 10) == ()
    with pytest.raises(WorkbenchError, match="is not running"):
        await cancel_task(server, "t1", 10)


async def test_rubbish_in_the_list_is_left_out(house: Any) -> None:
    home = await house(ServerConfig("inn", sys.executable, ("-S", ASKING, "odd_tasks")))
    await home.catalog.connect("inn")
    assert await list_tasks(home.catalog.server("inn"), 10) == ()
