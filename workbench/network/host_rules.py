"""Reads the `[network]` tables of both settings files, and stores which of a project's host rules the user accepted.

    [[network.allow]]
    domain = "api.example.org"      # or "*.example.org"
    ports = [443]
    protocols = ["tls"]             # tls (or https), http, tcp

    [network]
    deny = ["203.0.113.0/24", "ads.example.org"]

An invalid `allow` entry is ignored. An invalid `deny` entry, a `network` value that is not a table, or an unreadable
file disables network access completely, because ignoring it would open what it was meant to block.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from workbench.analysis.host_names import PORTS, host_name, is_address
from workbench.errors import WorkbenchError
from workbench.files import read_plain, read_toml, write_file
from workbench.network.blocked_addresses import denied
from workbench.records import Fault, HostRule

PROTOCOLS = ("tls", "http", "tcp")
MOST_RULES = 500
_SPELLINGS = {"https": "tls", "ssl": "tls"}
_KEYS = {"domain", "ports", "protocols"}
_EXAMPLE = 'An entry looks like: domain = "api.example.org", ports = [443], protocols = ["tls"].'


@dataclass(slots=True)
class ParsedHostRules:
    """Rules of one settings file, and the problems found in it."""

    hosts: list[HostRule] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    notices: list[Fault] = field(default_factory=list)
    closed: str = ""


def read_rules(path: Path, source: str) -> ParsedHostRules:
    """Read the rules of one settings file. `source` is the owner of the file: the user or the project."""
    found = ParsedHostRules()
    try:
        table = read_toml(path).get("network", {})
    except FileNotFoundError:
        return found
    except (OSError, ValueError, RecursionError):  # `workbench.settings` reports the fault in the file
        found.closed = f"{path.name} cannot be read, so its network.deny entries are unknown."
        return found
    if not isinstance(table, dict):  # for example `[[network]]`, whose deny entries would be lost
        found.closed = f"In {path.name}, network is not a table, so its network.deny entries are unknown."
        return found
    _read_allowed(table.get("allow", []), path.name, source, found)
    _read_denied(table.get("deny", []), path.name, found)
    return found


def rule_of(entry: object, source: str = "you") -> HostRule:
    """Parse and check a rule from a settings file or a form."""
    if not isinstance(entry, dict):
        raise WorkbenchError("An entry of network.allow is not a table.", _EXAMPLE)
    if unknown := set(entry) - _KEYS:
        raise WorkbenchError(f"An entry of network.allow has an unknown key {min(map(str, unknown))!r:.60}.", _EXAMPLE)
    protocols = _protocols(entry.get("protocols", ["tls"]))
    rule = HostRule(_domain(entry.get("domain")), _ports(entry.get("ports"), protocols), protocols, source)
    return replace(rule, accepted=source == "you", sha=fingerprint(rule))


def fingerprint(rule: HostRule) -> str:
    """Hash of the domain, ports and protocols of a rule. The same for every source."""
    words = [rule.domain, list(rule.ports), list(rule.protocols)]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def entry_of(rule: HostRule) -> dict[str, Any]:  # Any: TOML
    """Convert a rule to an entry of a settings file."""
    return {"domain": rule.domain, "ports": list(rule.ports), "protocols": list(rule.protocols)}


def denial(text: object) -> str:
    """Normalize one entry of `deny`: an address range or a domain."""
    if isinstance(text, str):
        try:
            return str(ipaddress.ip_network(text, strict=False))
        except ValueError:
            if not set(text) & set("/:"):
                return _domain(text)
    raise WorkbenchError(f"{text!r:.80} is neither an address range nor a domain.", 'Example: "203.0.113.0/24".')


def _read_allowed(entries: object, name: str, source: str, found: ParsedHostRules) -> None:
    if not isinstance(entries, list):
        found.notices.append(Fault(f"{name}: network.allow is not a list of tables.", _EXAMPLE))
        return
    for entry in entries[:MOST_RULES]:
        try:
            entry, unknown = _without_unknown(entry)
            if unknown:
                words = f"{name}: the entry for {entry.get('domain')!s:.80} names unsupported protocols: {unknown}."
                hint = (
                    "Its other protocols apply."
                    f" Supported: {', '.join(PROTOCOLS)}. For any other protocol, use tcp and its ports."
                )
                found.notices.append(Fault(words, hint))
            found.hosts.append(rule_of(entry, source))
        except WorkbenchError as fault:
            found.notices.append(Fault(f"{name}: {fault.message}", f"{fault.hint} The entry is ignored.".strip()))
    if len(entries) > MOST_RULES:
        words = f"{name}: network.allow has {len(entries):,} entries; only {MOST_RULES} are read."
        found.notices.append(Fault(words, "Use *.domain to cover many hosts of one domain."))


def _without_unknown(entry: object) -> tuple[Any, str]:  # Any: TOML
    """Split off unknown protocols. Returns the entry unchanged if no known protocol would remain."""
    words = entry.get("protocols") if isinstance(entry, dict) else None
    if not isinstance(words, list):
        return entry, ""
    unknown = [word for word in words if isinstance(word, str) and _SPELLINGS.get(word, word) not in PROTOCOLS]
    known = [word for word in words if word not in unknown]
    if not unknown or not known or not isinstance(entry, dict):
        return entry, ""
    return {**entry, "protocols": known}, ", ".join(unknown)[:80]


def _read_denied(entries: object, name: str, found: ParsedHostRules) -> None:
    for entry in entries if isinstance(entries, list) else [entries]:
        try:
            found.denied.append(denial(entry))
        except WorkbenchError as fault:
            found.closed = f"An entry of network.deny in {name} is invalid."
            hint = f"{fault.hint} Until you correct it, programs reach nothing."
            found.notices.append(Fault(f"{name}: network.deny: {fault.message}", hint))


def _domain(text: object) -> str:
    if not isinstance(text, str):
        raise WorkbenchError("An entry names no domain.", _EXAMPLE)
    wild = text.startswith("*.")
    name = host_name(text.removeprefix("*.") if wild else text)
    if is_address(name) and wild:
        raise WorkbenchError(f"{text!r:.80} is not a domain.", "Put * before a domain only, for example *.example.org.")
    if is_address(name) and (why := denied(ipaddress.ip_address(name))):
        raise WorkbenchError(f"No rule can allow {text!r:.80}: it is {why}.", _EXAMPLE)
    if "." not in name and not is_address(name):
        raise WorkbenchError(
            f"{text!r:.80} is not a complete domain.", "Write at least two parts, for example example.org."
        )
    return f"*.{name}" if wild else name


def _protocols(words: object) -> tuple[str, ...]:
    if not isinstance(words, list) or not words:
        raise WorkbenchError("The protocols of an entry must be a list with at least one protocol.", _EXAMPLE)
    found = {_SPELLINGS.get(word, word) if isinstance(word, str) else "" for word in words}
    if not found <= set(PROTOCOLS):
        raise WorkbenchError(
            f"An entry of network.allow names an unknown protocol: {_unknown(words)}.",
            f"Use {', '.join(PROTOCOLS)}.",
        )
    return tuple(name for name in PROTOCOLS if name in found)


def _unknown(words: list[object]) -> str:
    return ", ".join(str(word) for word in words if _SPELLINGS.get(str(word), str(word)) not in PROTOCOLS)[:80]


def _ports(numbers: object, protocols: Sequence[str]) -> tuple[int, ...]:
    if numbers is None:
        usual = [PORTS[name] for name in protocols if name in PORTS]
        if "tcp" in protocols:
            raise WorkbenchError("An entry for tcp must name its ports.", _EXAMPLE)
        return tuple(sorted(usual))
    if not isinstance(numbers, list) or not numbers or not all(map(_is_port, numbers)):
        raise WorkbenchError("The ports of an entry must be a list of numbers from 1 to 65535.", _EXAMPLE)
    return tuple(sorted(set(numbers)))


def _is_port(number: object) -> bool:
    return type(number) is int and 0 < number < 65536


def merged(rules: Iterable[HostRule]) -> tuple[HostRule, ...]:
    """Remove duplicate rules. The user's rule wins over the same rule of a project."""
    found: dict[str, HostRule] = {}
    for rule in rules:
        found.setdefault(rule.sha, rule)
    return tuple(found.values())


