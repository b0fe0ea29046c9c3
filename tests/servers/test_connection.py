"""A connection is opened once, can be used by any task, and can be closed by any task."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from workbench.servers.configuration.launch_command import prepare
from workbench.servers.connection import ServerConnection
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.protocol_negotiation import LEGACY, MODERN
from workbench.servers.sdk_adapter.stdio_transport import StdioTransport
from workbench.servers.server_faults import ServerFault
from workbench.servers.server_requests import RefusingHost

Make = Callable[..., ServerConnection]


@pytest.fixture
async def make(house, tmp_path: Path) -> AsyncIterator[Make]:
    groups = ProcessGroups()
    made: list[ServerConnection] = []

    def build(
        mode: str, changed: Callable[[], None] = lambda: None, lost=lambda connection: None, host=None
    ) -> ServerConnection:
        launch = prepare(house.faulty(mode), tmp_path)
        traffic = MessageLog(mode)
        transport = StdioTransport(mode, launch, 1 << 20, traffic, groups)
        made.append(ServerConnection(mode, transport, traffic, host or RefusingHost(), changed, lost))
        return made[-1]

    yield build
    for connection in made:
        await connection.close()
    await groups.close()


async def test_the_greeting_says_who_and_which_era(make: Make) -> None:
    old, new = await make("echo").open(20, ""), await make("modern").open(20, "")
    assert (old.title, old.version, old.protocol, old.era) == ("faulty-echo", "1.2.3", "2025-06-18", LEGACY)
    assert (new.title, new.protocol, new.era) == ("faulty-modern", "2026-07-28", MODERN)


async def test_a_server_that_changed_its_era_is_still_understood(make: Make) -> None:
    assert (await make("modern").open(20, LEGACY)).era == MODERN
    assert (await make("echo").open(20, MODERN)).era == LEGACY


async def test_it_can_be_closed_twice_by_anybody_and_says_so_to_callers(make: Make) -> None:
    connection = make("never_answers")
    await connection.open(20, "")
    waiting = asyncio.ensure_future(connection.request("tools/call", {"name": "echo", "arguments": {}}))
    await asyncio.sleep(0.05)  # the call may be in progress or not; the end is the same
    await asyncio.gather(connection.close(), connection.close())
    assert not connection.alive
    with pytest.raises(ServerFault, match="stopped"):
        await waiting
    with pytest.raises(ServerFault, match="stopped"):
        await connection.request("tools/list", {})


async def test_only_an_unasked_end_is_a_loss(make: Make) -> None:
    lost: list[ServerConnection] = []
    kept, dying = make("echo", lost=lost.append), make("crashes", lost=lost.append)
    await kept.open(20, "")
    await dying.open(20, "")
    await kept.close()
    with pytest.raises(ServerFault, match="exited with code 7"):
        await dying.request("tools/call", {"name": "crash", "arguments": {}})
    assert lost == [dying]


async def test_closing_before_it_is_open(make: Make) -> None:
    connection = make("hangs_at_start")
    opening = asyncio.ensure_future(connection.open(20, ""))
    await asyncio.sleep(0)
    await connection.close()
    with pytest.raises(ServerFault):
        await opening
