"""Decides which hosts programs may connect to, and opens these connections."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Collection
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from workbench import settings as settings_file
from workbench.analysis.host_names import covers, host_name, is_address, place, protocols_for
from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.network import blocked_addresses
from workbench.network.blocked_addresses import ALWAYS, Address, Range
from workbench.network.dns_lookup import Resolve, addresses_of, system_addresses
from workbench.network.host_rules import Accepted, ParsedHostRules, entry_of, host_in, merged, read_rules, rule_of
from workbench.network.network_errors import Blocked, Unreachable
from workbench.records import HostRule, NetworkRules
from workbench.settings import Settings

_MINUTE = 60.0


class Rate:
    """Rate limit per host: counts connections within the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[str, deque[float]] = {}

    def take(self, name: str, most: int) -> bool:
        """Count one connection for this name. Returns False if `most` are already counted."""
        now = self._clock()
        times = self._times.setdefault(name, deque())
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if len(times) >= most:
            return False
        times.append(now)
        self._forget(now)
        return True

    def _forget(self, now: float) -> None:
        for name in [name for name, times in self._times.items() if times and times[-1] <= now - _MINUTE]:
            del self._times[name]


_TRIED = 3  # how many addresses of one host are tried
# protocols for a host and port that are allowed for one run
_USUAL = {443: frozenset({"tls"}), 80: frozenset({"http"})}
_ANYTHING = frozenset({"tls", "http", "tcp"})
Stamp = tuple[tuple[int, ...], ...]


class Line(Struct, frozen=True):
    """An open connection."""

    host: str
    port: int
    address: str
    protocols: frozenset[str]
    socket: socket.socket


