"""The index of words takes in everything once, in bounded steps, and begins anew where it cannot be used."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading

import pytest

from workbench.audit import search_index
from workbench.audit import search_index as words
from workbench.audit.audit_database import open_to_read
from workbench.audit.audit_search import AuditSearch
from workbench.audit.chain_verification import verify
from workbench.audit.journal import Journal
from workbench.audit.search_index import AuditIndex, attach
from workbench.records import EntryQuery, Note


def indexed(place, file) -> int:
    with open_to_read(place) as store:
        found = attach(store, file)
    store.close()
    return found


@pytest.fixture
def index(open_journal, place, tmp_path):
    journal = open_journal()
    for number in range(10):
        journal.append(Note("call.done", f"Call {number}", detail={"text": "x" * 100}))
    made = AuditIndex(place, tmp_path / "index.sqlite")
    yield made
    made.close()


def test_steps_are_bounded_by_entries_and_by_letters(index, place, monkeypatch):
    monkeypatch.setattr(words, "ENTRIES", 3)
    assert index.step()
    assert indexed(place, index.path) == 3
    monkeypatch.setattr(words, "LETTERS", 150)
    assert index.step()
    assert indexed(place, index.path) == 5
    while index.step():
        pass
    assert indexed(place, index.path) == 10
    assert not index.step()


def test_an_index_that_cannot_be_used_is_made_anew(index, place):
    while index.step():
        pass
    index.close()
    store = sqlite3.connect(index.path)
    store.execute("PRAGMA user_version = 99")
    store.close()
    assert indexed(place, index.path) == 0  # its tables may be others
    with pytest.raises(sqlite3.DatabaseError, match="another version"):
        index.step()
    while index.step():
        pass
    assert indexed(place, index.path) == 10


async def test_what_is_written_is_indexed_a_moment_later(open_journal, place, tmp_path, monkeypatch):
    monkeypatch.setattr(search_index, "PAUSE", 0.01)
    follower = search_index.AuditIndexUpdater(AuditIndex(place, tmp_path / "index.sqlite"))
    journal, finder = open_journal(follower.hear), AuditSearch(place, tmp_path / "index.sqlite")
    journal.append(Note("call.done", "first", server="demo"))
    journal.append(Note("call.done", "second", server="demo"))
    while sum(one.entries for one in finder.facets()) < 2:
        await asyncio.sleep(0.01)
    await follower.close()
    assert (tmp_path / "index.sqlite").stat().st_mode & 0o777 == 0o600
    journal.append(Note("call.done", "after the end"))


@pytest.mark.parametrize("writable", [True, False])
async def test_the_write_ahead_log_is_moved_on_a_thread(open_journal, place, tmp_path, monkeypatch, writable):
    """Also where the index cannot be written: else the event loop would wait for the disk some day."""
    monkeypatch.setattr(search_index, "PAUSE", 0.01)
    if not writable:
        (tmp_path / "index.sqlite").mkdir()
    follower = search_index.AuditIndexUpdater(AuditIndex(place, tmp_path / "index.sqlite"))
    journal, copy = open_journal(follower.hear), tmp_path / "copy.sqlite"
    journal.append(Note("call.done", "first"))
    number = 0
    while number < 1:
        await asyncio.sleep(0.01)
        copy.write_bytes(place.read_bytes())  # without its log
        with contextlib.closing(sqlite3.connect(copy)) as store, contextlib.suppress(sqlite3.Error):
            (number,) = store.execute("SELECT count(*) FROM entries").fetchone()
    await follower.close()


INDEXES_OF_0_1 = """
CREATE INDEX entries_area ON entries(substr(kind, 1, instr(kind, '.')));
CREATE INDEX entries_kind ON entries(kind);
CREATE INDEX entries_session ON entries(session) WHERE session != '';
CREATE INDEX entries_run ON entries(run_id) WHERE run_id != '';
CREATE INDEX entries_tool ON entries(server, tool) WHERE server != '';
CREATE INDEX entries_risk ON entries(risk) WHERE risk != '';
CREATE INDEX entries_actor ON entries(actor) WHERE actor != '';
CREATE INDEX entries_failed ON entries(ok) WHERE ok = 0;
"""


async def test_an_audit_of_version_0_1_goes_on_and_loses_its_indexes_when_the_search_index_knows_it(
    place, tmp_path, monkeypatch
):
    journal = Journal(place)
    for number in range(5):
        journal.append(Note("call.done", f"Call {number}", actor="claude", ok=number > 2))
    journal.close()
    store = sqlite3.connect(place)
    store.executescript(INDEXES_OF_0_1)
    store.close()
    head = verify(place).head
    monkeypatch.setattr(search_index, "PAUSE", 0.01)
    follower = search_index.AuditIndexUpdater(AuditIndex(place, tmp_path / "index.sqlite"))
    journal, finder = Journal(place, follower.hear), AuditSearch(place, tmp_path / "index.sqlite")
    assert verify(place).head == head
    journal.append(Note("call.done", "the next"))
    while _indexes(place):
        assert len(finder.entries(EntryQuery(outcome="failed", actor="claude"))) == 3
        await asyncio.sleep(0.01)
    await follower.close()
    assert len(finder.entries(EntryQuery(outcome="failed", actor="claude"))) == 3
    journal.close()
    assert verify(place).whole


def _indexes(place) -> list[str]:
    store = sqlite3.connect(place)
    names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'index'")]
    store.close()
    return names


@pytest.mark.usefixtures("quick_switches")
def test_threads_find_every_entry_while_it_is_written_and_indexed(place, tmp_path):
    """What the index does not know yet is looked at in the audit itself, so no filter ever misses an entry."""
    journal, done, faults = Journal(place), threading.Event(), list[str]()
    written = [0]

    def look() -> None:
        finder = AuditSearch(place, tmp_path / "index.sqlite")
        while not done.is_set():
            least = written[0] // 2
            found = finder.entries(EntryQuery(session="even", limit=5_000))
            numbers = [entry.seq for entry in found]
            if len(numbers) < least or numbers != sorted(set(numbers), reverse=True):
                faults.append(f"{len(numbers)} of {least}")

    def follow() -> None:
        index = AuditIndex(place, tmp_path / "index.sqlite")
        while not done.is_set():
            index.step()
        index.close()

    threads = [threading.Thread(target=work) for work in (look, look, follow)]
    try:
        for thread in threads:
            thread.start()
        for number in range(400):
            journal.append(Note("call.done", f"Call {number}", session="odd" if number % 2 else "even"))
            written[0] = number
    finally:
        done.set()
        for thread in threads:
            thread.join()
        journal.close()
    assert faults == []
    assert verify(place).whole
