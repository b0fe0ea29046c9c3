"""Status of the core and of the agents that are connected to it."""

from __future__ import annotations

from msgspec import Struct, field

from workbench.records.common_types import Fault
from workbench.records.runs import Ledger, Level, Strength


class AgentInfo(Struct, frozen=True):
    """An agent that is connected now."""

    session: str
    name: str
    version: str
    since: float
    calls: int = 0


class HttpEndpoint(Struct, frozen=True):
    """The HTTP endpoint for agents, as the user sees it."""

    url: str = ""  # empty while it is closed
    token: str = ""


class CoreStatus(Struct, frozen=True):
    """The core in one look, for the status bar and `mcp-workbench status`."""

    version: str
    pid: int
    project: str
    started: float
    strength: Strength
    servers_ready: int = 0
    servers: int = 0
    tools: int = 0
    agents: tuple[AgentInfo, ...] = ()
    waiting: int = 0  # runs that wait for a person
    running: int = 0
    queued: int = 0  # programs that wait for others to end
    http_endpoint: str = ""  # address of the HTTP endpoint while it is open
    skills: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    interrupted: int = 0  # runs the previous core left unfinished
    notices: tuple[Fault, ...] = ()  # what is wrong with the project: unreadable .mcp.json, not writable …
    levels: tuple[Level, ...] = ()  # what isolation there is beside the processes' own
    kept_states: int = 0  # sandboxes that are kept between programs
    counter: str = "≈"  # what counts tokens in this core
    packages: tuple[str, ...] = ()  # "numpy 2.4.6": what programs may import beside the standard library
