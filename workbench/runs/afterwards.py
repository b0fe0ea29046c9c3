"""What is done about a call when its program already has the answer: told to doors, kept in the history.

Done in batches, because a program that asks again at once would wait for each of them: within `SOON` seconds, and
before the end of its run is told. What must not be lost with this process is not done here: see `broker.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from workbench.audit.journal import SOON

log = logging.getLogger(__name__)


class Afterwards:
    """Small works that wait for a moment, in their order."""

    def __init__(self) -> None:
        self._due: deque[Callable[[], None]] = deque()

    def put(self, work: Callable[[], None]) -> None:
        """Do this soon. Asked from a coroutine."""
        if not self._due:
            asyncio.get_running_loop().call_later(SOON, self.catch_up)
        self._due.append(work)

    def catch_up(self) -> None:
        """Do everything that waits, now."""
        while self._due:
            work = self._due.popleft()
            try:
                work()
            except Exception:  # the next ones are somebody else's
                log.exception("something after a call failed")
