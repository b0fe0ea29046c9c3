"""Rules, trust in servers, tool annotations set by the user, run profiles, and network rules."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.common_types import Fault


class Word(StrEnum):
    """What a rule says of a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Predicate(Struct, frozen=True):
    """What a value among the arguments must look like for a rule to count."""

    path: str  # into the arguments: `to`, `recipients[]`, `message.to`
    pattern: str  # `*` and `?` as in file names, or `under workspace`


class Permission(Struct, frozen=True):
    """One rule. `key` is the hash it is about: of a tool's definition, or of what was approved; an allow is void when
    that is another one."""

    id: str
    kind: str  # server, tool, arguments; text and skeleton: a pinned approval; restore, sealed: personal data
    word: Word
    server: str = ""
    tool: str = ""
    where: tuple[Predicate, ...] = ()  # all of them must hold
    key: str = ""
    scope: str = "always"  # always, session, run
    session: str = ""  # the session or run it is for, unless it is for always
    source: str = "you"  # how it came to be: you, or the decision it was learned from
    made: float = 0.0
    used: float = 0.0  # when it last decided something
    count: int = 0  # how often
    expires: float = 0.0  # 0: never
    label: str = ""  # one sentence that explains it
    taint: tuple[str, ...] = ()  # of a pinned approval: what its session had read when it was made
    about: tuple[str, ...] = ()  # of a pinned approval: the rules, Python, and each definition it was given for
    data: str = ""  # restore: the kind of personal data, sealed: the field; empty: all there is
    entry: str = ""  # of a rule for a tool: the fingerprint of the server's entry; an allow is void with another one


class ToolBits(Struct, frozen=True):
    """What a person says of a tool in place of its server's hints, and three bits that no server tells. None: nothing
    was said, so the server's hint counts as far as it is believed, and a guess stands for the rest."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    private: bool | None = None  # holds private data
    outsiders: bool | None = None  # returns text that outsiders can write
    sends: bool | None = None  # can send something out
    key: str = ""  # the definition this was said of; of another one only what makes stricter still counts
    entry: str = ""  # the fingerprint of the server's entry it was said of; with another one the same holds


class Trust(Struct, frozen=True):
    """Whose hints are believed, and what was said of single tools."""

    believed: tuple[str, ...] = ()  # servers
    bits: Mapping[str, Mapping[str, ToolBits]] = field(default_factory=dict)  # server → tool → what was said
    lost: bool = False  # what was kept cannot be read: nothing is allowed by a rule, and everything asks


class Permissions(Struct, frozen=True):
    """All rules, as clients of the user show them."""

    rules: tuple[Permission, ...] = ()
    trust: Trust = field(default_factory=Trust)
    notices: tuple[Fault, ...] = ()
    void: Mapping[str, str] = field(default_factory=dict)  # id of a rule → why it counts no more, as far as is known


class RunProfile(Struct, frozen=True):
    """The bounds of a run, by name. Mounts and the broker hold a program to them, whatever its text says."""

    name: str
    base: str = ""  # the built-in profile that it began as
    workspace: str = "write"  # none, read, write
    tools: str = "all"  # none, read, add, all: the classes of tools it may call
    only: tuple[str, ...] = ()  # servers or tools that it is kept to: `github`, `github.list_*`
    network: bool = True  # whether the places that are open are open for it
    ask: bool = False  # a person is asked whatever the risk
    isolation: str = ""  # the least that isolates it; empty: as the risk asks
    times: int = 1  # how many times the limits of the settings it may use
    seconds: int = 0  # limits of its own, never above those; 0: none
    memory_mb: int = 0
    calls: int = 0
    source: str = "built in"  # you: settings.toml; project: workbench.toml
    accepted: bool = True  # a project's profile that is wider than its base waits for a person's yes
    sha: str = ""  # of what it says: what a person accepts
    sentence: str = ""  # what it allows, in words


class Profiles(Struct, frozen=True):
    """All profiles there are, and which one counts where none is named."""

    all: tuple[RunProfile, ...] = ()
    default: str = "write_restricted"
    notices: tuple[Fault, ...] = ()


class HostRule(Struct, frozen=True):
    """A place that programs may reach. A project's rule is an offer until a person accepted it."""

    domain: str  # exact, or `*.example.org` for everything below example.org
    ports: tuple[int, ...] = (443,)
    protocols: tuple[str, ...] = ("tls",)  # tls, http, tcp
    source: str = "you"  # you: settings.toml; project: workbench.toml
    accepted: bool = True
    sha: str = ""  # of domain, ports and protocols: what a person accepts


class NetworkRules(Struct, frozen=True):
    """All rules as they stand now."""

    hosts: tuple[HostRule, ...] = ()
    denied: tuple[str, ...] = ()  # addresses and domains that are refused beside the built-in ones
    always_denied: tuple[str, ...] = ()  # built in; no rule opens them
    closed: str = ""  # why nothing at all is reachable, though rules may say so
    notices: tuple[Fault, ...] = ()

    @property
    def open(self) -> tuple[HostRule, ...]:
        """What counts."""
        return () if self.closed else tuple(rule for rule in self.hosts if rule.accepted)


class Connection(Struct, frozen=True):
    """One connection of a program, or one that was refused."""

    host: str
    port: int
    address: str = ""
    protocol: str = ""
    sent: int = 0  # bytes from the program
    received: int = 0
    ms: float = 0.0
    refused: str = ""  # why; empty when it was made
