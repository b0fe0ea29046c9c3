"""Tells when a workspace must be counted: at once when its file system lost much, else now and then.

Counting reads every folder, and a program writes a gigabyte in the time between two counts. What is left of a file
system is one number, asked in microseconds. It is everybody's, so it only says when to count, not that it is too much.
"""

from __future__ import annotations

import functools
import os
import time

from workbench.sandbox import quota
from workbench.sandbox.usage import innermost, written

LOOK_EVERY = 0.05  # seconds between looks at what is left of the file system
_COUNT_EVERY = 1.0  # seconds after which a workspace is counted in any case, while a program runs
_ELSEWHERE = 128  # megabytes: home and temporary folders may lie in the same file system, and have an end of their own
_SMALL, _FEW = 16 << 20, 2_000  # bytes and files that may go before it is counted


class Gauge:
    """Of one workspace and one limit, for all programs there: many short ones may fill it together."""

    def __init__(self, folder: str, megabytes: int) -> None:
        self._folder = folder
        self._megabytes = megabytes
        self._left = _left(folder)
        self._room = (_SMALL, _FEW)
        self._next = 0.0  # not before; a folder that takes long to count is not counted all the time
        self.trouble = ""  # what the last count found

    def suspects(self) -> bool:
        """Whether so much is gone since the last count that the workspace may be too full."""
        now = _left(self._folder)
        gone = [before - left for before, left in zip(self._left, now, strict=True)]
        self._left = (max(self._left[0], now[0]), max(self._left[1], now[1]))  # what others give back hides nothing
        return any(more >= room for more, room in zip(gone, self._room, strict=True))

    def due(self, counted: float) -> bool:
        """Whether to count now; `counted` is when the program that runs was looked at last."""
        now = time.monotonic()
        return now >= self._next and (now - counted >= _COUNT_EVERY or self.suspects())

    def left(self) -> int:
        """Bytes for which the file system has room."""
        return _left(self._folder)[0]

    def hidden(self, lost: int, process: int) -> str:
        """A sentence when a program took the disk and no folder shows it: files can be written without a name."""
        most = self._megabytes + _ELSEWHERE
        if lost <= most << 20 or not process:
            return ""
        wrote = written(innermost(process))
        if wrote > most << 20 or (wrote < 0 and lost > most << 21):
            return f"The program took more than {most} MB of the disk that no folder of the workspace shows."
        return ""

    def count(self) -> str:
        """Count, and answer with a sentence when it is too full."""
        began = time.monotonic()
        self._left = _left(self._folder)
        found = quota.count(self._folder, self._megabytes)
        left = (self._megabytes << 20) - found.size, quota.MOST_FILES - found.files
        self._room = (max(_SMALL, left[0] // 2), max(_FEW, left[1] // 2))
        now = time.monotonic()
        self._next = now + 3 * (now - began)
        self.trouble = found.trouble
        return found.trouble


@functools.lru_cache(maxsize=64)
def gauge_of(folder: str, megabytes: int) -> Gauge:
    """The one of this workspace."""
    return Gauge(folder, megabytes)


def _left(folder: str) -> tuple[int, int]:
    """Bytes and files for which the file system has room; some systems count no files."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return 0, 0
    return found.f_bfree * found.f_frsize, found.f_ffree
