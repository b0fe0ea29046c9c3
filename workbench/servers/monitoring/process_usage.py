"""What servers' processes use of this machine, read from /proc; where there is none, nothing is claimed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_STATE, _GROUP, _RSS = 0, 2, 21  # places in /proc/PID/stat, counted behind the name


@dataclass(frozen=True, slots=True)
class Usage:
    """A process group at one moment."""

    memory_mb: float = 0.0  # resident memory of all its processes; what they share counts for each
    processes: int = 0


def usage(group: int) -> Usage:
    """Of the processes in the group. Reads a file for each process of the machine: call it on a thread."""
    return usages({group}).get(group, Usage())


def usages(groups: Set[int]) -> dict[int, Usage]:
    """Of many groups in the same walk; those without a process are left out."""
    found: dict[int, list[int]] = {}
    if any(group > 0 for group in groups):
        for group, pages in _pages():
            if group in groups:
                found.setdefault(group, []).append(pages)
    size = os.sysconf("SC_PAGE_SIZE") / 1e6 if found else 0.0
    return {group: Usage(sum(pages) * size, len(pages)) for group, pages in found.items()}


def _pages() -> Iterator[tuple[int, int]]:
    """Group and resident pages of every living process."""
    try:
        folders = [entry.name for entry in os.scandir(_PROC) if entry.name.isdigit()]
    except OSError:
        return
    for name in folders:
        try:
            told = (_PROC / name / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if len(told) > _RSS and told[_STATE] != "Z":
            yield int(told[_GROUP]), int(told[_RSS])
