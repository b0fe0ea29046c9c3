"""Rules, trust in servers, tool annotations set by the user, run profiles, and network rules."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from workbench.records.common_types import Fault
from workbench.records.servers import ToolGroup


class CallDecision(StrEnum):
    """The effect of a rule on a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Predicate(Struct, frozen=True):
    """A condition on a value in the arguments, for a rule to apply."""

    path: str  # path within the arguments: `to`, `recipients[]`, `message.to`
    pattern: str  # `*` and `?` as in file names, or `under workspace`


class Permission(Struct, frozen=True):
    """One rule.

    `key` is the hash of the tool definition, or of what was approved. An allow rule is void when the hash changes.
    """

    id: str
    kind: str  # server, tool, arguments; text and skeleton: a pinned approval; restore, sealed: personal data; files
    word: CallDecision
    server: str = ""
    tool: str = ""
    where: tuple[Predicate, ...] = ()  # all conditions must be met
    key: str = ""
    scope: str = "always"  # always, client, session, run
    # the session or run that the rule is limited to, or the name that the client gives itself, unless `scope` is always
    session: str = ""
    source: str = "you"  # you, or the decision that the rule was learned from
    made: float = 0.0
    used: float = 0.0  # time when the rule last decided a call
    count: int = 0  # how many calls the rule has decided
    expires: float = 0.0  # 0: never
    label: str = ""  # one sentence that explains it
    taint: tuple[str, ...] = ()  # for a rule about a program: the kinds of text that its session had read
    about: tuple[str, ...] = ()  # for a rule about a program: the rules, the Python version, and each definition
    data: str = ""  # restore: the kind of personal data, sealed: the field; empty: all
    # for a tool rule: fingerprint of the server's configuration entry; if it changes, an allow rule is void
    entry: str = ""
    # for a rule that allows for certain arguments: further arguments of its calls, which may have any value, and no
    # others; None: all that do not decide what a call does
    others: tuple[str, ...] | None = None


class RuleOffer(Struct, frozen=True):
    """A lasting answer to an approval request: the rules that it makes. Each one reads later as it does here."""

    id: str  # which a decision names
    kind: str  # program, exact, reads, group, workspace, place, tool, server, folder: what the rules are about
    reach: str  # session, client, always: the scope of the rules
    sentence: str  # what the rules allow
    rules: tuple[Permission, ...] = ()  # for one program none: the core makes the rule from the program
    expires: float = 0.0  # 0: when the user revokes it, or the session ends


class UserAnnotations(Struct, frozen=True):
    """Tool annotations set by the user: overrides of the server's hints, and three properties that servers do not
    declare.

    None: not set. Then the server's hint applies if the server is trusted, and otherwise a guess.
    """

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    private: bool | None = None  # holds private data
    outsiders: bool | None = None  # returns text that outsiders can write
    sends: bool | None = None  # can send something out
    # hash of the definition the values were set for; after a change, only values that make it stricter still apply
    key: str = ""
    # fingerprint of the server's configuration entry; after a change, only values that make it stricter still apply
    entry: str = ""


class ServerDecision(Struct, frozen=True):
    """What the user decided about the annotations of one server.

    It covers the definitions that the user saw. A changed or new tool is undecided until the user decides again.
    """

    entry: str = ""  # fingerprint of the server's configuration entry
    groups: tuple[ToolGroup, ...] = ()  # groups whose tools run without asking
    definitions: Mapping[str, str] = field(default_factory=dict)  # tool → hash of its definition
    at: float = 0.0
    # made before groups existed: its annotations count as they are, and `groups` is not used. Without definitions it
    # covers all of them.
    earlier: bool = False


class ToolProposal(Struct, frozen=True):
    """One tool in the question about a server."""

    tool: str
    group: ToolGroup  # what it does at worst, as far as we know
    says: str  # what the server says: "only reads", "only adds", …; empty: nothing
    found: str  # what we found, and how: "only reads (reviewed)", "changes (by its name)", …
    reviewed: bool = False
    doubt: str = ""  # why the server's own words about this tool are not believed, as a sentence
    decided: bool = True  # the user has decided about exactly this definition


