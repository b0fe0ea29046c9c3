"""The index follows the audit by itself, and an audit of an earlier version goes on unchanged."""

from __future__ import annotations

import asyncio
import sqlite3

from workbench.audit import indexing
from workbench.audit.finder import Finder
from workbench.audit.index import Index
from workbench.audit.journal import Journal
from workbench.audit.store import OURS, SCHEMA
from workbench.audit.verify import verify
from workbench.records import EntryQuery, Note


async def test_what_is_written_is_indexed_a_moment_later(open_journal, place, tmp_path, monkeypatch):
    monkeypatch.setattr(indexing, "PAUSE", 0.01)
    follower = indexing.Indexing(Index(place, tmp_path / "index.sqlite"))
    journal, finder = open_journal(follower.hear), Finder(place, tmp_path / "index.sqlite")
    journal.append(Note("call.done", "first", server="demo"))
    journal.append(Note("call.done", "second", server="demo"))
    while sum(one.entries for one in finder.facets()) < 2:
        await asyncio.sleep(0.01)
    await follower.close()
    assert (tmp_path / "index.sqlite").stat().st_mode & 0o777 == 0o600
    journal.append(Note("call.done", "after the end"))


def test_an_audit_of_an_earlier_version_goes_on(place):
    journal = Journal(place)
    for number in range(5):
        journal.append(Note("call.done", f"Call {number}", actor="claude", ok=number > 2))
    journal.close()
    store = sqlite3.connect(place)
    store.executescript("DROP INDEX entries_actor; DROP INDEX entries_failed;")
    names = {row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    assert names == {line.split()[2] for line in SCHEMA.splitlines() if line.startswith("CREATE INDEX")}
    assert store.execute("PRAGMA application_id").fetchone() == (OURS,)
    store.close()
    head = verify(place).head
    journal = Journal(place)
    assert verify(place).head == head
    journal.append(Note("call.done", "the next"))
    assert len(Finder(place, place.with_name("none")).entries(EntryQuery(outcome="failed", actor="claude"))) == 3
    journal.close()
    assert verify(place).whole
