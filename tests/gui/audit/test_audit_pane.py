from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu, QPlainTextEdit, QPushButton, QScrollArea

from workbench.api.client_texts import parse_time
from workbench.gui.audit.audit_model import PAGE
from workbench.gui.audit.filters import Filter, make_query, parse_saved_filter, parse_search, serialize_filter
from workbench.gui.audit.timeline import TimelineDialog, make_steps, program_of, time_span
from workbench.gui.shell.keyboard import tab_stops
from workbench.records import ChainReport, EntryQuery


def test_every_entry_is_in_the_list_and_its_page_comes_when_it_is_reached(window: Any, qtbot: Any) -> None:
    model = window.audit.model
    assert model.rowCount() == 500
    assert model.loaded_count == PAGE
    window.docks["audit"].come()
    window.audit.table.scrollToBottom()
    qtbot.waitUntil(lambda: model.index(499, 0).data() == "1")


def test_live_entries_appear_on_top_and_the_chosen_one_stays_chosen(
    window: Any, fake_core: Any, make: Any, qtbot: Any
) -> None:
    window.docks["audit"].come()
    window.audit.table.selectRow(0)
    fake_core.put_entry(make.entry(501, summary="Something new"))
    qtbot.waitUntil(lambda: window.audit.model.rowCount() == 501)
    assert window.audit.model.index(0, 3).data() == "Something new"
    assert window.audit.model.record(window.audit.table.currentIndex()).seq == 500


def test_text_and_kind_filter_what_is_asked(window: Any, fake_core: Any, make: Any, qtbot: Any, settled: Any) -> None:
    fake_core.put_entry(make.entry(501, "run.refused", "Too risky"))
    window.audit.finder.setText("risky")
    qtbot.waitUntil(lambda: window.audit.model.rowCount() == 1)
    window.audit.kind.setCurrentIndex(window.audit.kind.findData("server."))
    settled()
    assert window.audit.model.rowCount() == 0
    assert fake_core.asked[-1][1][0].kind == "server."
    assert "No entry matches" in [part.text() for part in window.audit.findChildren(QLabel) if not part.isHidden()]


def test_the_chain_is_verified_and_the_first_broken_entry_named(window: Any, fake_core: Any, settled: Any) -> None:
    window.commands.do("audit.verify")
    settled()
    assert "500 entries" in window.audit.chain.text()
    fake_core.chain = ChainReport(False, 500, "f" * 64, 321, "its hash does not fit")
    window.commands.do("audit.verify")
    settled()
    assert "not intact at entry 321" in window.audit.chain.text()


def test_verifying_says_how_far_it_is(window: Any, fake_core: Any, qtbot: Any) -> None:
    from workbench.events import AuditVerifying

    fake_core.bus.tell(AuditVerifying(250_000, 1_000_000))
    qtbot.waitUntil(lambda: window.audit.chain.text() == "Verifying… 25% of 1,000,000 entries")


def test_the_chosen_entry_is_shown_in_full(window: Any, fake_core: Any, make: Any, qtbot: Any) -> None:
    window.docks["audit"].come()
    fake_core.put_entry(make.entry(501, detail={"who": "<b>x</b>\u202e"}))
    qtbot.waitUntil(lambda: window.audit.model.rowCount() == 501)
    window.audit.table.selectRow(0)
    text = window.audit.card.findChild(QPlainTextEdit).toPlainText()
    assert "<b>x</b>‹U+202E›" in text


