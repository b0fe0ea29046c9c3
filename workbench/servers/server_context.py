"""Shared context of all servers of a project: paths, settings, event listener, transports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct, field

from workbench.events import Event
from workbench.paths import Paths
from workbench.records import ServerConfig, Tool
from workbench.secrets.secret_masking import SecretMasks
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.transport_selection import TransportSelection
from workbench.servers.server_cache import ServerCache
from workbench.servers.server_requests import RefusingHost, ServerHost
from workbench.settings import Settings

Vouch = Callable[[ServerConfig], Awaitable[str]]
ToolAnnotator = Callable[[ServerConfig], Callable[[Tool], Tool]]


async def trusting(config: ServerConfig) -> str:
    """Accept every command. For callers without stored consents."""
    return ""


def keep_annotations(config: ServerConfig) -> Callable[[Tool], Tool]:
    """Apply no trust settings: annotations count as servers send them. For callers without such settings."""
    return lambda tool: tool


class ServerContext(Struct, frozen=True):
    """Paths, settings and services that every server of a project shares."""

    paths: Paths
    settings: Callable[[], Settings]
    tell: Callable[[Event], None]
    groups: ProcessGroups
    memory: ServerCache
    transports: TransportSelection
    host: Callable[[str], ServerHost] = lambda server: RefusingHost()  # returns the host of a server by its name
    masks: SecretMasks = field(default_factory=SecretMasks)
    vouch: Vouch = trusting  # returns what differs from the files that the user allowed
    tool_annotator: ToolAnnotator = keep_annotations  # applies the user's trust and annotations to a server's tools
