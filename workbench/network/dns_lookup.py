"""Resolves a host once; the connection uses exactly the addresses found here."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TypeAlias

from workbench.analysis.host_names import is_address
from workbench.network.blocked_addresses import Address
from workbench.network.network_errors import Unreachable

Resolve: TypeAlias = Callable[[str], Awaitable[list[Address]]]
_MOST_LOOKUPS = 8  # lookups at once; each has a thread of its own, so one that hangs holds up no other work of the core
_free = threading.BoundedSemaphore(_MOST_LOOKUPS)
_NO_SUCH_HOST = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))


async def system_addresses(host: str) -> list[Address]:
    """All addresses of a host. The dot at the end keeps the system from trying the name below its own domains."""
    try:
        found = await asyncio.wrap_future(_look_up_on_thread(f"{host}."))
    except (OSError, UnicodeError) as fault:
        gone = isinstance(fault, socket.gaierror) and fault.errno in _NO_SUCH_HOST
        words = "There is no such host" if gone else "Its address could not be looked up"
        raise Unreachable(f"{host}: {words}.", "unknown") from None
    return list(dict.fromkeys(map(ipaddress.ip_address, found)))


def _look_up_on_thread(name: str) -> Future[list[str]]:
    """Look a name up on its own thread; the system's lookup cannot be cancelled."""
    if not _free.acquire(blocking=False):
        raise Unreachable(f"{name[:-1]}: Too many lookups wait for an answer.", "timeout")
    answer: Future[list[str]] = Future()
    answer.set_running_or_notify_cancel()

    def look() -> None:
        try:
            found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
            answer.set_result([str(entry[4][0]).partition("%")[0] for entry in found])
        except Exception as fault:  # it is for whoever waits
            answer.set_exception(fault)
        finally:
            _free.release()

    threading.Thread(target=look, name="lookup", daemon=True).start()
    return answer


async def addresses_of(host: str, resolve: Resolve) -> list[Address]:
    """The addresses of a host in its one spelling; a numeric one is its own."""
    if is_address(host):
        return [ipaddress.ip_address(host)]
    if found := await resolve(host):
        return found
    raise Unreachable(f"{host}: There is no such host.", "unknown")
