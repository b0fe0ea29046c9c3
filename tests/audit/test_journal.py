"""The audit keeps what it was told, tells what it kept, and survives the death of the process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.audit.journal import ENDS, Journal
from workbench.errors import WorkbenchError
from workbench.events import EntryWritten
from workbench.records import EntryQuery, Note, Risk

NOTE = Note(
    "call.done", "Called list_orders", "claude", "s1", "r1", "demo", "list_orders", "low", True, 1.5, 7, {"n": 1}
)


def test_an_entry_is_written_told_and_read_back(open_journal):
    told = []
    journal = open_journal(told.append)
    entry = journal.append(NOTE)
    assert told == [EntryWritten(entry)]
    assert journal.entries(EntryQuery()) == (entry,)
    assert (entry.seq, entry.note) == (1, NOTE)


async def test_entries_may_be_read_on_a_thread_while_others_are_written(open_journal):
    journal = open_journal()
    for _ in range(20):
        entry = journal.append(NOTE)
        found = await asyncio.to_thread(journal.entries, EntryQuery(limit=1))
        assert found == (entry,)


def test_entries_go_on_where_the_last_journal_ended(open_journal):
    first = open_journal()
    old = first.append(NOTE)
    first.close()
    second = open_journal()
    new = second.append(NOTE)
    assert (new.seq, new.previous) == (2, old.hash)
    assert second.verify().whole


def test_the_files_are_ours_alone(open_journal, place):
    open_journal().append(NOTE)
    found = {path.name: path.stat().st_mode & 0o777 for path in place.parent.iterdir()}
    assert len(found) >= 2
    assert set(found.values()) == {0o600}


@pytest.mark.parametrize(
    "statement", ["UPDATE entries SET ok = 0", "DELETE FROM entries", "DELETE FROM entries WHERE seq = 1"]
)
def test_what_is_written_cannot_be_changed_or_deleted(open_journal, place, statement):
    open_journal().append(NOTE)
    with sqlite3.connect(place) as store, pytest.raises(sqlite3.IntegrityError, match="only grows"):
        store.execute(statement)
    store.close()


@settings(max_examples=50, deadline=None)
@given(
    st.builds(
        Note,
        kind=st.text(),
        summary=st.text(max_size=30),
        risk=st.sampled_from(Risk),
        ms=st.floats(),
        tokens=st.integers(0, 2**70),
        detail=st.dictionaries(st.text(), st.text() | st.integers() | st.none()),
    )
)
def test_any_note_is_kept_and_the_chain_stays_whole(tmp_path_factory, note):
    with contextlib.closing(Journal(tmp_path_factory.mktemp("audit") / "audit.sqlite")) as journal:
        journal.append(note)
        (entry,) = journal.entries(EntryQuery())
        assert (entry.note.kind, entry.note.summary, entry.note.detail) == (note.kind, note.summary, note.detail)
        assert journal.verify().whole


def test_runs_that_never_ended_are_found(open_journal):
    journal = open_journal()
    for number, end in enumerate(ENDS):
        journal.append(Note("run.proposed", "", run_id=f"ended{number}"))
        journal.append(Note("run.running", "", run_id=f"ended{number}"))
        journal.append(Note(end, "", run_id=f"ended{number}"))
    for kind, run_id in (("run.proposed", "b"), ("run.running", "b"), ("run.proposed", "a"), ("call.done", "c")):
        journal.append(Note(kind, "", run_id=run_id))
    assert journal.interrupted_runs() == ("b", "a")
    journal.append(Note("run.interrupted", "", run_id="b"))
    assert journal.interrupted_runs() == ("a",)


WRITER = """
import sys
from pathlib import Path
from workbench.audit.journal import Journal
from workbench.records import Note
journal = Journal(Path(sys.argv[1]))
number = 0
while True:
    kind = "run.decided" if number % 50 == 0 else "call.done"
    entry = journal.append(Note(kind, "x" * (number % 3000), run_id=str(number)))
    print(entry.seq, entry.hash, flush=True)
    number += 1
