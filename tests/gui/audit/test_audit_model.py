from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from workbench.gui.audit.audit_model import MOST_PAGES, PAGE, RISK, SUMMARY, AuditModel
from workbench.records import EntryMarks, EntryPage, EntryQuery

TOTAL = 100_000
FIRST = EntryQuery(limit=PAGE, brief=True)


def numbers(model: AuditModel) -> list[int]:
    return [int(model.index(row, 0).data()) for row in range(model.rowCount())]


def page(make: Any, newest: int, count: int = PAGE, *, complete: bool = False) -> EntryPage:
    entries = tuple(make.entry(seq) for seq in range(newest, newest - count, -1))
    return EntryPage(entries, newest - count + 1, complete)


def before(query: EntryQuery) -> int:
    return query.before


@pytest.fixture
def asked() -> list[EntryQuery]:
    return []


@pytest.fixture
def model(qapp: Any, make: Any, asked: list[EntryQuery]) -> AuditModel:
    model = AuditModel()
    model.page_needed.connect(asked.append)
    model.reload()
    model.add_page(FIRST, page(make, 1000))
    return model


@pytest.fixture
def long(model: AuditModel, make: Any) -> AuditModel:
    """A hundred thousand entries, of which the first page is held."""
    model.set_query(EntryQuery())
    model.add_page(FIRST, page(make, TOTAL))
    model.set_marks(FIRST, EntryMarks(TOTAL, TOTAL, PAGE, tuple(range(TOTAL, 0, -PAGE))))
    return model


def test_the_model_obeys_qt(model: AuditModel, qtmodeltester: Any, make: Any) -> None:
    model.add_live([make.entry(1001)])
    model.set_marks(FIRST, EntryMarks(900, 1000, PAGE, (1000, 800, 600, 400, 200)))
    qtmodeltester.check(model)


def test_all_rows_are_there_at_once_and_a_page_comes_when_it_is_seen(
    long: AuditModel, make: Any, asked: list[EntryQuery], qtbot: Any
) -> None:
    assert long.rowCount() == TOTAL
    assert long.loaded_count == PAGE
    asked.clear()
    row = TOTAL // 2 + 3
    assert long.index(row, SUMMARY).data() == "…"
    qtbot.waitUntil(lambda: len(asked) == 1)
    start = TOTAL - row // PAGE * PAGE
    assert asked[0] == EntryQuery(limit=PAGE, brief=True, before=start + 1)
    with qtbot.waitSignal(long.dataChanged):
        long.add_page(asked[0], page(make, start))
    assert long.index(row, 0).data() == str(TOTAL - row)


def test_who_passes_by_many_pages_waits_for_the_last_ones_only(
    long: AuditModel, asked: list[EntryQuery], qtbot: Any
) -> None:
    asked.clear()
    for row in range(1000, TOTAL, 1000):
        long.index(row, SUMMARY).data()
    qtbot.waitUntil(lambda: bool(asked))
    assert len(asked) == 2
    assert asked[-1].before == TOTAL - 99_000 + 1


def test_more_pages_wait_until_one_has_come_or_is_lost(
    long: AuditModel, make: Any, asked: list[EntryQuery], qtbot: Any
) -> None:
    asked.clear()
    for row in (10_000, 20_000):
        long.index(row, SUMMARY).data()
    qtbot.waitUntil(lambda: len(asked) == 2)
    long.index(30_000, SUMMARY).data()
    long.request_missing()
    assert len(asked) == 2
    long.request_ended(EntryQuery("of another filter", limit=PAGE, brief=True, before=asked[0].before))
    long.request_missing()
    assert len(asked) == 2
    long.request_ended(asked[0])
    qtbot.waitUntil(lambda: len(asked) == 3)
    assert asked[2].before == TOTAL - 30_000 + 1


