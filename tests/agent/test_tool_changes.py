"""An agent hears that its list of tools is another one: in both eras, over both channels, and only if it has a list."""

from __future__ import annotations

import asyncio

import mcp.types as T
import pytest
from msgspec.structs import replace

from workbench.events import ToolsChanged

CHANGED = "notifications/tools/list_changed"


def _show(core, servers: str) -> None:
    core.services.settings.set(replace(core.settings, agent_direct=servers))


class _Ear:
    """What a client of an older version is told."""

    def __init__(self) -> None:
        self.told = asyncio.Queue[str]()

    async def __call__(self, message) -> None:
        if not isinstance(message, Exception):
            await self.told.put(message.method)

    async def next(self) -> str:
        async with asyncio.timeout(30):
            return await self.told.get()


def _direct(listed: T.ListToolsResult) -> set[str]:
    return {tool.name for tool in listed.tools if "__" in tool.name}


@pytest.fixture(params=["pipe", "http"])
async def come(request, core, agent, visitor):
    await core.catalog.connect("demo")
    return agent if request.param == "pipe" else visitor


async def test_an_older_client_hears_of_chosen_servers_that_come_and_go(core, come):
    ear = _Ear()
    async with come(message_handler=ear) as client:
        assert client.server_capabilities.tools.list_changed
        assert not _direct(await client.list_tools())
        _show(core, "demo")
        assert await ear.next() == CHANGED
        assert "demo__list_orders" in _direct(await client.list_tools())
        core.bus.tell(ToolsChanged("demo"))  # nothing about it is new
        _show(core, "")
        assert await ear.next() == CHANGED
        assert not _direct(await client.list_tools())
    assert ear.told.empty()


async def test_a_newer_client_hears_it_on_the_stream_it_asked_for(core, come):
    async with come(mode="2026-07-28") as client:
        await client.list_tools()
        async with client.listen(tools_list_changed=True) as stream:
            _show(core, "demo")
            async with asyncio.timeout(30):
                event = await anext(aiter(stream))
        assert type(event).__name__ == "ToolsListChanged"
        assert "demo__list_orders" in _direct(await client.list_tools())


async def test_who_has_no_list_is_told_nothing(core, agent):
    ear = _Ear()
    async with agent(message_handler=ear) as client:
        _show(core, "demo")
        await client.call_tool("get_execution_stats", {})
        (door,) = core.connected_agents._connections.values()
        assert door._changes._check_task is None
    assert ear.told.empty()
    assert not core.connected_agents._connections
