"""Cache of what a server said of itself and its tools, so that they are known and searchable before it starts."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, Tool
from workbench.servers.configuration import private_json_files
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.resources_and_prompts.resource_cache import CachedResources, ResourceCache
from workbench.servers.tool_definitions import definition_parsing

log = logging.getLogger(__name__)
_FORMAT = 1  # another number in a file: it is ignored


class CachedServer(Struct, frozen=True):
    """The last known facts of one server."""

    title: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    era: str = ""
    tools: tuple[Tool, ...] = ()
    warnings: tuple[str, ...] = ()
    way: str = ""  # how it was reached: stdio, http or sse
    offers: CachedResources = field(
        default_factory=CachedResources
    )  # kept by itself: these lists are read later, and change more often


class ServerCache:
    """One file per command fingerprint; a changed command starts with nothing known."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.offers = ResourceCache(folder)

    def recall(self, config: ServerConfig) -> CachedServer:
        """Blocks while it reads and hashes: call it on a thread."""
        found = private_json_files.load(self._file(config))
        if not isinstance(found, dict) or found.get("format") != _FORMAT or not isinstance(found.get("tools"), list):
            return CachedServer()
        offers = self.offers.recall(config)
        read = definition_parsing.read(config.name, found["tools"])
        words = {key: str(found.get(key, "")) for key in ("title", "version", "protocol", "instructions", "era", "way")}
        return CachedServer(**words, tools=read.tools, warnings=read.warnings, offers=offers)

    def keep(self, config: ServerConfig, facts: CachedServer) -> None:
        """A cache that cannot be written costs speed only."""
        value: dict[str, Any] = {  # Any: JSON
            "format": _FORMAT,
            "title": facts.title,
            "version": facts.version,
            "protocol": facts.protocol,
            "instructions": facts.instructions,
            "era": facts.era,
            "way": facts.way,
            "tools": [dict(tool.raw) for tool in facts.tools],
        }
        try:
            private_json_files.save(self._file(config), value)
        except WorkbenchError as fault:
            log.warning("the tools of %s cannot be cached: %s", config.name, fault)

    def _file(self, config: ServerConfig) -> Path:
        return self._folder / f"{fingerprint(config)}.json"
