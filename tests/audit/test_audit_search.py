"""Finding among many: with the index, without it, and while it lags behind, the answers are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.audit.audit_database import open_to_read
from workbench.audit.audit_search import PAGE, AuditSearch
from workbench.audit.journal import Journal
from workbench.audit.search_index import AuditIndex, attach
from workbench.audit.search_queries import CandidateRange, select_span
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Note
from workbench.records.audit import entry_matches

MANY = 1_000
INDEXED = 700


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """An audit of which the index knows a part."""
    from workbench.audit.journal import Journal

    folder = tmp_path_factory.mktemp("finder")
    journal, index = Journal(folder / "audit.sqlite"), AuditIndex(folder / "audit.sqlite", folder / "index.sqlite")
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
    yield AuditSearch(folder / "audit.sqlite", folder / "index.sqlite"), journal
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


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: f"{query.text} {query.risk}{query.outcome}{query.kind}")
def test_the_window_shows_the_same_live_entries(audit, query):
    finder, journal = audit
    everything = journal.entries(EntryQuery(limit=MANY, before=query.before))
    found = finder.entries(replace(query, limit=MANY))
    assert [entry.seq for entry in everything if entry_matches(entry, query)] == [entry.seq for entry in found]


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
    other = AuditSearch(place, finder._index)
    assert [entry.seq for entry in other.entries(EntryQuery("needle"))] == [1]
    index = AuditIndex(place, tmp_path / "copy.sqlite")
    (tmp_path / "copy.sqlite").write_bytes(finder._index.read_bytes())
    while index.step():
        pass
    index.close()
    assert AuditSearch(place, tmp_path / "copy.sqlite").facets() == ()
    assert [entry.seq for entry in AuditSearch(place, tmp_path / "copy.sqlite").entries(EntryQuery("needle"))] == [1]


def test_a_damaged_index_costs_nothing_but_time(audit, open_journal, place, tmp_path):
    open_journal().append(Note("call.done", "alone with a needle"))
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + b"rubbish" * 1000)
    assert len(AuditSearch(place, broken).entries(EntryQuery("needle"))) == 1


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
    index, finder = AuditIndex(place, tmp_path / "index.sqlite"), AuditSearch(place, tmp_path / "index.sqlite")
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
    index = AuditIndex(place, tmp_path / "index.sqlite")
    while index.step():
        pass
    index.close()
    for query in (EntryQuery(run_id="r1"), EntryQuery(session="s9"), EntryQuery(kind="run.")):
        store = open_to_read(place)
        attach(store, index.path)
        statement, values = select_span(query, CandidateRange(1, 100, term=1), 10)
        plan = " ".join(row[3] for row in store.execute(f"EXPLAIN QUERY PLAN {statement}", values))
        store.close()
        assert plan.startswith(
            "SEARCH words.postings USING PRIMARY KEY (term=? AND seq>? AND seq<?) SEARCH main.entries"
        )
        assert "TEMP B-TREE" not in plan


LETTERS = st.text(alphabet="aAüÜßſΣσςжЖİé%_\\'\"{}: 7", max_size=8)
NOTES = st.builds(
    Note, st.just("run.note"), LETTERS, actor=LETTERS, detail=st.dictionaries(LETTERS, LETTERS, max_size=2)
)


def found(folder: Path, notes: list[Note], text: str) -> tuple[set[int], set[int]]:
    """The numbers of what the core finds, and of what the window's filter lets through."""
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / "audit.sqlite")
    try:
        for note in notes:
            journal.append(note)
        every = journal.entries(EntryQuery(limit=100))
        asked = {entry.seq for entry in journal.entries(EntryQuery(text=text, limit=100))}
    finally:
        journal.close()
    return asked, {entry.seq for entry in every if entry_matches(entry, EntryQuery(text=text))}


@pytest.mark.parametrize("text", ["ÜBER", "über", "Über", "STRASSE", "straße", "ΟΔΌΣ", "Жук", '"größe":"l"'])
def test_letters_beyond_ascii_match_in_either_case(tmp_path: Path, text: str) -> None:
    words = ("über alles", "ÜBER", "Straße", "strasse", "οδός", "ЖУК")
    notes = [Note("run.note", one) for one in words] + [Note("run.note", "", detail={"Größe": "L"})]
    core, window = found(tmp_path, notes, text)
    assert core == window
    assert core


@settings(max_examples=25)
@given(notes=st.lists(NOTES, max_size=4), text=LETTERS)
def test_any_search_gives_the_same_in_both(
    tmp_path_factory: pytest.TempPathFactory, notes: list[Note], text: str
) -> None:
    core, window = found(tmp_path_factory.mktemp("alike"), notes, text)
    assert core == window


def test_a_long_audit_finds_them_through_its_index(tmp_path: Path) -> None:
    journal, index = (
        Journal(tmp_path / "audit.sqlite"),
        AuditIndex(tmp_path / "audit.sqlite", tmp_path / "index.sqlite"),
    )
    for number in range(50):
        journal.append(Note("run.note", f"Grüße {number}"))
    while index.step():
        pass
    finder = AuditSearch(tmp_path / "audit.sqlite", tmp_path / "index.sqlite")
    for text, count in (("GRÜẞE", 50), ("grüße", 50), ("RÜ", 50), ("GRÜSSE", 0)):
        assert len(finder.page(EntryQuery(text=text, limit=100)).entries) == count, text
    index.close()
    journal.close()
