"""Real servers on this machine, and a network that may reach them because the tests say so, and nothing else can."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workbench.network.blocked_addresses import Address, Range
from workbench.network.network_access import Network
from workbench.settings import Settings

LOOPBACK: tuple[Range, ...] = (ipaddress.ip_network("127.0.0.1/32"),)


@dataclass
class Names:
    """A table in the place of the system's lookup; what is not in it does not exist."""

    known: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str) -> list[Address]:
        self.asked.append(host)
        return [ipaddress.ip_address(text) for text in self.known.get(host, [])]


@dataclass
class Place:
    """A network with its files."""

    folder: Path
    names: Names
    settings: Settings
    network: Network

    def own(self, text: str) -> None:
        (self.folder / "settings.toml").write_text(text, encoding="utf-8")

    def project(self, text: str) -> None:
        (self.folder / "workbench.toml").write_text(text, encoding="utf-8")

    def allow(self, domain: str, port: int, protocol: str = "tcp") -> None:
        entry = f'domain = "{domain}"\nports = [{port}]\nprotocols = ["{protocol}"]\n'
        before = self.folder / "settings.toml"
        self.own((before.read_text("utf-8") if before.exists() else "") + f"[[network.allow]]\n{entry}")


@pytest.fixture
def here(tmp_path: Path) -> Place:
    names = Names()
    made = Place(tmp_path, names, Settings(), network=None)  # type: ignore[arg-type]  # the next line fills it
    files = tmp_path / "workbench.toml", tmp_path / "settings.toml", tmp_path / "state" / "network.json"
    made.network = Network(*files, lambda: made.settings, resolve=names, exempt=LOOPBACK)
    return made


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def listening() -> AsyncIterator[Callable[[Serve], Awaitable[int]]]:
    """Serve on a port of this machine; every caller's line is closed here, also one that never began."""
    servers: list[asyncio.Server] = []
    writers: list[asyncio.StreamWriter] = []
    tasks: list[asyncio.Task[None]] = []

    async def begin(serve: Serve) -> int:
        def called(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers.append(writer)
            tasks.append(asyncio.get_running_loop().create_task(guarded(reader, writer)))

        async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                await serve(reader, writer)

        server = await asyncio.start_server(called, "127.0.0.1", 0)
        servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    yield begin
    for server in servers:
        server.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for writer in writers:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Give back what comes, and end when the other side has ended."""
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.write_eof()
