"""Bytes between a program and a host: both directions, half closed, under pressure, and never longer than the run."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.network.conftest import Place, echo
from workbench import events
from workbench.network import run_connections as relays
from workbench.network.network_errors import Blocked
from workbench.network.run_connections import MOST_OPEN, Connections, Meter
from workbench.records import Connection

Listening = Callable[..., Awaitable[int]]
PATIENCE = 60.0


class Run:
    """One run's connections, with what was told of them."""

    def __init__(self, here: Place, most_mb: int = 50, unusual_mb: int = 50) -> None:
        self.told: list[Connection] = []
        self.warned: list[int] = []
        self.over = asyncio.Event()
        meter = Meter(most_mb, unusual_mb, self.warned.append)
        self.connections = Connections(here.network, (), meter, self._hear)

    def _hear(self, number: int, connection: Connection, over: bool) -> None:
        if over:
            self.told.append(connection)
            self.over.set()

    async def open(self, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        _, relay = await self.connections.open("ok.test", port, 0)
        end = relay.end.dup()
        relay.end.close()
        return await asyncio.open_connection(sock=end)

    async def ended(self) -> Connection:
        async with asyncio.timeout(PATIENCE):
            await self.over.wait()
        return self.told[-1]


@pytest.fixture
async def begin(here: Place) -> AsyncIterator[Callable[..., Run]]:
    runs: list[Run] = []

    def made(**limits: int) -> Run:
        runs.append(Run(here, **limits))
        return runs[-1]

    yield made
    for run in runs:
        await run.connections.close()
    assert not [name for name in events.living() if name.startswith("relay")]


async def _port(here: Place, listening: Listening, serve: object = echo, protocol: str = "tcp") -> int:
    port = await listening(serve)
    here.names.known["ok.test"] = ["127.0.0.1"]
    here.allow("ok.test", port, protocol)
    return port


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def test_bytes_go_both_ways_and_each_side_may_end_first(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    run = begin()
    reader, writer = await run.open(await _port(here, listening))
    writer.write(b"hello")
    assert await reader.readexactly(5) == b"hello"
    writer.write(b"last words")
    writer.write_eof()
    assert await reader.read() == b"last words"
    await _closed(writer)
    told = await run.ended()
    assert (told.sent, told.received, told.protocol, told.refused) == (15, 15, "tcp", "")
    assert told.address == "127.0.0.1"


async def test_megabytes_pass_unchanged_while_both_sides_write(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    run = begin()
    reader, writer = await run.open(await _port(here, listening))
    data = bytes(range(256)) * 16384

    async def send() -> None:
        writer.write(data)
        await writer.drain()
        writer.write_eof()

    sending = asyncio.get_running_loop().create_task(send())
    async with asyncio.timeout(PATIENCE):
        assert await reader.read() == data
        await sending
    await _closed(writer)
    assert (await run.ended()).sent == len(data)


async def test_who_does_not_read_is_not_read_from_without_end(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    """The host writes for ever; what is not taken stays with it."""
    written = [0]

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()
            written[0] += 65536

    run = begin()
    _, writer = await run.open(await _port(here, listening, flood))
    before = -1
    while written[0] != before:  # until nobody takes any more
        before = written[0]
        await asyncio.sleep(0.1)
    assert written[0] < 32 << 20
    await _closed(writer)
    await run.ended()


async def test_the_end_of_the_run_ends_its_connections(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    run = begin()
    port = await _port(here, listening)
    lines = [await run.open(port) for _ in range(3)]
    await run.connections.close()
    for reader, writer in lines:
        assert await reader.read() == b""
        await _closed(writer)
    assert len(run.told) == 3
    with pytest.raises(Blocked, match="run has ended"):
        await run.open(port)


async def test_a_connection_nobody_began_to_use_ends_too(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    run = begin()
    _, relay = await run.connections.open("ok.test", await _port(here, listening), 0)
    await run.connections.close()
    assert relay.end.fileno() == -1
    assert len(run.told) == 1


async def test_too_many_at_once_are_refused_and_ended_ones_do_not_count(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    run = begin()
    port = await _port(here, listening)
    lines = [await run.open(port) for _ in range(MOST_OPEN)]
    with pytest.raises(Blocked, match="open already"):
        await run.open(port)
    await _closed(lines.pop()[1])
    await run.ended()
    lines.append(await run.open(port))
    for _, writer in lines:
        await _closed(writer)


async def test_more_bytes_than_allowed_cut_the_connection(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    run = begin(most_mb=1, unusual_mb=1)
    reader, writer = await run.open(await _port(here, listening))
    with contextlib.suppress(OSError):
        for _ in range(40):
            writer.write(b"x" * 65536)
            await writer.drain()
    told = await run.ended()
    assert "transferred more than 1 MB" in told.refused
    await _closed(writer)
    with contextlib.suppress(OSError):
        while await reader.read(1 << 20):
            pass


async def test_much_that_is_sent_is_told_once(here: Place, listening: Listening, begin: Callable[..., Run]) -> None:
    run = begin(unusual_mb=1)
    reader, writer = await run.open(await _port(here, listening))
    for _ in range(4):
        writer.write(b"x" * (1 << 20))
        async with asyncio.timeout(PATIENCE):
            await reader.readexactly(1 << 20)
    await _closed(writer)
    await run.ended()
    assert len(run.warned) == 1


async def test_words_of_another_protocol_cut_the_connection_before_a_byte_left(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read())

    run = begin()
    reader, writer = await run.open(await _port(here, listening, listen, "tls"))
    writer.write(b"GET / HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    with contextlib.suppress(OSError):
        await reader.read()
    told = await run.ended()
    assert "allowed for tls only" in told.refused
    assert told.sent == 0
    await _closed(writer)
    async with asyncio.timeout(PATIENCE):
        while not heard:
            await asyncio.sleep(0.01)
    assert heard == [b""]


async def test_descriptors_that_a_program_passes_out_are_dropped(
    here: Place, listening: Listening, begin: Callable[..., Run]
) -> None:
    run = begin()
    _, relay = await run.connections.open("ok.test", await _port(here, listening), 0)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        socket.send_fds(relay.end, [b"take this"], [theirs.fileno()])
        theirs.close()
        ours.setblocking(False)
        async with asyncio.timeout(PATIENCE):
            assert await asyncio.get_running_loop().sock_recv(ours, 1) == b""  # nobody holds the other end
    await run.connections.close()


async def test_silence_for_long_ends_a_connection(
    here: Place, listening: Listening, begin: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "IDLE", 0.05)
    run = begin()
    reader, writer = await run.open(await _port(here, listening))
    async with asyncio.timeout(PATIENCE):
        assert await reader.read() == b""
    assert (await run.ended()).refused == ""
    await _closed(writer)
