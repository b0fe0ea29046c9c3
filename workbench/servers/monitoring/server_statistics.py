"""Statistics of servers: their calls, their traffic, and the memory of their processes."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from workbench.records import Outcome, Vitals

if TYPE_CHECKING:
    from workbench.servers.server import McpServer


async def vitals(servers: Sequence[McpServer]) -> tuple[Vitals, ...]:
    """Measure each server. All local processes are read in one pass over /proc; without processes,
    /proc is not read."""
    groups = frozenset(server.state.pid for server in servers if server.state.pid)
    used = await asyncio.to_thread(usages, groups) if groups else {}
    return tuple(_of(server, used.get(server.state.pid, ProcessUsage())) for server in servers)


def _of(server: McpServer, used: ProcessUsage) -> Vitals:
    counts, traffic = server.counts, server.traffic
    return Vitals(
        server=server.name,
        since=server.since if server.state.pid else 0.0,
        memory_mb=used.memory_mb,
        processes=used.processes,
        calls=counts.calls,
        errors=counts.errors,
        typical_ms=counts.typical_ms,
        slowest_ms=counts.slowest_ms,
        last_error=counts.last_error,
        last_error_at=counts.last_error_at,
        sent_bytes=traffic.sent_bytes,
        received_bytes=traffic.received_bytes,
        frames=traffic.message_count,
        dropped=traffic.dropped,
    )


_RECENT = 100  # calls whose duration is stored


class CallStatistics:
    """Statistics of one server's calls; each finished call is added once."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self.calls = 0
        self.errors = 0
        self.last_error = ""
        self.last_error_at = 0.0

    def add(self, outcome: Outcome) -> None:
        self.calls += 1
        self._recent.append(outcome.ms)
        if not outcome.ok:
            self.errors += 1
            self.note(outcome.fault.message if outcome.fault else "")

    def note(self, words: str) -> None:
        """Store the message of the last failure."""
        self.last_error, self.last_error_at = words, time.time()

    @property
    def typical_ms(self) -> float:
        return median(self._recent) if self._recent else 0.0

    @property
    def slowest_ms(self) -> float:
        return max(self._recent, default=0.0)


_PROC = Path("/proc")
_STATE, _GROUP, _RSS = 0, 2, 21  # fields of /proc/PID/stat, counted after the name


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """Memory of a process group at one time."""

    memory_mb: float = 0.0  # resident memory of all its processes; shared pages count for each of them
    processes: int = 0


def usage(group: int) -> ProcessUsage:
    """Measure one process group. Reads a file for each process of the machine: call it on a thread."""
    return usages({group}).get(group, ProcessUsage())


def usages(groups: Set[int]) -> dict[int, ProcessUsage]:
    """Measure many groups in one pass; groups without a process are left out."""
    found: dict[int, list[int]] = {}
    if any(group > 0 for group in groups):
        for group, pages in _pages():
            if group in groups:
                found.setdefault(group, []).append(pages)
    size = os.sysconf("SC_PAGE_SIZE") / 1e6 if found else 0.0
    return {group: ProcessUsage(sum(pages) * size, len(pages)) for group, pages in found.items()}


def _pages() -> Iterator[tuple[int, int]]:
    """Yield process group and resident pages of every living process."""
    try:
        folders = [entry.name for entry in os.scandir(_PROC) if entry.name.isdigit()]
    except OSError:
        return
    for name in folders:
        try:
            told = (_PROC / name / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended
        if len(told) > _RSS and told[_STATE] != "Z":
            yield int(told[_GROUP]), int(told[_RSS])
