"""Says which kind of place a path names: in the workspace, outside of it, sensitive, or only known at run time."""

from __future__ import annotations

import re
from enum import StrEnum

from workbench.policy.tables.patterns import SENSITIVE_PATH
from workbench.policy.value import HOLE

ROOTS = ("/workspace",)  # where the sandbox shows the workspace
_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")  # private to a run
_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:[\\/]|\\\\")


class Place(StrEnum):
    """The kinds of places."""

    WORKSPACE = "workspace"
    SCRATCH = "scratch"
    OUTSIDE = "outside the workspace"
    SENSITIVE = "a sensitive place"
    UNKNOWN = "known only at run time"


def place(path: str) -> Place:
    """Where this path leads; unknown parts are HOLE."""
    slashed = path.replace("\\", "/")
    if SENSITIVE_PATH.search(slashed.replace(HOLE, "")) and not slashed.startswith("/dev/shm"):
        return Place.SENSITIVE
    if not path or path.startswith(HOLE):
        return Place.OUTSIDE if "../" in slashed else Place.UNKNOWN
    if _ABSOLUTE.match(path):
        return _absolute(slashed)
    return Place.OUTSIDE if _climbs(slashed) else Place.WORKSPACE


def within(path: str) -> str:
    """A workspace path as people see it: `workspace/report.csv`."""
    bare = path.removeprefix("/workspace").lstrip("/").removeprefix("./").removeprefix("workspace/")
    return f"workspace/{bare}".replace(HOLE, "…").rstrip("/") if bare not in ("", ".") else "the workspace"


def refused(found: Place, path: str) -> bool:
    """Whether the sandbox has no such place: only absolute paths are certain."""
    return found is Place.OUTSIDE or (found is Place.SENSITIVE and bool(_ABSOLUTE.match(path)))


def _absolute(path: str) -> Place:
    for root in ROOTS:
        if path == root or path.startswith(root + "/"):
            return Place.OUTSIDE if _climbs(path[len(root) :].lstrip("/")) else Place.WORKSPACE
    if any(path == root or path.startswith(root + "/") for root in _SCRATCH) and ".." not in path:
        return Place.SCRATCH
    return Place.OUTSIDE


def _climbs(path: str) -> bool:
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False
