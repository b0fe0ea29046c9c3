"""Walks the chain and says where it breaks. Any thread or process may: it reads through its own connection.

Each row holds the hash of the one before, so stretches of the chain can be walked apart, by several processes. Most of
the way is walked by `stride.py`, which is quicker and stops wherever something looks odd; what is odd is told here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from workbench.audit.audit_database import DAMAGE, open_to_read
from workbench.audit.chain_head_file import fault_at_end, read_head
from workbench.audit.fast_chain_check import GAP, stride
from workbench.audit.hash_chain import ALL_COLUMNS, START, Row, hash_of
from workbench.records import ChainReport

TOLD = 20_000  # entries between two words about how far it is
_ROWS = 500  # looked at in full where something looked odd

_ALL = f"SELECT {ALL_COLUMNS} FROM entries WHERE seq <= ? ORDER BY seq"
_FROM = f"SELECT {ALL_COLUMNS} FROM entries WHERE seq >= ? AND seq <= ? ORDER BY seq"
_HASH = "SELECT hash FROM entries WHERE seq = ?"


class Stretch(Struct, frozen=True):
    """Numbers of entries; the first one also looks below them, where nothing may be."""

    first: int
    last: int


def verify(path: Path) -> ChainReport:
    """Whether every entry fits the one before and the end is the end that was noted."""
    head = read_head(path)  # first: entries written meanwhile only move the database beyond it
    report = ChainReport(False, 0, START, 1, "")
    try:
        with closing(open_to_read(path)) as store:
            store.execute("BEGIN")
            (last,) = store.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
            report = walk(store, Stretch(1, last))
            if report.whole and (reason := fault_at_end(store, head)):
                report = ChainReport(False, report.entries, report.head, report.entries + 1, reason)
    except DAMAGE as fault:
        return damaged(report, fault)
    return report


def walk(store: sqlite3.Connection, stretch: Stretch, tell: Callable[[int], None] = lambda done: None) -> ChainReport:
    """One stretch of the chain; `tell` hears now and then how many entries were looked at."""
    seq, previous = stretch.first - 1, START
    if seq and (found := store.execute(_HASH, (seq,)).fetchone()):
        previous = found[0]
    report = ChainReport(True, seq, previous)
    while True:
        reached = min(report.entries + TOLD, stretch.last)
        seq, previous = stride(store, report.entries, report.head, reached)
        report = ChainReport(True, seq, previous)
        if not seq == reached > 0:
            report = _walk_in_full(store, Stretch(seq + 1, min(seq + _ROWS, stretch.last)), previous)
        tell(report.entries - stretch.first + 1)
        if not report.whole or report.entries >= stretch.last:
            return report


def _walk_in_full(store: sqlite3.Connection, stretch: Stretch, previous: str) -> ChainReport:
    """Row by row, all columns: where nothing is wrong, a little slower; where something is, with the reason."""
    seq = stretch.first - 1
    asked = (_FROM, (stretch.first, stretch.last)) if seq else (_ALL, (stretch.last,))
    try:
        for row in store.execute(*asked):
            if reason := _misfit(row, seq + 1, previous):
                return ChainReport(False, seq, previous, seq + 1, reason)
            seq, previous = row[0], row[15]
    except DAMAGE as fault:
        return damaged(ChainReport(False, seq, previous), fault)
    if seq < stretch.last:
        return ChainReport(False, seq, previous, seq + 1, f"entry {seq + 1} is missing")
    return ChainReport(True, seq, previous)


def damaged(so_far: ChainReport, fault: Exception) -> ChainReport:
    words = f"the file is damaged: {fault}"
    return ChainReport(False, so_far.entries, so_far.head, so_far.entries + 1, words)


def _misfit(row: Row, seq: int, previous: str) -> str:
    """Why a row is not the entry that should stand here; empty when it is."""
    if row[0] != seq:
        return f"entry {seq} is missing"
    if row[14] != previous:
        return "it does not follow the entry before it"
    try:
        changed = row[15] != hash_of(previous, row[:14])
    except TypeError:  # a blob, which we never write
        changed = True
    if changed:
        return "its content is not what was written"
    if row[2] == GAP:
        return f"here the workbench noticed a loss: {row[3]}"
    return ""
