"""Notes what one run does while it runs: which tools it called, which places it reached for, which files it changed."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from pathlib import Path
from typing import Final

from workbench.policy.observed import Seen
from workbench.records import CallTrace

NETWORK: Final = "network"  # stands in the place of a server's name in the tree of calls
_MOST: Final = 5_000  # files that are compared; where there are more, none is
_QUICK: Final = 100  # files that are looked at where it is; more go to a thread
_ENDS: Final = frozenset({"done", "failed", "refused"})
_Files = dict[str, tuple[int, int, int]]


class Observing:
    """One run's. `begin` before the program starts, `end` after it."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._before: _Files | None = {}
        self._made: Counter[tuple[str, str]] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()
        self.alone = True  # no other program ran meanwhile, whose files these might be

    async def begin(self, *, alone: bool) -> None:
        self.alone = alone
        self._before = await self._look() if alone else None

    def take(self, trace: CallTrace) -> None:
        """A call or connection took a step."""
        if trace.state in _ENDS:
            counter = self._refused if trace.state == "refused" else self._made
            counter[trace.server, trace.tool] += 1

    async def end(self, *, alone: bool) -> Seen:
        """What was seen. Files count only where no other program may have changed them."""
        before = self._before
        self.alone = self.alone and alone
        after = await self._look() if self.alone and before is not None else None
        written: tuple[str, ...] = ()
        deleted: tuple[str, ...] = ()
        if after is not None and before is not None:
            written = tuple(sorted(path for path, what in after.items() if before.get(path) != what))
            deleted = tuple(sorted(before.keys() - after.keys()))
        return Seen(self._times(hosts=False), self._times(hosts=True), written, deleted)

    def _times(self, *, hosts: bool) -> dict[str, tuple[int, int]]:
        keys = [key for key in self._made | self._refused if (key[0] == NETWORK) is hosts]
        name = "{1}" if hosts else "{0}.{1}"
        return {name.format(*key): (self._made[key], self._refused[key]) for key in keys}

    async def _look(self) -> _Files | None:
        """All files with what changes when they do; None where there are too many."""
        files: _Files = {}
        if _gather(self._workspace, files, _QUICK):
            return files
        files = {}
        return files if await asyncio.to_thread(_gather, self._workspace, files, _MOST) else None


def _gather(folder: Path, files: _Files, most: int) -> bool:
    """Whether these were all."""
    root = len(os.fspath(folder)) + 1
    stack = [os.fspath(folder)]
    until = time.monotonic() + 2.0
    while stack:
        try:
            with os.scandir(stack.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
                        continue
                    what = entry.stat(follow_symlinks=False)
                    files[f"workspace/{entry.path[root:]}"] = (what.st_mtime_ns, what.st_size, what.st_ino)
                    if len(files) > most or time.monotonic() > until:
                        return False
        except OSError:
            continue  # it is gone, or is not ours to read
    return True
