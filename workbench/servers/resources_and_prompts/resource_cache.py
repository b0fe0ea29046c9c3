"""Cache of a server's resources, templates and prompts from its last run, so that they are found before it starts.

The file has the shape in which servers send their lists, and is read as untrusted.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.records import Prompt, Resource, ResourceTemplate, ServerConfig
from workbench.servers.configuration import private_json_files
from workbench.servers.configuration.launch_command import fingerprint
from workbench.servers.resources_and_prompts import resource_parsing

log = logging.getLogger(__name__)
_FORMAT = 1  # another number in a file: it is ignored
_MOST = 5_000  # resources kept; a server that has more lists them when it runs


class CachedResources(Struct, frozen=True):
    """The lists as they were last read."""

    resources: tuple[Resource, ...] = ()
    templates: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()


class ResourceCache:
    """One file per command fingerprint, beside that of the tools."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def recall(self, config: ServerConfig) -> CachedResources:
        """Blocks while it reads: call it on a thread."""
        found = private_json_files.load(self._file(config))
        if not isinstance(found, dict) or found.get("format") != _FORMAT:
            return CachedResources()
        listed = [part if isinstance(part := found.get(key), list) else [] for key in _KEYS]
        return CachedResources(
            resource_parsing.resources(config.name, listed[0]).entries,
            resource_parsing.templates(config.name, listed[1]).entries,
            resource_parsing.prompts(config.name, listed[2]).entries,
        )

    def keep(self, config: ServerConfig, kept: CachedResources) -> None:
        """A cache that cannot be written costs speed only."""
        lists = (
            [_resource(one) for one in kept.resources[:_MOST]],
            [_template(one) for one in kept.templates],
            [_prompt(one) for one in kept.prompts],
        )
        try:
            private_json_files.save(self._file(config), {"format": _FORMAT, **dict(zip(_KEYS, lists, strict=True))})
        except WorkbenchError as fault:
            log.warning("what %s offers cannot be cached: %s", config.name, fault)

    def _file(self, config: ServerConfig) -> Path:
        return self._folder / f"{fingerprint(config)}.offers.json"


_KEYS = ("resources", "resourceTemplates", "prompts")


def _told(one: Resource | ResourceTemplate | Prompt) -> dict[str, Any]:  # Any: JSON
    return {"name": one.name, "title": one.title, "description": one.description}


def _resource(one: Resource) -> Mapping[str, Any]:  # Any: JSON
    return {**_told(one), "uri": one.uri, "mimeType": one.mime, "size": one.size}


def _template(one: ResourceTemplate) -> Mapping[str, Any]:  # Any: JSON
    return {**_told(one), "uriTemplate": one.template, "mimeType": one.mime}


def _prompt(one: Prompt) -> Mapping[str, Any]:  # Any: JSON
    arguments = [
        {"name": blank.name, "title": blank.title, "description": blank.description, "required": blank.required}
        for blank in one.arguments
    ]
    return {**_told(one), "arguments": arguments}
