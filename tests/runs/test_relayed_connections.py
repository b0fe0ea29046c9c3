"""Connections of programs without file-descriptor passing: their bytes are relayed in messages."""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import AsyncIterator

import pytest

from workbench.network.egress_filter import Watch
from workbench.network.run_connections import Meter, Relay
from workbench.runs.program_network import MOST, RelayedConnections
from workbench.sandbox.program import ToolFailure

PATIENCE = 60.0


@pytest.fixture
async def carrying() -> AsyncIterator[RelayedConnections]:
    made = RelayedConnections()
    yield made
    await made.close()


def _connected(carrying: RelayedConnections, number: int) -> tuple[Relay, socket.socket]:
    """A connection, and the host's end of it."""
    ours, host = socket.socketpair()
    ours.setblocking(False)
    host.setblocking(False)
    watch = Watch("ok.test", 80, frozenset({"tcp"}))
    relay = Relay(ours, watch, Meter(10, 10, lambda sent: None), lambda over, why: None)
    relay.begin()
    carrying.add(number, relay)
    return relay, host


async def _send(carrying: RelayedConnections, number: int, data: bytes) -> None:
    await carrying.answer("send", {"number": number, "data": base64.b64encode(data).decode()})


async def _receive(carrying: RelayedConnections, number: int) -> bytes:
    async with asyncio.timeout(PATIENCE):
        answer = await carrying.answer("receive", {"number": number})
    assert isinstance(answer, dict)
    return base64.b64decode(str(answer["data"]))


async def test_bytes_go_both_ways(carrying: RelayedConnections) -> None:
    loop = asyncio.get_running_loop()
    _, host = _connected(carrying, 1)
    with host:
        await _send(carrying, 1, b"question")
        async with asyncio.timeout(PATIENCE):
            assert await loop.sock_recv(host, 99) == b"question"
        await loop.sock_sendall(host, b"answer")
        assert await _receive(carrying, 1) == b"answer"


@pytest.mark.parametrize("first", ["program", "host"])
async def test_an_end_is_let_go_when_both_sides_have_said_their_last_word(
    carrying: RelayedConnections, first: str
) -> None:
    relay, host = _connected(carrying, 1)
    with host:
        if first == "program":
            await _send(carrying, 1, b"")
        host.shutdown(socket.SHUT_WR)
        assert await _receive(carrying, 1) == b""
        if first == "host":
            assert relay.end.fileno() >= 0  # the program may still send data
            await _send(carrying, 1, b"")
    assert relay.end.fileno() == -1
    with pytest.raises(ToolFailure, match="no such connection"):
        await carrying.answer("receive", {"number": 1})
    await relay.close()


async def test_a_program_that_listens_twice_at_once_hears_each_byte_once(carrying: RelayedConnections) -> None:
    loop = asyncio.get_running_loop()
    _, host = _connected(carrying, 1)
    with host:
        listening = [asyncio.ensure_future(_receive(carrying, 1)) for _ in range(2)]
        await asyncio.sleep(0)
        await loop.sock_sendall(host, b"once")
        await asyncio.wait(listening, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE)
        host.shutdown(socket.SHUT_WR)
        assert sorted(await asyncio.gather(*listening)) == [b"", b"once"]


async def test_who_finishes_with_none_is_given_no_more_and_the_end_of_the_run_closes_all(
    carrying: RelayedConnections,
) -> None:
    made = [_connected(carrying, number) for number in range(MOST)]
    assert carrying.full
    await carrying.close()
    assert not carrying.full
    for relay, host in made:
        assert relay.end.fileno() == -1
        host.close()


@pytest.mark.parametrize("number", [None, "1", True, 2, -1])
async def test_a_number_that_was_never_given_is_refused(carrying: RelayedConnections, number: object) -> None:
    _, host = _connected(carrying, 1)
    with host, pytest.raises(ToolFailure, match="no such connection"):
        await carrying.answer("receive", {"number": number})  # type: ignore[dict-item]


async def test_what_is_no_base64_is_refused(carrying: RelayedConnections) -> None:
    _, host = _connected(carrying, 1)
    with host, pytest.raises(ToolFailure, match="base64"):
        await carrying.answer("send", {"number": 1, "data": "ä!"})
