"""Private folders of programs without a file system of their own: made for one run, removed whatever it did.

A folder is locked while its run lives. What a killed run left behind is not locked any more, and removed by the next.
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
    """A new folder that others may traverse and only we may list; locked until this process ends."""
    for _ in range(_TRIES):
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        with contextlib.suppress(OSError):  # a sweep took it before it was locked
            descriptor = _lock(folder)
            if os.fstat(descriptor).st_nlink:
                os.chmod(folder, 0o711)
                return os.path.realpath(folder)
            os.close(descriptor)
    raise OSError("no private folder can be locked")


def remove(folder: str) -> None:
    """However deep, and whatever its modes: folders are moved to the top, so that no path gets long."""
    with contextlib.suppress(OSError):  # somebody is still in it: the next sweep takes it
        _empty(folder)
        os.rmdir(folder)


def sweep() -> None:
    """Remove what no living run holds."""
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
    token, moved = os.urandom(8).hex(), 0  # a name no program can have taken
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
