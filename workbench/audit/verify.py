"""Walks the whole chain in one pass and says where it breaks. Any thread may: it reads through its own connection."""

from __future__ import annotations

from pathlib import Path

from workbench.audit.chain import ALL_COLUMNS, START, Row, hash_of
from workbench.audit.head import fault_at_end, read_head
from workbench.audit.store import DAMAGE, open_to_read
from workbench.records import ChainReport

GAP = "audit.gap"  # kind of the entry that notes, at the next start, that entries had gone


def verify(path: Path) -> ChainReport:
    """Whether every entry fits the one before and the end is the end that was noted."""
    head = read_head(path)  # first: entries written meanwhile only move the database beyond it
    seq, previous = 0, START
    try:
        store = open_to_read(path)
        try:
            store.execute("BEGIN")
            for row in store.execute(f"SELECT {ALL_COLUMNS} FROM entries ORDER BY seq"):
                if reason := _misfit(row, seq + 1, previous):
                    return ChainReport(False, seq, previous, seq + 1, reason)
                seq, previous = row[0], row[-1]
            if reason := fault_at_end(store, head):
                return ChainReport(False, seq, previous, seq + 1, reason)
        finally:
            store.close()
    except DAMAGE as fault:
        return ChainReport(False, seq, previous, seq + 1, f"the file is damaged: {fault}")
    return ChainReport(True, seq, previous)


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
