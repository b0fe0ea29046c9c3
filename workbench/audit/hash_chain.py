"""Hash chain of the audit: the exact bytes that are hashed, conversion between entries and rows, and the head file.

The hash is SHA-256 over the JSON list of the previous hash and every column, `detail` as the JSON text that is stored.
It can be recomputed from the file with any JSON library.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as _text
from pathlib import Path
from typing import Any, TypeAlias

from workbench.records import Entry, Note
from workbench.records.audit import current_kind

START = "0" * 64  # the previous hash of the first entry
LARGEST = 2**63 - 1  # the largest integer that SQLite stores
COLUMNS = (
    "seq", "at", "kind", "summary", "actor", "session", "run_id", "server", "tool", "risk", "ok", "ms", "tokens",
    "detail",
)  # fmt: skip
ALL_COLUMNS = ", ".join((*COLUMNS, "previous", "hash"))
READ_COLUMNS = ALL_COLUMNS.replace("kind", "written_kind")  # columns of the view that `open_for_queries` makes

Row: TypeAlias = tuple[Any, ...]  # Any: a SQLite column may hold any type, above all in a file that was tampered with


def row_of(seq: int, at: float, note: Note) -> Row:
    """The columns of a note, in the types that SQLite returns."""
    words = (note.kind, note.summary, note.actor, note.session, note.run_id, note.server, note.tool, note.risk)
    texts = tuple(map(str, words))
    if not "".join(texts).isascii():
        texts = tuple(map(clean, texts))
    ms = float(note.ms) + 0.0 if math.isfinite(note.ms) else 0.0  # SQLite has no -0.0
    return (seq, at, *texts, int(note.ok), ms, min(int(note.tokens), LARGEST), _json(note.detail))


def hash_of(previous: str, row: Row) -> str:
    """The hash of a row that follows the row with the hash `previous`. TypeError if a text column holds no text."""
    return digest_of(text_of(previous, row))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def text_of(previous: str, row: Row) -> str:
    """The text that is hashed, as `json.dumps` would write it, in a third of the time."""
    seq, at, kind, summary, actor, session, run_id, server, tool, risk, ok, ms, tokens, detail = row
    return (
        f"[{_text(previous)}, {seq!r}, {at!r}, {_text(kind)}, {_text(summary)}, {_text(actor)}, {_text(session)}, "
        f"{_text(run_id)}, {_text(server)}, {_text(tool)}, {_text(risk)}, {ok!r}, {ms!r}, {tokens!r}, {_text(detail)}]"
    )


def entry_of(row: Row) -> Entry:
    """An entry from all columns; a detail that is not JSON any more is returned as text."""
    seq, at, kind, summary, actor, session, run_id, server, tool, risk, ok, ms, tokens, detail, previous, digest = row
    try:
        detail = json.loads(detail)
    except (TypeError, ValueError):
        detail = {"damaged": str(detail)}
    current = current_kind(kind)
    note = Note(current, summary, actor, session, run_id, server, tool, risk, bool(ok), ms, tokens, detail)
    return Entry(seq, at, note, previous, digest, "" if current == kind else kind)


def clean(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot store, written as escapes."""
    text = str(text)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _json(detail: Mapping[str, Any]) -> str:
    """A detail as JSON text. Other values are stored as text, because losing the entry would be worse. Any: JSON."""
    return clean(_written(dict(detail)))


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


_written = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_plain).encode


WIDTH = 20  # digits of the number: every head has the same length and completely overwrites the previous one


@dataclass(frozen=True, slots=True)
class Head:
    """Number and hash of the last entry, as the head file records them."""

    seq: int
    hash: str


class HeadFile:
    """The file next to the database that records the last entry; overwritten in place after every entry."""

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
    """The head from the head file; None if there is no file or it cannot be parsed."""
    try:
        seq, digest = head_path(database).read_text(encoding="ascii").split()
        return Head(int(seq), digest)
    except (OSError, ValueError):
        return None


def fault_at_end(store: sqlite3.Connection, head: Head | None) -> str:
    """Why the end of the database does not fit the head file; empty if it does, or if newer entries follow."""
    (last,) = store.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
    if head is None:
        return "the file that records the last entry is missing or damaged" if last else ""
    if head.seq > last:
        missing = head.seq - last
        return f"{missing} {'entry is' if missing == 1 else 'entries are'} missing at the end"
    found = store.execute("SELECT hash FROM entries WHERE seq = ?", (head.seq,)).fetchone()
    if head.seq and found != (head.hash,):
        return f"entry {head.seq} differs from the one that was written"
    return ""
