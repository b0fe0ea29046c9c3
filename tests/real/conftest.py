"""Real servers from the package registries, installed once into the user's cache. Opt in with `-m real`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from workbench.events import Event
from workbench.paths import Paths
from workbench.records import Origin, Outcome, ServerConfig, ToolCall
from workbench.servers.server_catalog import ServerCatalog
from workbench.servers.server_requests import RefusingHost
from workbench.settings import Settings

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mcp-workbench-real"
NPM = ("everything", "filesystem", "memory", "sequential-thinking")
PYPI = ("git", "time", "fetch")


@pytest.fixture(scope="session")
def npm() -> Path:
    """The folder of the installed commands."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not there")
    commands = CACHE / "npm" / "node_modules" / ".bin"
    if not all((commands / f"mcp-server-{name}").exists() for name in NPM):
        packages = [f"@modelcontextprotocol/server-{name}" for name in NPM]
        command = ["npm", "install", "--prefix", str(CACHE / "npm"), "--no-audit", "--no-fund", "--silent", *packages]
        (CACHE / "npm").mkdir(parents=True, exist_ok=True)
        subprocess.run(command, check=True)
    return commands


@pytest.fixture(scope="session")
def pypi() -> Path:
    """An environment of their own: some of them want another version of the SDK than ours."""
    commands = CACHE / "pypi" / "bin"
    if not all((commands / f"mcp-server-{name}").exists() for name in PYPI):
        subprocess.run([sys.executable, "-m", "venv", str(CACHE / "pypi")], check=True)
        packages = [f"mcp-server-{name}" for name in PYPI]
        subprocess.run([str(commands / "pip"), "install", "--quiet", *packages], check=True)
    return commands


class Accepting(RefusingHost):
    """Answers every question, and remembers what was asked and told."""

    capabilities = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": True}}  # noqa: RUF012

    def __init__(self, root: Path) -> None:
        self.root = root
        self.asked_for: list[str] = []
        self.heard: list[str] = []

    async def answer_request(self, method: str, params: Any) -> dict[str, Any]:
        self.asked_for.append(method)
        if method == "roots/list":
            return {"roots": [{"uri": self.root.as_uri(), "name": "project"}]}
        if method == "sampling/createMessage":
            return {"role": "assistant", "content": {"type": "text", "text": "sampled words"}, "model": "none"}
        fields = (params.get("requestedSchema") or {}).get("properties") or {}
        required = (params.get("requestedSchema") or {}).get("required") or []
        return {"action": "accept", "content": {name: fields[name].get("default", "words") for name in required}}

    def handle_notification(self, method: str, params: Any) -> None:
        self.heard.append(method)


class Project:
    """One catalog with one server at a time."""

    def __init__(self, paths: Paths) -> None:
        self.host = Accepting(paths.project)
        self.folder = paths.project
        self.events: list[Event] = []
        self.catalog = ServerCatalog(paths, Settings, self.events.append, host=lambda server: self.host)

    async def connect(self, command: Path, *args: str) -> Any:
        await self.catalog.add(ServerConfig("real", str(command), args))
        state = await self.catalog.connect("real")
        assert state.warnings == ()
        assert state.tool_count > 0
        return state

    async def call(self, tool: str, **arguments: object) -> Outcome:
        return await self.catalog.call(ToolCall("1", "real", tool, arguments, Origin.PERSON, "real"))

    async def ask(self, method: str, **params: object) -> Any:
        return await self.catalog.server("real").request(method, params)


@pytest.fixture
async def project(paths: Paths) -> AsyncIterator[Project]:
    made = Project(paths)
    await made.catalog.open()
    yield made
    await made.catalog.close()
