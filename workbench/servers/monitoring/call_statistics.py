"""How a server's calls went since the core opened: how many, how fast, what failed last."""

from __future__ import annotations

import time
from collections import deque
from statistics import median

from workbench.records import Outcome

_RECENT = 100  # calls whose time is remembered


class Counts:
    """One server's tally; each finished call is added once."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self.calls = 0
        self.errors = 0
        self.last_error = ""
        self.last_error_at = 0.0

    def add(self, outcome: Outcome) -> None:
        self.calls += 1
        self._recent.append(outcome.ms)
        if not outcome.ok:
            self.errors += 1
            self.note(outcome.fault.message if outcome.fault else "")

    def note(self, words: str) -> None:
        """What went wrong last, at a call or without one."""
        self.last_error, self.last_error_at = words, time.time()

    @property
    def typical_ms(self) -> float:
        return median(self._recent) if self._recent else 0.0

    @property
    def slowest_ms(self) -> float:
        return max(self._recent, default=0.0)
