"""Limits files and bytes of a workspace while a program runs. The kernel limits only the size of each file.

Counting walks the whole folder, so `QuotaGauge` decides when to count: at once if the file system lost much space,
otherwise at intervals.
"""

from __future__ import annotations

import errno
import functools
import os
import time
from typing import NamedTuple

from workbench.sandbox.supervision.child_usage import innermost, written_bytes

MOST_FILES = 100_000  # a million empty files harm the host as much as one large file


class WorkspaceFill(NamedTuple):
    """Size and number of files in a folder. Counting stops at a limit, which `trouble` then names."""

    trouble: str = ""
    size: int = 0
    files: int = 0


def over(folder: str, megabytes: int) -> str:
    """A message if the folder exceeds its limits, otherwise ""."""
    return count(folder, megabytes).trouble


def count(folder: str, megabytes: int) -> WorkspaceFill:
    """Count all files and bytes in a folder, up to its limits."""
    size = files = 0
    waiting = [folder]
    while waiting:
        entries = _entries(waiting.pop())
        if isinstance(entries, str):
            return WorkspaceFill(entries, size, files)
        for entry in entries:
            files += 1
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            else:
                size += _size(entry)
            if files > MOST_FILES:
                return WorkspaceFill(f"The workspace holds more than {MOST_FILES:,} files.", size, files)
            if size > megabytes << 20:
                return WorkspaceFill(f"The workspace holds more than {megabytes} MB.", size, files)
    return WorkspaceFill("", size, files)


def _entries(folder: str) -> list[os.DirEntry[str]] | str:
    """Entries of a folder, or a message why they cannot be counted.

    Unreadable folders of a program exceed any limit.
    """
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError as fault:
        if fault.errno == errno.ENAMETOOLONG:
            return "The workspace holds folders that are nested too deeply to be counted."
        if fault.errno == errno.EACCES and _is_ours(folder):
            return "The workspace holds a folder that the workbench may not read."
        return []  # deleted since it was listed, or owned by a different user


def _is_ours(folder: str) -> bool:
    try:
        return os.lstat(folder).st_uid == os.getuid()
    except OSError:
        return False


def _size(entry: os.DirEntry[str]) -> int:
    """Disk space that a file uses. Holes do not count."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except OSError:
        return 0


LOOK_EVERY = 0.05  # seconds between checks of the file system's free space
_COUNT_EVERY = 1.0  # seconds after which a workspace is counted in any case while a program runs
_PRIVATE_MB = 128  # home and temporary folders may be on the same file system, and have limits of their own
_SMALL, _FEW = 16 << 20, 2_000  # bytes and files that may be used before the workspace is counted


class QuotaGauge:
    """Quota of one workspace with one limit.

    All programs share it, because many short programs may fill the workspace together.
    """

    def __init__(self, folder: str, megabytes: int) -> None:
        self._folder = folder
        self._megabytes = megabytes
        self._free_space = _free_space(folder)
        self._room = (_SMALL, _FEW)
        self._next = 0.0  # earliest time of the next count, so that large folders are not counted all the time
        self.trouble = ""  # result of the last count

    def is_suspect(self) -> bool:
        """Whether the file system lost so much space since the last count that the workspace may exceed its limits."""
        now = _free_space(self._folder)
        gone = [before - left for before, left in zip(self._free_space, now, strict=True)]
        self._free_space = (
            max(self._free_space[0], now[0]),
            max(self._free_space[1], now[1]),
        )  # space that other processes free must not hide new use
        return any(more >= room for more, room in zip(gone, self._room, strict=True))

    def due(self, counted: float) -> bool:
        """Whether to count now. `counted` is the time of the running program's last check."""
        now = time.monotonic()
        return now >= self._next and (now - counted >= _COUNT_EVERY or self.is_suspect())

    def left(self) -> int:
        """Free bytes of the file system."""
        return _free_space(self._folder)[0]

    def hidden_use(self, lost: int, process: int) -> str:
        """A message if a program used disk space that no folder shows, otherwise "".

        Files can be written without a name.
        """
        most = self._megabytes + _PRIVATE_MB
        if lost <= most << 20 or not process:
            return ""
        wrote = written_bytes(innermost(process))
        if wrote > most << 20 or (wrote < 0 and lost > most << 21):
            return f"The program used more than {most} MB of disk space that is not visible in the workspace."
        return ""

    def count(self) -> str:
        """Count the workspace. Returns a message if it exceeds its limits, otherwise ""."""
        began = time.monotonic()
        self._free_space = _free_space(self._folder)
        found = count(self._folder, self._megabytes)
        left = (self._megabytes << 20) - found.size, MOST_FILES - found.files
        self._room = (max(_SMALL, left[0] // 2), max(_FEW, left[1] // 2))
        now = time.monotonic()
        self._next = now + 3 * (now - began)
        self.trouble = found.trouble
        return found.trouble


@functools.lru_cache(maxsize=64)
def quota_gauge(folder: str, megabytes: int) -> QuotaGauge:
    """The shared gauge of a workspace."""
    return QuotaGauge(folder, megabytes)


def _free_space(folder: str) -> tuple[int, int]:
    """Free bytes and files of the file system. Some file systems do not count files."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return 0, 0
    return found.f_bfree * found.f_frsize, found.f_ffree
