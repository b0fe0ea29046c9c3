"""Counts events within the last minute."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

_MINUTE = 60.0


class Rate:
    """Counts for each name apart, and forgets what is older than a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[str, deque[float]] = {}

    def take(self, name: str, most: int) -> bool:
        """One more for this name; False: it had its share already."""
        now = self._clock()
        times = self._times.setdefault(name, deque())
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if len(times) >= most:
            return False
        times.append(now)
        self._forget(now)
        return True

    def _forget(self, now: float) -> None:
        for name in [name for name, times in self._times.items() if times and times[-1] <= now - _MINUTE]:
            del self._times[name]
