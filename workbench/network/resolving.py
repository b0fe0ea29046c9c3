"""Looks a host up, once, as the system does; whoever connects uses exactly what was found here."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from workbench.network.addresses import Address
from workbench.network.blocked import Unreachable
from workbench.policy.hosts import is_address

Resolve: TypeAlias = Callable[[str], Awaitable[list[Address]]]
_FOR_GOOD = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))


async def system_addresses(host: str) -> list[Address]:
    """All addresses of a host. The dot at the end keeps the system from trying the name below its own domains."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(f"{host}.", None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        gone = isinstance(fault, socket.gaierror) and fault.errno in _FOR_GOOD
        words = "There is no such host" if gone else "Its address could not be looked up"
        raise Unreachable(f"{host}: {words}.", "unknown") from None
    return list(dict.fromkeys(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


async def addresses_of(host: str, resolve: Resolve) -> list[Address]:
    """The addresses of a host in its one spelling; a numeric one is its own."""
    if is_address(host):
        return [ipaddress.ip_address(host)]
    if found := await resolve(host):
        return found
    raise Unreachable(f"{host}: There is no such host.", "unknown")
