"""Hosts that programs may reach, and the connections that they made."""

from __future__ import annotations

from msgspec import Struct

from workbench.records.common_types import Fault


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