class Network:
    """Opens connections for programs, only where a rule of the user or an approval of one run allows it.

    `resolve` and `exempt` are for tests only: they replace the DNS lookup and exempt blocked addresses. No setting
    changes them.
    """

    def __init__(
        self,
        project_file: Path,
        person_file: Path,
        accepted_file: Path,
        settings: Callable[[], Settings],
        *,
        resolve: Resolve = system_addresses,
        exempt: Collection[Range] = (),
    ) -> None:
        self._files = (project_file, person_file)
        self._settings = settings
        self._resolve = resolve
        self._exempt = exempt
        self._accepted = Accepted(accepted_file)
        self._accepted.read()
        self._rate = Rate()
        self._stamp: Stamp = ()
        self._rules = NetworkRules()

    # ── rules ────────────────────────────────────────────────────────────────────────────────────
    @api(name="network")
    def rules(self) -> NetworkRules:
        """Current rules. The settings files are read again if they changed."""
        stamp = tuple(map(_stamp_of, self._files))
        if stamp != self._stamp:
            self._rules, self._stamp = self._read(), stamp
        return self._rules

    def accept(self, sha: str) -> HostRule:
        """Accept a rule that the project requests."""
        rule = self._known(sha, "project")
        self._accepted.give(rule)
        self._stamp = ()
        return rule

    def withdraw(self, sha: str) -> HostRule:
        """Withdraw the acceptance of a project's rule."""
        rule = self._known(sha, "project")
        self._accepted.take_back(sha)
        self._stamp = ()
        return rule

    def add(self, domain: str, ports: Collection[int], protocols: Collection[str]) -> HostRule:
        """Add a rule to the user's own settings."""
        domain, named = host_in(domain, protocols)
        entry: dict[str, object] = {"domain": domain, "protocols": list(protocols)}
        rule = rule_of(entry | ({"ports": list(ports or named)} if ports or named else {}))
        own = self._own()
        if rule.sha in {one.sha for one in own}:
            raise WorkbenchError(f"The same rule for {rule.domain} exists already.", "See the list of rules.")
        self._write([*own, rule])
        return rule

    def remove(self, sha: str) -> HostRule:
        rule = self._known(sha, "you")
        self._write([one for one in self._own() if one.sha != sha])
        return rule

    def _own(self) -> list[HostRule]:
        return [rule for rule in self.rules().hosts if rule.source == "you"]

    def _known(self, sha: str, source: str) -> HostRule:
        for rule in self.rules().hosts:
            if (rule.sha, rule.source) == (sha, source):
                return rule
        raise WorkbenchError("This rule no longer exists.", "Look at the list again.")

    def _write(self, rules: list[HostRule]) -> None:
        if faults := [
            notice for notice in read_rules(self._files[1], "you").notices if "network.deny" not in notice.message
        ]:
            raise WorkbenchError(faults[0].message, "Correct settings.toml first: saving would delete that entry.")
        settings_file.write(self._files[1], "network.allow", [entry_of(rule) for rule in rules])
        self._stamp = ()

    def _read(self) -> NetworkRules:
        project, own = (read_rules(path, source) for path, source in zip(self._files, ("project", "you"), strict=True))
        offers = [replace(rule, accepted=self._accepted.holds(rule)) for rule in project.hosts]
        return NetworkRules(
            hosts=merged([*own.hosts, *offers]),
            denied=tuple(dict.fromkeys([*own.denied, *project.denied])),
            always_denied=tuple(f"{text}: {why}" for text, why in ALWAYS.items()),
            closed=_closed(own, project),
            notices=(*own.notices, *project.notices),
        )

    # ── connecting ───────────────────────────────────────────────────────────────────────────────
    async def connect(self, wished: str, port: int, extra: Collection[str] = (), seconds: float = 0.0) -> Line:
        """Connect to an address of this host that passed the SSRF guard. Raises Blocked or Unreachable.

        `extra`: hosts with ports that the user allowed for this run.
        """
        host = host_name(wished)
        protocols = self._admitted(host, port, extra)
        if not self._rate.take(host, self._settings().network_per_minute):
            most = self._settings().network_per_minute
            raise Blocked(
                f"Programs opened more than {most} connections to {host} within a minute.", "Try again later."
            )
        patience = float(self._settings().network_seconds)
        try:
            async with asyncio.timeout(min(seconds, patience) if seconds > 0 else patience):
                found = self._vetted(host, await addresses_of(host, self._resolve))
                return await self._dialled(host, port, protocols, found)
        except TimeoutError:
            raise Unreachable(f"{place(host, port)} did not answer in time.", "timeout") from None

    def _admitted(self, host: str, port: int, extra: Collection[str]) -> frozenset[str]:
        """Protocols that may be used with this host and port. Raises Blocked if there are none."""
        rules = self.rules()
        if rules.closed:
            raise Blocked(f"{place(host, port)} cannot be reached. {rules.closed}", "The user can correct that file.")
        if any(covers(text, host) for text in rules.denied if "/" not in text):
            raise Blocked(f"{host} is denied by network.deny.")
        if "." not in host and ":" not in host:
            raise Blocked(f"{host} is a name of this machine or its local network.", "Use a public host.")
        protocols = protocols_for(rules.open, host, port)
        if place(host, port) in extra:
            protocols |= _USUAL.get(port, _ANYTHING)
        if not protocols:
            hint = "The user can allow it: for one run in the approval dialog, or on the Network page."
            raise Blocked(f"{place(host, port)} is not among the hosts that programs may reach.", hint)
        return protocols

    def _vetted(self, host: str, found: list[Address]) -> list[Address]:
        """Check all addresses of a host. One denied address blocks the host, because the next lookup may choose it."""
        more = [ipaddress.ip_network(text) for text in self.rules().denied if "/" in text]
        for address in found:
            why = blocked_addresses.denied(address, more) or (
                "this machine" if blocked_addresses.is_own(address) else ""
            )
            if why and not blocked_addresses.is_exempt(address, self._exempt):
                named = str(address) if is_address(host) else f"{host} resolves to {address}, which"
                raise Blocked(f"{named} is {why}.", "No rule can allow this address.", str(address))
        return found

    async def _dialled(self, host: str, port: int, protocols: frozenset[str], found: list[Address]) -> Line:
        fault: OSError | None = None
        for address in found[:_TRIED]:
            try:
                return Line(host, port, str(address), protocols, await _dial(address, port))
            except OSError as refusal:
                fault = refusal
        raise Unreachable(f"{place(host, port)} cannot be reached: {fault.strerror if fault else 'no answer'}.")


async def _dial(address: Address, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, (str(address), port))
        with contextlib.suppress(OSError):
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        made.close()
        raise
    return made


def _closed(own: ParsedHostRules, project: ParsedHostRules) -> str:
    return own.closed or project.closed


def _stamp_of(path: Path) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_size, found.st_ino)
