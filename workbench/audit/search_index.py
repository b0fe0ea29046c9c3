"""Search index of the audit, in a separate file in the cache: it can be deleted and is then rebuilt.

The audit's own table has no secondary index, because eight of them made each append four times as slow. This file
holds a trigram index of the texts, so any part of a word is found, and an inverted index of the columns: `terms` are
the values of a column, `postings` the numbers of the entries that have them. Verification of the chain does not use it.
SQLite alone builds it from the audit's file, so that no Python code competes with the core's event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workbench.audit.audit_database import BUSY_SECONDS, add_functions, checkpoint, drop_indexes, entries_view
from workbench.audit.search_queries import SEARCHED
from workbench.events import EntryWritten, Event
from workbench.records.audit import RENAMED_KINDS

log = logging.getLogger(__name__)

PAUSE = 1.0  # seconds between updates; entries that are not indexed yet are found too, only slower
OURS = 0x4D435749  # SQLite's application_id, "MCWI"
ENTRIES = 2_000  # maximum of entries in one step
LETTERS = 4_000_000  # maximum of characters of details in one step
HOUR = 3600
FACETS = ("actor", "session", "server", "tool")
FIELDS = {  # columns that are looked up by value; empty values are not indexed
    "area": "substr(kind, 1, instr(kind, '.'))",
    "kind": "kind",
    "session": "session",
    "run_id": "run_id",
    "server": "server",
    "tool": "tool",
    "risk": "risk",
    "actor": "actor",
    "failed": "CASE WHEN ok = 0 THEN 'yes' ELSE '' END",
}

VERSION = zlib.crc32(repr((3, FIELDS, dict(RENAMED_KINDS))).encode()) & 0x7FFF_FFFF
"""Changes with the indexed fields and the renamed kinds, so that an index made for others is built again. The number 3
counts changes of the tables below."""

TERMS = """CREATE TABLE terms(
    id INTEGER PRIMARY KEY, field TEXT NOT NULL, value TEXT NOT NULL, entries INTEGER NOT NULL, last INTEGER NOT NULL,
    UNIQUE(field, value)
)"""
POSTINGS = "CREATE TABLE postings(term INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(term, seq)) WITHOUT ROWID"
_SCHEMA = f"""
PRAGMA journal_mode = WAL;
BEGIN IMMEDIATE;
CREATE VIRTUAL TABLE found USING fts5(text, content='', detail=none, columnsize=0, tokenize='trigram');
CREATE TABLE hours(hour INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL);
{TERMS};
{POSTINGS};
CREATE TABLE reached(
    one INTEGER PRIMARY KEY CHECK(one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL, entries INTEGER NOT NULL,
    renamed INTEGER NOT NULL -- number of the newest entry whose kind was renamed
);
PRAGMA application_id = {OURS};
PRAGMA user_version = {VERSION};
COMMIT;
"""
_NEXT = """
SELECT max(seq) FROM (
    SELECT seq, sum(letters) OVER (ORDER BY seq) - letters AS before
    FROM (SELECT seq, length(detail) AS letters FROM entries WHERE seq > ? ORDER BY seq LIMIT ?)
) WHERE before < ?
"""
_WORDS = f"""
INSERT INTO found(rowid, text) SELECT seq, {" || ' ' || ".join(SEARCHED)} FROM entries WHERE seq > ? AND seq <= ?
"""
_HOURS = f"""
INSERT INTO hours SELECT CAST(at / {HOUR} AS INTEGER) AS hour, min(seq), max(seq) FROM entries
WHERE seq > ? AND seq <= ? GROUP BY hour
ON CONFLICT(hour) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)
"""
_TERMS = """
INSERT INTO terms(field, value, entries, last)
SELECT '{0}', {1} AS text, count(*), max(seq) FROM entries WHERE seq > ? AND seq <= ? AND text != '' GROUP BY text
ON CONFLICT(field, value) DO UPDATE SET entries = entries + excluded.entries, last = excluded.last
"""
_POSTINGS = """
INSERT INTO postings SELECT terms.id, made.seq FROM entries AS made
CROSS JOIN terms ON terms.field = '{0}' AND terms.value = {1} WHERE made.seq > ? AND made.seq <= ?
"""
_COLUMNS = tuple(sql.format(*field) for sql in (_TERMS, _POSTINGS) for field in FIELDS.items())
_REACHED = f"""
INSERT OR REPLACE INTO reached SELECT 1, seq, hash, coalesce((SELECT entries FROM reached), 0) + added.entries,
    coalesce(added.renamed, (SELECT renamed FROM reached), 0)
