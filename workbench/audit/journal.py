"""Writes the audit of a project: every request, decision, run and call, as entries chained by hash.

There is one queue with two levels of durability. When `append` returns, its note and all earlier notes are in the
database, in one transaction, so they survive the death of this process; a call is recorded this way before it is sent.
Notes of `append_soon`, about what a program has already done, wait up to `SOON` seconds for the next entry, so that the
program does not wait for the disk. A killed core can lose its last notes but no entry in the middle, because numbers
and hashes are assigned when an entry is written.

Only `entries` and `verify` may be called from other threads than the core's.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from workbench.audit.ahead_file import ahead_path, read_ahead
from workbench.audit.audit_database import DAMAGE, open_for_queries, open_store, refusal
from workbench.audit.chain_verification import GAP, verify
from workbench.audit.hash_chain import (
    ALL_COLUMNS,
    START,
    Head,
    HeadFile,
    Row,
    digest_of,
    entry_of,
    fault_at_end,
    read_head,
    row_of,
    text_of,
)
from workbench.audit.search_queries import select
from workbench.errors import WorkbenchError
from workbench.events import EntryWritten, Event
from workbench.records import ChainReport, Entry, EntryQuery, Note
from workbench.records.audit import current_kind

log = logging.getLogger(__name__)

_BATCH = 200  # entries of one transaction
SOON = 0.01  # seconds that `append_soon` may wait
WEIGHTY = ("run.decided", "privacy.", "skill.", "server.", GAP)  # kinds that must survive even a power cut
ENDS = ("run.done", "run.refused", "run.failed", "run.stopped", "run.interrupted")

_ROW = f"({', '.join('?' * 16)})"
_INSERT = f"INSERT INTO entries({ALL_COLUMNS}) VALUES {_ROW}"
_FEW = 8  # entries that one statement inserts, which costs a third less than a transaction of several
OPENED = "core.opened"  # each core writes this after the interrupted runs of the previous core
_LAST = "SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1"
_LAST_OPENED = f"SELECT seq FROM entries WHERE kind = '{OPENED}' ORDER BY seq DESC LIMIT 1"
_ENDED = f"sum(kind IN ({', '.join('?' * len(ENDS))}))"
_UNFINISHED = f"""
SELECT run_id FROM entries WHERE seq > ? AND run_id != '' AND kind LIKE 'run.%' GROUP BY run_id
HAVING sum(kind IN ('run.proposed', 'run.restored', 'run.running')) > 0 AND {_ENDED} = 0
ORDER BY min(CASE WHEN kind IN ('run.proposed', 'run.restored', 'run.running') THEN seq END)
"""


class Journal:
    """Appends notes as chained entries, and reads them back."""

    def __init__(
        self,
        path: Path,
        tell: Callable[[Event], None] = lambda event: None,
        mask: Callable[[Note], Note] = lambda note: note,
    ) -> None:
        """`mask` removes known personal data from every note before it is written."""
        self._path = path
        self._mask = mask
        self._tell = tell
        self._head = Head(0, START)
        self._queue: deque[tuple[float, Callable[[], Note]]] = deque()  # notes of `append_soon` with their times
        self._timer_runs = False
        self._failing = False  # the last transaction with notes of the queue could not be written
        self._thread = threading.get_ident()
        self._store = open_store(path)
        noted = read_head(path)
        try:
            self._head_file = HeadFile(path)
        except OSError as fault:
            self._store.close()
            raise refusal(path, f"the file for its last hash cannot be opened, {fault.strerror}") from fault
        try:
            self._resume(noted)
        except DAMAGE as fault:
            self.close()
            raise refusal(path, str(fault)) from fault
        except OSError as fault:
            self.close()
            name = ahead_path(path).name
            raise refusal(path, f"the file {name} next to it cannot be read, {fault.strerror}") from fault
        except WorkbenchError:
            self.close()
            raise

    def append(self, note: Note) -> Entry:
        """Write a note. When this method returns, the note and all earlier notes are written."""
        while len(self._queue) >= _BATCH:
            self._write_queue()
        return self._write_queue((time.time(), note))

    def append_soon(self, make: Callable[[], Note]) -> None:
        """Write the note that `make` returns within `SOON` seconds; `make` must not fail. Called from a coroutine.
        Raises if earlier notes could not be written."""
        if self._failing:
            self.settle()
        if not self._timer_runs:
            self._timer_runs = True
            asyncio.get_running_loop().call_later(SOON, self._settle_in_time)
        self._queue.append((time.time(), make))

    def settle(self) -> None:
        """Write all queued notes. Notes that cannot be written stay in the queue."""
        while self._queue:
            self._write_queue()
        self._failing = False

    def _settle_in_time(self) -> None:
        self._timer_runs = False
        self.settle_quietly()

    def settle_quietly(self) -> None:
        """As `settle`, but a failure is only logged; the next `append` or `append_soon` raises it."""
        try:
            self.settle()
        except WorkbenchError as fault:
            log.error("%s Entries that wait to be written: %d.", fault.message, len(self._queue))

    def _write_queue(self, *more: tuple[float, Note]) -> Entry:
        """Write up to a batch of the queue and these notes in one transaction; returns the last entry."""
        notes = [(at, make()) for at, make in (self._queue.popleft() for _ in range(min(len(self._queue), _BATCH)))]
        try:
            written = self._write([*notes, *more])
        except WorkbenchError:
            self._queue.extendleft((at, partial(_same, note)) for at, note in reversed(notes))
            self._failing = self._failing or bool(notes)
            raise
        self._failing = False
        return written[-1]

    def _write(self, notes: Sequence[tuple[float, Note]]) -> list[Entry]:
        """Write all notes in one transaction, or none."""
        (seq, digest), rows, written = (self._head.seq, self._head.hash), list[Row](), list[Entry]()
        weighty = False
        for at, raw in notes:
            seq, note, previous = seq + 1, self._mask(raw), digest
            row = row_of(seq, at, note)
            digest = digest_of(text_of(previous, row))
            rows.append((*row, previous, digest))
            written.append(Entry(seq, at, note, previous, digest))
            weighty = weighty or note.kind.startswith(WEIGHTY)
        self._insert(rows, weighty=weighty)
        self._head = Head(seq, digest)
        self._head_file.write(self._head)
        for entry in written:
            self._tell(EntryWritten(entry))
        return written

    def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        """Entries that match the query, newest first. For the next page, set `before` to the last number. Any thread
        may call it."""
        statement, values = select(replace(query, kind=current_kind(query.kind)))
        self._settle_on_own_thread()
        try:
            with closing(open_for_queries(self._path)) as store:
                return tuple(entry_of(row) for row in store.execute(statement, values))
        except DAMAGE as fault:
            raise refusal(self._path, str(fault)) from fault

    def verify(self) -> ChainReport:
        """Verify the whole chain. Any thread may call it."""
        self._settle_on_own_thread()
        return verify(self._path)

    def _settle_on_own_thread(self) -> None:
        """Write the queue if called on the core's thread, so that its notes are found; other threads settle before."""
        if threading.get_ident() == self._thread:
            self.settle_quietly()

    def interrupted_runs(self) -> tuple[str, ...]:
        """Runs that began but did not end because their core died, oldest first. They are newer than the last
        `core.opened`, because each core records the interrupted runs before it."""
        (opened,) = self._store.execute(_LAST_OPENED).fetchone() or (0,)
        return tuple(run_id for (run_id,) in self._store.execute(_UNFINISHED, (opened, *ENDS)))

    def close(self) -> None:
        """Write the queue and close the files."""
        self.settle_quietly()
        self._store.close()
        self._head_file.close()

    def _resume(self, noted: Head | None) -> None:
        """Continue after the last entry. If entries are missing at the end, write an entry that records the loss."""
        gap = self._import_ahead_file() or fault_at_end(self._store, noted)
        if last := self._store.execute(_LAST).fetchone():
            self._head = Head(*last)
        self._head_file.write(self._head)
        if gap:
            detail = {"noted": noted.seq, "hash": noted.hash} if noted else {}
            self.append(Note(GAP, gap[0].upper() + gap[1:], ok=False, detail=detail))
        ahead_path(self._path).unlink(missing_ok=True)  # the database has its entries or a record of their loss

    def _import_ahead_file(self) -> str:
        """Insert the entries of the `.ahead` file of a killed core of version 0.1. Returns why any are missing."""
        rows, missing = read_ahead(self._path, *(self._store.execute(_LAST).fetchone() or (0, START)))
        if rows:
            self._insert(rows, weighty=True)
        entries = "entry" if missing == 1 else "entries"
        reason = f"{missing} {entries} of an earlier core could not be imported: damaged or out of order"
        return reason if missing else ""

    def _insert(self, rows: Sequence[Row], *, weighty: bool) -> None:
        try:
            if weighty:
                self._store.execute("PRAGMA synchronous=FULL")
            if len(rows) <= _FEW:
                values = rows[0] if len(rows) == 1 else [value for row in rows for value in row]
                self._store.execute(_INSERT + f", {_ROW}" * (len(rows) - 1), values)
            else:
                self._insert_many(rows)
        except sqlite3.Error as fault:
            hint = "Check the file and the free disk space; nothing runs until the audit can be written."
            raise WorkbenchError(f"The audit cannot be written: {fault}.", hint) from fault
        finally:
            if weighty:
                self._store.execute("PRAGMA synchronous=NORMAL")

    def _insert_many(self, rows: Sequence[Row]) -> None:
        self._store.execute("BEGIN IMMEDIATE")
        try:
            self._store.executemany(_INSERT, rows)
            self._store.execute("COMMIT")
        except BaseException:
            self._store.rollback()
            raise


def _same(note: Note) -> Note:
    return note
