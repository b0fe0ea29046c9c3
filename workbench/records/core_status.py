"""Status of the core and of the agents that are connected to it."""

from __future__ import annotations

from msgspec import Struct, field

from workbench.records.common_types import Fault
from workbench.records.runs import Ledger, Level, Strength


class AgentInfo(Struct, frozen=True):
    """A connected agent."""

    session: str
    name: str
    version: str
    since: float
    calls: int = 0


class HttpEndpoint(Struct, frozen=True):
    """State of the HTTP endpoint for agents."""

    url: str = ""  # empty while it is closed
    token: str = ""


class CoreStatus(Struct, frozen=True):
    """Summary of a core's state, for the status bar and `mcp-workbench status`."""

    version: str
    pid: int
    project: str
    started: float
    strength: Strength
    servers_ready: int = 0
    servers: int = 0
    tools: int = 0
    agents: tuple[AgentInfo, ...] = ()
    waiting: int = 0  # runs that wait for the user
    running: int = 0
    queued: int = 0  # programs that wait for other programs to end
    http_endpoint: str = ""  # address of the HTTP endpoint while it is open
    skills: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    interrupted: int = 0  # runs that the previous core left unfinished
    notices: tuple[Fault, ...] = ()  # problems of the project: unreadable .mcp.json, folder not writable …
    levels: tuple[Level, ...] = ()  # the isolation levels of this machine
    kept_states: int = 0  # number of REPL sessions
    counter: str = "≈"  # the token counter of this core
    packages: tuple[str, ...] = ()  # "numpy 2.4.6": packages that programs may import besides the standard library
    paused: bool = False  # agents are paused: their programs and calls are refused
