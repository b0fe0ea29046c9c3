"""Assigns processors to children: as many as the limit says, those with the fewest children.

A child cannot widen this: the system call filter refuses to. It is what a control group's `cpu.max` would give for
whole processors, and needs no right that an ordinary user may lack.
"""

from __future__ import annotations

import os
from collections import Counter


class ProcessorAssignment:
    """Who sits where; the launcher's own processors are all there are."""

    def __init__(self) -> None:
        self._taken = Counter(dict.fromkeys(os.sched_getaffinity(0), 0))

    def choose(self, wanted: int) -> set[int]:
        ordered = sorted(self._taken, key=lambda processor: (self._taken[processor], processor))
        chosen = set(ordered[: max(1, wanted)])
        self._taken.update(chosen)
        return chosen

    def give_back(self, processors: set[int]) -> None:
        self._taken.subtract(processors)
