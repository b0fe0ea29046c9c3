"""Creates and checks the private folder of the core's sockets: in a shared temp folder, others may have been first."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

from workbench.errors import WorkbenchError

HINT = "Remove it, or set XDG_RUNTIME_DIR to a folder of your own."


def make_private(folder: Path) -> None:
    """Create the folder and its parent for this user alone; refuse what another user put there."""
    try:
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        for part in (folder.parent, folder):
            part.mkdir(mode=0o700, exist_ok=True)
            check_private(part)
            part.chmod(0o700)
    except OSError as fault:
        raise WorkbenchError(f"The folder {folder} for sockets cannot be made: {fault.strerror}.", HINT) from fault


def check_private(folder: Path) -> None:
    """Refuse a link, a file, or another user's folder; a missing one is fine."""
    for part in (folder.parent, folder):
        try:
            found = os.lstat(part)
        except FileNotFoundError:
            continue
        except OSError as fault:
            raise WorkbenchError(f"The folder {part} cannot be looked at: {fault.strerror}.", HINT) from fault
        if not stat.S_ISDIR(found.st_mode):
            raise WorkbenchError(f"{part} should be a folder and is not.", HINT)
        if found.st_uid != os.getuid():
            raise WorkbenchError(f"The folder {part} belongs to another user.", HINT)


def listen_private(path: Path) -> socket.socket:
    """A socket that only this user can reach; a stale one of a core that died is replaced. Hold the lock first."""
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
