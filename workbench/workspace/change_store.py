"""Stores file changes in the user's state folder: a SQLite database of changes, and file contents by their hash.

The database lists the changes of each author and the last known state of the workspace; paths are bytes, as on disk.
Each content is stored once: cloned where the file system can share blocks, elsewhere copied while it is hashed. Both
can be deleted; earlier changes can then not be undone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import sqlite3
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from workbench.files import typed_entries
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
CREATE INDEX IF NOT EXISTS by_undoes ON changes(undoes);
PRAGMA user_version = 1;
"""
# Each undone file of a change, with the undo that applies now. An undo of an undo is a redo, and so on: the latest of
# them that wrote the file decides.
_UNDONE: Final = """
WITH RECURSIVE undos(root, number, id, is_undone) AS (
    SELECT changed.number, undo.number, undo.id, 1
    FROM changes AS changed JOIN changes AS undo ON undo.undoes = changed.id WHERE ? IN ('', changed.id)
    UNION ALL
    SELECT root, changes.number, changes.id, 1 - is_undone
    FROM undos JOIN changes ON changes.undoes = undos.id AND changes.number > undos.number
)
SELECT root, undos.id, files.path, max(undos.number), is_undone
FROM undos JOIN files ON files.change = undos.number JOIN files AS own ON own.change = root AND own.path = files.path
GROUP BY root, files.path HAVING is_undone ORDER BY max(undos.number)
"""


class PathState(NamedTuple):
    """The state of a path at one moment. Without a hash its content is not stored."""

    mode: int
    size: int
    changed: int
    sha: str

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class Known(NamedTuple):
    """The current stamp of a path and the hash of its content."""

    stamp: Stamp
    sha: str

    @property
    def state(self) -> PathState:
        return PathState(self.stamp.mode, self.stamp.size, self.stamp.changed, self.sha)


@dataclass(slots=True)
class Change:
    """The change of one path; a state is None where the path did not exist."""

    before: PathState | None
    after: PathState | None
    shared: frozenset[str] = frozenset()

    @property
    def is_none(self) -> bool:
        return same(self.before, self.after)


@dataclass(slots=True)
class Changes:
    """The changes of one author, such as a run; `files` by path as spelled on disk."""

    id: str
    kind: str
    actor: str
    label: str
    at: float
    files: dict[str, Change] = field(default_factory=dict)
    undoes: str = ""
    undone_by: str = ""  # the latest undo of which some files were not redone
    note: str = ""
    number: int = 0
    undone: set[str] = field(default_factory=set)  # paths that were undone and not redone


def same(one: PathState | None, other: PathState | None) -> bool:
    """Whether two states are the same to the user: times are ignored if both contents are known."""
    if one is None or other is None:
        return one is other
    if one.mode != other.mode:
        return False
    return one.sha == other.sha if one.sha and other.sha else one[1:3] == other[1:3]


def write_order(path: str, wanted: PathState | Stamp | None) -> tuple[int, int]:
    """Sort key of paths to write: first those to remove, the deepest first; then folders, then the other paths."""
    depth = path.count("/")
    if wanted is None:
        return 0, -depth
    return (1, depth) if wanted.is_folder else (2, depth)


# Rows as they are read. SQLite checks no types, and the file may be damaged.
class _KnownRow(NamedTuple):
    path: bytes
    stamp: Stamp
    sha: str


class _ChangesRow(NamedTuple):
    number: int
    id: str
    kind: str
    actor: str
    label: str
    at: float
    undoes: str
    undone_by: str  # of earlier releases, which had one undo for all files
    note: str
    files: int = 0


class _UndoneRow(NamedTuple):
    root: int  # number of the undone changes
    id: str  # of the undo
    path: bytes
    number: int
    is_undone: int


class _FileRow(NamedTuple):
    path: bytes
    before: PathState | None
    after: PathState | None
    shared: str


