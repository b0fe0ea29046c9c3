"""Reads the `.ahead` file of version 0.1: audit entries that a killed core had not written to the database yet.

Each line is the hashed text of an entry and its hash, so entries are inserted unchanged. Entries that do not continue
the hash chain are not inserted.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.audit.hash_chain import COLUMNS, LARGEST, Row, clean, hash_of

_WIDTH = len(COLUMNS) + 1


def read_ahead(database: Path, seq: int, digest: str) -> tuple[list[Row], int]:
    """Entries that continue the chain after the entry with this number and hash, and the number of unusable lines."""
    try:
        handle = os.open(ahead_path(database), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return [], 0
    with os.fdopen(handle, "rb") as file:
        lines = file.read().split(b"\n")[:-1]  # without a line break: an incomplete line of a killed core
    waiting = _rows(lines)
    rows = _following(waiting, seq, digest)
    end = rows[-1][0] if rows else seq
    return rows, len(lines) - len(waiting) + sum(1 for row in waiting if row[0] > end)


def _rows(lines: Sequence[bytes]) -> list[Row]:
    """The entries up to the first line that is not an entry."""
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
    return found


def ahead_path(database: Path) -> Path:
    return database.with_name(database.name + ".ahead")


def _is_entry(parts: Any) -> bool:
    """Whether the types of a parsed line fit the database; its content is not checked. Any: JSON."""
    if not isinstance(parts, list) or len(parts) != _WIDTH:
        return False
    previous, seq, at, *texts, ok, ms, tokens, detail = parts
    return all(map(_is_number, (seq, at, ok, ms, tokens))) and all(map(_is_text, (previous, *texts, detail)))


def _is_number(value: object) -> bool:
    return (type(value) is int and abs(value) <= LARGEST) or (type(value) is float and math.isfinite(value))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and clean(value) == value


def _following(rows: Sequence[Row], seq: int, digest: str) -> list[Row]:
    """The rows that continue the chain after the entry with this number and hash."""
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
