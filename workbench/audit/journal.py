"""The audit of a project: everything that was asked, decided, run and called, in an order nobody can quietly change.

One queue with two durabilities. *Now* (`append`): the entry and all that wait before it are in the database, in one
transaction, when it returns; so they survive the death of this process, and calls are noted so before they are sent.
*Soon* (`append_soon`): what a program has done already waits up to `SOON` seconds for the next entry, which costs the
program nothing. Whoever kills this process can lose what was noted in its last moments, never anything out of the
middle: numbers and hashes are given when an entry is written.

Used from the core's thread only, except `entries` and `verify`.
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
from workbench.audit.chain_head_file import Head, HeadFile, fault_at_end, read_head
from workbench.audit.chain_verification import verify
from workbench.audit.fast_chain_check import GAP
from workbench.audit.hash_chain import ALL_COLUMNS, START, Row, digest_of, entry_of, row_of, text_of
from workbench.audit.search_queries import select
from workbench.errors import WorkbenchError
from workbench.events import EntryWritten, Event
from workbench.records import ChainReport, Entry, EntryQuery, Note
from workbench.records.audit_kinds import current_kind

log = logging.getLogger(__name__)

_BATCH = 200  # entries of one transaction
SOON = 0.01  # seconds in which what may be written soon is written
WEIGHTY = ("run.decided", "privacy.", "skill.", "server.", GAP)  # kinds that must survive even a power cut
ENDS = ("run.done", "run.refused", "run.failed", "run.stopped", "run.interrupted")

_ROW = f"({', '.join('?' * 16)})"
_INSERT = f"INSERT INTO entries({ALL_COLUMNS}) VALUES {_ROW}"
_FEW = 8  # entries that one statement inserts, which costs a third less than a transaction of several
OPENED = "core.opened"  # each core notes the interrupted runs of the one before, then this
_LAST_OPENED = f"SELECT seq FROM entries WHERE kind = '{OPENED}' ORDER BY seq DESC LIMIT 1"
_ENDED = f"sum(kind IN ({', '.join('?' * len(ENDS))}))"
_UNFINISHED = f"""
SELECT run_id FROM entries WHERE seq > ? AND run_id != '' AND kind LIKE 'run.%' GROUP BY run_id
HAVING sum(kind IN ('run.proposed', 'run.running')) > 0 AND {_ENDED} = 0
ORDER BY min(CASE WHEN kind IN ('run.proposed', 'run.running') THEN seq END)
"""


class Journal:
    """Appends notes as chained entries, and reads them back."""

    def __init__(
        self,
        path: Path,
        tell: Callable[[Event], None] = lambda event: None,
        mask: Callable[[Note], Note] = lambda note: note,
    ) -> None:
        """`mask`: takes known personal data out of every note before it is written, whoever noted it."""
        self._path = path
        self._mask = mask
        self._tell = tell
        self._head = Head(0, START)
        self._due: deque[tuple[float, Callable[[], Note]]] = deque()  # what is to be written soon, and when it was
        self._timed = False  # whether the clock runs
        self._failing = False  # the last ones could not be written
        self._thread = threading.get_ident()
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
        except OSError as fault:
            self.close()
            raise refusal(
                path, f"the file {ahead_path(path).name} beside it cannot be read, {fault.strerror}"
            ) from fault
        except WorkbenchError:
            self.close()
            raise

    def append(self, note: Note) -> Entry:
        """Write a note; when this returns, it is written, and everything noted before it."""
        while len(self._due) >= _BATCH:
            self._write_due()
        return self._write_due((time.time(), note))

    def append_soon(self, make: Callable[[], Note]) -> None:
        """Write what `make` answers, within moments; it must not fail. Raises when the last ones could not be written.
        Asked from a coroutine."""
        if self._failing:
            self.settle()
        self._begin_clock()
        self._due.append((time.time(), make))

    def settle(self) -> None:
        """Write what is to be written soon. What cannot be written stays due."""
        while self._due:
            self._write_due()
        self._failing = False

    def _begin_clock(self) -> None:
        if not self._timed:
            self._timed = True
            asyncio.get_running_loop().call_later(SOON, self._ring)

    def _ring(self) -> None:
        self._timed = False
        self.settle_quietly()

    def settle_quietly(self) -> None:
        """The same where nobody can be told; whoever notes something next is."""
        try:
            self.settle()
        except WorkbenchError as fault:
            log.error("%s %d entries wait.", fault.message, len(self._due))

    def _write_due(self, *more: tuple[float, Note]) -> Entry:
        """Some of what is due, and these, together; answers the last. What was due and cannot be written stays due."""
        notes = self._taken()
        try:
            written = self._write([*notes, *more])
        except WorkbenchError:
            self._put_back(notes)
            self._failing = self._failing or bool(notes)
            raise
        self._failing = False
        return written[-1]

    def _taken(self) -> list[tuple[float, Note]]:
        """Some of what is due, made."""
        batch = [self._due.popleft() for _ in range(min(len(self._due), _BATCH))]
        return [(at, make()) for at, make in batch]

    def _put_back(self, notes: Sequence[tuple[float, Note]]) -> None:
        self._due.extendleft((at, partial(_same, note)) for at, note in reversed(notes))

    def _write(self, notes: Sequence[tuple[float, Note]]) -> list[Entry]:
        """As one transaction: all of them are written, or none."""
        entries, head = self._chained(notes)
        self._insert([row for row, _ in entries], weighty=any(note.kind.startswith(WEIGHTY) for _, note in entries))
        self._head = head
        self._head_file.write(head)
        written = [Entry(row[0], row[1], note, *row[-2:]) for row, note in entries]
        for entry in written:
            self._tell(EntryWritten(entry))
        return written

    def _chained(self, notes: Sequence[tuple[float, Note]]) -> tuple[list[tuple[Row, Note]], Head]:
        """The notes with number and hash, and what the head is then."""
        (seq, digest), found = (self._head.seq, self._head.hash), list[tuple[Row, Note]]()
        for at, raw in notes:
            seq, note = seq + 1, self._mask(raw)
            row = row_of(seq, at, note)
            row = (*row, digest, digest := digest_of(text_of(digest, row)))
            found.append((row, note))
        return found, Head(seq, digest)

    def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        """What the query asks for, newest first; the next page is `before` the last number. Any thread may ask."""
        statement, values = select(replace(query, kind=current_kind(query.kind)))
        self._settle_here()
        try:
            with closing(open_for_queries(self._path)) as store:
                return tuple(entry_of(row) for row in store.execute(statement, values))
        except DAMAGE as fault:
            raise refusal(self._path, str(fault)) from fault

    def verify(self) -> ChainReport:
        """Walk the whole chain; may be called in any thread."""
        self._settle_here()
        return verify(self._path)

    def _settle_here(self) -> None:
        """Whoever asks on the core's thread finds what was noted before; other threads ask when that was settled."""
        if threading.get_ident() == self._thread:
            self.settle_quietly()

    def interrupted_runs(self) -> tuple[str, ...]:
        """Runs that began and never ended, oldest first: the core died under them. All of them are newer than the last
        `core.opened`, as each core noted those before it."""
        (opened,) = self._store.execute(_LAST_OPENED).fetchone() or (0,)
        return tuple(run_id for (run_id,) in self._store.execute(_UNFINISHED, (opened, *ENDS)))

    def close(self) -> None:
        """Write everything to the disk and let go of the files."""
        self.settle_quietly()
        self._store.close()
        self._head_file.close()

    def _take_up(self, noted: Head | None) -> None:
        """Go on after the last entry; what is missing at the end becomes an entry of its own."""
        gap = self._take_ahead() or fault_at_end(self._store, noted)
        if last := self._store.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone():
            self._head = Head(*last)
        self._head_file.write(self._head)
        if gap:
            detail = {"noted": noted.seq, "hash": noted.hash} if noted else {}
            self.append(Note(GAP, gap[0].upper() + gap[1:], ok=False, detail=detail))
        ahead_path(self._path).unlink(missing_ok=True)  # its entries, or the note of their loss, are in the database

    def _take_ahead(self) -> str:
        """Put what a killed core of version 0.1 had written ahead into the database; why not all of it could be."""
        last = self._store.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone() or (0, START)
        rows, missing = read_ahead(self._path, *last)
        if rows:
            self._insert(rows, weighty=True)
        return (
            f"{missing} entries that a core had written last are damaged or do not follow the others" if missing else ""
        )

    def _insert(self, rows: Sequence[Row], *, weighty: bool) -> None:
        try:
            if weighty:
                self._store.execute("PRAGMA synchronous=FULL")
            if len(rows) <= _FEW:
                values = [value for row in rows for value in row]
                self._store.execute(_INSERT + f", {_ROW}" * (len(rows) - 1), values)
            else:
                self._insert_together(rows)
        except sqlite3.Error as fault:
            raise WorkbenchError(f"The audit cannot be written: {fault}.", "Nothing runs unrecorded.") from fault
        finally:
            if weighty:
                self._store.execute("PRAGMA synchronous=NORMAL")

    def _insert_together(self, rows: Sequence[Row]) -> None:
        self._store.execute("BEGIN IMMEDIATE")
        try:
            self._store.executemany(_INSERT, rows)
            self._store.execute("COMMIT")
        except BaseException:
            self._store.rollback()
            raise


def _same(note: Note) -> Note:
    return note
