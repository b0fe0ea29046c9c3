"""Questions to the audit: what fits, newest first, along an index."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.audit.audit_database import open_for_queries
from workbench.audit.audit_search import Finder
from workbench.audit.search_index import Index, attach
from workbench.audit.search_queries import Span, select_span
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
def test_a_query_gives_what_fits_newest_first(filled, query, seqs, place, tmp_path, monkeypatch):
    assert [entry.seq for entry in filled.entries(query)] == seqs
    monkeypatch.setattr("workbench.audit.search_index.ENTRIES", 11)
    index, finder = Index(place, tmp_path / "index.sqlite"), Finder(place, tmp_path / "index.sqlite")
    assert [entry.seq for entry in finder.entries(query)] == seqs, "without an index"
    more = True
    while more:
        more = index.step()
        assert [entry.seq for entry in finder.entries(query)] == seqs, "with an index of a part"
        assert finder.marks(replace(query, before=0)).total == len(filled.entries(replace(query, before=0, limit=99)))
    index.close()


def test_paging_by_number_reaches_every_entry_once(filled):
    seen, before = [], 0
    while page := filled.entries(EntryQuery(limit=7, before=before)):
        seen += [entry.seq for entry in page]
        before = seen[-1]
    assert seen == list(range(31, 0, -1))


def test_a_filter_is_led_by_the_postings_of_one_value(filled, place, tmp_path):
    index = Index(place, tmp_path / "index.sqlite")
    while index.step():
        pass
    index.close()
    for query in (EntryQuery(run_id="r1"), EntryQuery(session="s9"), EntryQuery(kind="run.")):
        store = open_for_queries(place)
        attach(store, index.path)
        statement, values = select_span(query, Span(1, 100, term=1), 10)
        plan = " ".join(row[3] for row in store.execute(f"EXPLAIN QUERY PLAN {statement}", values))
        store.close()
        assert plan.startswith(
            "SEARCH words.postings USING PRIMARY KEY (term=? AND seq>? AND seq<?) SEARCH main.entries"
        )
        assert "TEMP B-TREE" not in plan
