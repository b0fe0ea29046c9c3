"""Which addresses no program reaches, whatever a rule says: this machine, its neighbours, the metadata of clouds.

`ipaddress.is_global` alone is not enough: it lets through multicast, a cloud's agent at a public address, and IPv6
addresses that carry an IPv4 one inside.
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
    "10.0.0.0/8": "a private network",
    "100.64.0.0/10": "a provider's inner network",
    "127.0.0.0/8": "this machine",
    "168.63.129.16/32": "a cloud's own service",
    "169.254.0.0/16": "the local link, where clouds keep their metadata",
    "172.16.0.0/12": "a private network",
    "192.0.0.0/24": "a reserved range",
    "192.0.2.0/24": "a reserved range",
    "192.88.99.0/24": "a reserved range",
    "192.168.0.0/16": "a private network",
    "198.18.0.0/15": "a reserved range",
    "198.51.100.0/24": "a reserved range",
    "203.0.113.0/24": "a reserved range",
    "224.0.0.0/4": "many machines at once",
    "240.0.0.0/4": "a reserved range",
    "2001::/23": "a reserved range, or an address with another one inside",
    "2001:db8::/32": "a reserved range",
    "2002::/16": "an address with another one inside",
    "3fff::/20": "a reserved range",
}
_RANGES: tuple[tuple[Range, str], ...] = tuple((ipaddress.ip_network(text), why) for text, why in ALWAYS.items())
_PUBLIC = ipaddress.IPv6Network("2000::/3")  # everything else of IPv6 is loopback, local, mapped, multicast or unused
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")  # where a network without IPv4 shows the IPv4 world
_CARRIERS = (0x00005EFE, 0x02005EFE)  # ISATAP: the second half of an address that carries an IPv4 one


def denied(address: Address, more: Iterable[Range] = ()) -> str:
    """Why no program may reach this address, or "" when it may."""
    for found in _carried(address):
        for place, why in _RANGES:
            if found in place:
                return why
        if isinstance(found, ipaddress.IPv6Address) and found not in _PUBLIC and found not in _TRANSLATED:
            return "no public address"
        if any(found in place for place in more):
            return "what network.deny names"
    return ""


def is_exempt(address: Address, exempt: Collection[Range]) -> bool:
    """Whether a test exempted this address."""
    return any(address in place for place in exempt)


def is_own(address: Address) -> bool:
    """Whether this machine has the address: its public address leads to its own services too."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as trial:
        try:
            trial.bind((str(address), 0))
        except OSError as fault:
            return fault.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL)
        return True
    return False


def _carried(address: Address) -> list[Address]:
    """The address itself, and the IPv4 address embedded in it, if there is one."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    low = int(address) & 0xFFFFFFFF
    inside = address in _TRANSLATED or int(address) >> 32 & 0xFFFFFFFF in _CARRIERS
    return [address, ipaddress.IPv4Address(low)] if inside else [address]
