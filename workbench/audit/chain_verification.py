"""Verifies the hash chain of an audit, on a thread or, for a long audit, in several processes at once.

Each row holds the hash of the row before it, so ranges of the chain can be verified independently. A fast loop verifies
a range; from the first row that the loop does not accept, rows are compared column by column to find the reason.
`python -m workbench.audit.chain_verification FILE FIRST LAST` verifies one range in a separate process, because hashing
holds the interpreter lock. Each line it prints is the number of verified entries; the last line is the report.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from itertools import pairwise
from json.encoder import encode_basestring_ascii
from pathlib import Path

import msgspec
from msgspec import Struct

from workbench.audit.audit_database import DAMAGE, open_to_read
from workbench.audit.hash_chain import ALL_COLUMNS, START, Head, Row, fault_at_end, hash_of, read_head
from workbench.events import spawn
from workbench.records import ChainReport

GAP = "audit.gap"  # kind of the entry that records, at the next start, that entries are missing
PROGRESS_EVERY = 20_000  # entries between two reports of progress
SHORT = 20_000  # entries below which a thread verifies: starting a process would take longer
PROCESSES = 4  # maximum of processes of one verification
_FULL_ROWS = 500  # compared column by column before the fast loop is tried again
_LOWEST = -(2**63)
_PACKAGE_FOLDER = Path(__file__).resolve().parents[2]  # working directory, so that no module of a project is imported

_ROWS = f"SELECT {ALL_COLUMNS} FROM entries WHERE seq >= ? AND seq <= ? ORDER BY seq"
_FAST_ROWS = """
SELECT seq, at, ok, ms, tokens, json_array(kind, summary, actor, session, run_id, server, tool, risk, detail),
    previous, hash
