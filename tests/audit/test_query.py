"""Questions to the audit: what fits, newest first, along an index."""

from __future__ import annotations

import sqlite3

import pytest

from workbench.audit.query import select
from workbench.records import EntryQuery, Note


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
