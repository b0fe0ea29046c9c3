"""Private folders of programs without a file system of their own: made for one run and removed after it.

A folder is locked while its run lives. Folders of killed runs are unlocked, and the next run removes them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path

_PREFIX = "mcp-workbench-private-"
_TRIES = 9


def make() -> str:
    """Create and lock a folder that others may traverse but only this user may list.

    The lock lasts until this process ends.
    """
    for _ in range(_TRIES):
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        with contextlib.suppress(OSError):  # another process removed the folder before it was locked
            descriptor = _lock(folder)
            if os.fstat(descriptor).st_nlink:
                os.chmod(folder, 0o711)
                return os.path.realpath(folder)
            os.close(descriptor)
    raise OSError("no private folder can be locked")


def remove(folder: str) -> None:
    """Remove a folder of any depth and modes. Subfolders are moved to the top, so that paths stay short."""
    with contextlib.suppress(OSError):  # a process still uses the folder: it is removed later
        _empty(folder)
        os.rmdir(folder)


def sweep() -> None:
    """Remove all unlocked folders of earlier runs."""
    for found in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if found.is_symlink() or found.lstat().st_uid != os.getuid():
                continue
            descriptor = _lock(str(found))
            remove(str(found))
            os.close(descriptor)


def _lock(folder: str) -> int:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _empty(folder: str) -> None:
    token, moved = os.urandom(8).hex(), 0  # a name that the program cannot have guessed
    while entries := list(os.scandir(folder)):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            for inner in list(os.scandir(entry.path)):
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner.path, 0o700)
                    moved += 1
                    os.rename(inner.path, f"{folder}/{token}-{moved}")
                else:
                    os.unlink(inner.path)
            os.rmdir(entry.path)