class TrustQuestion(Struct, frozen=True):
    """The question what the annotations of a server are worth, computed from its tools."""

    server: str
    sha: str  # hash of everything that is shown; the answer names it
    tools: tuple[ToolProposal, ...] = ()
    groups: tuple[ToolGroup, ...] = ()  # ticked: as decided before, or as proposed
    decided: bool = False  # the user has answered for this entry
    earlier: bool = False  # the user trusted the server before this question existed
    package: str = ""  # the package or host whose reviewed annotations apply: "npm:@playwright/mcp"

    @property
    def undecided(self) -> tuple[str, ...]:
        """The tools about which the user has not decided: all of them, or the new and changed ones."""
        return tuple(one.tool for one in self.tools if not one.decided)


class Trust(Struct, frozen=True):
    """Which servers' hints are trusted, and the annotations that the user set on tools."""

    annotations: Mapping[str, Mapping[str, UserAnnotations]] = field(
        default_factory=dict
    )  # server → tool → annotations
    lost: bool = False  # the stored data is unreadable: no rule allows anything, and every call asks for approval
    decisions: Mapping[str, ServerDecision] = field(default_factory=dict)  # server → decision about its current entry

    @property
    def trusted(self) -> tuple[str, ...]:
        """The servers whose annotations let some programs run without asking."""
        return tuple(server for server, one in self.decisions.items() if one.earlier or one.groups)


class Permissions(Struct, frozen=True):
    """All rules, as shown to the user."""

    rules: tuple[Permission, ...] = ()
    trust: Trust = field(default_factory=Trust)
    notices: tuple[Fault, ...] = ()
    void: Mapping[str, str] = field(default_factory=dict)  # id of a rule → why it is void, if known
    # server → tools about which the user has not decided: all, or those that are new or changed
    undecided: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class RunProfile(Struct, frozen=True):
    """A named set of limits for runs. The sandbox's mounts and the broker enforce it."""

    name: str
    base: str = ""  # the built-in profile that it extends
    workspace: str = "write"  # none, read, write
    tools: str = "all"  # none, read, add, all: the classes of tools that it may call
    only: tuple[str, ...] = ()  # the servers or tools that it is limited to: `github`, `github.list_*`
    network: bool = True  # whether the network rules apply; false: no network
    ask: bool = False  # ask the user for approval regardless of the risk
    isolation: str = ""  # minimum isolation level; empty: depends on the risk
    times: int = 1  # factor for the limits in the settings
    seconds: int = 0  # its own time limit, never above the settings; 0: none
    memory_mb: int = 0
    calls: int = 0
    source: str = "built in"  # you: settings.toml; project: workbench.toml
    accepted: bool = True  # a project's profile that is wider than its base needs the user's consent
    sha: str = ""  # hash of the profile, which the consent refers to
    sentence: str = ""  # what the profile allows, as a sentence


class Profiles(Struct, frozen=True):
    """All profiles, and the default one."""

    all: tuple[RunProfile, ...] = ()
    default: str = "write_restricted"
    notices: tuple[Fault, ...] = ()


class HostRule(Struct, frozen=True):
    """A host that programs may reach. A project's rule takes effect only after the user has accepted it."""

    domain: str  # exact, or `*.example.org` for all subdomains of example.org
    ports: tuple[int, ...] = (443,)
    protocols: tuple[str, ...] = ("tls",)  # tls, http, tcp
    source: str = "you"  # you: settings.toml; project: workbench.toml
    accepted: bool = True
    sha: str = ""  # hash of domain, ports and protocols, which the user accepts


class NetworkRules(Struct, frozen=True):
    """The network rules in force."""

    hosts: tuple[HostRule, ...] = ()
    denied: tuple[str, ...] = ()  # refused addresses and domains in addition to the built-in ones
    always_denied: tuple[str, ...] = ()  # built in; no rule can allow them
    closed: str = ""  # why the network is closed regardless of the rules
    notices: tuple[Fault, ...] = ()

    @property
    def open(self) -> tuple[HostRule, ...]:
        """The rules in force."""
        return () if self.closed else tuple(rule for rule in self.hosts if rule.accepted)


class Connection(Struct, frozen=True):
    """A network connection that a program made or that was refused."""

    host: str
    port: int
    address: str = ""
    protocol: str = ""
    sent: int = 0  # bytes from the program
    received: int = 0
    ms: float = 0.0
    refused: str = ""  # the reason; empty if the connection was made
