"""Opens the SQLite file of the call history, readable only by its owner. A file that is damaged or belongs to another
program is set aside and replaced, so a broken history never prevents work."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

OURS = 0x4D435748  # SQLite's application_id, "MCWH"
VERSION = 1
COMPANIONS = ("-wal", "-shm")  # suffixes of the files that SQLite writes beside a database

SCHEMA = """
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
BEGIN IMMEDIATE;
CREATE TABLE calls(
    id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
    origin TEXT NOT NULL, run_id TEXT NOT NULL, ok INTEGER NOT NULL, note TEXT NOT NULL, ms REAL NOT NULL,
    bytes INTEGER NOT NULL, tokens INTEGER NOT NULL, withheld TEXT NOT NULL, cut INTEGER NOT NULL,
    arguments TEXT NOT NULL, words TEXT NOT NULL, outcome BLOB NOT NULL, size INTEGER NOT NULL
);
CREATE INDEX calls_at ON calls(at);
CREATE INDEX calls_tool ON calls(server, tool, id);
CREATE INDEX calls_ok ON calls(ok, id);
CREATE INDEX calls_size ON calls(size);
CREATE VIRTUAL TABLE found USING fts5(
    words, content='calls', content_rowid='id', tokenize='unicode61 remove_diacritics 2', prefix='2 3'
);
CREATE TRIGGER calls_in AFTER INSERT ON calls
BEGIN INSERT INTO found(rowid, words) VALUES (new.id, new.words); END;
CREATE TRIGGER calls_out AFTER DELETE ON calls
BEGIN INSERT INTO found(found, rowid, words) VALUES ('delete', old.id, old.words); END;
"""


class Unusable(Exception):
    """Raised for a file that is not a history database of this version."""


def open_store(path: Path) -> tuple[sqlite3.Connection, Path | None]:
    """Open the history database. Returns the connection and the path to which an unusable file was moved, or None."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _open(path), None
    except (sqlite3.DatabaseError, UnicodeDecodeError, Unusable):
        aside = set_aside(path)
        return _open(path), aside


def set_aside(path: Path) -> Path:
    """Rename an unusable file and its companion files; nothing is deleted. Returns the new path."""
    name = f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
    aside, number = path.with_name(name), 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{name}-{number}")
    for end in ("", *COMPANIONS):
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{path}{end}", f"{aside}{end}")
    return aside


def remove(path: Path) -> None:
    """Delete the database and its companion files."""
    for end in ("", *COMPANIONS):
        Path(f"{path}{end}").unlink(missing_ok=True)


def _open(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600))
    if not path.is_file():
        raise Unusable
    os.chmod(path, 0o600)
    store = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    try:
        _prepare(store, path)
    except BaseException:
        store.close()
        raise
    return store


def _prepare(store: sqlite3.Connection, path: Path) -> None:
    (owner,) = store.execute("PRAGMA application_id").fetchone()
    (version,) = store.execute("PRAGMA user_version").fetchone()
    empty = not store.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    if empty and path.stat().st_size > 0 and owner != OURS:
        raise Unusable  # SQLite treats a very short file as an empty database and would overwrite it
    if not empty and (owner != OURS or version != VERSION):
        raise Unusable
    if empty:
        store.executescript(f"{SCHEMA} PRAGMA application_id={OURS}; PRAGMA user_version={VERSION}; COMMIT;")
    store.execute("PRAGMA synchronous = NORMAL")
    store.execute("PRAGMA secure_delete = ON")
