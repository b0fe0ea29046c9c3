"""History of finished calls: stores, searches and deletes them in a SQLite file.

All file access happens on one thread, so neither the core's event loop nor a call waits for the disk. A failure to
write is reported once and delays no call.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from workbench.api.marker import api
from workbench.calls.history_database import open_store, remove, set_aside
from workbench.calls.history_rows import (
    COLUMNS,
    LISTED,
    WHOLE,
    FinishedCall,
    Mask,
    Row,
    decode_row,
    decode_rows,
    encode_row,
    finished_call,
    select,
)
from workbench.errors import WorkbenchError
from workbench.events import CallsForgotten, CallsKept, Event, Noticed
from workbench.records import Fault, Outcome, PastCall, PastQuery, Tool, ToolCall
from workbench.settings import Settings

log = logging.getLogger(__name__)

TOLD = 50  # maximum number of calls in one event; a list asks for the rest
TIDY = 200  # calls between two checks of age and size
TIDY_BYTES = 2_000_000  # bytes between two such checks, if reached first
MERGE = 2_000  # pages of the full-text index merged per check, so that deleted text leaves it
ELDEST = 25  # calls deleted at a time while the file is too large
PAUSE = 0.2  # seconds calls are collected before they are written: during a run the thread would slow each call
BATCH = 200  # calls written in one transaction
DAY = 86_400.0
_INSERT = f"INSERT INTO calls({COLUMNS}) VALUES ({', '.join('?' * 16)})"
T = TypeVar("T")
MOST_WAITING = 64_000_000  # characters that may wait to be written
STRETCH = 2_000_000  # characters that are taken at once
CALL_WEIGHT = 2_000  # characters counted for a call in addition to its answer


class WriteQueue:
    """Queue of finished calls between the event loop and the history's thread. The queue is bounded: when too much
    waits, it drops the oldest calls and counts them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: deque[FinishedCall] = deque()
        self._weight = 0
        self._emptying = False
        self._lost = 0

    def add(self, call: FinishedCall) -> bool:
        """Add a call. Returns true when no writer is emptying the queue and the caller must start one."""
        with self._lock:
            self._calls.append(call)
            self._weight += _weight(call)
            while self._weight > MOST_WAITING and len(self._calls) > 1:
                self._weight -= _weight(self._calls.popleft())
                self._lost += 1
            begin, self._emptying = not self._emptying, True
            return begin

    @property
    def is_due(self) -> bool:
        """Whether the queue holds so much that it should be written at once."""
        return self._weight >= STRETCH

    def take_batch(self, most: int) -> list[FinishedCall]:
        """Remove and return the next calls, at most `most`. An empty list means that the writer may stop."""
        with self._lock:
            taken: list[FinishedCall] = []
            weight = 0
            while self._calls and len(taken) < most and weight < STRETCH:
                taken.append(self._calls.popleft())
                weight += _weight(taken[-1])
            self._weight -= weight
            self._emptying = bool(taken)
            return taken

    def take_dropped_count(self) -> int:
        """Return the number of dropped calls since the last request, and reset it."""
        with self._lock:
            lost, self._lost = self._lost, 0
            return lost

    def clear(self) -> None:
        with self._lock:
            self._calls.clear()
            self._weight = 0


