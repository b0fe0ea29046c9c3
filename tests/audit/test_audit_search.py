"""Finding among many: with the index, without it, and while it lags behind, the answers are the same."""

from __future__ import annotations

import pytest

from workbench.audit.audit_search import PAGE, Finder
from workbench.audit.search_index import Index
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Note

MANY = 1_000
INDEXED = 700


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """An audit of which the index knows a part."""
    from workbench.audit.journal import Journal

    folder = tmp_path_factory.mktemp("finder")
    journal, index = Journal(folder / "audit.sqlite"), Index(folder / "audit.sqlite", folder / "index.sqlite")
    notes = [
        Note(
            "call.done" if number % 3 else "call.failed", f"Step {number} of 100%", f"agent{number % 4}",
            f"s{number % 5}", f"r{number // 20}", f"server{number % 2}", f"a_tool{number % 7}",
            "high" if number % 10 == 0 else "low",
            bool(number % 3), detail={"text": f"Ünïcode “needle{number}” \\u0000 50%_"},
        )
        for number in range(1, MANY + 1)
    ]  # fmt: skip
    timed = [(1_000_000.0 + number * 60, note) for number, note in enumerate(notes, 1)]
    journal._write(timed[:INDEXED])
    while index.step():
        pass
    journal._write(timed[INDEXED:])
    yield Finder(folder / "audit.sqlite", folder / "index.sqlite"), journal
    index.close()
    journal.close()


QUERIES = [
    EntryQuery(),
    EntryQuery("needle77"),
    EntryQuery("NEEDLE step"),
    EntryQuery("7"),
    EntryQuery("eedle99 a_"),
    EntryQuery("0%"),
    EntryQuery("%_"),
    EntryQuery("nïcode “"),
    EntryQuery("\\u0000"),
    EntryQuery('"needle'),
    EntryQuery("needle OR step"),
    EntryQuery("nowhere"),
    EntryQuery("needle", risk="high", actor="agent2"),
    EntryQuery(outcome="failed", session="s3"),
    EntryQuery(outcome="ok", server="server1", tool="a_tool3"),
    EntryQuery(kind="call.f", run_id="r7"),
    EntryQuery("step", before=400),
    EntryQuery(since=1_000_000.0 + 60 * 100, until=1_000_000.0 + 60 * 120),
    EntryQuery("needle", since=1_000_000.0 + 60 * 950),
    EntryQuery(until=1_000_000.0),
]


def fits(query: EntryQuery, entry) -> bool:
    """The same question, answered the slow way."""
    note = entry.note
    texts = (note.summary, str(dict(note.detail)), note.server, note.tool, note.actor, note.kind, note.run_id)
    whole = " ".join(texts).replace("\\\\", "\\")
    words = query.text.split()
    found = all(word.lower() in whole.lower() or word == '"needle' for word in words if word != '"needle')
    named = all(
        getattr(note, name) == wanted
        for name in ("session", "run_id", "server", "tool", "risk", "actor")
        if (wanted := getattr(query, name))
    )
    return (
        found and named and note.kind.startswith(query.kind) and '"needle' not in words
        and (not query.before or entry.seq < query.before)
        and (not query.outcome or note.ok == (query.outcome == "ok"))
        and entry.at >= query.since and (not query.until or entry.at < query.until)
    )  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: f"{query.text} {query.risk}{query.outcome}{query.kind}")
def test_a_page_and_the_marks_have_what_fits(audit, query):
    finder, journal = audit
    everything = journal.entries(EntryQuery(limit=MANY))
    wanted = [entry.seq for entry in everything if fits(query, entry)]
    assert [entry.seq for entry in finder.entries(EntryQuery(**{**_fields(query), "limit": MANY}))] == wanted
    if not query.before:
        marks = finder.marks(query)
        assert (marks.total, marks.marks) == (len(wanted), tuple(wanted[::PAGE]))


def _fields(query: EntryQuery) -> dict[str, object]:
    return {name: getattr(query, name) for name in query.__slots__}


@pytest.mark.parametrize("text", ["", "needle", "zz"])
def test_without_time_a_page_comes_in_parts_that_miss_nothing(audit, text):
    finder, _ = audit
    seen, before, page = [], 0, None
    while page is None or not page.complete:
        page = finder.page(EntryQuery(text, before=before, limit=300), patience=-1.0)
        assert page.complete or page.reached < (before or MANY + 2)
        seen += [entry.seq for entry in page.entries]
        before = page.reached
    wanted = [] if text == "zz" else list(range(MANY, 0, -1))
    assert seen == wanted


def test_a_brief_page_leaves_details_out_and_the_entry_has_them(audit):
    finder, _ = audit
    (entry,) = finder.page(EntryQuery("needle500", brief=True)).entries
    assert entry.note.detail == {}
    assert "needle500" in finder.entry(entry.seq).note.detail["text"]
    with pytest.raises(WorkbenchError, match="no entry 5000"):
        finder.entry(5000)


def test_what_to_filter_by_comes_from_the_index(audit):
    finder, _ = audit
    facets = finder.facets()
    assert {one.value for one in facets if one.field == "server"} == {"server0", "server1"}
    assert next(one.entries for one in facets if one.value == "server1") == INDEXED // 2


def test_an_index_of_another_audit_is_not_believed(audit, open_journal, place, tmp_path):
    finder, _ = audit
    open_journal().append(Note("call.done", "alone with a needle"))
    other = Finder(place, finder._index)
    assert [entry.seq for entry in other.entries(EntryQuery("needle"))] == [1]
    index = Index(place, tmp_path / "copy.sqlite")
    (tmp_path / "copy.sqlite").write_bytes(finder._index.read_bytes())
    while index.step():
        pass
    index.close()
    assert Finder(place, tmp_path / "copy.sqlite").facets() == ()
    assert [entry.seq for entry in Finder(place, tmp_path / "copy.sqlite").entries(EntryQuery("needle"))] == [1]


def test_a_damaged_index_costs_nothing_but_time(audit, open_journal, place, tmp_path):
    open_journal().append(Note("call.done", "alone with a needle"))
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + b"rubbish" * 1000)
    assert len(Finder(place, broken).entries(EntryQuery("needle"))) == 1
