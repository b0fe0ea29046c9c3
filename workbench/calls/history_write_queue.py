"""Calls between the loop that made them and the thread that writes them; bounded: a slow disk must eat no memory."""

from __future__ import annotations

import threading
from collections import deque

from workbench.calls.history_rows import Made

WEIGHT = 64_000_000  # characters that may wait
STRETCH = 2_000_000  # characters that are taken at once
ROW = 2_000  # what a call weighs beside its answer


class Waiting:
    """Filled by one thread, emptied by another. When too much waits, the oldest are given up and counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: deque[Made] = deque()
        self._weight = 0
        self._emptying = False
        self.lost = 0

    def put(self, one: Made) -> bool:
        """Answers whether somebody has to begin emptying it."""
        with self._lock:
            self._calls.append(one)
            self._weight += _weight(one)
            while self._weight > WEIGHT and len(self._calls) > 1:
                self._weight -= _weight(self._calls.popleft())
                self.lost += 1
            begin, self._emptying = not self._emptying, True
            return begin

    @property
    def many(self) -> bool:
        """Whether so much waits that it should be written now."""
        return self._weight >= STRETCH

    def take(self, most: int) -> list[Made]:
        """The next ones; when there are none, whoever empties it may go."""
        with self._lock:
            taken: list[Made] = []
            weight = 0
            while self._calls and len(taken) < most and weight < STRETCH:
                taken.append(self._calls.popleft())
                weight += _weight(taken[-1])
            self._weight -= weight
            self._emptying = bool(taken)
            return taken

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()
            self._weight = 0


def _weight(one: Made) -> int:
    return ROW + len(one.outcome.structured) + sum(len(block.text) + len(block.data) for block in one.outcome.content)
