"""SSRF guard: blocks loopback, local networks and cloud metadata services for programs, whatever a rule says.

`ipaddress.is_global` is not enough: it accepts multicast, a cloud agent at a public address, and IPv6 addresses that
embed an IPv4 address.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
from collections.abc import Collection, Iterable
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Range: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

ALWAYS = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "a private address",
    "100.64.0.0/10": "an internal address of a provider",
    "127.0.0.0/8": "this machine",
    "168.63.129.16/32": "an internal service of a cloud provider",
    "169.254.0.0/16": "a link-local address, as used for cloud metadata",
    "172.16.0.0/12": "a private address",
    "192.0.0.0/24": "a reserved address",
    "192.0.2.0/24": "a reserved address",
    "192.88.99.0/24": "a reserved address",
    "192.168.0.0/16": "a private address",
    "198.18.0.0/15": "a reserved address",
    "198.51.100.0/24": "a reserved address",
    "203.0.113.0/24": "a reserved address",
    "224.0.0.0/4": "a multicast address",
    "240.0.0.0/4": "a reserved address",
    "2001::/23": "a reserved address, or one that embeds another address",
    "2001:db8::/32": "a reserved address",
    "2002::/16": "an address that embeds another address",
    "3fff::/20": "a reserved address",
}
_RANGES: tuple[tuple[Range, str], ...] = tuple((ipaddress.ip_network(text), why) for text, why in ALWAYS.items())
# all other IPv6 addresses are loopback, local, mapped, multicast or unassigned
_PUBLIC = ipaddress.IPv6Network("2000::/3")
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")  # NAT64: IPv4 addresses as seen from a network without IPv4
_CARRIERS = (0x00005EFE, 0x02005EFE)  # ISATAP: bits 32 to 63 of an IPv6 address that embeds an IPv4 address


def denied(address: Address, more: Iterable[Range] = ()) -> str:
    """The reason why no program may reach this address, or "" if it may."""
    for found in _carried(address):
        for place, why in _RANGES:
            if found in place:
                return why
        if isinstance(found, ipaddress.IPv6Address) and found not in _PUBLIC and found not in _TRANSLATED:
            return "not a public address"
        if any(found in place for place in more):
            return "denied by network.deny"
    return ""


def is_exempt(address: Address, exempt: Collection[Range]) -> bool:
    """Whether this address is in a range that a test exempted."""
    return any(address in place for place in exempt)


def is_own(address: Address) -> bool:
    """Whether this machine has the address. Even its public addresses lead to its own services."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((str(address), 0))
        except OSError as fault:
            return fault.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL)
        return True
    return False


def _carried(address: Address) -> list[Address]:
    """The address itself and, if it embeds an IPv4 address, that too."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    low = int(address) & 0xFFFFFFFF
    inside = address in _TRANSLATED or int(address) >> 32 & 0xFFFFFFFF in _CARRIERS
    return [address, ipaddress.IPv4Address(low)] if inside else [address]
