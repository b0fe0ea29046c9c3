"""Answers what a person asks of the audit and the workspace."""

from __future__ import annotations

import asyncio

from workbench.desk.seat import Seat
from workbench.records import ChainReport, Entry, EntryQuery, FileInfo


class MemoryDesk(Seat):
    """What happened and what was written."""

    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        self._rooms.journal.settle_quietly()
        return await asyncio.to_thread(self._rooms.journal.entries, query)

    async def verify_audit(self) -> ChainReport:
        self._rooms.journal.settle_quietly()
        return await asyncio.to_thread(self._rooms.journal.verify)

    async def files(self) -> tuple[FileInfo, ...]:
        return await asyncio.to_thread(self._rooms.store.list)

    async def read_file(self, path: str) -> str:
        return await asyncio.to_thread(self._rooms.store.read, path)
