"""A long audit is walked by several processes; they say what one walk says, wherever it was changed."""

from __future__ import annotations

import sqlite3

import pytest

from workbench.audit import parallel_verification
from workbench.audit.chain_verification import verify
from workbench.audit.journal import Journal
from workbench.audit.parallel_verification import verify_apart
from workbench.records import Note

LENGTH = 400


@pytest.fixture
def long(place, monkeypatch):
    """Long enough for four processes."""
    monkeypatch.setattr(parallel_verification, "SHORT", LENGTH // 4)
    monkeypatch.setattr(parallel_verification.os, "cpu_count", lambda: 4)
    journal = Journal(place)
    journal._write([(float(number), Note("call.done", f"Call {number}")) for number in range(LENGTH)])
    journal.close()
    return place


async def test_the_parts_together_are_the_whole_and_tell_how_far_they_are(long):
    told = []
    report = await verify_apart(long, lambda done, entries: told.append((done, entries)))
    assert report == verify(long)
    assert report.whole
    assert report.entries == LENGTH
    assert told
    assert all(done <= LENGTH == entries for done, entries in told)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET summary = 'other' WHERE seq IN (150, 320)",
        "DELETE FROM entries WHERE seq BETWEEN 90 AND 110",
        "DELETE FROM entries WHERE seq = 300",
        "DELETE FROM entries WHERE seq > 390",
        "UPDATE entries SET hash = 'x' WHERE seq = 200",
        "UPDATE entries SET seq = -5 WHERE seq = 250",
    ],
)
async def test_the_first_fault_of_all_is_told(long, statement):
    store = sqlite3.connect(long)
    store.executescript(f"DROP TRIGGER entries_stay; DROP TRIGGER entries_remain; {statement}; ")
    store.close()
    apart = await verify_apart(long)
    alone = verify(long)
    assert not apart.whole
    assert (apart.broken_at, apart.entries) == (alone.broken_at, alone.entries)


async def test_a_process_that_dies_is_no_verdict(long, monkeypatch):
    monkeypatch.setattr(parallel_verification.sys, "executable", "/bin/false")
    assert (await verify_apart(long)).whole
