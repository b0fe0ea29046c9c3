"""What all servers of a project share: paths, settings, event listener, transports."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct, field

from workbench.events import Event
from workbench.paths import Paths
from workbench.records import ServerConfig, Tool
from workbench.secrets.secret_masking import Masks
from workbench.servers.process_groups import ProcessGroups
from workbench.servers.sdk_adapter.transport_selection import TransportSelection
from workbench.servers.server_cache import ServerCache
from workbench.servers.server_requests import RefusingHost, ServerHost
from workbench.settings import Settings

Vouch = Callable[[ServerConfig], Awaitable[str]]
Weigh = Callable[[ServerConfig], Callable[[Tool], Tool]]


async def trusting(config: ServerConfig) -> str:
    """For callers without stored consents."""
    return ""


def unweighed(config: ServerConfig) -> Callable[[Tool], Tool]:
    """For callers without trust settings: annotations count as servers send them."""
    return lambda tool: tool


class ServerContext(Struct, frozen=True):
    """What every server of a project shares."""

    paths: Paths
    settings: Callable[[], Settings]
    tell: Callable[[Event], None]
    groups: ProcessGroups
    memory: ServerCache
    transports: TransportSelection
    host: Callable[[str], ServerHost] = lambda server: RefusingHost()  # the host of a server, by its name
    masks: Masks = field(default_factory=Masks)
    vouch: Vouch = trusting  # why the files of a command are not those that the user allowed
    weigh: Weigh = unweighed  # applies the user's trust and annotations to a server's tools
