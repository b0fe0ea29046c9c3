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

from workbench.events import spawn

log = logging.getLogger(__name__)


class Registrations:
    """Those of one session, one after the other in the order of their answers."""

    def __init__(self) -> None:
        self._due: deque[Callable[[], Awaitable[None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether an answer that was shown is not registered yet."""
        return self._task is not None

    def put(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do this after what is due already."""
        self._due.append(work)
        if self._task is None:
            self._task = spawn("registration of answers", self._work())

    async def settled(self) -> None:
        """Wait until everything that was shown is registered."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def _work(self) -> None:
        try:
            while self._due:
                work = self._due.popleft()
                try:
                    await work()
                except Exception:  # the next ones are other answers
                    log.exception("an answer could not be registered")
        finally:
            self._task = None