class History:
    """The call history of one project. `keep` never waits and never fails. All other methods are called from the event
    loop. `tell` is also called on the history's thread. `mask` hides keyring secrets in what is stored."""

    def __init__(
        self,
        path: Path,
        settings: Callable[[], Settings],
        tell: Callable[[Event], None],
        mask: Mask = lambda text: text,
    ) -> None:
        self._path = path
        self._settings = settings
        self._tell = tell
        self._mask = mask
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._store: sqlite3.Connection | None = None
        self._waiting = WriteQueue()
        self._calls_since, self._bytes_since = TIDY, 0  # the first call checks for old calls
        self._complained = False
        self._unread = 0  # unreadable rows; reported once
        self._closed = False

    def keep(self, call: ToolCall, tool: Tool, outcome: Outcome) -> None:
        """Queue a finished call for storage if the settings allow it."""
        settings = self._settings()
        if self._closed or not settings.history_enabled or (call.run_id and not settings.history_runs):
            return
        if self._waiting.add(finished_call(call, tool, outcome, settings.history_answer_kb * 1024)):
            asyncio.get_running_loop().call_later(PAUSE, self._begin)
        if self._waiting.is_due:
            self._begin()

    @api(name="past_calls")
    async def find(self, query: PastQuery) -> tuple[PastCall, ...]:
        """Return the newest calls that match, without their outcomes."""
        asked = select(query)
        if asked is None:
            return ()
        rows = await self._ask(lambda store: store.execute(*asked).fetchall())
        calls, unread = decode_rows(rows)
        if unread and not self._unread:
            words = f"Unreadable calls in the history: {unread}. They are not shown."
            self._tell(Noticed(Fault(words, f"They are damaged or come from a different version: {self._path}")))
        self._unread += unread
        return calls

    @api(name="past_call")
    async def get(self, number: int) -> PastCall:
        """Return one call with everything that was stored for it."""
        question = f"SELECT {WHOLE} FROM calls WHERE id = ?"
        row = await self._ask(lambda store: store.execute(question, (number,)).fetchone())
        if row is None:
            raise WorkbenchError(
                "This call is no longer in the history.", "It was deleted, or removed because of its age."
            )
        try:
            return decode_row(row)
        except (ValueError, TypeError) as fault:
            raise WorkbenchError("This call cannot be read.", f"Its row in {self._path} is damaged.") from fault

    async def forget(self, numbers: tuple[int, ...]) -> None:
        """Delete single calls from the history."""
        if not numbers:
            return
        places = ", ".join("?" * len(numbers))
        await self._ask(lambda store: store.execute(f"DELETE FROM calls WHERE id IN ({places})", numbers))
        self._tell(CallsForgotten(numbers))

    async def clear(self) -> None:
        """Delete every call by removing the history file."""
        self._waiting.clear()
        await self._run(self._begin_anew)
        self._tell(CallsForgotten(()))

    async def close(self) -> None:
        """Write all queued calls, then close the file."""
        if self._closed:
            return
        self._closed = True
        await self._run(self._close)
        await asyncio.to_thread(self._thread.shutdown)

    # Called on the event loop

    def _begin(self) -> None:
        if not self._closed:
            self._thread.submit(self._write)

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await self._run(partial(self._write_then_ask, question))
        except (sqlite3.Error, OSError, UnicodeDecodeError) as fault:
            await self._run(partial(self._recover, fault))
            raise WorkbenchError("The history cannot be read now.", f"{fault}. Its file: {self._path}") from fault

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # Called on the history's thread

    def _write_then_ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        self._write()  # a query also sees calls that were queued before it
        return question(self._opened())

    def _opened(self) -> sqlite3.Connection:
        if self._store is None:
            self._store, aside = open_store(self._path)
            if aside is not None:
                self._tell(Noticed(_damaged(aside)))
        return self._store

    def _write(self) -> None:
        while batch := self._waiting.take_batch(BATCH):
            rows = [row for one in batch if (row := self._row(one)) is not None]
            try:
                self._tell(CallsKept(self._insert(rows)))
                self._complained = False
            except Exception as fault:  # no failure may prevent later calls from being stored or reach the caller
                self._recover(fault)
        if lost := self._waiting.take_dropped_count():
            words = f"{lost} calls arrived too fast to be stored in the history."
            self._tell(Noticed(Fault(words, "The audit contains them.")))

    def _row(self, finished: FinishedCall) -> Row | None:
        """Return the row of a call, or None when it cannot be encoded: untrusted arguments may be nested too deeply."""
        try:
            return encode_row(finished, self._mask)
        except (ValueError, RecursionError) as fault:
            log.warning("a call of %s cannot be stored: %s", finished.call.tool, type(fault).__name__)
            return None

    def _insert(self, rows: list[Row]) -> tuple[PastCall, ...]:
        store = self._opened()
        store.execute("BEGIN IMMEDIATE")
        try:
            numbers = [store.execute(_INSERT, row).lastrowid for row in rows]
            store.execute("COMMIT")
        except BaseException:
            store.rollback()
            raise
        self._calls_since += len(rows)
        self._bytes_since += sum(row[-1] for row in rows)
        if self._calls_since >= TIDY or self._bytes_since >= TIDY_BYTES:
            self._tidy(store)
        told = numbers[-TOLD:]
        places = ", ".join("?" * len(told))
        return decode_rows(store.execute(f"SELECT {LISTED} FROM calls WHERE id IN ({places})", told).fetchall())[0]

    def _tidy(self, store: sqlite3.Connection) -> None:
        """Delete calls that are too old, then the oldest until the size limit is met."""
        self._calls_since = self._bytes_since = 0
        settings = self._settings()
        eldest = time.time() - settings.history_days * DAY
        store.execute("DELETE FROM calls WHERE at < ?", (eldest,))
        while _size(store) > settings.history_megabytes * 1_000_000:
            store.execute("DELETE FROM calls WHERE id IN (SELECT id FROM calls ORDER BY id LIMIT ?)", (ELDEST,))
        store.execute("INSERT INTO found(found, rank) VALUES ('merge', ?)", (MERGE,))
        store.executescript("PRAGMA incremental_vacuum")  # `execute` would free only one page

    def _recover(self, fault: Exception) -> None:
        """Handle a failed write or query: set a damaged file aside, so that the next call creates a new one; report
        other failures, which may be temporary, once."""
        log.warning("the history cannot be used: %s", fault)
        self._let_go()
        if _is_damage(fault):
            self._tell(Noticed(_damaged(set_aside(self._path))))
        elif not self._complained:
            self._complained = True
            self._tell(Noticed(Fault(f"Calls cannot be stored in the history: {fault}.", f"Its file: {self._path}")))

    def _begin_anew(self) -> None:
        self._let_go()
        remove(self._path)

    def _close(self) -> None:
        self._write()
        self._let_go()

    def _let_go(self) -> None:
        if self._store is not None:
            store, self._store = self._store, None
            store.close()


def _weight(finished: FinishedCall) -> int:
    outcome = finished.outcome
    return CALL_WEIGHT + len(outcome.structured) + sum([len(one.text) + len(one.data) for one in outcome.content])


def _is_damage(fault: Exception) -> bool:
    """Whether the error means a damaged file. SQLite has no error class for that."""
    return type(fault) is sqlite3.DatabaseError or isinstance(fault, UnicodeDecodeError) or "decode" in str(fault)


def _size(store: sqlite3.Connection) -> int:
    """Return the bytes of all stored calls. Counting pages in use would be wrong: the full-text index frees the pages
    of deleted rows only later."""
    (size,) = store.execute("SELECT coalesce(sum(size), 0) FROM calls").fetchone()
    return int(size)


def _damaged(aside: Path) -> Fault:
    return Fault("The call history was damaged; a new one was started.", f"The damaged file was moved to {aside}", "")