FROM audit.entries, (
    SELECT count(*) AS entries, max(CASE WHEN kind IN ({", ".join(f"'{kind}'" for kind in RENAMED_KINDS)}) THEN seq END)
        AS renamed FROM audit.entries WHERE seq > ? AND seq <= ?
) AS added WHERE seq = ?
"""


class AuditIndex:
    """The index of one audit. One thread at a time may use it; it never writes into the audit."""

    def __init__(self, audit: Path, path: Path) -> None:
        self.path = path
        self.audit = audit
        self._store: sqlite3.Connection | None = None

    def step(self) -> bool:
        """Index some entries; returns whether there may be more. A file that cannot be used is deleted and rebuilt."""
        try:
            return self._step(self._opened())
        except sqlite3.Error:
            self.remove()
            raise

    def close(self) -> None:
        if self._store is not None:
            store, self._store = self._store, None
            store.close()

    def remove(self) -> None:
        """Delete the files; the next step starts a new index."""
        self.close()
        for end in ("", "-wal", "-shm"):
            Path(f"{self.path}{end}").unlink(missing_ok=True)

    def _step(self, store: sqlite3.Connection) -> bool:
        done = reached(store, "main", "audit")
        if done is None:
            self.remove()
            return True
        (last,) = store.execute(_NEXT, (done, ENTRIES, LETTERS)).fetchone()
        if last is None:
            return False
        store.execute("BEGIN IMMEDIATE")
        try:
            for statement in (_WORDS, _HOURS, *_COLUMNS):
                store.execute(statement, (done, last))
            store.execute(_REACHED, (done, last, last))
            store.execute("COMMIT")
        except BaseException:
            store.rollback()
            raise
        return True

    def _opened(self) -> sqlite3.Connection:
        if self._store is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            store = sqlite3.connect(
                self.path.absolute().as_uri(), uri=True, timeout=BUSY_SECONDS, isolation_level=None,
                check_same_thread=False,
            )  # fmt: skip
            add_functions(store)
            try:
                _prepare(store, self.audit)
            except BaseException:
                store.close()
                raise
            self._store = store
        return self._store


def attach(store: sqlite3.Connection, index: Path) -> int:
    """Attach the index to a connection of the audit as `words`, and create the view `entries`, in which renamed kinds
    have their current name. Returns the number up to which the index covers the audit; 0 without an index."""
    done = _attach(store, index)
    renamed = store.execute("SELECT renamed FROM words.reached").fetchone()[0] if done else 0
    store.execute(entries_view("main", f"(seq <= {renamed} OR seq > {done})"))
    return done


def _attach(store: sqlite3.Connection, index: Path) -> int:
    try:
        store.execute("ATTACH ? AS words", (f"{index.absolute().as_uri()}?mode=ro",))
    except sqlite3.Error:
        return 0
    with contextlib.suppress(sqlite3.Error):
        (version,) = store.execute("PRAGMA words.user_version").fetchone()  # an index of an older core is rebuilt
        if version == VERSION and (done := reached(store, "words", "main")):
            return done
    store.execute("DETACH words")
    return 0


def reached(store: sqlite3.Connection, index: str, audit: str) -> int | None:
    """The number up to which the index covers this audit; None if it is the index of a different audit."""
    row = store.execute(f"SELECT seq, hash FROM {index}.reached").fetchone()
    if row is None:
        return 0
    same = store.execute(f"SELECT 1 FROM {audit}.entries WHERE seq = ? AND hash = ?", row).fetchone()
    return int(row[0]) if same else None


def _prepare(store: sqlite3.Connection, audit: Path) -> None:
    (owner,) = store.execute("PRAGMA application_id").fetchone()
    (version,) = store.execute("PRAGMA user_version").fetchone()
    if store.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() and (owner, version) != (OURS, VERSION):
        raise sqlite3.DatabaseError("the index is of another version")
    if version != VERSION:
        store.executescript(_SCHEMA)
    store.execute("PRAGMA synchronous = NORMAL")
    store.execute("ATTACH ? AS audit", (f"{audit.absolute().as_uri()}?mode=ro",))
    store.execute(entries_view("audit"))


class AuditIndexUpdater:
    """Updates the index on its own thread `PAUSE` seconds after entries are written."""

    hears = (EntryWritten,)

    def __init__(self, index: AuditIndex) -> None:
        self._index = index
        self._audit_has_indexes = True  # until checked: version 0.1 had indexes in the audit itself
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit-index")
        self._due: asyncio.TimerHandle | None = None
        self._closed = False

    def hear(self, event: Event) -> None:
        if isinstance(event, EntryWritten) and self._due is None and not self._closed:
            self._due = asyncio.get_running_loop().call_later(PAUSE, self._begin)

    async def close(self) -> None:
        """Stop; the remaining entries are indexed at the next start."""
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
        with contextlib.suppress(sqlite3.Error):  # such as a busy database; the next update tries again
            checkpoint(self._index.audit)
