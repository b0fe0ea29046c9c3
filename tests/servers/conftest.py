"""Fixtures: a project with scripted servers, and catalogs that are closed after the test, with a check for leaks."""

from __future__ import annotations

import asyncio
import datetime
import importlib.util
import ipaddress
import json
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workbench.events import Event, living
from workbench.paths import Paths
from workbench.records import JsonObject, Origin, Outcome, ServerConfig, ToolCall
from workbench.servers.configuration import mcp_json_file
from workbench.servers.server_catalog import ServerCatalog
from workbench.settings import Settings

SERVERS = Path(__file__).resolve().parent.parent / "mcp_servers"
FAULTY = str(Path(__file__).resolve().parent.parent / "mcp_servers" / "faulty.py")


@dataclass
class Home:
    """An open catalog and the events it published."""

    catalog: ServerCatalog
    paths: Paths
    # Read on each access, because a test may change them, for example to give only hanging calls little time.
    settings: Settings
    events: list[Event] = field(default_factory=list)

    async def call(self, server: str, tool: str, **arguments: object) -> Outcome:
        return await self.catalog.call(wish(server, tool, arguments))

    async def crossed(self, server: str, direction: str, about: str, times: int = 1) -> None:
        """Wait until this many messages about a tool were sent to the server, or this many answers came from it."""
        traffic = self.catalog.server(server).traffic
        async with asyncio.timeout(60):
            while [(one.direction, one.about) for one in traffic.frames()].count((direction, about)) < times:
                await asyncio.sleep(0.01)


def wish(server: str, tool: str, arguments: JsonObject) -> ToolCall:
    return ToolCall("call-1", server, tool, arguments, Origin.PERSON, "session-1")


class House:
    """A factory for open catalogs: `home = await house(house.faulty("echo"))`."""

    wish = staticmethod(wish)

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._opened: list[ServerCatalog] = []

    async def __call__(self, *configs: ServerConfig, settings: Settings | None = None) -> Home:
        """Open a catalog with these servers, or without arguments with the project's servers."""
        if configs:
            self.write(*configs)
        events: list[Event] = []
        catalog = ServerCatalog(self._paths, lambda: home.settings, events.append)
        home = Home(catalog, self._paths, settings or Settings(), events)
        self._opened.append(catalog)
        await catalog.open()
        return home

    def write(self, *configs: ServerConfig) -> None:
        servers = {one.name: mcp_json_file.entry_as_json(one, {}) for one in configs}
        self._paths.servers_file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    @staticmethod
    def faulty(mode: str, number: int = 0) -> ServerConfig:
        """The configuration of a scripted server of tests/mcp_servers."""
        return ServerConfig(mode, sys.executable, ("-S", FAULTY, mode, str(number)))

    @staticmethod
    def lives(pid: int) -> bool:
        """Whether the process is running. Zombies do not count."""
        try:
            return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        except (FileNotFoundError, ProcessLookupError):
            return False

    async def close(self) -> None:
        pids = [state.pid for catalog in self._opened for state in catalog.states() if state.pid]
        for catalog in self._opened:
            await catalog.close()
        assert not [pid for pid in pids if self.lives(pid)]
        assert not living()


def _server_module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SERVERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_CALLERS = _server_module("callers")  # imported by the other servers in the folder
_FAR = _server_module("far")


@pytest.fixture
def callers() -> Any:
    """A TCP server with a coroutine of the test as handler: `async with callers(serve) as port:`, `port.port`."""
    return _CALLERS.Callers


@pytest.fixture
async def far() -> AsyncIterator[Callable[..., Awaitable[Any]]]:
    """A factory for scripted HTTP servers: `server = await far("json")`, then `server.url`."""
    opened: list[Any] = []

    async def serve(mode: str, tls: ssl.SSLContext | None = None) -> Any:
        opened.append(await _FAR.Far(mode, tls).__aenter__())
        return opened[-1]

    yield serve
    for one in opened:
        await one.stop()


@dataclass(frozen=True)
class Pair:
    """A key with its certificate, for a server, and the certificate alone, for clients that trust it."""

    context: ssl.SSLContext
    public: Path


@pytest.fixture
def certified(tmp_path: Path) -> Callable[..., Pair]:
    """A factory for self-signed certificates: `certified(days, host)`."""

    def make(days: int = 30, host: str = "127.0.0.1") -> Pair:
        folder = tmp_path / f"certificate-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        return _pair(folder, days, host)

    return make


def _pair(folder: Path, days: int, host: str) -> Pair:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    own = x509.IPAddress(ipaddress.ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=30))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([own]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "pair.pem").write_bytes(key.private_bytes(*form) + made)
    (folder / "public.pem").write_bytes(made)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "pair.pem")
    return Pair(context, folder / "public.pem")


@pytest.fixture
async def house(paths: Paths) -> AsyncIterator[House]:
    built = House(paths)
    yield built
    await built.close()
