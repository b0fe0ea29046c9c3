"""What a locked child is built from: folders, limits, packages. Crosses from the core to the launcher as JSON.

A folder is identified by device and inode, so that a folder that was deleted and made again is not taken for the same.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

NOBODY = 65534
BENCH = "/bench"
HOME = "/home/program"
TEMP = "/tmp"
PACKAGES = "/packages"  # what programs may import beside the standard library

# The whole environment inside. One memory arena, because the address space is what limits memory.
ENVIRONMENT = {
    "HOME": HOME,
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TMPDIR": TEMP,
    "MALLOC_ARENA_MAX": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}

# What most programs import: imported once before the fork or the program, instead of in every run.
WARM_MODULES = """
asyncio base64 bisect collections concurrent.futures contextlib csv dataclasses datetime decimal enum functools glob
hashlib heapq inspect io itertools json linecache logging math operator os pathlib pprint random re shutil statistics
string tempfile textwrap threading time traceback types typing uuid
"""


@dataclass(frozen=True, slots=True)
class ChildProfile:
    """Folders and limits that are fixed when a child is made; time, output and calls are the core's to watch."""

    backend: str
    workspace: str
    servers: str
    skills: str
    writable: bool
    memory_mb: int
    cpu_seconds: float
    pids: int
    disk_mb: int
    cpus: int = 1
    language: str = "python"
    runtime: str = ""  # the program that runs the language, where that is not this Python
    packages: tuple[tuple[str, str], ...] = ()  # place below PACKAGES, and where that lies on this machine
    preload: tuple[str, ...] = ()  # modules that are imported before anybody asks
    kept: bool = False  # for many programs: the processor time of each is counted from outside
    ahead: bool = False  # made before anybody asks: it has the time to warm up
    marks: tuple[tuple[int, int], ...] = ()  # which folders stand at the three paths

    @property
    def folders(self) -> tuple[str, str, str]:
        """Workspace, servers, skills; empty where there is none."""
        return self.workspace, self.servers, self.skills

    def as_json(self) -> dict[str, Any]:  # Any: plain JSON
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def of(cls, words: dict[str, Any]) -> ChildProfile:  # Any: plain JSON
        marks = tuple((device, inode) for device, inode in words["marks"])
        packages = tuple((place, path) for place, path in words["packages"])
        return cls(**{**words, "preload": tuple(words["preload"]), "packages": packages, "marks": marks})


def base_python() -> str:
    """The interpreter behind a virtual environment: the one whose standard library is bound into the sandbox."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


Mark = tuple[int, int]  # device and inode: a folder that was deleted and made again is another folder

NOWHERE: Mark = (0, 0)
_MOST = 100
_found: dict[str, tuple[str, Mark]] = {}  # as it was named → its real path then


def real_place(folder: Path | None) -> tuple[str, Mark]:
    """The folder's path without symbolic links and its device and inode; an empty path where there is no folder.

    A path found earlier is used while the same folder is there; the child that binds it checks again.
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