def test_an_entry_of_a_page_brings_its_detail_when_it_is_chosen(
    window: Any, fake_core: Any, make: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.entry_list[-1] = make.entry(500, detail={"far": "away"})
    window.audit.reload()
    settled()
    window.docks["audit"].come()
    window.audit.table.selectRow(0)
    qtbot.waitUntil(lambda: "away" in window.audit.card.findChild(QPlainTextEdit).toPlainText())


def test_in_a_narrow_place_what_happened_keeps_its_room(window: Any, qtbot: Any) -> None:
    window.docks["audit"].come()
    table = window.audit.table
    for width in (1900, 1100, 800):
        window.resize(width, 800)
        qtbot.waitUntil(lambda width=width: window.width() == width)
        qtbot.waitUntil(lambda: table.columnWidth(3) >= 20 * window.audit.fontMetrics().averageCharWidth())
    assert table.isColumnHidden(8)
    assert not table.isColumnHidden(3)


def chips(window: Any) -> list[str]:
    return [chip.text() for chip in window.audit.chips.widget().findChildren(QPushButton)]


def test_typed_filters_become_chips_that_a_key_takes_away_and_that_are_kept(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    window.docks["audit"].come()
    pane = window.audit
    pane.finder.setFocus()
    pane.finder.setText("order server:demo risk:high colour:red")
    qtbot.keyPress(pane.finder, Qt.Key.Key_Return)
    settled()
    assert pane.finder.text() == "order colour:red"
    assert chips(window) == ["Server: demo", "Risk: high", "Save filter"]
    asked = [words[0] for name, words in fake_core.asked if name == "entry_page"][-1]
    assert (asked.text, asked.server, asked.risk) == ("order colour:red", "demo", "high")
    pane.chips.widget().findChildren(QPushButton)[-1].click()
    chip = pane.chips.widget().findChildren(QPushButton)[0]
    chip.setFocus()
    qtbot.keyPress(chip, Qt.Key.Key_Delete)
    settled()
    assert chips(window) == ["Risk: high", "Save filter", "order colour:red, Server: demo, Risk: high"]
    from workbench.gui.shell.window_state import Layout

    assert Layout(window.context.paths).audit_filters == ("server:demo\trisk:high\torder colour:red",)
    pane.chips.widget().findChildren(QPushButton)[-1].click()
    settled()
    assert [one.field for one in pane.chips.filters] == ["server", "risk"]


def test_the_menu_offers_what_occurs(window: Any, qtbot: Any, settled: Any) -> None:
    window.docks["audit"].come()
    window.commands.do("audit.filter")
    settled()
    menus = {one.text().replace("&", ""): one.menu() for one in window.audit.menu.actions()}
    assert [one.text() for one in menus["Server"].actions()] == ["demo && co\t3"]
    assert not menus["Tool"].isEnabled()
    menus["Server"].actions()[0].trigger()
    menus["Time"].actions()[0].trigger()
    window.audit.menu.close()
    settled()
    assert window.audit.model.query.server == "demo & co"
    assert window.audit.model.query.since > time.time() - 3700


def run_of(make: Any) -> list[Any]:
    about = {"run_id": "r1", "session": "s1", "actor": "claude"}
    return [
        make.entry(1, "run.proposed", "claude proposed a program", **about, detail={"code": "x = 1", "purpose": "try"}),
        make.entry(2, "run.checked", "was assessed", **about),
        make.entry(3, "run.waiting", "waits", **about),
        make.entry(5, "run.decided", "was allowed by you", **about),
        make.entry(6, "run.running", "runs", **about),
        make.entry(7, "call.sent", "sent", **about, server="demo", tool="send", detail={"call": "c1"}),
        make.entry(9, "call.done", "done", **about, server="demo", tool="send", ms=1500.0, detail={"call": "c1"}),
        make.entry(10, "call.refused", "no", **about, server="demo", tool="delete", ok=False, detail={"call": "c2"}),
        make.entry(12, "run.done", "ended", **about),
    ]


def test_the_timeline_has_every_step_once_with_calls_inside(make: Any) -> None:
    steps = make_steps(run_of(make))
    assert [(step.entry.note.kind, round(step.ms, -2)) for step in steps] == [  # entries are made one after the other
        ("run.proposed", 1000), ("run.checked", 1000), ("run.waiting", 3000), ("run.decided", 0),
        ("run.running", 6000), ("run.done", 0),
    ]  # fmt: skip
    assert [(step.entry.seq, step.ms) for step in steps[4].nested] == [(9, 1500.0), (10, 0.0)]
    assert round(time_span(steps)[1], -2) == 11_000
    assert program_of(steps) == ("x = 1", "try")
    assert (make_steps([]), time_span([])) == ([], (0.0, 0.0))


def test_from_an_entry_to_the_timeline_of_its_run_and_to_its_code(
    window: Any, fake_core: Any, make: Any, qtbot: Any, settled: Any
) -> None:
    fake_core.entry_list = run_of(make)
    window.audit.reload()
    settled()
    window.docks["audit"].come()
    window.audit.table.selectRow(0)
    qtbot.keyPress(window.audit.table, Qt.Key.Key_Return)
    dialog = next(one for one in window.findChildren(TimelineDialog))
    tree = dialog.timeline.tree
    qtbot.waitUntil(lambda: tree.topLevelItemCount() == 6)
    assert tree.topLevelItem(2).text(0) == "Waited for you"
    assert [tree.topLevelItem(4).child(row).text(0) for row in range(2)] == ["demo.send", "demo.delete"]
    tree.setCurrentItem(tree.topLevelItem(4).child(1))
    assert dialog.card.isVisible()
    wishes: list[Any] = []
    window.context.messages.requested.connect(wishes.append)
    dialog.button("Open the code").click()
    assert wishes[0].code == "x = 1"
    assert not dialog.isVisible()


def test_what_is_listed_is_exported(window: Any, fake_core: Any, settled: Any, tmp_path: Any) -> None:
    window.audit.add_filter(Filter("risk", "high"))
    settled()
    window.audit.export_to(str(tmp_path / "out.csv"))
    settled()
    query, _, form = next(words for name, words in fake_core.asked if name == "export_entries")
    assert (query.risk, query.brief, form) == ("high", False, "csv")
    assert (tmp_path / "out.csv").exists()


NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30m", NOW - 1800),
        ("7d", NOW - 604_800),
        ("2w", NOW - 1_209_600),
        ("d", None),
        ("soon", None),
        ("9999999999w", None),
    ],
)
def test_a_time_is_a_span_a_day_or_a_moment(value: str, seconds: float | None) -> None:
    assert parse_time(value, NOW) == seconds


