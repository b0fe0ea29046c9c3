"""Resolves a host name once. The connection uses exactly the addresses returned here, which prevents DNS rebinding."""

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
_MOST_LOOKUPS = 8  # concurrent lookups; each has its own thread, so a hanging lookup delays no other work of the core
_free = threading.BoundedSemaphore(_MOST_LOOKUPS)
_NO_SUCH_HOST = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))


async def system_addresses(host: str) -> list[Address]:
    """All addresses of a host. The trailing dot keeps the resolver from appending its search domains."""
    try:
        found = await asyncio.wrap_future(_look_up_on_thread(f"{host}."))
    except (OSError, UnicodeError) as fault:
        gone = isinstance(fault, socket.gaierror) and fault.errno in _NO_SUCH_HOST
        words = "does not exist" if gone else "could not be resolved"
        raise Unreachable(f"The host {host} {words}.", "unknown") from None
    return list(dict.fromkeys(map(ipaddress.ip_address, found)))


def _look_up_on_thread(name: str) -> Future[list[str]]:
    """Look up a name on a separate thread, because the system's resolver cannot be cancelled."""
    if not _free.acquire(blocking=False):
        raise Unreachable(f"The host {name[:-1]} was not resolved: too many lookups are running.", "timeout")
    answer: Future[list[str]] = Future()
    answer.set_running_or_notify_cancel()

    def look() -> None:
        try:
            found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
            answer.set_result([str(entry[4][0]).partition("%")[0] for entry in found])
        except Exception as fault:  # passed to the caller through the future
            answer.set_exception(fault)
        finally:
            _free.release()

    threading.Thread(target=look, name="lookup", daemon=True).start()
    return answer


async def addresses_of(host: str, resolve: Resolve) -> list[Address]:
    """Addresses of a normalized host name. A numeric host is returned as its own address."""
    if is_address(host):
        return [ipaddress.ip_address(host)]
    if found := await resolve(host):
        return found
    raise Unreachable(f"The host {host} does not exist.", "unknown")
