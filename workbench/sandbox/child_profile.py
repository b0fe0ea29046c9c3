"""Parameters of a locked child: folders, limits, packages. The core sends them to the launcher as JSON.

A folder is identified by device and inode, so that a deleted and recreated folder is not mistaken for the old one.
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
PACKAGES = "/packages"  # packages besides the standard library that programs may import

# The complete environment in the sandbox. One malloc arena, because memory is limited by address space.
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

# Modules that most programs import. They are imported once, before the fork or the program, instead of in every run.
WARM_MODULES = """
asyncio base64 bisect collections concurrent.futures contextlib csv dataclasses datetime decimal enum functools glob
hashlib heapq inspect io itertools json linecache logging math operator os pathlib pprint random re shutil statistics
string tempfile textwrap threading time traceback types typing uuid
"""


@dataclass(frozen=True, slots=True)
class ChildProfile:
    """Folders and limits that are fixed when a child is built.

    The core itself enforces limits on time, output and calls.
    """

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
    runtime: str = ""  # interpreter of the language, if it is not this Python
    packages: tuple[tuple[str, str], ...] = ()  # path below PACKAGES, path on this machine
    preload: tuple[str, ...] = ()  # modules that are imported before the program
    kept: bool = False  # for a REPL session: the core counts the CPU time of each program
    ahead: bool = False  # built ahead of runs, so it has time to warm up
    marks: tuple[tuple[int, int], ...] = ()  # device and inode of the three folders

    @property
    def folders(self) -> tuple[str, str, str]:
        """Workspace, servers, skills; "" for a missing folder."""
        return self.workspace, self.servers, self.skills

    def as_json(self) -> dict[str, Any]:  # Any: plain JSON
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def of(cls, words: dict[str, Any]) -> ChildProfile:  # Any: plain JSON
        marks = tuple((device, inode) for device, inode in words["marks"])
        packages = tuple((place, path) for place, path in words["packages"])
        return cls(**{**words, "preload": tuple(words["preload"]), "packages": packages, "marks": marks})


def base_python() -> str:
    """Path of the interpreter that a virtual environment is based on.

    Its standard library is mounted in the sandbox.
    """
    return str(getattr(sys, "_base_executable", "") or sys.executable)


Mark = tuple[int, int]  # device and inode: a recreated folder differs

NOWHERE: Mark = (0, 0)
_MOST = 100
_found: dict[str, tuple[str, Mark]] = {}  # given path → its real path and mark at that time


def real_place(folder: Path | None) -> tuple[str, Mark]:
    """Resolve a folder's path and read its device and inode. Returns an empty path if there is no folder.

    A known path is reused while the same folder exists. The child that mounts the folder checks it again.
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
