"""The audit of a bench: everything that was asked, decided, run and called, in an order nobody can quietly change.

Used from the core's thread only, except `entries` and `verify`. What `append` has returned survives the death of
this process; so does what `append_ahead` was given once it returned: it stands in a file beside the database
(`ahead.py`) until it is written with others. `append_soon` is for what a program has done already and waits for, and
for what is followed by the next entry only: it costs the program nothing, and is written when the core has a moment,
within `SOON` seconds, and before or together with what the other two write after it. So an end that was told (of a run,
say) stands behind everything that came before it; and whoever kills this process can lose what was noted in its last
moments, never anything out of the middle: numbers and hashes are given when it is written.
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
from typing import NamedTuple

from workbench.audit.ahead import Ahead, following
from workbench.audit.chain import ALL_COLUMNS, START, Row, digest_of, entry_of, row_of, text_of
from workbench.audit.head import Head, HeadFile, fault_at_end, read_head
from workbench.audit.query import select
from workbench.audit.store import DAMAGE, open_store, open_to_read, refusal
from workbench.audit.stride import GAP
from workbench.audit.verify import verify
from workbench.errors import WorkbenchError
from workbench.events import EntryWritten, Event
from workbench.records import ChainReport, Entry, EntryQuery, Note

log = logging.getLogger(__name__)

_BATCH = 200  # entries of one transaction
SOON = 0.01  # seconds in which what may be written soon is written, into the database or ahead of it
LATER = 0.1  # seconds in which what was written ahead gathers for the database
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


class _Chained(NamedTuple):
    """A note that has its number and its hash."""

    note: Note
    row: Row
    text: str  # that was hashed


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
        self._certain: list[_Chained] = []  # what stands in the file ahead
        self._timed = self._gathering = False  # whether a clock runs
        self._failing = False  # the last ones could not be written
        self._thread = threading.get_ident()
        self._store = open_store(path)
        noted = read_head(path)
        try:
            self._head_file = HeadFile(path)
            self._ahead = Ahead(path)
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

    def append_ahead(self, note: Note) -> None:
        """When this returns, the note and everything noted before it outlive this process; it is written soon. Asked
        from a coroutine, before each call that may change something."""
        if self._failing or len(self._due) + len(self._certain) >= _BATCH:
            self.settle()
        self._begin_clock()
        batch = self._taken()
        try:
            self._write_ahead([*batch, (time.time(), note)])
        except WorkbenchError:
            self._put_back(batch)
            raise

    def _write_ahead(self, notes: Sequence[tuple[float, Note]]) -> None:
        """All of them, or none."""
        certain, head = self._chained(notes)
        try:
            self._ahead.write((one.text, one.row[-1]) for one in certain)
        except OSError as fault:
            raise WorkbenchError(f"The audit cannot be written: {fault}.", "Nothing runs unrecorded.") from fault
        self._certain += certain
        self._head = head

    def settle(self) -> None:
        """Write what is to be written soon. What cannot be written stays due."""
        while self._due or self._certain:
            self._write_due()
        self._failing = False

    def _begin_clock(self) -> None:
        if not self._timed:
            self._timed = True
            asyncio.get_running_loop().call_later(SOON, self._ring)

    def _ring(self) -> None:
        """What is due outlives this process from now on, and is put into the database with what comes meanwhile."""
        self._timed = False
        batch = self._taken()
        try:
            if batch:
                self._write_ahead(batch)
        except WorkbenchError:
            self._put_back(batch)
            self.settle_quietly()
        if self._certain and not self._gathering:
            self._gathering = True
            asyncio.get_running_loop().call_later(LATER, self._gathered)

    def _gathered(self) -> None:
        self._gathering = False
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
            self._failing = self._failing or bool(notes or self._certain)
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
        """As one transaction, what stands ahead first; all of them are written, or none."""
        chained, head = self._chained(notes)
        every = [*self._certain, *chained]
        weighty = any(one.note.kind.startswith(WEIGHTY) for one in every)
        self._insert([one.row for one in every], weighty=weighty)
        self._head, self._certain = head, []
        self._head_file.write(head)
        self._ahead.clear()
        entries = [Entry(one.row[0], one.row[1], one.note, *one.row[-2:]) for one in every]
        for entry in entries:
            self._tell(EntryWritten(entry))
        return entries

    def _chained(self, notes: Sequence[tuple[float, Note]]) -> tuple[list[_Chained], Head]:
        """The notes with number and hash, and what the head is then."""
        (seq, digest), found = (self._head.seq, self._head.hash), list[_Chained]()
        for at, raw in notes:
            seq, note = seq + 1, self._mask(raw)
            row = row_of(seq, at, note)
            text = text_of(digest, row)
            row = (*row, digest, digest := digest_of(text))
            found.append(_Chained(note, row, text))
        return found, Head(seq, digest)

    def entries(self, query: EntryQuery) -> tuple[Entry, ...]:
        """What the query asks for, newest first; the next page is `before` the last number. Any thread may ask."""
        statement, values = select(query)
        self._settle_here()
        try:
            with closing(open_to_read(self._path)) as store:
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
        """Runs that began and never ended, oldest first: the core died under them."""
        return tuple(run_id for (run_id,) in self._store.execute(_UNFINISHED, ENDS))

    def close(self) -> None:
        """Write everything to the disk and let go of the files."""
        self.settle_quietly()
        self._store.close()
        self._head_file.close()
        self._ahead.close()

    def _take_up(self, noted: Head | None) -> None:
        """Go on after the last entry; what is missing at the end becomes an entry of its own."""
        gap = self._take_ahead() or fault_at_end(self._store, noted)
        if last := self._store.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone():
            self._head = Head(*last)
        self._head_file.write(self._head)
        if gap:
            detail = {"noted": noted.seq, "hash": noted.hash} if noted else {}
            self.append(Note(GAP, gap[0].upper() + gap[1:], ok=False, detail=detail))

    def _take_ahead(self) -> str:
        """Put what a killed core had written ahead into the database; why not all of it could be."""
        waiting, damaged = self._ahead.rows()
        last = self._store.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone() or (0, START)
        if rows := following(waiting, *last):
            self._insert(rows, weighty=True)
        end = rows[-1][0] if rows else last[0]
        missing = damaged + sum(1 for row in waiting if row[0] > end)
        if missing:  # the file is cleared with the entry that says so
            return f"{missing} entries that a core had written last are damaged or do not follow the others"
        self._ahead.clear()
        return ""

    def _insert(self, rows: Sequence[Row], *, weighty: bool) -> None:
        try:
            if weighty:
                self._store.execute("PRAGMA synchronous=FULL")
            if len(rows) == 1:
                self._store.execute(_INSERT, rows[0])
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
