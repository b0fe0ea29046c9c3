"""Stops servers that have not been used for a while; the next call starts them again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Protocol

log = logging.getLogger(__name__)

BEAT = 15.0  # seconds between two checks


class IdleServer(Protocol):
    """The part of a server that the idle check uses."""

    @property
    def name(self) -> str: ...

    def unused(self) -> float:
        """Seconds without use; 0 while the server is used, or while it does not run."""

    async def rest(self) -> None: ...


async def keep_looking(
    servers: Callable[[], Iterable[IdleServer]], minutes: Callable[[], int], needed: Callable[[str], bool]
) -> None:
    """Check for idle servers until cancelled. `needed`: whether a request of the server waits for the user."""
    while True:
        await asyncio.sleep(BEAT)
        await look(servers(), minutes() * 60.0, needed)


async def look(servers: Iterable[IdleServer], seconds: float, needed: Callable[[str], bool]) -> None:
    """Stop the servers that have been idle for so many seconds; 0 stops none."""
    tired = [server for server in servers if 0 < seconds <= server.unused() and not needed(server.name)]
    for fault in await asyncio.gather(*(server.rest() for server in tired), return_exceptions=True):
        if isinstance(fault, Exception):
            log.warning("an idle server could not be stopped: %s", fault)