"""


@pytest.mark.parametrize("acknowledged", [1, 40, 400])
def test_a_killed_writer_loses_nothing_it_acknowledged(open_journal, place, acknowledged):
    said = []
    with subprocess.Popen([sys.executable, "-c", WRITER, str(place)], stdout=subprocess.PIPE) as child:
        said += [child.stdout.readline().split() for _ in range(acknowledged)]
        os.kill(child.pid, signal.SIGKILL)
        said += [words for line in child.stdout if len(words := line.split()) == 2 and len(words[1]) == 64]
    journal = open_journal()
    kept = {entry.seq: entry.hash for entry in journal.entries(EntryQuery(limit=5000))}
    assert all(kept[int(seq)] == digest.decode() for seq, digest in said)
    assert journal.verify().whole
    assert not journal.entries(EntryQuery(kind="audit.gap"))


def test_a_disk_that_is_full_is_a_sentence_and_the_chain_goes_on(open_journal):
    journal = open_journal()
    journal.append(NOTE)
    (pages,) = journal._store.execute("PRAGMA page_count").fetchone()
    journal._store.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(WorkbenchError, match="cannot be written"):
        journal.append(Note("x", "y" * 100_000))
    journal._store.execute("PRAGMA max_page_count=100000")
    assert journal.append(NOTE).seq == 2
    assert journal.verify().whole


def test_what_a_person_decided_waits_for_the_disk_and_the_rest_does_not(open_journal):
    journal, seen = open_journal(), []
    journal._store.set_trace_callback(lambda text: seen.append(text) if "synchronous" in text else None)
    journal.append(NOTE)
    assert seen == []
    journal.append(Note("run.decided", "Allowed"))
    assert seen == ["PRAGMA synchronous=FULL", "PRAGMA synchronous=NORMAL"]


async def test_what_is_written_soon_is_there_for_whoever_asks_and_before_what_is_written_at_once(open_journal):
    told = []
    journal = open_journal(told.append)
    journal.append_soon(lambda: Note("call.done", "first"))
    journal.append_soon(lambda: Note("call.done", "second"))
    assert told == []
    journal.append(Note("run.done", "third"))
    assert [event.entry.note.summary for event in told] == ["first", "second", "third"]
    journal.append_soon(lambda: Note("call.done", "fourth"))
    assert [entry.note.summary for entry in journal.entries(EntryQuery())] == ["fourth", "third", "second", "first"]
    assert journal.verify().whole


async def test_what_is_written_soon_is_written_without_being_asked_and_at_the_close(open_journal, place):
    journal, heard = open_journal(lambda event: heard_one.set()), []
    heard_one = asyncio.Event()
    journal.append_soon(lambda: NOTE)
    async with asyncio.timeout(60):
        await heard_one.wait()
    journal.append_soon(lambda: heard.append(1) or NOTE)
    journal.close()
    assert heard == [1]
    assert len(open_journal().entries(EntryQuery())) == 2


async def test_what_cannot_be_written_soon_waits_and_stops_whoever_comes_next(open_journal):
    journal = open_journal()
    journal.append(NOTE)
    (pages,) = journal._store.execute("PRAGMA page_count").fetchone()
    journal._store.execute(f"PRAGMA max_page_count={pages}")
    journal.append_soon(lambda: Note("x", "y" * 100_000))
    journal.append_soon(lambda: Note("x", "after"))
    journal.settle_quietly()
    with pytest.raises(WorkbenchError, match="cannot be written"):
        journal.append_soon(lambda: NOTE)
    with pytest.raises(WorkbenchError, match="cannot be written"):
        journal.append(NOTE)
    journal._store.execute("PRAGMA max_page_count=100000")
    journal.append(Note("x", "last"))
    assert [entry.note.summary[:5] for entry in journal.entries(EntryQuery(kind="x"))] == ["last", "after", "yyyyy"]
    assert journal.verify().whole


SOON = """
import asyncio, sys
from pathlib import Path
from workbench.audit.journal import Journal
from workbench.records import Note

