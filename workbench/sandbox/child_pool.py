"""Pool of locked children that are started ahead of runs, so that a run begins at once. Each child is used once.

A child fits only runs with the same folders and limits. So the pool holds several spare children for the profile that
ran last, and one each for earlier profiles. New spares are made after the run that took one has begun, so that they do
not compete with its start.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.sandbox.child_profile import ChildProfile, marks_of
from workbench.sandbox.locked_child import ChildMaker, SandboxChild

log = logging.getLogger(__name__)
_ATTEMPTS = 4  # attempts to build a child that is killed from outside before it is ready
_RETRY_DELAY = 0.02  # seconds before the second attempt, four times longer for each further one
_TIMEOUT = 10.0  # timeout for building a child, in seconds
_FILL_DELAY = 0.01  # seconds after the start of the last run before a spare child is made
_OLDER_PROFILES = 2  # profiles, besides the last one, for which one spare child is kept


class ChildPool:
    """Keeps `ready` spare children for the newest profile and one each for older ones. 0 keeps none."""

    def __init__(self, maker: ChildMaker, ready: int | Callable[[], int], most: int = 1000) -> None:
        self._maker = maker
        self._ready_setting = ready  # a function is called each time, because the setting may change
        self._most = most
        self._spares: dict[ChildProfile, list[SandboxChild]] = {}  # newest profile last
        self._dead: list[SandboxChild] = []
        self._taken = 0.0  # time of the last `take`
        self._later: asyncio.TimerHandle | None = None
        self._filling: asyncio.Task[None] | None = None
        self._closed = False

    async def take(self, profile: ChildProfile) -> SandboxChild:
        """Return a ready child of this profile: a spare one if possible, otherwise a new one."""
        self._taken = time.monotonic()
        child = self._take_spare(profile)
        if self._later is None and self._filling is None and self._spares and not self._closed:
            self._later = asyncio.get_running_loop().call_later(_FILL_DELAY, self._begin_filling)
        return child or await self._build(profile)

    async def close(self) -> None:
        self._closed = True
        if self._later is not None:
            self._later.cancel()
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.wait([self._filling])
        await self._finish_all([*self._dead, *(child for spares in self._spares.values() for child in spares)])

    def _ready(self) -> int:
        return min(self._ready_setting() if callable(self._ready_setting) else self._ready_setting, self._most)

    def _take_spare(self, profile: ChildProfile) -> SandboxChild | None:
        spares = self._spares.pop(profile, [])
        if spares or self._ready():
            self._spares[profile] = spares
        while spares:
            child = spares.pop(0)
            if not child.gone.done() and not child.channel.ended.done():
                return child
            self._dead.append(child)
        return None

    def _begin_filling(self) -> None:
        self._later = None
        self._filling = spawn("sandbox spare", self._fill())

    async def _fill(self) -> None:
        try:
            while True:
                await asyncio.sleep(self._taken + _FILL_DELAY - time.monotonic())
                await self._finish_all(self._surplus())
                profile = next(reversed(self._spares), None)
                if profile is None or len(self._spares[profile]) >= self._ready():
                    return
                await self._add(profile)
        except WorkbenchError as fault:
            log.info("no spare sandbox could be prepared; the next run makes its own: %s", fault)
        finally:
            self._filling = None

    async def _add(self, profile: ChildProfile) -> None:
        child = await self._build(replace(profile, ahead=True))
        self._spares.setdefault(profile, []).append(child)

    def _surplus(self) -> list[SandboxChild]:
        """Remove spares from the pool that are dead, too many, or bound to folders that no longer exist."""
        found, self._dead = self._dead, []
        newest = list(self._spares)[: -_OLDER_PROFILES - 2 : -1]
        for profile, spares in tuple(self._spares.items()):
            kept = 0
            if profile in newest and marks_of(*profile.folders) == profile.marks:
                kept = self._ready() if profile == newest[0] else min(1, self._ready())
            found += spares[kept:]
            del spares[kept:]
            if not kept:
                del self._spares[profile]
        return found

    async def _build(self, profile: ChildProfile) -> SandboxChild:
        """Build a child. Retries if it dies during its start, before it received a program."""
        message = ""
        for tried in range(_ATTEMPTS):
            child = await self._maker.make(profile)
            message = await self._startup_fault(child)
            if not message:
                return child
            if not child.channel.died_before_ready and not child.gone.result().lost:
                break
            await asyncio.sleep(_RETRY_DELAY * 4**tried)
        raise WorkbenchError(
            f"The sandbox could not be built: {message}", "Restart the workbench to test the sandbox again."
        )

    async def _startup_fault(self, child: SandboxChild) -> str:
        """Wait until the child is ready and return "". Otherwise finish the child and return the reason."""
        try:
            await asyncio.wait([child.channel.ready], timeout=_TIMEOUT)
            message = child.channel.fault()
        except BaseException:
            await asyncio.shield(self._maker.finish(child))
            raise
        if message:
            await self._maker.finish(child)
        return message

    async def _finish_all(self, children: Iterable[SandboxChild]) -> None:
        for child in children:
            await self._maker.finish(child)