def test_days_are_days_of_this_place() -> None:
    assert time.localtime(parse_time("today", NOW))[3:6] == (0, 0, 0)
    assert parse_time("today", NOW) - parse_time("yesterday", NOW) in (82_800, 86_400, 90_000)
    assert time.localtime(parse_time("2026-11-05T14:00"))[:5] == (2026, 11, 5, 14, 0)


def test_a_filter_is_written_and_read_back() -> None:
    words, found = parse_search("a:b Risk:low risk:purple outcome:ok until:never http://x")
    assert (words, found) == ("a:b risk:purple until:never http://x", (Filter("risk", "low"), Filter("outcome", "ok")))
    odd = (Filter("actor", "a b: c"), Filter("run", "r1"))
    assert parse_saved_filter(serialize_filter("some words", odd)) == ("some words", odd)
    assert make_query(" x ", odd) == EntryQuery("x", actor="a b: c", run_id="r1")
    assert parse_saved_filter("newer:thing\ttext") == ("text", ())


@given(value=st.text(alphabet="²٣१7mhdw0-T:today", max_size=9))
def test_no_spelling_of_a_time_breaks_a_search(value: str) -> None:
    parse_search(f"since:{value}")
    assert parse_search("since:²d") == ("since:²d", ())


def test_the_card_stays_and_nothing_is_asked_while_live_entries_come(
    window: Any, fake_core: Any, make: Any, qtbot: Any, settled: Any
) -> None:
    async def entry(seq: int) -> Any:
        fake_core.note("entry", seq)
        return make.entry(seq, detail={"whole": f"detail of {seq}"})

    fake_core.entry = entry
    window.docks["audit"].come()
    window.audit.table.selectRow(3)
    settled()
    detail = window.audit.card.findChild(QPlainTextEdit)
    assert "detail of 497" in detail.toPlainText()
    asked = [words for name, words in fake_core.asked if name == "entry"]
    shown: list[str] = []
    detail.textChanged.connect(lambda: shown.append(detail.toPlainText()))
    for number in range(501, 506):
        fake_core.put_entry(make.entry(number))
        qtbot.waitUntil(lambda number=number: window.audit.model.rowCount() == number)
        settled()
    assert [words for name, words in fake_core.asked if name == "entry"] == asked
    assert shown == []
    assert detail.isVisible()
    window.audit.table.selectRow(0)
    settled()
    assert "detail of 505" in detail.toPlainText()


