"""Answers what a person asks of the audit and the workspace."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from workbench.audit.export import export
from workbench.audit.verification import verify_apart
from workbench.desk.seat import Seat
from workbench.events import AuditVerifying
from workbench.records import ChainReport, Entry, EntryMarks, EntryPage, EntryQuery, Facet, FileInfo


class MemoryDesk(Seat):
    """What happened and what was written."""

    async def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        self._rooms.journal.settle_quietly()
        return await asyncio.to_thread(self._rooms.finder.entries, query)

    async def entry_page(self, query: EntryQuery) -> EntryPage:
        self._rooms.journal.settle_quietly()
        return await asyncio.to_thread(self._rooms.finder.page, query)

    async def entry_marks(self, query: EntryQuery) -> EntryMarks:
        gone = threading.Event()  # a list that wants other entries by now
        try:
            return await asyncio.to_thread(self._rooms.finder.marks, query, gone.is_set)
        finally:
            gone.set()

    async def entry(self, seq: int) -> Entry:
        return await asyncio.to_thread(self._rooms.finder.entry, seq)

    async def facets(self) -> tuple[Facet, ...]:
        return await asyncio.to_thread(self._rooms.finder.facets)

    async def export_entries(self, query: EntryQuery, file: str, form: str) -> int:
        self._rooms.journal.settle_quietly()
        gone = threading.Event()
        try:
            count = await asyncio.to_thread(export, self._rooms.finder, query, Path(file), form, gone.is_set)
        finally:
            gone.set()
        self._note("audit.exported", f"You exported {count} entries of the audit")
        return count

    async def verify_audit(self) -> ChainReport:
        self._rooms.journal.settle_quietly()
        tell = self._rooms.tell
        return await verify_apart(self._rooms.paths.audit, lambda done, number: tell(AuditVerifying(done, number)))

    async def files(self) -> tuple[FileInfo, ...]:
        return await asyncio.to_thread(self._rooms.store.list)

    async def read_file(self, path: str) -> str:
        return await asyncio.to_thread(self._rooms.store.read, path)
