"""Cache of each server's last lists, so that its tools, resources and prompts can be searched before it starts.

Two files per command fingerprint: tools, and resources with templates and prompts, which change more often. The lists
have the format in which servers send them, and are read as untrusted.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from workbench.errors import WorkbenchError
from workbench.records import Prompt, Resource, ResourceTemplate, ServerConfig, Tool
from workbench.servers.configuration import private_json_files
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.resources_and_prompts import resource_parsing
from workbench.servers.tool_definitions import definition_parsing

log = logging.getLogger(__name__)
_MOST = 5_000  # resources stored; a server with more lists them when it runs


class CachedResources(Struct, frozen=True):
    """The lists of resources, templates and prompts as last read."""

    resources: tuple[Resource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()


class CachedServer(Struct, frozen=True):
    """The last known facts of one server."""

    title: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    era: str = ""
    tools: tuple[Tool, ...] = ()
    warnings: tuple[str, ...] = ()
    way: str = ""  # transport of the last connection: stdio, http or sse
    offers: CachedResources = field(default_factory=CachedResources)


class _StoredServer(Struct, frozen=True):
    """The file of a server's facts and tools."""

    format: Literal[1]  # a file of another format is not read
    tools: list[Any]  # Any: JSON of the server
    title: str = ""
    version: str = ""
    protocol: str = ""
    instructions: str = ""
    era: str = ""
    way: str = ""


class _StoredResources(Struct, frozen=True, rename="camel"):
    """The file of a server's resources, templates and prompts."""

    format: Literal[1]  # a file of another format is not read
    resources: list[Any] = field(default_factory=list)  # Any here and below: JSON of the server
    resource_templates: list[Any] = field(default_factory=list)
    prompts: list[Any] = field(default_factory=list)


class ServerCache:
    """The cache files of all servers of a project. A changed command starts with an empty cache."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def recall(self, config: ServerConfig) -> CachedServer:
        """Read the cache of a server. Blocks while it reads and hashes: call it on a thread."""
        stored = private_json_files.load_as(self._file(config), _StoredServer)
        if stored is None:
            return CachedServer()
        read = definition_parsing.read(config.name, stored.tools)
        return CachedServer(
            stored.title,
            stored.version,
            stored.protocol,
            stored.instructions,
            stored.era,
            read.tools,
            read.warnings,
            stored.way,
            self._recall_resources(config),
        )

    def keep(self, config: ServerConfig, facts: CachedServer) -> None:
        """Write the cache of a server. A failed write is only logged: the cache saves time, nothing else."""
        about = (facts.title, facts.version, facts.protocol, facts.instructions, facts.era, facts.way)
        self._save(self._file(config), _StoredServer(1, [dict(tool.raw) for tool in facts.tools], *about))

    def keep_resources(self, config: ServerConfig, kept: CachedResources) -> None:
        resources = [_resource(one) for one in kept.resources[:_MOST]]
        templates = [_template(one) for one in kept.templates]
        stored = _StoredResources(1, resources, templates, [_prompt(one) for one in kept.prompts])
        self._save(self._resources_file(config), stored)

    def _recall_resources(self, config: ServerConfig) -> CachedResources:
        stored = private_json_files.load_as(self._resources_file(config), _StoredResources)
        if stored is None:
            return CachedResources()
        return CachedResources(
            resource_parsing.resources(config.name, stored.resources).entries,
            resource_parsing.templates(config.name, stored.resource_templates).entries,
            resource_parsing.prompts(config.name, stored.prompts).entries,
        )

    def _save(self, file: Path, value: Struct) -> None:
        try:
            private_json_files.save(file, value)
        except WorkbenchError as fault:
            log.warning("%s cannot be cached: %s", file.name, fault)

    def _file(self, config: ServerConfig) -> Path:
        return self._folder / f"{fingerprint(config)}.json"

    def _resources_file(self, config: ServerConfig) -> Path:
        return self._folder / f"{fingerprint(config)}.offers.json"


def _described(one: Resource | ResourceTemplate | Prompt) -> dict[str, Any]:  # Any: JSON
    return {"name": one.name, "title": one.title, "description": one.description}


def _resource(one: Resource) -> dict[str, Any]:  # Any: JSON
    return {**_described(one), "uri": one.uri, "mimeType": one.mime, "size": one.size}


def _template(one: ResourceTemplate) -> dict[str, Any]:  # Any: JSON
    return {**_described(one), "uriTemplate": one.template, "mimeType": one.mime}


def _prompt(one: Prompt) -> dict[str, Any]:  # Any: JSON
    arguments = [
        {"name": given.name, "title": given.title, "description": given.description, "required": given.required}
        for given in one.arguments
    ]
    return {**_described(one), "arguments": arguments}