FROM entries WHERE seq >= ? AND seq <= ? ORDER BY seq
"""
_HASH = "SELECT hash FROM entries WHERE seq = ?"
_COMMA, _COMMA_SPACE = '","', '", "'  # between two texts of a list, as SQLite and as Python write it
_GAP_START = f'["{GAP}"'


class EntryRange(Struct, frozen=True):
    """Numbers of entries, both included. A range from 1 also covers lower numbers, which no entry may have."""

    first: int
    last: int


def verify(path: Path) -> ChainReport:
    """Verify that every entry follows the one before it and that the last entry is the one in the head file."""
    head = read_head(path)  # read first: entries written meanwhile only extend the database beyond it
    report = ChainReport(False, 0, START, 1, "")
    try:
        with closing(open_to_read(path)) as store:
            store.execute("BEGIN")
            (last,) = store.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()
            report = verify_range(store, EntryRange(1, last))
            return _with_end(report, store, head) if report.whole else report
    except DAMAGE as fault:
        return _damaged(report, fault)


def verify_range(
    store: sqlite3.Connection, entries: EntryRange, progress: Callable[[int], None] = lambda done: None
) -> ChainReport:
    """Verify one range of the chain. `progress` is called with the number of entries verified so far."""
    seq, previous = entries.first - 1, START
    if seq and (found := store.execute(_HASH, (seq,)).fetchone()):
        previous = found[0]
    while True:
        reached = min(seq + PROGRESS_EVERY, entries.last)
        seq, previous = verify_fast(store, seq, previous, reached)
        report = ChainReport(True, seq, previous)
        if not seq == reached > 0:
            report = _verify_in_full(store, EntryRange(seq + 1, min(seq + _FULL_ROWS, entries.last)), previous)
        seq, previous = report.entries, report.head
        progress(seq - entries.first + 1)
        if not report.whole or seq >= entries.last:
            return report


def verify_fast(store: sqlite3.Connection, seq: int, previous: str, last: int) -> tuple[int, str]:
    """Number and hash of the last entry up to which the chain is correct. SQLite returns the texts of an entry as one
    JSON list, so that Python handles one text instead of nine; the hashed bytes are the same as when it was written."""
    with suppress(*DAMAGE, TypeError, AttributeError):  # AttributeError: a column that should be text is not
        rows = store.execute(_FAST_ROWS, (seq + 1 if seq else _LOWEST, last))
        for number, at, ok, ms, tokens, texts, before, digest in rows:
            if not texts.isascii():
                texts = _escaped(texts)
            head, _, detail = texts[1:].rpartition(_COMMA)
            hashed = (
                f'["{before}", {number!r}, {at!r}, {head.replace(_COMMA, _COMMA_SPACE)}", {ok!r}, {ms!r}, {tokens!r}, '
                f'"{detail}'
            )
            if digest != sha256(hashed.encode()).hexdigest() or before != previous or number != seq + 1:
                break
            if texts.startswith(_GAP_START):
                break
            seq, previous = number, digest
    return seq, previous


async def verify_in_processes(
    path: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> ChainReport:
    """As `verify`, in several processes. `progress` is called with the number of verified entries and of all."""
    head = read_head(path)
    last = await asyncio.to_thread(_last, path)
    if last < SHORT:
        return await asyncio.to_thread(verify, path)
    done: dict[int, int] = {}

    def count(first: int, number: int) -> None:
        done[first] = number
        progress(sum(done.values()), last)

    number = max(1, min(PROCESSES, os.cpu_count() or 1, last // SHORT))
    edges = [last * part // number for part in range(number + 1)]
    ranges = [EntryRange(low + 1, high) for low, high in pairwise(edges)]
    parts = [spawn("audit verification", _in_process(path, entries, count)) for entries in ranges]
    try:
        reports = await asyncio.gather(*parts)
    finally:
        for part in parts:
            part.cancel()
        await asyncio.gather(*parts, return_exceptions=True)
    return await asyncio.to_thread(_first_fault, path, reports, head)


async def _in_process(path: Path, entries: EntryRange, count: Callable[[int, int], None]) -> ChainReport:
    """Verify a range in a process. If the process dies, verify on a thread: the audit may be correct all the same."""
    command = ("-m", "workbench.audit.chain_verification", str(path.absolute()), str(entries.first), str(entries.last))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL, cwd=_PACKAGE_FOLDER, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    line = b""
    try:
        async for line in process.stdout:
            if line.strip().isdigit():
                count(entries.first, int(line))
        await process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    try:
        return msgspec.json.decode(line, type=ChainReport)
    except msgspec.DecodeError:
        return await asyncio.to_thread(_verify_range_of, path, entries)


def _verify_range_of(
    path: Path, entries: EntryRange, progress: Callable[[int], None] = lambda done: None
) -> ChainReport:
    try:
        with closing(open_to_read(path)) as store:
            return verify_range(store, entries, progress)
    except DAMAGE as fault:
        return _damaged(ChainReport(False, entries.first - 1, ""), fault)


def _first_fault(path: Path, reports: list[ChainReport], head: Head | None) -> ChainReport:
    for report in reports:
        if not report.whole:
            return report
    try:
        with closing(open_to_read(path)) as store:
            return _with_end(reports[-1], store, head)
    except DAMAGE as fault:
        return _damaged(reports[-1], fault)


def _with_end(report: ChainReport, store: sqlite3.Connection, head: Head | None) -> ChainReport:
    """The report of a correct chain, or of a fault if its last entry does not fit the head file."""
    reason = fault_at_end(store, head)
    return ChainReport(False, report.entries, report.head, report.entries + 1, reason) if reason else report


def _last(path: Path) -> int:
    try:
        with closing(open_to_read(path)) as store:
            return int(store.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
    except DAMAGE:
        return 0


def _verify_in_full(store: sqlite3.Connection, entries: EntryRange, previous: str) -> ChainReport:
    """Verify a range row by row and column by column; reports the reason for the first fault."""
    seq = entries.first - 1
    try:
        for row in store.execute(_ROWS, (entries.first if seq else _LOWEST, entries.last)):
            if reason := _row_fault(row, seq + 1, previous):
                return ChainReport(False, seq, previous, seq + 1, reason)
            seq, previous = row[0], row[15]
    except DAMAGE as fault:
        return _damaged(ChainReport(False, seq, previous), fault)
    if seq < entries.last:
        return ChainReport(False, seq, previous, seq + 1, f"entry {seq + 1} is missing")
    return ChainReport(True, seq, previous)


def _damaged(so_far: ChainReport, fault: Exception) -> ChainReport:
    return ChainReport(False, so_far.entries, so_far.head, so_far.entries + 1, f"the file is damaged: {fault}")


def _row_fault(row: Row, seq: int, previous: str) -> str:
    """Why a row is not the entry with this number; empty if it is."""
    if row[0] != seq:
        return f"entry {seq} is missing"
    if row[14] != previous:
        return "it does not follow the previous entry"
    try:
        changed = row[15] != hash_of(previous, row[:14])
    except TypeError:  # a blob, which the workbench never writes
        changed = True
    if changed:
        return "its content is not what was written"
    if row[2] == GAP:
        return f"the workbench noticed a loss of entries here ({row[3]})"
    return ""


def _escaped(texts: str) -> str:
    """A JSON list with non-ASCII characters escaped as Python does; quotes and backslashes are escaped already."""
    twice = encode_basestring_ascii(texts)[1:-1]
    return twice.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\")


if __name__ == "__main__":
    _path, _entries = Path(sys.argv[1]), EntryRange(int(sys.argv[2]), int(sys.argv[3]))
    _report = _verify_range_of(_path, _entries, lambda done: print(done, flush=True))
    print(json.dumps(msgspec.to_builtins(_report)), flush=True)
