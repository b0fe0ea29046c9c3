"""Where a folder really is and which one it is (device and inode), asked before every run."""

from __future__ import annotations

import os
import stat
from pathlib import Path

Mark = tuple[int, int]  # device and inode: a folder that was deleted and made again is another folder

NOWHERE: Mark = (0, 0)
_MOST = 100
_found: dict[str, tuple[str, Mark]] = {}  # as it was named → its real path then


def real_place(folder: Path | None) -> tuple[str, Mark]:
    """Its path without links and its mark; an empty path where there is no folder.

    A path that was found before counts while the same folder stands there; the child that is bound to it looks again.
    """
    if folder is None or (mark := mark_of(str(folder))) == NOWHERE:
        return "", NOWHERE
    known = _found.get(str(folder))
    if known is None or known[1] != mark:
        if len(_found) >= _MOST:
            _found.clear()
        known = _found[str(folder)] = os.path.realpath(folder), mark
    return known


def mark_of(folder: str) -> Mark:
    try:
        status = os.stat(folder)
    except OSError:
        return NOWHERE
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else NOWHERE


def marks_of(*folders: str) -> tuple[Mark, ...]:
    return tuple(map(mark_of, folders))
