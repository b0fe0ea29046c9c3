"""Keeps the folders that a sandbox mounts, generated wrappers and kept skills, in step with catalog and library.

They are written when something changed and a run is about to start, not on every event: a server that connects with
300 tools must not hold up anybody who is not running code.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from workbench.events import Event, ServerRemoved, SkillsChanged, ToolsChanged
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
        self._writing = asyncio.Lock()

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
        """Write what is stale; a warning about one tool never keeps the others away."""
        async with self._writing:
            if self._servers or self._gone or self._skills:
                await asyncio.to_thread(self._write)

    def _write(self) -> None:
        gone, self._gone = self._gone, set()
        stale, self._servers = self._servers, set()
        for server in gone:
            remove_package(server, self.servers)
        for server in stale:
            tools = [tool for tool in self._rooms.catalog.tools() if tool.server == server]
            for warning in write_package(server, tools, self.servers):
                log.warning("%s: %s", server, warning)
        if self._skills:
            self._skills = False
            self._rooms.library.write_modules(self.skills)
