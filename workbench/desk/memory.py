"""Answers what a person asks of the audit, the workspace and the vault."""

from __future__ import annotations

import asyncio

from workbench.desk.seat import Seat
from workbench.errors import WorkbenchError
from workbench.records import ChainReport, Entry, EntryQuery, FileInfo


class MemoryDesk(Seat):
    """What happened, what was written, what is hidden."""

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

    async def reveal(self, session: str, token: str) -> str:
        found = self._rooms.sessions.get(session)
        if found is None:
            raise WorkbenchError("That session is over.", "Its tokens went with it.")
        value = found.vault.reveal(token)
        self._note("privacy.reveal", f"You looked at {token}", session=session)
        return value
