"""SQLite cache of sentence embeddings, so that each text is embedded once.

Rows are found by a hash of model and text. The least recently used rows are deleted first. An unusable file only costs
time.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")

_MOST_ROWS = 50_000  # maximum number of rows, of 768 bytes each
_KEYS_PER_QUERY = 500  # maximum number of keys per SQL query
_CREATE_TABLE = (
    "CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, row BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID"
)
# deletes all rows except the most recently used ones
_TRIM_ROWS = "DELETE FROM rows WHERE key IN (SELECT key FROM rows ORDER BY used DESC, key LIMIT -1 OFFSET ?)"


class EmbeddingCache:
    """A cache in one SQLite file. Each call opens the file, because calls come from different threads."""

    def __init__(self, file: Path, model: str) -> None:
        self._file = file
        self._model = model.encode()

    def key(self, text: str) -> bytes:
        return hashlib.sha256(self._model + b"\0" + text.encode("utf-8", "surrogatepass")).digest()

    def rows(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the cached rows among these keys, and mark them as used."""
        return self._with_store(lambda store: _read_rows(store, keys)) or {}

    def keep(self, rows: Mapping[bytes, bytes]) -> None:
        now = int(time.time())

        def write(store: sqlite3.Connection) -> None:
            with store:
                store.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", [(*one, now) for one in rows.items()])
                store.execute(_TRIM_ROWS, (_MOST_ROWS,))

        if rows:
            self._with_store(write)

    def _with_store(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer | None:
        """Run an action on the database.

        Returns None if the file cannot be used. A file that is no database is deleted."""
        try:
            return self._open_and_run(action)
        except sqlite3.DatabaseError as fault:
            log.warning("embeddings of the sentence model cannot be cached: %s", fault)
            if not isinstance(fault, sqlite3.OperationalError):  # busy, or a full disk: the file itself is intact
                self._file.unlink(missing_ok=True)
        except OSError as fault:
            log.warning("embeddings of the sentence model cannot be cached: %s", fault)
        return None

    def _open_and_run(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(self._file, timeout=5.0)) as store:
            store.execute(_CREATE_TABLE)
            return action(store)


def _read_rows(store: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    now = int(time.time())
    with store:
        for start in range(0, len(keys), _KEYS_PER_QUERY):
            some = keys[start : start + _KEYS_PER_QUERY]
            marks = ",".join("?" * len(some))
            found.update(store.execute(f"SELECT key, row FROM rows WHERE key IN ({marks})", some))
            store.execute(f"UPDATE rows SET used = ? WHERE key IN ({marks})", (now, *some))
    return found
