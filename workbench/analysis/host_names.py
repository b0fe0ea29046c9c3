"""Normalizes host names of programs and rules to one spelling. Ambiguous spellings are refused, not corrected."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from workbench.errors import WorkbenchError
from workbench.records import HostRule

LONGEST = 253
PORTS = {"tls": 443, "http": 80}  # default port of each protocol
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)\Z")
_UNSURE = frozenset("ßςẞ\u200c\u200d")  # IDNA 2003 and IDNA 2008 map these to different names
_HINT = "Write it as in an address, such as api.example.org."


def host_name(text: str) -> str:
    """Return the canonical spelling of a host: lower-case ASCII, no final dot, standard notation of addresses."""
    if not 0 < len(text) <= LONGEST or any(ord(letter) <= 32 or ord(letter) == 127 for letter in text):
        raise _wrong(text)
    if text.startswith("[") and text.endswith("]") and ":" in text:
        return _address(text[1:-1], text)
    if ":" in text:
        return _address(text, text)
    name = _ascii(text).lower().removesuffix(".")
    labels = name.split(".")
    if len(name) > LONGEST or not all(map(_LABEL.match, labels)):
        raise _wrong(text)
    return _address(name, text) if _NUMBER.match(labels[-1]) else name


def is_address(host: str) -> bool:
    """Return whether a canonical host is a numeric address."""
    return ":" in host or host.rpartition(".")[2].isdigit()


def covers(domain: str, host: str) -> bool:
    """Return whether a rule's domain matches this host.

    `*.example.org` matches every subdomain, but not example.org itself."""
    return host.endswith(domain[1:]) if domain.startswith("*.") else host == domain


def protocols_for(rules: Iterable[HostRule], host: str, port: int) -> frozenset[str]:
    """Return the protocols that rules allow for this host and port; empty if no rule allows it."""
    fitting = (rule for rule in rules if port in rule.ports and covers(rule.domain, host))
    return frozenset(protocol for rule in fitting for protocol in rule.protocols)


def place(host: str, port: int) -> str:
    """Return `host:port`, the form used in decisions."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def split_place(text: str) -> tuple[str, int]:
    """Split `host:port` into the canonical host and the port."""
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or len(port) > 5 or not 0 < int(port) < 65536:
        raise WorkbenchError(f"{text!r:.80} is not a host with a port.", "Write it as api.example.org:443.")
    return host_name(host), int(port)


def _ascii(text: str) -> str:
    if text.isascii():
        return text
    if _UNSURE & set(text):
        raise WorkbenchError(
            f"{text!r:.80} has letters that standards map to different names.", "Use its xn-- (Punycode) spelling."
        )
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        raise _wrong(text) from None


def _address(name: str, text: str) -> str:
    """Return a numeric address in standard notation. Refuses octal, hexadecimal and shortened numbers, and zones."""
    try:
        return str(ipaddress.IPv6Address(name) if ":" in name and "%" not in name else ipaddress.IPv4Address(name))
    except ValueError:
        raise _wrong(text) from None


def _wrong(text: str) -> WorkbenchError:
    return WorkbenchError(f"{text[:80]!r} is not a host name.", _HINT)
