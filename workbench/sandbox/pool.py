"""Keeps a locked child ready before anybody asks, so that a run starts at once. Each is used once and thrown away."""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.sandbox.cells import Cell
from workbench.sandbox.maker import Maker
from workbench.sandbox.profile import Profile

log = logging.getLogger(__name__)
_PATIENCE = 10.0  # seconds for a child to be built


@dataclass(frozen=True, slots=True)
class _Spare:
    """A child nobody has used, and the folders it was bound to."""

    cell: Cell
    folders: tuple[tuple[int, int], ...]


class Pool:
    """Spares of the profile that was used last; `size` 0 makes every child when it is asked for."""

    def __init__(self, cells: Maker, size: int) -> None:
        self._cells = cells
        self._size = size
        self._spares: list[_Spare] = []
        self._filling: asyncio.Task[None] | None = None
        self._closed = False

    async def take(self, profile: Profile) -> Cell:
        """A child of this profile that says it is ready, from the spares when one fits."""
        cell = await self._fitting(profile) or await self._built(profile)
        if self._size and not self._closed and (self._filling is None or self._filling.done()):
            self._filling = spawn("sandbox spare", self._fill(profile))
        return cell

    async def close(self) -> None:
        self._closed = True
        if self._filling is not None:
            self._filling.cancel()
            await asyncio.wait([self._filling])
        await self._let_go(self._spares)

    async def _fitting(self, profile: Profile) -> Cell | None:
        spares, self._spares = self._spares, []
        folders = folders_of(profile)
        fit = [spare for spare in spares if _fits(spare, profile, folders)]
        self._spares = fit[1:]
        await self._let_go([spare for spare in spares if spare not in fit])
        return fit[0].cell if fit else None

    async def _fill(self, profile: Profile) -> None:
        try:
            while len(self._spares) < self._size:
                folders = folders_of(profile)
                cell = await self._built(profile)
                self._spares.append(_Spare(cell, folders))
        except WorkbenchError as fault:
            log.info("no sandbox is kept ready; the next run makes its own: %s", fault)

    async def _built(self, profile: Profile) -> Cell:
        cell = await self._cells.make(profile)
        try:
            await asyncio.wait([cell.channel.ready], timeout=_PATIENCE)
            message = cell.channel.fault()
        except BaseException:
            await asyncio.shield(self._cells.finish(cell))
            raise
        if message:
            await self._cells.finish(cell)
            raise WorkbenchError(f"The sandbox could not be built: {message}", "Restart the workbench to probe again.")
        return cell

    async def _let_go(self, spares: list[_Spare]) -> None:
        for spare in spares:
            await self._cells.finish(spare.cell)


def _fits(spare: _Spare, profile: Profile, folders: tuple[tuple[int, int], ...]) -> bool:
    cell = spare.cell
    return (
        cell.profile == profile and spare.folders == folders and not cell.gone.done() and not cell.channel.ended.done()
    )


def folders_of(profile: Profile) -> tuple[tuple[int, int], ...]:
    """A folder that was deleted and made again is another folder, though its path is the same."""
    found = []
    for folder in (profile.workspace, profile.servers, profile.skills):
        try:
            status = os.stat(folder)
            found.append((status.st_dev, status.st_ino))
        except OSError:
            found.append((0, 0))
    return tuple(found)
