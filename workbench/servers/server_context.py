"""What every server of a bench shares: where files are, what settings say, who listens, and the ways there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct, field

from workbench.events import Event
from workbench.paths import Paths
from workbench.records import ServerConfig, Tool
from workbench.secrets.masks import Masks
from workbench.servers.process_groups import Groups
from workbench.servers.sdk_adapter.transport_selection import Ways
from workbench.servers.server_cache import Memory
from workbench.servers.server_requests import Host, Nobody
from workbench.settings import Settings

Vouch = Callable[[ServerConfig], Awaitable[str]]
Weigh = Callable[[ServerConfig], Callable[[Tool], Tool]]


async def trusting(config: ServerConfig) -> str:
    """For whoever remembers no consents."""
    return ""


def unweighed(config: ServerConfig) -> Callable[[Tool], Tool]:
    """For whoever keeps no trust: tools are what their servers say."""
    return lambda tool: tool


class Surroundings(Struct, frozen=True):
    """What every server of a bench shares."""

    paths: Paths
    settings: Callable[[], Settings]
    tell: Callable[[Event], None]
    groups: Groups
    memory: Memory
    ways: Ways
    host: Callable[[str], Host] = lambda server: Nobody()  # who answers and hears a server, by its name
    masks: Masks = field(default_factory=Masks)
    vouch: Vouch = trusting  # why the files behind a command are not those that a person allowed
    weigh: Weigh = unweighed  # makes a server's tools into what its hints and a person's words make of them
