"""Remembers the last entry beside the database, so that a cut-off tail is noticed: a chain alone cannot miss its end.

What this does not claim: whoever can write both files as this user can make a new, consistent history. The chain and
the head find accidents and edits; a head noted elsewhere (`mcp-workbench audit verify` prints it) finds the rest.
"""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

WIDTH = 20  # digits of the number, so that every head has the same length and replaces the last one whole


@dataclass(frozen=True, slots=True)
class Head:
    """Number and hash of an entry that was the last one."""

    seq: int
    hash: str


class HeadFile:
    """The file beside the database; written in place after every entry."""

    def __init__(self, database: Path) -> None:
        self._path = head_path(database)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.fdopen(os.open(self._path, flags, 0o600), "r+b", buffering=0)

    def write(self, head: Head) -> None:
        os.pwrite(self._file.fileno(), f"{head.seq:0{WIDTH}d} {head.hash}\n".encode("ascii"), 0)

    def close(self) -> None:
        self._file.close()


def head_path(database: Path) -> Path:
    return database.with_name(database.name + ".head")


def read_head(database: Path) -> Head | None:
    """The head as noted; None when there is none or it cannot be read as one."""
    try:
        seq, digest = head_path(database).read_text(encoding="ascii").split()
        return Head(int(seq), digest)
    except (OSError, ValueError):
        return None


def fault_at_end(store: sqlite3.Connection, head: Head | None) -> str:
    """Why the end of the database is not the end that was noted; empty when it is, or goes beyond it."""
    (last,) = store.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
    if head is None:
        return "the note of the last entry is missing" if last else ""
    if head.seq > last:
        return f"{head.seq - last} entries are missing at the end"
    found = store.execute("SELECT hash FROM entries WHERE seq = ?", (head.seq,)).fetchone()
    if head.seq and found != (head.hash,):
        return f"entry {head.seq} is not the one that was written"
    return ""