async def main():
    journal = Journal(Path(sys.argv[1]), lambda event: print(event.entry.seq, event.entry.hash, flush=True))
    number = 0
    while True:
        number += 1
        for _ in range(number % 7):
            journal.append_soon(lambda: Note("call.done", "x" * (number % 500), run_id=str(number)))
        if number % 50 == 0:
            journal.append(Note("run.done", "", run_id=str(number)))
        await asyncio.sleep(0)

asyncio.run(main())
"""


@pytest.mark.parametrize("acknowledged", [1, 300])
def test_a_writer_killed_between_two_moments_leaves_a_whole_chain_with_all_that_was_told(
    open_journal, place, acknowledged
):
    said = []
    with subprocess.Popen([sys.executable, "-c", SOON, str(place)], stdout=subprocess.PIPE) as child:
        said += [child.stdout.readline().split() for _ in range(acknowledged)]
        os.kill(child.pid, signal.SIGKILL)
        said += [words for line in child.stdout if len(words := line.split()) == 2 and len(words[1]) == 64]
    journal = open_journal()
    kept = {entry.seq: entry.hash for entry in journal.entries(EntryQuery(limit=5000))}
    assert all(kept[int(seq)] == digest.decode() for seq, digest in said if int(seq) in kept or len(kept) < 5000)
    assert journal.verify().whole
    assert not journal.entries(EntryQuery(kind="audit.gap"))


MIXED = """
import asyncio, sys
from pathlib import Path
from workbench.audit.journal import Journal
from workbench.records import Note

async def main():
    journal = Journal(Path(sys.argv[1]))
    for number in range(1_000_000):
        journal.append_soon(lambda note=Note("call.done", "ü" * (number % 300), run_id=str(number)): note)
        journal.append(Note("call.sent", "x" * (number % 300), run_id=str(number)))
        print(number, flush=True)
        if number % 7 == 0:
            await asyncio.sleep(0.012)

asyncio.run(main())
"""


@pytest.mark.parametrize("acknowledged", [3, 60, 300])
def test_a_killed_core_loses_no_call_that_was_to_be_sent_and_nothing_before_it(open_journal, place, acknowledged):
    with subprocess.Popen([sys.executable, "-c", MIXED, str(place)], stdout=subprocess.PIPE, text=True) as writer:
        last = [writer.stdout.readline() for _ in range(acknowledged)][-1]
        writer.send_signal(signal.SIGKILL)
    journal = open_journal()
    assert journal.verify().whole
    kinds = [entry.note.kind for entry in reversed(journal.entries(EntryQuery(limit=5_000)))]
    assert kinds.count("call.sent") > int(last)
    assert kinds == ["call.done", "call.sent"] * (len(kinds) // 2)


async def test_where_a_call_cannot_be_written_it_is_refused_and_nothing_before_it_is_lost(open_journal):
    journal = open_journal()
    journal.append(NOTE)
    (pages,) = journal._store.execute("PRAGMA page_count").fetchone()
    journal._store.execute(f"PRAGMA max_page_count={pages}")
    journal.append_soon(lambda: Note("call.done", "before", detail={"text": "y" * 100_000}))
    with pytest.raises(WorkbenchError, match="cannot be written"):
        journal.append(Note("call.sent", "refused"))
    journal._store.execute("PRAGMA max_page_count=100000")
    journal.append(Note("call.sent", "sent"))
    assert [entry.note.summary for entry in journal.entries(EntryQuery())] == ["sent", "before", NOTE.summary]
    assert journal.verify().whole


def test_runs_of_cores_before_the_last_are_not_looked_at_again(open_journal):
    journal = open_journal()
    journal.append(Note("run.running", "", run_id="old"))
    journal.append(Note("run.interrupted", "", run_id="old"))
    journal.append(Note("core.opened", ""))
    journal.append(Note("run.proposed", "", run_id="new"))
    journal.append(Note("call.done", "", run_id="other"))
    assert journal.interrupted_runs() == ("new",)
