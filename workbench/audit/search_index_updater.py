"""Updates the search index a moment after entries were written, on a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor

from workbench.audit.audit_database import drop_indexes
from workbench.audit.search_index import Index
from workbench.events import EntryWritten, Event

log = logging.getLogger(__name__)

PAUSE = 1.0  # seconds entries gather; what is not indexed yet is found all the same, only slower


class Indexing:
    """Belongs to a core; `hear` is told of every event."""

    hears = (EntryWritten,)

    def __init__(self, index: Index) -> None:
        self._index = index
        self._audit_has_indexes = True  # as far as is known: version 0.1 kept them in the audit itself
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit-index")
        self._due: asyncio.TimerHandle | None = None
        self._closed = False

    def hear(self, event: Event) -> None:
        if isinstance(event, EntryWritten) and self._due is None and not self._closed:
            self._due = asyncio.get_running_loop().call_later(PAUSE, self._begin)

    async def close(self) -> None:
        """What is not indexed yet is so at the next start."""
        self._closed = True
        if self._due is not None:
            self._due.cancel()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._index.close)
        await asyncio.to_thread(self._thread.shutdown)

    def _begin(self) -> None:
        self._due = None
        self._thread.submit(self._follow)

    def _follow(self) -> None:
        try:
            while not self._closed and self._index.step():
                pass
            if self._audit_has_indexes and not self._closed:
                drop_indexes(self._index.audit)
                self._audit_has_indexes = False
        except (sqlite3.Error, OSError) as fault:
            log.warning("the index of the audit cannot be written: %s", fault)
