"""Connections and host lookups of many callers at once, with threads switched very often."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator

import pytest

from tests.network.conftest import Place, echo
from workbench.network import dns_lookup
from workbench.network.network_errors import Blocked, Unreachable
from workbench.network.run_connections import MOST_OPEN, Connections, Meter
from workbench.records import Connection
from workbench.settings import Settings

CALLERS = 40


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


async def test_lookups_are_bounded_and_each_thread_gives_its_place_back(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, counting = 0, 0, threading.Lock()
    go = threading.Event()

    def slow(name: str, *rest: object, **more: object) -> list[tuple[object, ...]]:
        nonlocal running, most
        with counting:
            running += 1
            most = max(most, running)
        go.wait(30)
        with counting:
            running -= 1
        if name.startswith("gone"):
            raise socket.gaierror(socket.EAI_NONAME, "no such host")
        return [(0, 0, 0, "", ("93.184.216.34", 0))]

    monkeypatch.setattr(dns_lookup.socket, "getaddrinfo", slow)
    for _ in range(5):
        names = [f"{'gone' if number % 3 else 'ok'}{number}.test" for number in range(CALLERS)]
        waiting = [asyncio.ensure_future(dns_lookup.system_addresses(name)) for name in names]
        await asyncio.sleep(0)
        waiting[0].cancel()  # who gives up does not free the thread's place twice
        await asyncio.sleep(0.01)
        go.set()
        found = await asyncio.gather(*waiting, return_exceptions=True)
        go.clear()
        assert isinstance(found[0], asyncio.CancelledError)
        assert all(isinstance(one, list | Unreachable) for one in found[1:])
        async with asyncio.timeout(30):
            while running:
                await asyncio.sleep(0.001)
            while any(thread.name == "lookup" for thread in threading.enumerate()):
                await asyncio.sleep(0.001)
    assert most == 8


async def test_many_callers_get_their_own_bytes_and_the_bound_holds(
    here: Place, listening: Callable[..., Awaitable[int]]
) -> None:
    port = await listening(echo)
    here.names.known["ok.test"] = ["127.0.0.1"]
    here.settings = Settings(network_per_minute=10_000)
    here.allow("ok.test", port)
    begun: dict[int, Connection] = {}
    over: dict[int, Connection] = {}
    meter = Meter(50, 50, lambda sent: None)
    connections = Connections(
        here.network, (), meter, lambda number, told, ended: (over if ended else begun).update({number: told})
    )
    refused = 0

    async def call(number: int) -> None:
        nonlocal refused
        while True:
            try:
                _, relay = await connections.open("ok.test", port, 0)
                break
            except Blocked:
                refused += 1
                await asyncio.sleep(0.002)
        reader, writer = await asyncio.open_connection(sock=relay.end.dup())
        relay.end.close()
        sent = f"{number:08}".encode() * 200
        writer.write(sent)
        writer.write_eof()
        assert await reader.read() == sent
        writer.close()

    async with asyncio.timeout(60):
        await asyncio.gather(*map(call, range(CALLERS)))
        while len(over) < CALLERS:
            await asyncio.sleep(0.001)
    await connections.close()
    assert refused
    assert begun.keys() == over.keys() == set(range(1, CALLERS + 1))
    assert (meter.sent, meter.received) == (1600 * CALLERS, 1600 * CALLERS)
    assert all((one.sent, one.received, one.refused) == (1600, 1600, "") for one in over.values())


async def test_a_run_that_ends_while_connections_are_made_leaves_none(
    here: Place, listening: Callable[..., Awaitable[int]]
) -> None:
    port = await listening(echo)
    here.names.known["ok.test"] = ["127.0.0.1"]
    here.settings = Settings(network_per_minute=10_000)
    here.allow("ok.test", port)
    for turns in range(12):
        told: list[bool] = []
        meter = Meter(50, 50, lambda sent: None)
        connections = Connections(here.network, (), meter, lambda number, one, ended, told=told: told.append(ended))
        opening = [asyncio.ensure_future(connections.open("ok.test", port, 0)) for _ in range(MOST_OPEN)]
        for _ in range(turns):
            await asyncio.sleep(0)
        await connections.close()
        for made in await asyncio.gather(*opening, return_exceptions=True):
            if isinstance(made, BaseException):
                assert isinstance(made, Blocked)
                assert "run has ended" in made.message
            else:
                made[1].end.close()
        assert told.count(True) == told.count(False)
