"""The audit keeps what it was told, tells what it kept, and survives the death of the process."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.audit.journal import ENDS, Journal
from workbench.audit.query import select
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


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_what_is_no_json_and_no_text_is_kept_as_what_can_be_kept(open_journal):
    journal = open_journal()
    odd = Note(
        "x", "half \ud800 pair", risk=Risk.HIGH, ms=float("nan"), detail={"o": {1}, "m": MappingProxyType({"a": 1})}
    )
    journal.append(odd)
    note = journal.entries(EntryQuery())[0].note
    assert (note.summary, note.risk, note.ms) == ("half \\ud800 pair", "high", 0.0)
    assert note.detail == {"o": "{1}", "m": {"a": 1}}
    assert journal.verify().whole


@pytest.fixture
def filled(open_journal):
    journal = open_journal()
    for number in range(30):
        journal.append(
            Note("run.proposed" if number % 3 else "call.done", f"Step {number} of 100%", run_id=f"r{number % 5}")
        )
    journal.append(Note("privacy.reveal", "A person looked", session="s9", server="demo", tool="a_tool", risk="high"))
    return journal


@pytest.mark.parametrize(
    ("query", "seqs"),
    [
        (EntryQuery(limit=2), [31, 30]),
        (EntryQuery(limit=2, before=30), [29, 28]),
        (EntryQuery(kind="run.", limit=3), [30, 29, 27]),
        (EntryQuery(kind="run.done"), []),
        (EntryQuery(kind="priv"), [31]),
        (EntryQuery(kind="call.done", run_id="r0"), [16, 1]),
        (EntryQuery(session="s9"), [31]),
        (EntryQuery(server="demo", tool="a_tool", risk="high"), [31]),
        (EntryQuery(tool="other"), []),
        (EntryQuery(text="STEP 7"), [28, 18, 8]),
        (EntryQuery(text="% 7"), [28, 18, 8]),
        (EntryQuery(text="_tool"), [31]),
        (EntryQuery(text="%tool"), []),
        (EntryQuery(limit=0), []),
        (EntryQuery(limit=-1), []),
    ],
)
def test_a_query_gives_what_fits_newest_first(filled, query, seqs):
    assert [entry.seq for entry in filled.entries(query)] == seqs


def test_paging_by_number_reaches_every_entry_once(filled):
    seen, before = [], 0
    while page := filled.entries(EntryQuery(limit=7, before=before)):
        seen += [entry.seq for entry in page]
        before = seen[-1]
    assert seen == list(range(31, 0, -1))


@pytest.mark.parametrize("query", [EntryQuery(run_id="r1"), EntryQuery(session="s9"), EntryQuery(kind="run.")])
def test_a_query_walks_an_index(filled, place, query):
    store = sqlite3.connect(place)
    statement, values = select(query)
    plan = " ".join(row[3] for row in store.execute(f"EXPLAIN QUERY PLAN {statement}", values))
    store.close()
    assert "USING INDEX" in plan
    assert "TEMP B-TREE" not in plan


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


def test_the_hash_can_be_computed_by_anybody(open_journal, place):
    entry = open_journal().append(NOTE)
    texts = ("call.done", "Called list_orders", "claude", "s1", "r1", "demo", "list_orders", "low")
    fields = [entry.previous, 1, entry.at, *texts, 1, 1.5, 7, '{"n":1}']
    assert hashlib.sha256(json.dumps(fields).encode()).hexdigest() == entry.hash
