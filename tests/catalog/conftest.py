"""A bench with scripted servers, and a catalog over it that is always closed, with nothing left behind."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workbench.catalog.catalog import Catalog
from workbench.events import Event, living
from workbench.paths import Paths
from workbench.records import JsonObject, Origin, Outcome, ServerConfig, ToolCall
from workbench.settings import Settings

FAULTY = str(Path(__file__).resolve().parent.parent / "servers" / "faulty.py")


@dataclass
class House:
    """A catalog and everything it told."""

    catalog: Catalog
    paths: Paths
    events: list[Event] = field(default_factory=list)

    async def call(self, server: str, tool: str, **arguments: object) -> Outcome:
        return await self.catalog.call(call(server, tool, arguments))


def call(server: str, tool: str, arguments: JsonObject) -> ToolCall:
    return ToolCall("call-1", server, tool, arguments, Origin.PERSON, "session-1")


def faulty(mode: str, number: int = 0, name: str = "") -> ServerConfig:
    return ServerConfig(name or mode, sys.executable, ("-S", FAULTY, mode, str(number)))


def write_bench(paths: Paths, *configs: ServerConfig) -> None:
    servers = {one.name: {"command": one.command, "args": list(one.args), "cwd": one.cwd} for one in configs}
    paths.servers_file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


def lives(pid: int) -> bool:
    """A zombie is not alive: it only waits to be counted."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
async def house(paths: Paths) -> AsyncIterator[Callable[..., object]]:
    """`await house(faulty("echo"), settings=…)`: an open catalog over these servers, closed after the test."""
    opened: list[Catalog] = []

    async def build(*configs: ServerConfig, settings: Settings | None = None) -> House:
        if configs:
            write_bench(paths, *configs)
        events: list[Event] = []
        catalog = Catalog(paths, settings or Settings(), events.append)
        opened.append(catalog)
        await catalog.open()
        return House(catalog, paths, events)

    yield build
    pids = [state.pid for catalog in opened for state in catalog.states() if state.pid]
    for catalog in opened:
        await catalog.close()
    assert not [pid for pid in pids if lives(pid)]
    assert not living()
