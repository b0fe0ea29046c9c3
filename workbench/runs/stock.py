"""Keeps the folders that a sandbox mounts, generated wrappers and kept skills, in step with catalog and library.

They are written when something changed and a run is about to start, not on every event: a server that connects with
300 tools must not hold up anybody who is not running code.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from workbench.events import Event, ServerRemoved, SkillsChanged, ToolsChanged, spawn
from workbench.records import Tool
from workbench.runs.rooms import Rooms
from workbench.wrappers.package import remove_package, write_package

log = logging.getLogger(__name__)


class Stock:
    """Marks what is stale as events tell it, and writes it anew before the next run."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._servers: set[str] = set()
        self._gone: set[str] = set()
        self._skills = True
        self._task: asyncio.Task[None] | None = None

    @property
    def servers(self) -> Path:
        return self._rooms.paths.generated / "servers"

    @property
    def skills(self) -> Path:
        return self._rooms.paths.generated / "skills"

    def open(self) -> None:
        """Everything the definition cache knows counts as stale once."""
        self.servers.mkdir(parents=True, exist_ok=True)
        self.skills.mkdir(parents=True, exist_ok=True)
        self._servers = {tool.server for tool in self._rooms.catalog.tools()}

    def hear(self, event: Event) -> None:
        match event:
            case ToolsChanged(server=server):
                self._servers.add(server)
                self._gone.discard(server)
            case ServerRemoved(name=name):
                self._gone.add(name)
                self._servers.discard(name)
            case SkillsChanged():
                self._skills = True
            case _:
                pass

    async def refresh(self) -> None:
        """Write what is stale. A run that is stopped meanwhile does not stop the writing, others wait for it too."""
        while self._stale or self._at_work:
            if not self._at_work:
                self._task = spawn("stock", self._write_stale())
            assert self._task is not None
            await asyncio.shield(self._task)

    async def close(self) -> None:
        """Nothing is being written any more."""
        if self._task is not None:
            await asyncio.wait([self._task])

    @property
    def _stale(self) -> bool:
        return bool(self._servers or self._gone or self._skills)

    @property
    def _at_work(self) -> bool:
        return self._task is not None and not self._task.done()

    async def _write_stale(self) -> None:
        """What cannot be written stays stale: the next run tries again."""
        stale, gone, skills = self._servers, self._gone, self._skills
        self._servers, self._gone, self._skills = set(), set(), False
        tools = {server: [tool for tool in self._rooms.catalog.tools() if tool.server == server] for server in stale}
        try:
            await asyncio.to_thread(self._write, tools, gone, skills)
        except BaseException:
            self._servers |= stale
            self._gone |= gone
            self._skills |= skills
            raise

    def _write(self, tools: Mapping[str, Sequence[Tool]], gone: Set[str], skills: bool) -> None:
        """On a thread; a warning about one tool never keeps the others away."""
        for server in gone:
            remove_package(server, self.servers)
        for server, its_tools in tools.items():
            for warning in write_package(server, its_tools, self.servers):
                log.warning("%s: %s", server, warning)
        if skills:
            self._rooms.library.write_modules(self.skills)
