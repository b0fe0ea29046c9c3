"""A server that requires OAuth, the sign-in service of a project, and a browser that follows redirects."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from workbench.events import Event, SignInWanted
from workbench.records import ServerConfig
from workbench.secrets.project_secrets import Secrets
from workbench.servers.oauth.sign_in_service import SignIns
from workbench.settings import Settings

_FILE = Path(__file__).resolve().parents[2] / "mcp_servers" / "guarded.py"
_SPEC = importlib.util.spec_from_file_location("guarded", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
guarded_module = importlib.util.module_from_spec(_SPEC)
sys.modules["guarded"] = guarded_module
_SPEC.loader.exec_module(guarded_module)

CALL = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "look", "arguments": {}}}


@dataclass
class Project:
    """The sign-in service of a project with its events, and a user with a browser."""

    guarded: Any
    secrets: Secrets
    settings: Settings = field(default_factory=Settings)
    events: list[Event] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    pages: list[httpx2.Response] = field(default_factory=list)
    browses: bool = True

    def __post_init__(self) -> None:
        self._browsing: set[asyncio.Task[Any]] = set()
        self.restart()

    def restart(self) -> None:
        """Create the service again, as the next core does. Only the stored secrets remain."""
        self.sign_ins = SignIns(self.secrets, lambda: self.settings, self._hear)
        self.sign_ins.noted = lambda server, word: self.notes.append((server, word))

    def config(self, name: str = "far", **oauth: Any) -> ServerConfig:
        return ServerConfig(name, url=self.guarded.url, oauth=oauth)

    async def call(self, config: ServerConfig | None = None, tool: str = "look") -> httpx2.Response:
        """Make a call as a connection does."""
        auth = await asyncio.to_thread(self.sign_ins.authorize, config or self.config())
        message = {**CALL, "params": {"name": tool, "arguments": {}}}
        async with httpx2.AsyncClient(auth=auth, trust_env=False, verify=guarded_module.PLAIN) as client:
            return await client.post(self.guarded.url, json=message)

    async def sign_in(self, config: ServerConfig | None = None) -> Any:
        found = await self.sign_ins.sign_in(config or self.config())
        await asyncio.gather(*self._browsing)
        return found

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, SignInWanted) and self.browses:
            task = asyncio.get_running_loop().create_task(self._browse(event.url))
            self._browsing.add(task)

    async def _browse(self, url: str) -> None:
        self.pages.append(await guarded_module.browse(url))


@pytest.fixture
async def guarded() -> AsyncIterator[Any]:
    async with guarded_module.Guarded() as serving:
        yield serving


@pytest.fixture
async def project(guarded: Any, tmp_path: Path) -> AsyncIterator[Project]:
    made = Project(guarded, Secrets(tmp_path / "project", cost=16))
    yield made
    await made.sign_ins.close()
