"""Classifies the paths of a program: workspace, next to the workspace, scratch files, outside, or sensitive."""

from __future__ import annotations

import re
from enum import StrEnum

from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.tables.dangerous_texts import SENSITIVE_PATH

ROOTS = ("/bench/workspace", "/workspace")  # paths of the workspace in the sandbox
_START = "/bench"  # start folder of a program; files next to the workspace are readable
_SCRATCH = "/tmp"  # private to a run
_ABSOLUTE = re.compile(r"[/~]|[A-Za-z]:[\\/]|\\\\")


class PathPlace(StrEnum):
    """Kinds of places that a path can refer to."""

    WORKSPACE = "workspace"
    BESIDE = "only files below workspace/ can be changed"
    SCRATCH = "scratch"
    OUTSIDE = "outside the workspace"
    SENSITIVE = "a sensitive place"
    UNKNOWN = "known only at run time"


def place(path: str) -> PathPlace:
    """Return the kind of place of a path. Unknown parts of the path are HOLE."""
    slashed = path.replace("\\", "/")
    if SENSITIVE_PATH.search(slashed.replace(HOLE, "")):
        return PathPlace.SENSITIVE
    if not path or path.startswith(HOLE):
        return PathPlace.OUTSIDE if "../" in slashed else PathPlace.UNKNOWN
    if _ABSOLUTE.match(path):
        return _absolute(slashed)
    if _climbs(slashed):
        return PathPlace.OUTSIDE
    parts = [part for part in slashed.split("/") if part not in ("", ".")]
    return PathPlace.WORKSPACE if parts[:1] == ["workspace"] else PathPlace.BESIDE


def within(path: str) -> str:
    """Return a workspace path as users see it: `workspace/report.csv`."""
    bare = path.replace("\\", "/").replace(HOLE, "…")
    for root in ROOTS:
        bare = bare.removeprefix(root)
    parts = [part for part in bare.split("/") if part not in ("", ".")]
    inside = parts[1:] if parts[:1] == ["workspace"] else parts
    return "/".join(["workspace", *inside]) if inside else "the workspace"


def certain(found: PathPlace, path: str) -> bool:
    """Return whether the sandbox certainly has no such place. Only then may an effect be reported as refused."""
    return found is PathPlace.OUTSIDE or (found is PathPlace.SENSITIVE and bool(_ABSOLUTE.match(path)))


def _absolute(path: str) -> PathPlace:
    for root in ROOTS:
        if path == root or path.startswith(root + "/"):
            return PathPlace.OUTSIDE if _climbs(path[len(root) :].lstrip("/")) else PathPlace.WORKSPACE
    if path == _START or path.startswith(_START + "/"):
        return PathPlace.OUTSIDE if _climbs(path[len(_START) :].lstrip("/")) else PathPlace.BESIDE
    if (path == _SCRATCH or path.startswith(_SCRATCH + "/")) and ".." not in path:
        return PathPlace.SCRATCH
    return PathPlace.OUTSIDE


def _climbs(path: str) -> bool:
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False