def test_only_some_pages_are_held_the_first_among_them(
    long: AuditModel, make: Any, asked: list[EntryQuery], qtbot: Any
) -> None:
    for number in range(1, MOST_PAGES + 20):
        asked.clear()
        long.index(number * PAGE, SUMMARY).data()
        long.request_missing()
        long.add_page(asked[0], page(make, TOTAL - number * PAGE))
    assert long.loaded_count == MOST_PAGES * PAGE
    assert long.index(0, 0).data() == str(TOTAL)
    assert long.index(PAGE, SUMMARY).data() == "…"


def test_an_entry_is_found_by_its_number_where_it_is_held(long: AuditModel, make: Any) -> None:
    long.add_live([make.entry(TOTAL + 1)])
    assert long.row_of(str(TOTAL + 1)) == 0
    assert long.row_of(str(TOTAL - 150)) == 151
    assert long.row_of("5") == -1


def test_live_entries_come_on_top_in_one_insertion_and_never_twice(model: AuditModel, make: Any, qtbot: Any) -> None:
    with qtbot.waitSignal(model.rowsInserted) as inserted:
        model.add_live([make.entry(1001), make.entry(1002), make.entry(1000)])
    assert inserted.args[1:] == [0, 1]
    assert numbers(model)[:3] == [1002, 1001, 1000]


def test_counting_anew_takes_live_entries_into_the_pages(long: AuditModel, make: Any) -> None:
    long.add_live([make.entry(TOTAL + 1), make.entry(TOTAL + 2)])
    assert long.rowCount() == TOTAL + 2
    marks = (TOTAL + 1, *range(TOTAL + 1 - PAGE, 0, -PAGE))
    long.set_marks(FIRST, EntryMarks(TOTAL + 1, TOTAL + 1, PAGE, marks))
    assert long.rowCount() == TOTAL + 2
    assert long.index(0, 0).data() == str(TOTAL + 2)
    assert long.index(1, SUMMARY).data() == "…"  # that page begins at another entry now


def test_a_filter_sifts_at_once_and_asks_for_the_rest(model: AuditModel, make: Any, asked: list[EntryQuery]) -> None:
    model.add_live([make.entry(1001, "run.refused", "Refused: too risky", detail={"why": "a needle"})])
    asked.clear()
    model.set_query(EntryQuery("RISKY needle", kind="run."))
    assert numbers(model) == [1001]
    assert asked == [EntryQuery(text="RISKY needle", kind="run.", limit=PAGE, brief=True)]
    model.add_live([make.entry(1002), make.entry(1003, "run.done", "risky, needle, but went well")])
    assert numbers(model) == [1003, 1001]


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        (EntryQuery(server="demo", outcome="failed"), True),
        (EntryQuery(server="demo", outcome="ok"), False),
        (EntryQuery(actor="claude", risk="high", session="s1", run_id="r1"), True),
        (EntryQuery(session="s2"), False),
        (EntryQuery(until=5.0), False),
        (EntryQuery(since=5.0), True),
        (EntryQuery("ÜBERSICHT"), True),
    ],
)
def test_live_entries_obey_every_filter(model: AuditModel, make: Any, query: EntryQuery, matches: bool) -> None:
    entry = make.entry(
        1001, summary="übersicht", actor="claude", risk="high", session="s1", run_id="r1", server="demo", ok=False
    )
    model.set_query(query)
    model.add_live([entry])
    assert (1001 in numbers(model)) is matches


