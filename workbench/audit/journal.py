"""The audit of a bench: everything that was asked, decided, run and called, in an order nobody can quietly change.

Used from the core's thread only, except `entries` and `verify`. What `append` has returned survives the death of
this process.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from workbench.audit.chain import ALL_COLUMNS, START, entry_of, hash_of, row_of
from workbench.audit.head import Head, HeadFile, fault_at_end, read_head
from workbench.audit.query import select
from workbench.audit.store import DAMAGE, open_store, open_to_read, refusal
from workbench.audit.verify import GAP, verify
from workbench.errors import WorkbenchError
from workbench.events import EntryWritten, Event
from workbench.records import ChainReport, Entry, EntryQuery, Note

WEIGHTY = ("run.decided", "privacy.", "skill.", "server.", GAP)  # kinds that must survive even a power cut
ENDS = ("run.done", "run.refused", "run.failed", "run.stopped", "run.interrupted")

_INSERT = f"INSERT INTO entries({ALL_COLUMNS}) VALUES ({', '.join('?' * 16)})"
_UNFINISHED = f"""
SELECT DISTINCT run_id FROM entries AS begun
WHERE kind IN ('run.proposed', 'run.running') AND run_id != '' AND NOT EXISTS (
    SELECT 1 FROM entries AS ended
    WHERE ended.run_id = begun.run_id AND ended.run_id != '' AND ended.kind IN ({", ".join("?" * len(ENDS))})
) ORDER BY seq
"""


class Journal:
    """Appends notes as chained entries, and reads them back."""

    def __init__(self, path: Path, tell: Callable[[Event], None] = lambda event: None) -> None:
        self._path = path
        self._tell = tell
        self._head = Head(0, START)
        self._store = open_store(path)
        noted = read_head(path)
        try:
            self._head_file = HeadFile(path)
        except OSError as fault:
            self._store.close()
            raise refusal(path, f"its head cannot be noted, {fault.strerror}") from fault
        try:
            self._take_up(noted)
        except DAMAGE as fault:
            self.close()
            raise refusal(path, str(fault)) from fault
        except WorkbenchError:
            self.close()
            raise

    def append(self, note: Note) -> Entry:
        """Write a note; when this returns, it is written."""
        seq, at, previous = self._head.seq + 1, time.time(), self._head.hash
        row = row_of(seq, at, note)
        digest = hash_of(previous, row)
        self._insert((*row, previous, digest), weighty=note.kind.startswith(WEIGHTY))
        self._head = Head(seq, digest)
        self._head_file.write(self._head)
        entry = Entry(seq, at, note, previous, digest)
        self._tell(EntryWritten(entry))
        return entry

    def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        """What the query asks for, newest first; the next page is `before` the last number. Any thread may ask."""
        statement, values = select(query)
        try:
            with closing(open_to_read(self._path)) as store:
                return tuple(entry_of(row) for row in store.execute(statement, values))
        except DAMAGE as fault:
            raise refusal(self._path, str(fault)) from fault

    def verify(self) -> ChainReport:
        """Walk the whole chain; may be called in any thread."""
        return verify(self._path)

    def interrupted_runs(self) -> tuple[str, ...]:
        """Runs that began and never ended, oldest first: the core died under them."""
        return tuple(run_id for (run_id,) in self._store.execute(_UNFINISHED, ENDS))

    def close(self) -> None:
        """Write everything to the disk and let go of the files."""
        self._store.close()
        self._head_file.close()

    def _take_up(self, noted: Head | None) -> None:
        """Go on after the last entry; what is missing at the end becomes an entry of its own."""
        gap = fault_at_end(self._store, noted)
        if last := self._store.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone():
            self._head = Head(*last)
        self._head_file.write(self._head)
        if gap:
            detail = {"noted": noted.seq, "hash": noted.hash} if noted else {}
            self.append(Note(GAP, gap[0].upper() + gap[1:], ok=False, detail=detail))

    def _insert(self, values: tuple[object, ...], *, weighty: bool) -> None:
        try:
            if weighty:
                self._store.execute("PRAGMA synchronous=FULL")
            self._store.execute(_INSERT, values)
        except sqlite3.Error as fault:
            raise WorkbenchError(f"The audit cannot be written: {fault}.", "Nothing runs unrecorded.") from fault
        finally:
            if weighty:
                self._store.execute("PRAGMA synchronous=NORMAL")
