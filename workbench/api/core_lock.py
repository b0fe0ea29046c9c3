"""The file lock that allows one core per project, and the private sockets on which a core listens."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from pathlib import Path

from workbench.errors import WorkbenchError


class AnotherCoreRuns(WorkbenchError):
    """The lock is taken: a core of this project runs already."""


class CoreLock:
    """A lock held until `free` is called or the process has exited. The file itself is never deleted, so that two
    cores cannot race for it."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _read(self._descriptor)
            os.close(self._descriptor)
            raise AnotherCoreRuns(
                f"A core already runs for this project (process {pid}).",
                "Open a window, which connects to it, or end it with `mcp-workbench stop`.",
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode("ascii"), 0)

    def free(self) -> None:
        os.close(self._descriptor)


def lock_holder(path: Path) -> int:
    """Return the process that holds the lock; 0 when it is free."""
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


HINT = "Remove it, or set XDG_RUNTIME_DIR to a folder of your own."


def make_private(folder: Path) -> None:
    """Create the folder and its parent, accessible to this user only; refuse what a different user created there."""
    try:
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        for part in (folder.parent, folder):
            part.mkdir(mode=0o700, exist_ok=True)
            check_private(part)
            part.chmod(0o700)
    except OSError as fault:
        raise WorkbenchError(f"The folder {folder} for sockets cannot be created: {fault.strerror}.", HINT) from fault


def check_private(folder: Path) -> None:
    """Refuse a symbolic link, a file, or a folder of a different user; a missing folder is fine."""
    for part in (folder.parent, folder):
        try:
            found = os.lstat(part)
        except FileNotFoundError:
            continue
        except OSError as fault:
            raise WorkbenchError(f"The folder {part} cannot be examined: {fault.strerror}.", HINT) from fault
        if not stat.S_ISDIR(found.st_mode):
            raise WorkbenchError(f"{part} is not a folder.", HINT)
        if found.st_uid != os.getuid():
            raise WorkbenchError(f"The folder {part} belongs to another user.", HINT)


def listen_private(path: Path) -> socket.socket:
    """Listen on a socket that only this user can reach; a stale socket of a core that died is replaced. Hold the
    lock first."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(os.fspath(path))
        listener.listen(64)
    except OSError as fault:
        listener.close()
        raise WorkbenchError(f"The core cannot listen at {path}: {fault}.", HINT) from fault
    finally:
        os.umask(before)
    return listener