@pytest.mark.parametrize(
    ("kind", "summary", "actor", "title", "sentence"),
    [
        (
            "run.decided",
            "was allowed by you",
            "Claude Code",
            "print('hi')",
            "You allowed “print('hi')” of Claude Code",
        ),
        (
            "run.decided",
            "was allowed by you after 0.4 s, too soon to have been read",
            "Claude Code",
            "",
            "You allowed a program of Claude Code after 0.4 s, too soon to have been read",
        ),
        ("run.decided", "was denied by you", "you", "Plot", "You denied your program “Plot”"),
        (
            "run.decided",
            "was allowed by your rule of 05 Nov 10:12",
            "Claude Code",
            "Plot",
            "Your rule of 05 Nov 10:12 allowed “Plot” of Claude Code",
        ),
        ("run.done", "ran to its end", "Claude Code", "", "A program of Claude Code ran to its end"),
        ("run.done", "ran to its end", "you", "Plot", "Your program “Plot” ran to its end"),
        ("run.proposed", "claude proposed a program", "claude", "Plot", "claude proposed a program"),
        ("run.proposed", "you proposed a program", "you", "Plot", "You proposed a program"),
        (
            "run.interrupted",
            "was interrupted: the core ended",
            "you",
            "Plot",
            "Your program “Plot” was interrupted: the core ended",
        ),
        (
            "run.decided.call",
            "A call of demo.send was allowed by you",
            "you",
            "Plot",
            "A call of demo.send was allowed by you",
        ),
        ("call.done", "demo.list_orders answered", "claude", "Plot", "demo.list_orders answered"),
    ],
)
def test_a_row_says_which_program_and_whose(
    make: Any, kind: str, summary: str, actor: str, title: str, sentence: str
) -> None:
    model = AuditModel(lambda run_id: title if run_id == "r1" else "another")
    model.add_live([make.entry(1, kind, summary, actor=actor, run_id="r1")])
    assert model.index(0, SUMMARY).data() == sentence


def test_a_decision_says_who_made_it_and_an_icon_says_which_it_was(qapp: Any, make: Any) -> None:
    model = AuditModel()
    answers = ("allowed by you", "denied by you", "allowed by your rule of 05 Nov 10:12")
    about = {"actor": "Claude Code", "run_id": "r1"}
    model.add_live([make.entry(seq, "run.decided", f"was {text}", **about) for seq, text in enumerate(answers, 1)])
    who = [column.title for column in model.columns].index("Who")
    assert [model.index(row, who).data() for row in range(3)] == ["your rule of 05 Nov 10:12", "you", "you"]
    outcome = model.columns[SUMMARY].icon
    assert [outcome(model.record(model.index(row, 0))) for row in range(3)] == [
        ("check", "success"), ("x", "danger"), ("check", "success")
    ]  # fmt: skip


def test_a_search_that_takes_long_shows_what_it_found_so_far_and_goes_on(
    model: AuditModel, make: Any, asked: list[EntryQuery], qtbot: Any
) -> None:
    model.set_query(EntryQuery("rare"))
    asked.clear()
    with qtbot.waitSignal(model.search_progress) as looked:
        model.add_page(EntryQuery("rare", limit=PAGE, brief=True), EntryPage((make.entry(900),), 800))
    assert looked.args == [800]
    assert numbers(model) == [900]
    assert list(map(before, asked)) == [800]
    with qtbot.waitSignal(model.count_needed):
        model.add_page(asked[0], EntryPage((make.entry(100),), 1, complete=True))
    assert numbers(model) == [900, 100]


def test_an_answer_to_an_older_filter_is_dropped(model: AuditModel, make: Any) -> None:
    model.set_query(EntryQuery("new"))
    model.add_page(EntryQuery("old", limit=PAGE, brief=True), page(make, 5, 1, complete=True))
    model.set_marks(EntryQuery("old"), EntryMarks(5, 5, PAGE, (5,)))
    assert numbers(model) == []


def test_entries_that_came_while_a_page_was_on_its_way_stay_on_top(qapp: Any, make: Any) -> None:
    model = AuditModel()
    model.reload()
    model.add_live([make.entry(12)])
    model.add_page(FIRST, page(make, 11, 2, complete=True))
    assert numbers(model) == [12, 11, 10]


def test_failures_and_risks_carry_a_sign_beside_the_word(model: AuditModel, make: Any) -> None:
    model.add_live([make.entry(1001, ok=False, risk="high")])
    top = model.index(0, 0)
    assert top.siblingAtColumn(SUMMARY).data(Qt.ItemDataRole.DecorationRole) is not None
    assert top.siblingAtColumn(RISK).data(Qt.ItemDataRole.DecorationRole) is not None
    assert top.siblingAtColumn(RISK).data() == "high"