def test_down_in_the_search_enters_the_table_and_escape_clears_the_search(
    window: Any, qtbot: Any, settled: Any
) -> None:
    window.docks["audit"].come()
    window.commands.do("audit.find")
    settled()
    finder, table = window.audit.finder, window.audit.table
    qtbot.keyClicks(finder, "orders")
    settled()
    qtbot.keyClick(finder, Qt.Key.Key_Down)
    assert table.hasFocus()
    assert table.currentIndex().row() == 0
    finder.setFocus()
    qtbot.keyClick(finder, Qt.Key.Key_Escape)
    assert finder.text() == ""


def test_the_menu_of_an_entry_opens_its_run(window: Any, fake_core: Any, make: Any, settled: Any) -> None:
    fake_core.entry_list = [make.entry(1, "run.done", "ran to its end", run_id="r1", actor="claude")]
    window.audit.reload()
    settled()
    window.docks["audit"].come()
    window.audit.table.selectRow(0)
    requests: list[Any] = []
    window.context.messages.requested.disconnect()
    window.context.messages.requested.connect(requests.append)
    table = window.audit.table
    table.customContextMenuRequested.emit(table.visualRect(table.currentIndex()).center())
    menu = next(menu for menu in table.findChildren(QMenu) if menu.isVisible())
    actions = {action.text(): action for action in menu.actions()}
    assert "Show only Run: r1" in actions
    assert actions["Show timeline"].isEnabled()
    actions["Show run"].trigger()
    menu.close()
    assert [request.run_id for request in requests] == ["r1"]


def test_the_answer_of_the_verification_is_read_in_full_in_a_narrow_window(
    window: Any, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    window.resize(1024, 700)
    window.docks["audit"].come()
    fake_core.chain = ChainReport(False, 500, "f" * 64, 321, "its hash does not fit")
    assert window.audit.chain.isHidden()
    window.commands.do("audit.verify")
    settled()
    chain = window.audit.chain
    text = "✗ The audit is not intact at entry 321: its hash does not fit. Do not trust entries from there on."
    assert (chain.isVisible(), chain.text(), chain.wordWrap()) == (True, text, True)
    assert chain.height() >= chain.heightForWidth(chain.width())


def test_return_on_an_entry_without_a_run_goes_into_its_card_which_the_keys_scroll(
    window: Any, fake_core: Any, make: Any, settled: Any, qtbot: Any
) -> None:
    fake_core.entry_list = [make.entry(1, "server.added", "line\n" * 40)]
    window.audit.reload()
    settled()
    window.docks["audit"].come()
    window.activateWindow()
    window.resize(1024, 700)
    window.audit.table.setFocus()
    window.audit.table.selectRow(0)
    settled()
    qtbot.keyClick(window.audit.table, Qt.Key.Key_Return)
    area = window.audit.card.findChild(QScrollArea)
    assert area.hasFocus()
    assert area in tab_stops(window)
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    qtbot.keyClick(area, Qt.Key.Key_PageDown)
    assert bar.value() > 0
