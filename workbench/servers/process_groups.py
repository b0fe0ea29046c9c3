"""Process groups of running servers, reported to the process guard, which ends them when the core is killed."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

from workbench.servers import process_guard

log = logging.getLogger(__name__)

_GRACE = 5.0  # seconds for the guard to exit after its stdin is closed


class ProcessGroups:
    """Process groups of running servers. The guard starts with the first of them."""

    def __init__(self) -> None:
        self._living: set[int] = set()
        self._guard: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()

    async def add(self, group: int) -> None:
        self._living.add(group)
        async with self._starting:
            if self._guard is None or self._guard.returncode is not None:
                await self._start()
            else:
                self._say(f"+{group}\n")

    def remove(self, group: int) -> None:
        self._living.discard(group)
        self._say(f"-{group}\n")

    async def close(self) -> None:
        """End the guard. Call it after all servers have ended."""
        if (process := self._guard) is None:
            return
        self._guard = None
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(_GRACE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _start(self) -> None:
        self._guard = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            process_guard.__file__,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for group in self._living:
            self._say(f"+{group}\n")

    def _say(self, line: str) -> None:
        """Write a line to the guard's stdin. The guard always reads, so a few bytes never block."""
        if self._guard is None or self._guard.stdin is None or self._guard.returncode is not None:
            return
        try:
            self._guard.stdin.write(line.encode("ascii"))
        except OSError:
            log.warning("the guard process has exited; a new guard process starts with the next server")
