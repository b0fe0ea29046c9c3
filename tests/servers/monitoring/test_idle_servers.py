"""Unused servers are stopped, and a call starts them again. Servers in use or with waiting requests keep running."""

from __future__ import annotations

import asyncio

from workbench.records import ServerStatus
from workbench.servers.monitoring.idle_servers import look
from workbench.settings import Settings


def nobody(server: str) -> bool:
    return False


async def rest(home, name: str, seconds: float = 1e-9, needed=nobody) -> ServerStatus:
    await look([home.catalog.server(name)], seconds, needed)
    return home.catalog.server(name).state.status


async def test_an_unused_server_rests_and_its_next_call_starts_it(house) -> None:
    home = await house(house.faulty("echo"))
    first = await home.catalog.connect("echo")
    assert await rest(home, "echo") is ServerStatus.STOPPED
    state = home.catalog.server("echo").state
    assert (state.rests, state.pid, state.allowed) == (True, 0, True)
    assert not house.lives(first.pid)
    assert (await home.call("echo", "echo", text="hi")).ok
    assert not home.catalog.server("echo").state.rests
    assert (await home.catalog.disconnect("echo")).rests is False


async def test_one_at_work_goes_on(house) -> None:
    home = await house(house.faulty("echo"))
    await home.catalog.connect("echo")
    call = asyncio.ensure_future(home.call("echo", "slow", ms=60_000))
    await home.crossed("echo", ">", "slow")
    assert home.catalog.server("echo").unused() == 0
    assert await rest(home, "echo") is ServerStatus.READY
    assert (await home.call("echo", "let_go")).ok
    assert (await call).ok
    assert await rest(home, "echo", needed=lambda server: server == "echo") is ServerStatus.READY
    assert await rest(home, "echo", seconds=600) is ServerStatus.READY
    assert await rest(home, "echo", seconds=0) is ServerStatus.READY


async def test_one_that_is_listened_to_goes_on(house) -> None:
    home = await house()
    await home.catalog.connect("demo")
    async with asyncio.timeout(60):  # until the core has no requests of its own to send
        while not home.catalog.offered.offers("demo").known:
            await asyncio.sleep(0.01)
    connection = home.catalog.server("demo").running
    connection._note_subscription("resources/subscribe", "demo://x")
    assert await rest(home, "demo") is ServerStatus.READY
    connection._note_subscription("resources/unsubscribe", "demo://x")
    assert await rest(home, "demo") is ServerStatus.STOPPED


async def test_calls_that_come_while_it_goes_to_rest_find_a_new_one(house) -> None:
    home = await house(house.faulty("echo"), settings=Settings(server_idle_minutes=0))
    await home.catalog.connect("echo")
    resting = asyncio.ensure_future(home.catalog.server("echo").rest())
    await asyncio.sleep(0)
    assert (await home.call("echo", "echo", text="hi")).ok
    await resting
    assert home.catalog.server("echo").running is not None
