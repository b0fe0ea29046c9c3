"""What is done about a call when its program already has the answer: told to doors, kept in the history.

A program that asks again at once would wait for it, so it is done while the next call's server works, or in a batch:
within `SOON` seconds, and before the end of its run is told. What must not be lost with this process is not done here:
see `broker.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from workbench.audit.journal import SOON

log = logging.getLogger(__name__)


_SOME = 4  # works that are done at a time while a server works; a call makes three


class DeferredWork:
    """Small works that wait for a moment, in their order."""

    def __init__(self) -> None:
        self._due: deque[Callable[[], object]] = deque()
        self._timed = False

    def put(self, work: Callable[[], object]) -> None:
        """Do this soon. Asked from a coroutine."""
        if not self._timed:
            self._timed = True
            asyncio.get_running_loop().call_later(SOON, self._time)
        self._due.append(work)

    def catch_up(self) -> None:
        """Do everything that waits, now."""
        while self._due:
            self._do_next()

    def do_some(self) -> None:
        """Nobody waits for this core right now."""
        for _ in range(min(_SOME, len(self._due))):
            self._do_next()

    def _time(self) -> None:
        self._timed = False
        self.catch_up()

    def _do_next(self) -> None:
        work = self._due.popleft()
        try:
            work()
        except Exception:  # the next ones are somebody else's
            log.exception("something after a call failed")
