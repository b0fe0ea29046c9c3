"""Work behind an answer that its user saw at once: its personal data becomes known, then history and audit have it.

Looking through a long answer takes seconds. No model reads what stands in the user's own session, so its answers need
not wait for that; but whatever is masked with the values of the session does: the audit of later calls, what a model
would see of a program, recordings.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from workbench.events import spawn

log = logging.getLogger(__name__)

Register: TypeAlias = Callable[[], Awaitable[object]]


class Registrations:
    """Those of one session, one after the other in the order of their answers."""

    def __init__(self) -> None:
        self._due: deque[tuple[Register, Callable[[], None]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._hurries = False  # the core ends: what is due is noted, and no longer looked through

    @property
    def busy(self) -> bool:
        """Whether an answer that was shown is not registered yet."""
        return self._task is not None

    def put(self, register: Register, note: Callable[[], None]) -> None:
        """Register an answer after those that are due already, then note it."""
        self._due.append((register, note))
        if self._task is None:
            self._task = spawn("registration of answers", self._work())

    async def settled(self) -> None:
        """Wait until everything that was shown is registered."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def close(self, seconds: float) -> None:
        """Wait that long for what is due; then note the rest as well as it can be masked without being registered."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=seconds)
        if self._task is not None:
            self._hurries = True
            self._task.cancel()
            await self.settled()

    async def _work(self) -> None:
        try:
            while self._due:
                register, note = self._due.popleft()
                try:
                    if not self._hurries:
                        await register()
                except asyncio.CancelledError:
                    if not self._hurries:
                        raise
                except Exception:  # its note is masked with what is known without it
                    log.exception("an answer could not be looked through for personal data")
                try:
                    note()
                except Exception:  # the next ones are other answers
                    log.exception("an answer could not be noted")
        finally:
            self._task = None
