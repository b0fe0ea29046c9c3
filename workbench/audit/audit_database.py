"""Opens the audit's SQLite file: creates it for the user only, rejects files of other programs, forbids rewriting.

WAL with synchronous=NORMAL: once `INSERT` returns, the kernel has the entry, so it survives the death of the process.
A power cut could still lose the last entries. Decisions of the user are therefore written with synchronous=FULL, which
also flushes all earlier entries to the disk.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from workbench.audit.hash_chain import ALL_COLUMNS
from workbench.errors import WorkbenchError
from workbench.records.audit import RENAMED_KINDS, lowered

OURS = 0x4D435742  # SQLite's application_id, "MCWB"
VERSION = 1
MAGIC = b"SQLite format 3\x00"
BUSY_SECONDS = 5.0
_MOST_WAL_PAGES = 16_384  # after which a write checkpoints the log; `checkpoint` does so much earlier, on a thread
DAMAGE = (
    sqlite3.DatabaseError,
    UnicodeDecodeError,
)  # raised by reading a damaged file; Python, not SQLite, reports invalid UTF-8

SCHEMA = """
CREATE TABLE entries(
    seq INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, summary TEXT NOT NULL, actor TEXT NOT NULL,
    session TEXT NOT NULL, run_id TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, risk TEXT NOT NULL,
    ok INTEGER NOT NULL, ms REAL NOT NULL, tokens INTEGER NOT NULL, detail TEXT NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL
);
"""
GUARDS = """
CREATE TRIGGER IF NOT EXISTS entries_stay BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
CREATE TRIGGER IF NOT EXISTS entries_remain BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
"""
_INDEXES = (
    "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'entries' AND name LIKE 'entries!_%' ESCAPE '!'"
)


def open_store(path: Path) -> sqlite3.Connection:
    """Open a connection for writing. Creates the file if there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        os.chmod(path, 0o600)
    except OSError as fault:
        raise WorkbenchError(
            f"The audit {path} cannot be opened: {fault.strerror}.", "Make the file writable; nothing runs without it."
        ) from fault
    _refuse_rubbish(path)
    store = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    add_functions(store)
    try:
        _prepare(store, path)
    except DAMAGE as fault:
        store.close()
        raise refusal(path, str(fault)) from fault
    except WorkbenchError:
        store.close()
        raise
    return store


def checkpoint(path: Path) -> None:
    """Move the write-ahead log into the database while readers and writers continue. Call it on a thread: it waits for
    the disk, up to 100 ms."""
    with closing(_connect_existing(path)) as store:
        store.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _connect_existing(path: Path) -> sqlite3.Connection:
    """A connection for writing that makes no new file if the audit was moved away."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", timeout=BUSY_SECONDS, isolation_level=None, uri=True)


def drop_indexes(path: Path) -> None:
    """Drop the secondary indexes of an audit that version 0.1 made; `search_index.py` replaces them. Drops one at a
    time, because writers wait meanwhile: up to half a second per index with a million entries."""
    with closing(_connect_existing(path)) as store:
        for (name,) in store.execute(_INDEXES).fetchall():
            store.execute(f'DROP INDEX IF EXISTS "{name}"')


def _refuse_rubbish(path: Path) -> None:
    """Reject a file that is no SQLite database: SQLite takes a very short file for an empty one and overwrites it."""
    with path.open("rb") as file:
        beginning = file.read(len(MAGIC))
    if beginning and beginning != MAGIC:
        raise refusal(path, "it is not an SQLite database")


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a read-only connection. Each thread may open its own."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    store = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    add_functions(store)
    return store


def open_for_queries(path: Path) -> sqlite3.Connection:
    """As `open_to_read`, but `entries` is a view in which renamed kinds have their current name."""
    store = open_to_read(path)
    store.execute(entries_view("main"))
    return store


def entries_view(database: str, may_be_renamed: str = "1") -> str:
    """SQL that creates the view `entries` of an attached audit, in which renamed kinds have their current name.
    `may_be_renamed` is a condition that saves a lookup in the list of kinds for all other entries."""
    old = ", ".join(f"'{kind}'" for kind in RENAMED_KINDS)
    renamed = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in RENAMED_KINDS.items())
    kind = f"CASE WHEN {may_be_renamed} AND kind IN ({old}) THEN CASE kind {renamed} END ELSE kind END AS kind"
    columns = ALL_COLUMNS.replace("kind", f"kind AS written_kind, {kind}")
    return f"CREATE TEMP VIEW entries AS SELECT {columns} FROM {database}.entries"


def add_functions(store: sqlite3.Connection) -> None:
    """Register the SQL functions that the statements of `search_queries.py` call."""
    store.create_function("lowered", 1, lambda text: lowered(str(text)), deterministic=True)


def refusal(path: Path, reason: str) -> WorkbenchError:
    return WorkbenchError(
        f"The audit {path} cannot be used: {reason}.",
        "Move it aside and keep it; a new audit begins at the next start. Nothing in it was changed.",
    )


def _prepare(store: sqlite3.Connection, path: Path) -> None:
    (owner,) = store.execute("PRAGMA application_id").fetchone()
    (version,) = store.execute("PRAGMA user_version").fetchone()
    empty = not store.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    if not empty and owner != OURS:
        raise refusal(path, "it is a database of another program")
    if version > VERSION:
        raise refusal(path, "a newer version of MCP Workbench created it")
    store.execute("PRAGMA journal_mode=WAL")
    store.execute("PRAGMA synchronous=NORMAL")
    store.execute(f"PRAGMA wal_autocheckpoint={_MOST_WAL_PAGES}")
    if empty:
        marks = f"PRAGMA application_id={OURS}; PRAGMA user_version={VERSION};"
        store.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {marks} COMMIT;")
    store.executescript(GUARDS)
