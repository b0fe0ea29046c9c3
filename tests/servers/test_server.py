"""The state of a server follows its lifecycle, step by step."""

from __future__ import annotations

import asyncio
import os

import pytest
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import ServerChanged, ToolsChanged, living
from workbench.records import Fault, ServerStatus


def steps(events: list[object]) -> list[str]:
    """The sequence of states without repetitions."""
    told = [str(event.state.status) for event in events if isinstance(event, ServerChanged)]
    return [word for at, word in enumerate(told) if at == 0 or told[at - 1] != word]


async def test_every_step_of_a_life_is_told(house) -> None:
    home = await house(house.faulty("crashes"))
    home.events.clear()
    await home.catalog.connect("crashes")
    await home.call("crashes", "crash")
    await home.call("crashes", "echo", text="back")
    await home.catalog.disconnect("crashes")
    assert steps(home.events) == ["starting", "ready", "failed", "starting", "ready", "stopped"]


async def test_a_death_between_calls_is_noticed_without_a_call(house) -> None:
    home = await house(house.faulty("echo"))
    state = await home.catalog.connect("echo")
    os.kill(state.pid, 9)
    async with asyncio.timeout(60):
        while home.catalog.states()[1].status is ServerStatus.READY:
            await asyncio.sleep(0.02)
    fault = home.catalog.states()[1].fault
    assert isinstance(fault, Fault)
    assert "killed" in fault.message
    assert "restarts in" in fault.hint


async def test_a_server_that_died_is_started_again_by_itself_and_told_anew(house) -> None:
    home = await house(house.faulty("echo"))
    before = await home.catalog.connect("echo")
    del home.events[:]
    os.kill(before.pid, 9)
    async with asyncio.timeout(60):
        while home.catalog.states()[1].pid in (0, before.pid):
            await asyncio.sleep(0.02)
        while home.catalog.states()[1].status is not ServerStatus.READY:
            await asyncio.sleep(0.02)
    assert home.catalog.states()[1].restarts == 1
    assert ToolsChanged("echo") in home.events


async def test_a_person_s_disconnect_ends_the_attempts(house) -> None:
    home = await house(house.faulty("echo"))
    state = await home.catalog.connect("echo")
    os.kill(state.pid, 9)
    async with asyncio.timeout(60):
        while home.catalog.states()[1].status is ServerStatus.READY:
            await asyncio.sleep(0.02)
    assert any(name == "server echo: again" for name in living())
    await home.catalog.disconnect("echo")
    assert not any(name == "server echo: again" for name in living())
    assert home.catalog.states()[1].status is ServerStatus.STOPPED


async def test_a_server_that_never_was_ready_is_not_started_again(house) -> None:
    home = await house(house.faulty("dies_at_start"))
    with pytest.raises(WorkbenchError):
        await home.catalog.connect("dies_at_start")
    assert not any("again" in name for name in living())


async def test_a_call_has_the_time_that_its_server_s_entry_gives(house) -> None:
    home = await house(replace(house.faulty("never_answers"), timeout_seconds=1))
    await home.catalog.connect("never_answers")
    assert "within 1 seconds" in (await home.call("never_answers", "echo", text="x")).fault.message


async def test_rubbish_after_the_start_reaches_the_state(house) -> None:
    home = await house(house.faulty("rubbish"))
    before = await home.catalog.connect("rubbish")
    await home.call("rubbish", "echo", text="x")
    assert len(home.catalog.states()[1].warnings) > len(before.warnings)


async def test_a_failed_start_keeps_what_was_known(house) -> None:
    home = await house(house.faulty("changing", 2))
    await home.catalog.connect("changing")
    await home.catalog.disconnect("changing")
    assert home.catalog.states()[1].tool_count == 3
    assert {tool.name for tool in home.catalog.tools()} == {"grow", "grown_0", "grown_1"}


async def test_a_stop_in_the_moment_of_a_start_leaves_nothing_running(house) -> None:
    home = await house(house.faulty("echo"))
    starting = asyncio.ensure_future(home.catalog.connect("echo"))
    await asyncio.sleep(0)  # the start has begun, but there is no process yet
    state = await home.catalog.disconnect("echo")
    await asyncio.gather(starting, return_exceptions=True)
    assert state.status is ServerStatus.STOPPED
    made = [event.state.pid for event in home.events if isinstance(event, ServerChanged) and event.state.pid]
    assert not [pid for pid in made if house.lives(pid)]