class Accepted:
    """Fingerprints of the project rules that the user accepted. An unreadable file counts as empty."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._given: dict[str, Any] = {}  # Any: JSON; fingerprint → domain and time of acceptance

    def read(self) -> None:
        try:
            found = json.loads(read_plain(self._file, "ascii"))
        except (OSError, ValueError, RecursionError):
            found = {}
        self._given = found if isinstance(found, dict) else {}

    def holds(self, rule: HostRule) -> bool:
        return rule.sha in self._given

    def give(self, rule: HostRule) -> None:
        """Store that the user accepted exactly this domain with these ports and protocols."""
        self._save({**self._given, rule.sha: {"domain": rule.domain, "at": time.time()}})

    def take_back(self, sha: str) -> None:
        self._save({known: value for known, value in self._given.items() if known != sha})

    def _save(self, given: dict[str, Any]) -> None:  # Any: JSON
        write_file(self._file, json.dumps(given), name="The file of accepted hosts")
        self._given = given


_SPOKEN = {"https": "tls", "http": "http"}
_PLACE = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]{1,5}))?\Z")


def host_in(text: str, protocols: Collection[str]) -> tuple[str, tuple[int, ...]]:
    """Extract the host and, if present, the port from a pasted address. Other text is returned unchanged."""
    scheme, mark, rest = text.strip().rpartition("://")
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    found = _PLACE.match(host)
    if found is None or "@" in host or "\\" in rest or (mark and scheme.lower() not in _SPOKEN):
        return text, ()
    spoken = _SPOKEN.get(scheme.lower(), "")
    if mark and not {spoken, scheme.lower()} & set(protocols):
        words = f"{text.strip()!r:.80} uses {'plain HTTP' if spoken == 'http' else 'TLS'}, which is not selected."
        raise WorkbenchError(words, "Select that protocol, or enter only the host.")
    return found[1], (int(found[2]),) if found[2] else ()
