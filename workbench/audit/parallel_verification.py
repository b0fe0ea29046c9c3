"""Verifies a long audit by several processes at once, so that nobody in the core waits, and says how far it is."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from workbench.audit.audit_database import DAMAGE, open_to_read
from workbench.audit.chain_head_file import Head, fault_at_end, read_head
from workbench.audit.chain_verification import Stretch, damaged, verify, walk
from workbench.events import spawn
from workbench.records import ChainReport

SHORT = 20_000  # entries that a thread walks: a process would take longer to start
PROCESSES = 4  # at most
_ABOVE = Path(__file__).resolve().parents[2]  # where Python finds us, whatever lies in the project


async def verify_apart(path: Path, tell: Callable[[int, int], None] = lambda done, all_: None) -> ChainReport:
    """As `verify`; `tell` hears how many entries of how many were looked at."""
    head = read_head(path)
    last = await asyncio.to_thread(_last, path)
    if last < SHORT:
        return await asyncio.to_thread(verify, path)
    done: dict[int, int] = {}

    def count(first: int, number: int) -> None:
        done[first] = number
        tell(sum(done.values()), last)

    parts = [spawn("audit walker", _walked(path, one, count)) for one in _stretches(last)]
    try:
        reports = await asyncio.gather(*parts)
    finally:
        for part in parts:
            part.cancel()
        await asyncio.gather(*parts, return_exceptions=True)
    return await asyncio.to_thread(_together, path, reports, head)


def _stretches(last: int) -> list[Stretch]:
    number = max(1, min(PROCESSES, os.cpu_count() or 1, last // SHORT))
    edges = [last * part // number for part in range(number + 1)]
    return [Stretch(low + 1, high) for low, high in pairwise(edges)]


async def _walked(path: Path, stretch: Stretch, count: Callable[[int, int], None]) -> ChainReport:
    """By a process of its own; one that dies is no verdict about the audit, so a thread does its work."""
    words = ("-m", "workbench.audit.verification_worker", str(path.absolute()), str(stretch.first), str(stretch.last))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL, cwd=_ABOVE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    line = b""
    try:
        async for line in process.stdout:
            if line.strip().isdigit():
                count(stretch.first, int(line))
        await process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    try:
        return ChainReport(**json.loads(line))
    except (ValueError, TypeError):
        return await asyncio.to_thread(_walk_here, path, stretch)


def _walk_here(path: Path, stretch: Stretch) -> ChainReport:
    try:
        with closing(open_to_read(path)) as store:
            return walk(store, stretch)
    except DAMAGE as fault:
        return damaged(ChainReport(False, stretch.first - 1, ""), fault)


def _together(path: Path, reports: list[ChainReport], head: Head | None) -> ChainReport:
    """The first fault of all, or the end."""
    for report in reports:
        if not report.whole:
            return report
    whole = reports[-1]
    try:
        with closing(open_to_read(path)) as store:
            reason = fault_at_end(store, head)
    except DAMAGE as fault:
        return damaged(whole, fault)
    return ChainReport(False, whole.entries, whole.head, whole.entries + 1, reason) if reason else whole


def _last(path: Path) -> int:
    try:
        with closing(open_to_read(path)) as store:
            return int(store.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
    except DAMAGE:
        return 0
