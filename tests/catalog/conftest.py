"""A bench with scripted servers, and catalogs over it that are always closed, with nothing left behind."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workbench.catalog import entries
from workbench.catalog.catalog import Catalog
from workbench.events import Event, living
from workbench.paths import Paths
from workbench.records import JsonObject, Origin, Outcome, ServerConfig, ToolCall
from workbench.settings import Settings

SERVERS = Path(__file__).resolve().parent.parent / "servers"
FAULTY = str(Path(__file__).resolve().parent.parent / "servers" / "faulty.py")


@dataclass
class Home:
    """An open catalog and everything it told."""

    catalog: Catalog
    paths: Paths
    events: list[Event] = field(default_factory=list)

    async def call(self, server: str, tool: str, **arguments: object) -> Outcome:
        return await self.catalog.call(wish(server, tool, arguments))


def wish(server: str, tool: str, arguments: JsonObject) -> ToolCall:
    return ToolCall("call-1", server, tool, arguments, Origin.PERSON, "session-1")


class House:
    """Opens catalogs: `home = await house(house.faulty("echo"))`."""

    wish = staticmethod(wish)

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._opened: list[Catalog] = []

    async def __call__(self, *configs: ServerConfig, settings: Settings | None = None) -> Home:
        """An open catalog over these servers; without any, over the bench as it is."""
        if configs:
            self.write(*configs)
        events: list[Event] = []
        catalog = Catalog(self._paths, lambda: settings or Settings(), events.append)
        self._opened.append(catalog)
        await catalog.open()
        return Home(catalog, self._paths, events)

    def write(self, *configs: ServerConfig) -> None:
        servers = {one.name: entries.write(one, {}) for one in configs}
        self._paths.servers_file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    @staticmethod
    def faulty(mode: str, number: int = 0) -> ServerConfig:
        """One of the scripted servers of tests/servers."""
        return ServerConfig(mode, sys.executable, ("-S", FAULTY, mode, str(number)))

    @staticmethod
    def lives(pid: int) -> bool:
        """A zombie is not alive: it only waits to be counted."""
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


def _far() -> ModuleType:
    spec = importlib.util.spec_from_file_location("far", SERVERS / "far.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
async def far() -> AsyncIterator[Callable[[str], Awaitable[Any]]]:
    """Scripted servers at addresses: `server = await far("json")`, then `server.url`."""
    opened: list[Any] = []

    async def serve(mode: str) -> Any:
        opened.append(await _far().Far(mode).__aenter__())
        return opened[-1]

    yield serve
    for one in opened:
        await one.stop()


@pytest.fixture
async def house(paths: Paths) -> AsyncIterator[House]:
    built = House(paths)
    yield built
    await built.close()