class Book:
    """The database of changes. It is opened at the first use; one thread at a time may use it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        return self._store is not None or self._path.exists()

    def known(self) -> dict[str, Known]:
        rows = self._open().execute("SELECT path, mode, size, changed, touched, inode, links, sha FROM known")
        known = typed_entries([(row[0], row[1:7], row[7]) for row in rows], _KnownRow, self._path.name)
        return {os.fsdecode(row.path): Known(row.stamp, row.sha) for row in known}

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

    def _mark_undone(self, found: Iterable[Changes], name: str = "") -> None:
        """Fill in which files were undone, for the changes with this id or for all."""
        by_number = {changes.number: changes for changes in found}
        rows = self._open().execute(_UNDONE, (name,)).fetchall()
        for row in typed_entries(rows, _UndoneRow, self._path.name):
            if (changes := by_number.get(row.root)) is not None:
                changes.undone.add(os.fsdecode(row.path))
                changes.undone_by = row.id

    def _insert(self, store: sqlite3.Connection, changes: Changes) -> int:
        fields = (changes.id, changes.kind, changes.actor, changes.label, changes.at, changes.undoes, "", changes.note)
        words = "INSERT INTO changes(id, kind, actor, label, at, undoes, undone_by, note) VALUES (?,?,?,?,?,?,?,?)"
        return int(store.execute(words, fields).lastrowid or 0)

    def newest(self, most: int) -> list[tuple[Changes, int]]:
        """The newest changes without their files, each with its number of files."""
        words = "SELECT *, (SELECT count(*) FROM files WHERE change = number) FROM changes ORDER BY number DESC LIMIT ?"
        rows = self._open().execute(words, (most,)).fetchall()
        found = [(_changes(row), row.files) for row in typed_entries(rows, _ChangesRow, self._path.name)]
        self._mark_undone([changes for changes, _ in found])
        return found

    def find(self, name: str) -> Changes | None:
        rows = self._open().execute("SELECT * FROM changes WHERE id = ?", (name,)).fetchall()
        found = next(map(_changes, typed_entries(rows, _ChangesRow, self._path.name)), None)
        if found is None:
            return None
        lines = self._open().execute("SELECT * FROM files WHERE change = ? ORDER BY path", (found.number,)).fetchall()
        split = [(line[1], _state(line[2:6]), _state(line[6:10]), line[10]) for line in lines]
        for path, before, after, shared in typed_entries(split, _FileRow, self._path.name):
            found.files[os.fsdecode(path)] = Change(before, after, frozenset(filter(None, shared.split(" "))))
        self._mark_undone([found], name)
        return found

    def last_change_after(self, number: int, path: str) -> Changes | None:
        """The latest changes of a path after the changes with this number; without their files."""
        words = (
            "SELECT changes.* FROM changes JOIN files ON change = number"
            " WHERE path = ? AND number > ? ORDER BY number DESC LIMIT 1"
        )
        rows = self._open().execute(words, (os.fsencode(path), number)).fetchall()
        return next(map(_changes, typed_entries(rows, _ChangesRow, self._path.name)), None)

    def ids(self) -> list[str]:
        """The ids of all changes, oldest first."""
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
        """The hashes of contents that are referred to."""
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
                self._store = self._create()
            except sqlite3.DatabaseError:  # not a usable database: earlier changes are lost, no files
                self._path.replace(self._path.with_suffix(".damaged"))
                self._store = self._create()
        return self._store

    def _create(self) -> sqlite3.Connection:
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


def _state(columns: tuple[object, ...]) -> tuple[object, ...] | None:
    return None if columns[0] is None else columns


def _changes(row: _ChangesRow) -> Changes:
    return Changes(row.id, row.kind, row.actor, row.label, row.at, {}, row.undoes, "", row.note, row.number)


_CLONE: Final = 0x40049409  # FICLONE
_PIECE: Final = 1 << 20
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Contents:
    """A folder of contents by hash. Its methods use the disk: call them on a thread unless the content is small."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._clones = True  # until this file system refuses a clone

    def add_file(self, handle: int, most: int) -> str:
        """Store the content of an open file; returns its hash, empty if it is longer than `most`."""
        draft = self._draft()
        try:
            target = os.open(draft, _NEW, 0o600)
            try:
                digest = self._fill(handle, target, most)
            finally:
                os.close(target)
            return self._settle(draft, digest) if digest else ""
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()

    def add_bytes(self, data: bytes) -> str:
        """Store bytes, such as the target of a link; returns their hash."""
        digest = hashlib.sha256(data).hexdigest()
        if not self._place(digest).exists():
            draft = self._draft()
            with os.fdopen(os.open(draft, _NEW, 0o600), "wb") as file:
                file.write(data)
            self._settle(draft, digest)
        return digest

    def open(self, digest: str) -> BinaryIO:
        """Open a stored content; FileNotFoundError if it is not stored."""
        return open(self._place(digest), "rb")  # the caller closes it

    def read(self, digest: str, most: int = -1) -> bytes:
        """The first `most` bytes of a stored content; all if negative."""
        with self.open(digest) as file:
            return file.read(most)

    def has(self, digest: str) -> bool:
        return bool(digest) and self._place(digest).exists()

    def drop(self, digests: Iterable[str]) -> None:
        for digest in digests:
            with suppress(FileNotFoundError):
                self._place(digest).unlink()

    def all(self) -> dict[str, int]:
        """Every hash with its size in bytes. Drafts that a killed core left are deleted."""
        found = {}
        for folder in self._folder.glob("??"):
            for file in folder.iterdir():
                found[file.name] = file.stat().st_size
        for draft in self._folder.glob(".new-*"):
            draft.unlink(missing_ok=True)
        return found

    def _fill(self, handle: int, target: int, most: int) -> str:
        if os.fstat(handle).st_size > most:
            return ""
        if self._clones:
            try:
                fcntl.ioctl(target, _CLONE, handle)
            except OSError:
                self._clones = False
            else:
                return _hash_of(target)
        return _copy_and_hash(handle, target, most)

    def _settle(self, draft: Path, digest: str) -> str:
        place = self._place(digest)
        if place.exists():
            draft.unlink()
        else:
            place.parent.mkdir(mode=0o700, exist_ok=True)
            draft.replace(place)
        return digest

    def _draft(self) -> Path:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._folder / f".new-{secrets.token_hex(8)}"

    def _place(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest


def _hash_of(handle: int) -> str:
    digest, at = hashlib.sha256(), 0
    while piece := os.pread(handle, _PIECE, at):
        digest.update(piece)
        at += len(piece)
    return digest.hexdigest()


def _copy_and_hash(handle: int, target: int, most: int) -> str:
    digest, at = hashlib.sha256(), 0
    while piece := os.pread(handle, _PIECE, at):
        digest.update(piece)
        at += len(piece)
        if at > most:
            return ""  # the file grew while it was read
        view = memoryview(piece)
        while view:
            view = view[os.write(target, view) :]
    return digest.hexdigest()
