"""Keeps entries that must outlive this process but need not be in the database yet: a file beside it, one line each.

An entry costs the database a tenth of a millisecond, because eight indexes follow it; a line costs a hundredth of
that. An entry that stands here has its number and its hash already, so it is put into the database as it is: with the
next ones, or by the next core, if this one is killed. What does not follow the last entry by hash is not taken.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from workbench.audit.chain import COLUMNS, LARGEST, Row, clean, hash_of

_WIDTH = len(COLUMNS) + 1


class Ahead:
    """The file beside a database."""

    def __init__(self, database: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.fdopen(os.open(ahead_path(database), flags, 0o600), "r+b", buffering=0)
        self._size = os.fstat(self._file.fileno()).st_size

    def write(self, entries: Iterable[tuple[str, str]]) -> None:
        """Each as the text that was hashed and its hash. When this returns, no death of this process loses them. Raises
        OSError, and then none of them is here."""
        data = "".join([f"{text} {digest}\n" for text, digest in entries]).encode("ascii")
        try:
            if os.write(self._file.fileno(), data) != len(data):
                raise OSError("it is full")
        except OSError:
            os.ftruncate(self._file.fileno(), self._size)
            raise
        self._size += len(data)

    def clear(self) -> None:
        """They are in the database."""
        if self._size:
            os.ftruncate(self._file.fileno(), 0)
            self._size = 0

    def rows(self) -> tuple[list[Row], int]:
        """What stands here up to the first line that is none of ours, and how many lines there are from that one on. An
        end without a line break is none: its writer was killed before anybody was told that it stands here."""
        self._file.seek(0)
        lines = self._file.read().split(b"\n")[:-1]
        found: list[Row] = []
        for line in lines:
            text, _, digest = line.rpartition(b" ")
            try:
                parts = json.loads(text)
            except (ValueError, RecursionError):
                break
            if not _is_entry(parts):
                break
            found.append((*parts[1:], parts[0], digest.decode("ascii", "replace")))
        return found, len(lines) - len(found)

    def close(self) -> None:
        self._file.close()


def ahead_path(database: Path) -> Path:
    return database.with_name(database.name + ".ahead")


def _is_entry(parts: Any) -> bool:
    """Any: JSON. Whether a database takes it; what it says is another question."""
    if not isinstance(parts, list) or len(parts) != _WIDTH:
        return False
    previous, seq, at, *texts, ok, ms, tokens, detail = parts
    return all(map(_is_number, (seq, at, ok, ms, tokens))) and all(map(_is_text, (previous, *texts, detail)))


def _is_number(value: object) -> bool:
    return (type(value) is int and abs(value) <= LARGEST) or (type(value) is float and math.isfinite(value))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and clean(value) == value


def following(rows: Sequence[Row], seq: int, digest: str) -> list[Row]:
    """Those that follow the entry with this number and hash, each tied to the one before."""
    found: list[Row] = []
    for row in rows:
        if type(row[0]) is not int or row[0] <= seq:
            continue
        try:
            fits = row[0] == seq + 1 and row[-2] == digest and row[-1] == hash_of(digest, row[:-2])
        except TypeError:
            fits = False
        if not fits:
            break
        found.append(row)
        seq, digest = row[0], row[-1]
    return found
