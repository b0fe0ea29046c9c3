"""Which changes are known, and what the workspace held last: one SQLite file in the person's state folder.

Paths are bytes, as the disk has them. The book can be deleted: then nothing from before can be undone.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from workbench.workspace.directory_scan import Stamp

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS known(path BLOB PRIMARY KEY, mode, size, changed, touched, inode, links, sha) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changes(
    number INTEGER PRIMARY KEY, id TEXT UNIQUE, kind, actor, label, at REAL, undoes, undone_by, note
);
CREATE TABLE IF NOT EXISTS files(
    change INTEGER REFERENCES changes(number) ON DELETE CASCADE, path BLOB, b_mode, b_size, b_time, b_sha,
    a_mode, a_size, a_time, a_sha, shared, PRIMARY KEY(change, path)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_path ON files(path);
PRAGMA user_version = 1;
"""


class State(NamedTuple):
    """How something was at one moment. Without a hash its content is not kept."""

    mode: int
    size: int
    changed: int
    sha: str

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class Known(NamedTuple):
    """What stands in the workspace now, and what it holds."""

    stamp: Stamp
    sha: str

    @property
    def state(self) -> State:
        return State(self.stamp.mode, self.stamp.size, self.stamp.changed, self.sha)


@dataclass(slots=True)
class Change:
    """One path that somebody left different; None where it was not there."""

    before: State | None
    after: State | None
    shared: frozenset[str] = frozenset()

    @property
    def is_none(self) -> bool:
        return same(self.before, self.after)


@dataclass(slots=True)
class Changes:
    """What one author changed; `files` by path as the disk spells it."""

    id: str
    kind: str
    actor: str
    label: str
    at: float
    files: dict[str, Change] = field(default_factory=dict)
    undoes: str = ""
    undone_by: str = ""
    note: str = ""
    number: int = 0


def same(one: State | None, other: State | None) -> bool:
    """Whether a person would see no difference: time does not count where the content is known."""
    if one is None or other is None:
        return one is other
    if one.mode != other.mode:
        return False
    return one.sha == other.sha if one.sha and other.sha else one[1:3] == other[1:3]


class Book:
    """Opened when there is something to write or to read; one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        return self._store is not None or self._path.exists()

    def known(self) -> dict[str, Known]:
        rows = self._open().execute("SELECT path, mode, size, changed, touched, inode, links, sha FROM known")
        return {os.fsdecode(row[0]): Known(Stamp(*row[1:7]), row[7]) for row in rows}

    def learn(self, found: Mapping[str, Known], gone: Iterable[str]) -> None:
        store = self._open()
        with store:
            store.executemany("DELETE FROM known WHERE path = ?", [(os.fsencode(path),) for path in gone])
            store.executemany(
                "INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(os.fsencode(path), *one.stamp, one.sha) for path, one in found.items()],
            )

    def add(self, changes: Changes) -> None:
        store = self._open()
        with store:
            changes.number = self._insert(store, changes)
            store.executemany(
                f"INSERT INTO files VALUES ({', '.join('?' * 11)})",
                [(changes.number, os.fsencode(path), *_row(one)) for path, one in changes.files.items()],
            )
            if changes.undoes:
                store.execute("UPDATE changes SET undone_by = ? WHERE id = ?", (changes.id, changes.undoes))
                store.execute("UPDATE changes SET undone_by = '' WHERE undone_by = ?", (changes.undoes,))

    def _insert(self, store: sqlite3.Connection, changes: Changes) -> int:
        fields = (changes.id, changes.kind, changes.actor, changes.label, changes.at, changes.undoes, "", changes.note)
        words = "INSERT INTO changes(id, kind, actor, label, at, undoes, undone_by, note) VALUES (?,?,?,?,?,?,?,?)"
        return int(store.execute(words, fields).lastrowid or 0)

    def newest(self, most: int) -> list[tuple[Changes, int]]:
        """Without their files, but how many there are."""
        words = "SELECT *, (SELECT count(*) FROM files WHERE change = number) FROM changes ORDER BY number DESC LIMIT ?"
        return [(_changes(row[:-1]), int(row[-1])) for row in self._open().execute(words, (most,))]

    def find(self, name: str) -> Changes | None:
        row = self._open().execute("SELECT * FROM changes WHERE id = ?", (name,)).fetchone()
        if row is None:
            return None
        found = _changes(row)
        for line in self._open().execute("SELECT * FROM files WHERE change = ? ORDER BY path", (found.number,)):
            shared = frozenset(filter(None, line[10].split(" ")))
            found.files[os.fsdecode(line[1])] = Change(_state(line[2:6]), _state(line[6:10]), shared)
        return found

    def later(self, number: int, path: str) -> Changes | None:
        """Who touched a path last, after these changes."""
        words = (
            "SELECT changes.* FROM changes JOIN files ON change = number"
            " WHERE path = ? AND number > ? ORDER BY number DESC LIMIT 1"
        )
        row = self._open().execute(words, (os.fsencode(path), number)).fetchone()
        return _changes(row) if row is not None else None

    def ids(self) -> list[str]:
        """Oldest first."""
        return [row[0] for row in self._open().execute("SELECT id FROM changes ORDER BY number")]

    def forget(self, names: Iterable[str]) -> None:
        store = self._open()
        with store:
            store.executemany("DELETE FROM changes WHERE id = ?", [(name,) for name in names])

    def forget_before(self, at: float) -> None:
        store = self._open()
        with store:
            store.execute("DELETE FROM changes WHERE at < ?", (at,))

    def wanted(self) -> set[str]:
        """The hashes that something stands on."""
        words = "SELECT sha FROM known UNION SELECT b_sha FROM files UNION SELECT a_sha FROM files"
        return {row[0] for row in self._open().execute(words) if row[0]}

    def count(self) -> int:
        return int(self._open().execute("SELECT count(*) FROM changes").fetchone()[0])

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _open(self) -> sqlite3.Connection:
        if self._store is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                self._store = self._made()
            except sqlite3.DatabaseError:  # whatever it was, it is no book: what it knew is lost, the files are not
                self._path.replace(self._path.with_suffix(".damaged"))
                self._store = self._made()
        return self._store

    def _made(self) -> sqlite3.Connection:
        os.close(os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        store = sqlite3.connect(self._path, check_same_thread=False, isolation_level="DEFERRED")
        try:
            for words in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
                store.execute(f"PRAGMA {words}")
            store.executescript(_SCHEMA)
        except sqlite3.DatabaseError:
            store.close()
            raise
        return store


def _row(one: Change) -> tuple[object, ...]:
    empty = (None, None, None, None)
    return (*(one.before or empty), *(one.after or empty), " ".join(sorted(one.shared)))


def _state(row: tuple[object, ...]) -> State | None:
    return None if row[0] is None else State(*row)  # type: ignore[arg-type]  # columns are what `_row` wrote


def _changes(row: tuple[object, ...]) -> Changes:
    number, name, kind, actor, label, at, undoes, undone_by, note = row
    return Changes(
        str(name), str(kind), str(actor), str(label), float(str(at)), {},
        str(undoes), str(undone_by), str(note), int(str(number)),
    )  # fmt: skip
