"""Calls as MCP tasks: created, notified, polled, fetched, cancelled; and errors for answers that are not tasks."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from workbench.events import AskArrived
from workbench.records import ServerConfig, ServerState, Tool
from workbench.servers.mcp_tasks import runs_as_task
from workbench.servers.server_faults import ServerFault

ASKING = str(Path(__file__).resolve().parent.parent / "mcp_servers" / "asking.py")


@pytest.fixture
def inn(house):
    async def connect(mode: str = ""):
        home = await house(ServerConfig("inn", sys.executable, ("-S", ASKING, mode)))
        await home.catalog.connect("inn")
        return home

    return connect


async def test_a_tool_that_wants_it_is_called_as_a_task_and_its_status_is_told(inn, house):
    home = await inn()
    heard: list[str] = []
    wish = house.wish("inn", "long_work", {"steps": 3})
    outcome = await home.catalog.call(wish, lambda done, total, message: heard.append(message))
    assert outcome.ok
    assert outcome.content[0].text == "long_work"
    assert heard
    assert all(words.startswith(("task working: Begun", "task working: Step ")) for words in heard)


async def test_a_task_that_fails_is_a_failed_call(inn):
    outcome = await (await inn()).call("inn", "long_fail")
    assert (outcome.ok, outcome.fault.message) == (False, "long_fail")


async def test_a_task_that_needs_input_asks_a_person(inn):
    home = await inn()
    with home.catalog.asks.attending():
        calling = asyncio.create_task(home.call("inn", "long_ask"))
        async with asyncio.timeout(60):
            while not home.catalog.asks.all():
                await asyncio.sleep(0.01)
        ask = home.catalog.asks.all()[0]
        assert ask.tool == "long_ask"
        home.catalog.asks.answer(ask.id, "accept", '{"name": "Ada"}')
        assert json.loads((await calling).content[0].text)["content"] == {"name": "Ada"}
    assert any(isinstance(event, AskArrived) for event in home.events)


async def test_a_cancelled_call_cancels_its_task(inn, house):
    home = await inn()
    begun = asyncio.Event()
    wish = house.wish("inn", "long_work", {"steps": 10_000})
    calling = asyncio.create_task(home.catalog.call(wish, lambda *_: begun.set()))
    async with asyncio.timeout(60):
        await begun.wait()
    calling.cancel()
    await asyncio.wait([calling])
    listed = await home.catalog.server("inn").request("tasks/list", {})
    assert [task["status"] for task in listed["tasks"]] == ["cancelled"]


async def test_what_is_no_task_is_said(inn):
    outcome = await (await inn("odd_tasks")).call("inn", "long_work")
    assert outcome.fault.message == "The server's answer is not a task as defined by protocol 2025-11-25."


async def test_an_optional_task_is_a_plain_call_where_the_server_does_not_speak_of_tasks(inn):
    outcome = await (await inn("no_tasks")).call("inn", "long_ask")
    assert "must be called as a task" in outcome.fault.message


def test_tasks_of_the_newer_protocol_are_not_guessed():
    tool = Tool("s", "t", raw={"execution": {"taskSupport": "required"}})
    state = ServerState(ServerConfig("s"), protocol="2026-07-28", era="modern", capabilities=("tools",))
    with pytest.raises(ServerFault, match="not supported with protocol"):
        runs_as_task(tool, state)
    assert not runs_as_task(Tool("s", "t"), state)
