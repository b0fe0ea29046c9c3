"""The file lock that allows one core per project. The kernel releases it when its holder dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from workbench.errors import WorkbenchError


class AnotherCoreRuns(WorkbenchError):
    """The lock is taken: a core of this project runs already."""


class CoreLock:
    """Held until `free`, or until the process is gone. The file itself stays, so that two cores cannot race for it."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _read(self._descriptor)
            os.close(self._descriptor)
            raise AnotherCoreRuns(
                f"A core already runs for this project (process {pid}).",
                "A second window attaches to it by itself; `mcp-workbench stop` ends it.",
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode("ascii"), 0)

    def free(self) -> None:
        os.close(self._descriptor)


def lock_holder(path: Path) -> int:
    """The process that holds the lock; 0 when nobody does."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return 0
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return 0


def _read(descriptor: int) -> int:
    words = os.pread(descriptor, 32, 0).split()
    return int(words[0]) if words and words[0].isdigit() else 0
