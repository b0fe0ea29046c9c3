"""The Review dialog: everything that waits, one after the other, and never by reflex."""

from __future__ import annotations

import json
import time
from typing import Any, cast

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPlainTextEdit, QPushButton

from tests.gui.fake_core import make_held_call, make_run
from tests.gui.runs.test_elicitation_page import make_ask
from workbench.events import ApprovalClocksChanged
from workbench.gui.kit.rows import ROW
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.review_dialog import ReviewDialog
from workbench.gui.runs.review_group import GroupPanel
from workbench.gui.servers.trust_question import TrustDialog
from workbench.gui.shell.navigation import DecideTrust
from workbench.records import (
    Decision,
    Finding,
    GroupColumn,
    GroupRow,
    RequestClock,
    RequestGroup,
    Risk,
    Run,
    RunState,
    Span,
)

Keys = Qt.Key


def put(fake_core: Any, name: str, risk: Risk = Risk.MEDIUM, **fields: Any) -> Run:
    """A waiting program whose text differs from that of every other one."""
    run = make_run(name, risk=risk, **fields)
    sha = name.rjust(64, "0")
    findings = (Finding("x", risk, "Something.", Span(3), "send_email"),)
    verdict = replace(run.verdict, sha=sha, findings=findings)
    run = replace(run, proposal=replace(run.proposal, sha=sha), verdict=verdict, fingerprint=sha)
    fake_core.put_run(run)
    return run


def decisions(fake_core: Any) -> list[Decision]:
    return [words[0] for name, words in fake_core.asked if name == "decide"]


def press(widget: Any, *keys: Qt.Key | str) -> None:
    """Press keys where the keyboard is."""
    for key in keys:
        QTest.keyClick(widget.focusWidget() or widget, key)


def settled(review: ReviewDialog, qtbot: Any) -> None:
    page = review.page()
    assert page is not None
    qtbot.waitUntil(page.allow_button.settled)


def page_of(review: ReviewDialog) -> Any:
    return review.page()


def shown(review: ReviewDialog) -> str:
    page = review.page()
    return page.request_id if page is not None else ""


@pytest.fixture
def review(window: Any, fake_core: Any, qtbot: Any) -> ReviewDialog:
    """The dialog, opened by the action, with three programs of medium risk."""
    for number in range(3):
        put(fake_core, f"r{number}", deadline=time.time() + 100 + number)
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 3)
    window.commands.do("run.review")
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)))
    made: ReviewDialog = window.findChildren(ReviewDialog)[0]
    made.activateWindow()
    qtbot.waitUntil(made.isVisible)
    return made


def test_j_and_k_move_and_deny_takes_one_key_after_which_the_next_request_is_there(
    review: ReviewDialog, fake_core: Any, qtbot: Any
) -> None:
    assert shown(review) == "r0"
    assert review.windowTitle().startswith("1 of 3 · ")
    press(review, Keys.Key_J)
    assert shown(review) == "r1"
    press(review, Keys.Key_K, Keys.Key_K)
    assert shown(review) == "r0"
    place = review.geometry()
    settled(review, qtbot)
    press(review, Keys.Key_D)
    qtbot.waitUntil(lambda: shown(review) == "r1")
    assert [(one.run_id, one.allow) for one in decisions(fake_core)] == [("r0", False)]
    assert review.windowTitle().startswith("2 of 3 · ")
    assert review.geometry() == place


def test_arrow_keys_on_a_button_lead_as_j_and_k(review: ReviewDialog, fake_core: Any) -> None:
    assert page_of(review).deny_button.hasFocus()
    press(review, Keys.Key_Down, Keys.Key_Down, Keys.Key_Up)
    assert shown(review) == "r1"
    assert page_of(review).deny_button.hasFocus(), "the keyboard stays at the safe answer"
    assert decisions(fake_core) == []


def test_allow_takes_a_second_key_and_any_other_key_cancels(review: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    settled(review, qtbot)
    press(review, Keys.Key_A, Keys.Key_X, Keys.Key_A)
    assert decisions(fake_core) == []
    press(review, Keys.Key_Escape)
    assert review.isVisible(), "Escape cancels the allow that was begun"
    press(review, Keys.Key_A, Keys.Key_A)
    qtbot.waitUntil(lambda: shown(review) == "r1")
    settled(review, qtbot)
    press(review, Keys.Key_A, Keys.Key_Return)
    qtbot.waitUntil(lambda: shown(review) == "r2")
    assert [(one.run_id, one.allow) for one in decisions(fake_core)] == [("r0", True), ("r1", True)]


def test_nothing_is_allowed_in_the_first_moment_of_any_request(
    review: ReviewDialog, fake_core: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.gui.kit.controls.SETTLE_MS", 600_000)
    for key in (Keys.Key_J, Keys.Key_K):
        press(review, key, Keys.Key_A, Keys.Key_A, Keys.Key_A, Keys.Key_Return)
    qtbot.wait(30)
    assert decisions(fake_core) == []


def test_high_risk_takes_one_key_more_and_critical_the_name(window: Any, fake_core: Any, qtbot: Any) -> None:
    put(fake_core, "high", Risk.HIGH, deadline=time.time() + 100)
    put(fake_core, "critical", Risk.CRITICAL, deadline=time.time() + 200)
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 2)
    window.commands.do("run.review")
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)))
    (review,) = window.findChildren(ReviewDialog)
    review.activateWindow()
    settled(review, qtbot)
    press(review, Keys.Key_A, Keys.Key_A)
    qtbot.wait(30)
    assert decisions(fake_core) == []
    press(review, Keys.Key_A)
    qtbot.wait(30)
    assert decisions(fake_core) == [], "only Return allows what is risky"
    press(review, Keys.Key_Return)
    qtbot.waitUntil(lambda: shown(review) == "critical")
    settled(review, qtbot)
    press(review, Keys.Key_A)
    page = page_of(review)
    assert QApplication.focusWidget() is page.typing.line
    QTest.keyClicks(page.typing.line, "send_emailad")
    assert page.typing.line.text() == "send_emailad", "letters belong to the field"
    assert [one.run_id for one in decisions(fake_core)] == ["high"]


def test_new_requests_join_at_the_end_and_move_nothing(
    review: ReviewDialog, window: Any, fake_core: Any, qtbot: Any
) -> None:
    press(review, Keys.Key_J)
    put(fake_core, "urgent", deadline=time.time() + 10)
    fake_core.put_held_call(make_held_call(deadline=time.time() + 5))
    fake_core.put_ask(make_ask(by="claude-code", run_id="r1"))
    qtbot.waitUntil(lambda: len(review.order()) == 6)
    assert review.order()[:3] == ("r0", "r1", "r2")
    assert shown(review) == "r1"
    assert review.list.key() == "r1"
    assert [key for key in review.order() if review.page_of(key)] == ["r0", "r1"], "pages are made when first shown"
    press(review, *[Keys.Key_J] * 9)
    assert shown(review) == review.order()[-1]


def test_the_list_leads_by_mouse_and_arrows_and_keeps_the_keyboard(
    review: ReviewDialog, qtbot: Any, fake_core: Any
) -> None:
    place = review.list.visualRect(review.model.find("r2")).center()
    qtbot.mouseClick(review.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shown(review) == "r2"
    assert review.list.hasFocus()
    press(review, Keys.Key_Up)
    assert shown(review) == "r1"
    assert review.list.hasFocus()
    press(review, Keys.Key_Return)
    assert page_of(review).deny_button.hasFocus()
    assert decisions(fake_core) == []


@pytest.mark.parametrize("key", [Keys.Key_L, Keys.Key_Escape])
def test_later_is_one_key_and_decides_nothing(
    review: ReviewDialog, window: Any, fake_core: Any, qtbot: Any, key: Qt.Key
) -> None:
    press(review, Keys.Key_J, key)
    assert not review.isVisible()
    assert decisions(fake_core) == []
    assert window.strip.isVisible()
    window.commands.do("run.review")
    qtbot.waitUntil(review.isVisible)


def test_a_program_that_needs_no_approval_any_more_makes_way(review: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    page = page_of(review)
    released = Decision("r0", "", True, "your decision about git", at=time.time())
    fake_core.put_run(replace(page.run, state=RunState.RUNNING, decision=released))
    qtbot.waitUntil(lambda: shown(review) == "r1")
    assert review.status_text() == "The program runs now by your decision about git."
    press(review, Keys.Key_E)
    page = page_of(review)
    qtbot.waitUntil(lambda: page.program.editing)
    QTest.keyClicks(page.program.editor, "# mine")
    fake_core.put_run(replace(page.run, state=RunState.RUNNING, decision=replace(released, run_id="r1")))
    qtbot.waitUntil(lambda: page.is_over)
    assert shown(review) == "r1", "the text that was typed stays"


def test_letters_in_the_reason_are_text(review: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    settled(review, qtbot)
    press(review, Keys.Key_R)
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    QTest.keyClicks(field, "adjkle?")
    assert field.text() == "adjkle?"
    assert shown(review) == "r0"
    press(review, Keys.Key_Return)
    qtbot.waitUntil(lambda: shown(review) == "r1")
    assert [(one.allow, one.reason) for one in decisions(fake_core)] == [(False, "adjkle?")]


def test_an_empty_queue_says_so_and_closes(review: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    for expected in ("r1", "r2", ""):
        settled(review, qtbot)
        press(review, Keys.Key_A, Keys.Key_A)
        qtbot.waitUntil(lambda expected=expected: shown(review) == expected)
    assert review.windowTitle() == "Nothing waits for you"
    for name in ("r3", "r4"):
        put(fake_core, name, deadline=time.time() + 100)
    qtbot.waitUntil(lambda: review.windowTitle().startswith("1 of 2 · "))
    for expected in ("r4", ""):
        settled(review, qtbot)
        press(review, Keys.Key_A, Keys.Key_A)
        qtbot.waitUntil(lambda expected=expected: shown(review) == expected)
    qtbot.waitUntil(lambda: not review.isVisible())


def test_everything_has_a_name_for_screen_readers(review: ReviewDialog) -> None:
    press(review, "?")
    assert review.keys_table.isVisible()
    for widget in (review.list, page_of(review).deny_button, page_of(review).allow_button):
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
    row = review.model.find("r0").data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Sends an e-mail" in row
    assert "claude-code" in row
    assert "Medium risk" in row


def test_a_denial_can_be_undone_for_a_moment_also_after_the_last_request(
    review: ReviewDialog, window: Any, fake_core: Any, qtbot: Any
) -> None:
    for expected in ("r1", "r2", ""):
        settled(review, qtbot)
        press(review, Keys.Key_D)
        qtbot.waitUntil(lambda expected=expected: shown(review) == expected)
    assert review.undo.text().startswith("Undo (U) · ")
    assert window.context.store.waiting_count == 0
    press(review, Keys.Key_U)
    qtbot.waitUntil(lambda: shown(review) == "r2")
    assert ("undo_denial", ("r2",)) in fake_core.asked
    assert not review.undo.isVisible()
    assert window.context.store.waiting_count == 1
    settled(review, qtbot)
    press(review, Keys.Key_D)
    qtbot.waitUntil(lambda: shown(review) == "")
    press(review, Keys.Key_Escape)
    assert not review.isVisible()
    window.commands.do("run.undo_denial")
    qtbot.waitUntil(lambda: shown(review) == "r2")
    assert review.isVisible()


def test_a_denial_that_is_undone_goes_back_to_its_place(review: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    press(review, Keys.Key_J)
    settled(review, qtbot)
    press(review, Keys.Key_D)
    qtbot.waitUntil(lambda: shown(review) == "r2")
    press(review, Keys.Key_U)
    qtbot.waitUntil(lambda: shown(review) == "r1")
    assert review.order() == ("r0", "r1", "r2")
    assert review.status_text() == "The denial was undone."


def test_the_clocks_stand_still_while_it_is_shown(
    review: ReviewDialog, window: Any, fake_core: Any, bus: Any, qtbot: Any
) -> None:
    qtbot.waitUntil(lambda: ("review", ()) in fake_core.asked)
    bus.tell(ApprovalClocksChanged((RequestClock("r0", time.time() + 3_600, 83.0),)))
    qtbot.waitUntil(lambda: page_of(review).countdown.text() == "clock stopped at 1:23")
    qtbot.waitUntil(lambda: review.model.find("r0").data(ROW).aside == "1:23")


def group_of(*ids: str) -> RequestGroup:
    columns = (GroupColumn(3, "to", True, "'bob@acme.example'"), GroupColumn(3, "subject", False, "'Weekly'"))
    values = {one: ("'bob@acme.example'", f"'{one}'") for one in ids} | {"r3": ("'eve@evil.example'", "'x'")}
    return RequestGroup(ids, columns, tuple(GroupRow(one, values[one], (one == "r3", False)) for one in ids))


@pytest.fixture
def grouped(review: ReviewDialog, fake_core: Any, qtbot: Any) -> ReviewDialog:
    """Four programs of one form, the last one with another destination, and one of its own."""

    async def group_requests(run_ids: tuple[str, ...]) -> tuple[RequestGroup, ...]:
        same = tuple(one for one in run_ids if one != "other")
        return (group_of(*same), RequestGroup(("other",)))

    fake_core.group_requests = group_requests
    put(fake_core, "other", deadline=time.time() + 500)
    put(fake_core, "r3", deadline=time.time() + 400)
    qtbot.waitUntil(lambda: len(review.order()) == 2)
    return review


def many(fake_core: Any) -> list[tuple[Decision, ...]]:
    return [words[0] for name, words in fake_core.asked if name == "decide_many"]


def test_programs_of_one_form_are_one_entry_with_a_table_and_are_decided_together(
    grouped: ReviewDialog, fake_core: Any, qtbot: Any
) -> None:
    assert shown(grouped) == "r0", "the request in front stays there when others join it"
    qtbot.waitUntil(lambda: grouped.model.index(0).data(ROW).title.startswith("4 × "))
    assert grouped.group.isVisible()
    table = grouped.group.table
    assert [table.headerItem().text(place) for place in range(3)] == ["Program", "to", "subject"]
    assert table.topLevelItem(0).text(1) == "'bob@acme.example'"
    assert [run.id for run in grouped.group.ticked()] == ["r0", "r1", "r2"], "a new destination is not ticked"
    place = table.visualItemRect(table.topLevelItem(2)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shown(grouped) == "r1"
    qtbot.waitUntil(grouped.group.allow_button.isEnabled)
    assert grouped.group.allow_button.text() == "Allow 3"
    QTest.keyClick(table, Keys.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert many(fake_core) == []
    press(grouped, Keys.Key_Return)
    qtbot.waitUntil(lambda: bool(many(fake_core)))
    (decisions_,) = many(fake_core)
    assert [(one.run_id, one.allow, one.sha) for one in decisions_] == [
        (name, True, name.rjust(64, "0")) for name in ("r0", "r1", "r2")
    ]
    qtbot.waitUntil(lambda: shown(grouped) == "r3")
    assert grouped.windowTitle().startswith("4 of 5 · ")


def test_a_confirms_a_group_and_escape_cancels_it(grouped: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.waitUntil(grouped.group.allow_button.isEnabled)
    QTest.keyClick(grouped.focusWidget(), Keys.Key_A, shift)
    assert grouped.status_text() == "Press A or Return to allow 3 programs. Escape cancels."
    press(grouped, Keys.Key_Escape)
    assert grouped.isVisible()
    assert not grouped.group.allow_button.hasFocus()
    QTest.keyClick(grouped.focusWidget(), Keys.Key_A, shift)
    press(grouped, Keys.Key_A)
    qtbot.waitUntil(lambda: bool(many(fake_core)))
    assert [one.run_id for one in many(fake_core)[0]] == ["r0", "r1", "r2"]


def test_a_long_table_is_paged_to_every_row_that_was_not_on_the_screen(theme: Any, qtbot: Any) -> None:
    ids = tuple(f"r{number}" for number in range(20))
    rows = tuple(GroupRow(name, (f"'{name}'",), (False,)) for name in ids)
    panel = GroupPanel(theme)
    qtbot.addWidget(panel)
    runs = {name: make_run(name, risk=Risk.MEDIUM) for name in ids}
    panel.show_group(RequestGroup(ids, (GroupColumn(3, "text", False),), rows), runs, "r19")
    panel.resize(700, 300)
    said = "20 programs of the same form. Scroll to the end to allow them together."
    qtbot.waitUntil(lambda: said in [one.full_text() for one in panel.findChildren(ForeignLabel)])
    pages = 0
    while panel.show_more():
        pages += 1
        assert pages < 10, "rows above the selected one come into view too"
    assert pages > 1
    assert panel.obstacle() == ""


def test_the_table_of_a_group_shows_what_differs_in_order(theme: Any, qtbot: Any) -> None:
    panel = GroupPanel(theme)
    qtbot.addWidget(panel)
    values = {f"r{number}": f"'/srv/data/notes/part {number}.md'" for number in (10, 9, 2)}
    rows = tuple(GroupRow(name, (value, "'x'"), (False, False)) for name, value in values.items())
    columns = (GroupColumn(3, "path", True), GroupColumn(3, "text", False))
    panel.show_group(RequestGroup(tuple(values), columns, rows), {name: make_run(name) for name in values}, "r10")
    panel.resize(700, 260)
    table = panel.table
    assert table.headerItem().text(1) == "path: '/srv/data/notes/part…"
    items = [table.topLevelItem(number) for number in range(3)]
    assert [item.text(1) for item in items] == ["…2.md'", "…9.md'", "…10.md'"]
    assert "/srv/data/notes/part 10.md" in items[2].toolTip(1)
    assert table.currentItem() is items[2]


def test_a_group_is_denied_at_once_and_that_can_be_undone(grouped: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    qtbot.waitUntil(grouped.group.allow_button.settled)
    QTest.keyClick(grouped.focusWidget(), Keys.Key_D, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: shown(grouped) == "r3")
    assert grouped.undo.text().startswith("Undo 3 denials")
    press(grouped, Keys.Key_U)
    qtbot.waitUntil(lambda: [name for name, _ in fake_core.asked].count("undo_denial") == 3)
    qtbot.waitUntil(lambda: len(grouped.order()) == 2 and grouped.group.isVisible())
    assert shown(grouped) == "r0"
    assert grouped.status_text() == "3 denials were undone."


def test_high_risk_is_allowed_one_by_one(grouped: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    put(fake_core, "r1", Risk.HIGH, deadline=time.time() + 300)
    said = "Programs of high risk are allowed one by one."
    labels = grouped.group.findChildren(ForeignLabel)
    qtbot.waitUntil(lambda: any(said in one.full_text() and one.isVisible() for one in labels))
    assert not grouped.group.allow_button.isEnabled()
    assert grouped.group.deny_button.isEnabled()
    settled(grouped, qtbot)
    QTest.keyClick(grouped.focusWidget(), Keys.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert grouped.group.table.hasFocus(), "the Return that was meant to allow the group does not deny one program"
    press(grouped, Keys.Key_Return)
    assert not grouped.undo.active
    assert shown(grouped) == "r0"


def test_the_next_request_opens_although_others_left_the_list(
    review: ReviewDialog, fake_core: Any, window: Any, qtbot: Any
) -> None:
    press(review, Keys.Key_J)
    settled(review, qtbot)
    gone = replace(fake_core.run_list["r0"], state=RunState.RUNNING)
    page = page_of(review)
    page.deny()
    fake_core.put_run(gone)
    qtbot.waitUntil(lambda: shown(review) == "r2")
    assert review.order() == ("r2",)


def test_t_asks_about_the_server_for_which_a_program_waits(
    review: ReviewDialog, fake_core: Any, window: Any, qtbot: Any
) -> None:
    first = fake_core.run_list["r0"]
    fake_core.put_run(replace(first, verdict=replace(first.verdict, waits_for_trust=("demo",))))
    qtbot.waitUntil(lambda: page_of(review).trust.isVisible())
    asked: list[object] = []
    window.context.messages.requested.connect(asked.append)
    press(review, Keys.Key_T)
    assert asked == [DecideTrust("demo")]
    qtbot.waitUntil(lambda: bool(review.findChildren(TrustDialog)))
    review.findChildren(TrustDialog)[0].reject()


def test_a_key_meant_for_a_request_that_was_answered_elsewhere_presses_nothing(
    review: ReviewDialog, fake_core: Any, qtbot: Any
) -> None:
    settled(review, qtbot)
    press(review, Keys.Key_A)
    assert page_of(review).allow_button.hasFocus()
    elsewhere = Decision("r0", "", False, "you, in a terminal")
    fake_core.put_run(replace(fake_core.run_list["r0"], state=RunState.REFUSED, decision=elsewhere))
    qtbot.waitUntil(lambda: page_of(review).is_over)
    press(review, Keys.Key_Return)
    assert shown(review) == "r0", "Close is not pressed by the key that was meant for Allow"
    said = "this program was denied elsewhere by you, in a terminal; your answer was not used."
    assert review.status_text().endswith(said)
    settled(review, qtbot)
    press(review, Keys.Key_Return)
    qtbot.waitUntil(lambda: shown(review) == "r1")
    assert review.status_text().endswith(said), "it is still said beside the next request"
    press(review, Keys.Key_Return, Keys.Key_D, Keys.Key_A)
    assert shown(review) == "r1"
    assert decisions(fake_core) == []


def test_all_of_an_agent_are_denied_and_it_is_muted(review: ReviewDialog, fake_core: Any, qtbot: Any) -> None:
    qtbot.mouseClick(review.agent_button, Qt.MouseButton.LeftButton)
    (menu,) = review.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    texts = [action.text() for action in menu.actions()]
    assert texts == ["Deny all of claude-code (3)", "Deny all of claude-code and mute it"]
    menu.actions()[1].trigger()
    menu.close()
    qtbot.waitUntil(lambda: shown(review) == "")
    assert ("deny_agent", ("session-1", True)) in fake_core.asked
    assert review.undo.text().startswith("Undo 3 denials")


def open_held_call(window: Any, qtbot: Any) -> ReviewDialog:
    qtbot.waitUntil(lambda: bool(window.context.store.held_calls))
    window.commands.do("held_call.decide")
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)))
    (review,) = window.findChildren(ReviewDialog)
    review.activateWindow()
    qtbot.waitUntil(review.isActiveWindow)
    settled(review, qtbot)
    return cast("ReviewDialog", review)


def test_the_arguments_of_a_held_call_are_changed_in_place(window: Any, fake_core: Any, qtbot: Any) -> None:
    held_call = fake_core.put_held_call(make_held_call(editable=True, origins=()))
    review = open_held_call(window, qtbot)
    page = page_of(review)
    press(review, Keys.Key_E)
    qtbot.waitUntil(lambda: page.editor.isAncestorOf(QApplication.focusWidget()))
    text_box = QApplication.focusWidget()
    assert isinstance(text_box, QPlainTextEdit), "the tool has no such fields, so they are edited as JSON"
    assert not page.deny_button.isVisible()
    text_box.setPlainText("{")
    qtbot.waitUntil(lambda: page.fault.sentence() == "The arguments are not valid JSON.")
    assert not page.check_button.isEnabled()
    text = held_call.arguments.replace("records@collect-data.example", "team@acme.example")
    text_box.setPlainText(text)
    qtbot.waitUntil(page.check_button.isEnabled)
    QTest.keyClick(text_box, Keys.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: page.held_call.id == "p1-2")
    assert page.allow_button.text() == "Allow with changes"
    assert "team@acme.example" in page.arguments.text()
    assert review.order() == ("p1-2",)
    settled(review, qtbot)
    press(review, Keys.Key_A, *[Keys.Key_A] * page.is_risky, Keys.Key_Return)
    qtbot.waitUntil(lambda: bool([name for name, _ in fake_core.asked if name == "answer_held_call"]))
    (answer,) = [words[0] for name, words in fake_core.asked if name == "answer_held_call"]
    assert (answer.held_call_id, answer.allow) == ("p1-2", True)


_TEXTS = {"type": "object", "properties": {name: {"type": "string"} for name in ("to", "subject", "body", "cc")}}


def test_simple_arguments_are_changed_in_a_form_and_stay_when_calls_join(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    fake_core.tool_schemas["send_email"] = _TEXTS
    held_call = fake_core.put_held_call(make_held_call(editable=True))
    review = open_held_call(window, qtbot)
    page = page_of(review)
    qtbot.waitUntil(lambda: page.editor.knows_schema)
    press(review, Keys.Key_E)
    form = page.editor.form
    qtbot.waitUntil(lambda: form.isVisible() and form.isAncestorOf(QApplication.focusWidget()))
    assert page.editor.text() == held_call.arguments, "nothing is changed yet"
    press(review, Keys.Key_Escape)
    assert page.arguments.isVisible(), "Escape leaves a form without changes"
    press(review, Keys.Key_E)
    qtbot.waitUntil(lambda: form.isVisible() and form.isAncestorOf(QApplication.focusWidget()))
    field = QApplication.focusWidget()
    QTest.keyClick(field, Keys.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, "team@acme.example")
    fake_core.put_held_call(
        make_held_call("p1-9", editable=False, more=1, list=("first", "second")), before=held_call.id
    )
    qtbot.waitUntil(lambda: page.held_call.id == "p1-9")
    assert page.fault.sentence().startswith("1 more call joined while you edited.")
    assert '"to": "team@acme.example"' in page.editor.text()
    assert field.hasFocus()
    assert decisions(fake_core) == []
    qtbot.waitUntil(page.check_button.isEnabled)
    QTest.keyClick(field, Keys.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "edit_held_call" in [name for name, _ in fake_core.asked])
    (changed,) = [words for name, words in fake_core.asked if name == "edit_held_call"]
    assert changed[0] == held_call.id, "what the user saw when the edit began"
    assert json.loads(changed[1])["to"] == "team@acme.example"


def test_nested_arguments_are_changed_in_the_form(window: Any, fake_core: Any, qtbot: Any) -> None:
    person = {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}
    fake_core.tool_schemas["send_email"] = {
        "type": "object",
        "properties": {"people": {"type": "array", "items": person}},
    }
    given = {"people": [{"name": "Ada", "age": 36}, {"name": "Bo", "age": 40}]}
    fake_core.put_held_call(make_held_call(editable=True, origins=(), arguments=json.dumps(given)))
    review = open_held_call(window, qtbot)
    page = page_of(review)
    qtbot.waitUntil(lambda: page.editor.knows_schema)
    press(review, Keys.Key_E)
    form = page.editor.form
    qtbot.waitUntil(form.isVisible)
    assert not form.json_shown()
    assert not page.editor.has_changes()
    ages = [line for line in form.findChildren(QLineEdit) if line.text() == "40"]
    ages[0].selectAll()
    QTest.keyClicks(ages[0], "41")
    assert json.loads(page.editor.text())["people"][1] == {"name": "Bo", "age": 41}
    form.show_json(True)
    qtbot.waitUntil(page.check_button.isEnabled)
    page.check_button.click()
    qtbot.waitUntil(lambda: "edit_held_call" in [name for name, _ in fake_core.asked])


def test_a_program_that_lapsed_is_put_back(review: ReviewDialog, window: Any, fake_core: Any, qtbot: Any) -> None:
    lapsed = replace(fake_core.run_list["r0"], state=RunState.REFUSED)
    fake_core.put_run(lapsed)
    qtbot.waitUntil(lambda: page_of(review).is_over)
    assert "Time is up" in page_of(review).fault.sentence()
    (button,) = [one for one in page_of(review).fault.findChildren(QPushButton) if "after all" in one.text()]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown(review) == "r0-again")
    window.output.show_run("r0")
    qtbot.waitUntil(lambda: window.output.head.revive.isVisibleTo(window.output.head))
    fake_core.put_run(replace(lapsed, revived_as="r0-again"))
    press(review, Keys.Key_J)

    def buttons() -> list[QPushButton]:
        return [one for one in window.output.fault.findChildren(QPushButton) if one.text() == "Show the new run"]

    qtbot.waitUntil(lambda: bool(buttons()))
    buttons()[0].click()
    qtbot.waitUntil(lambda: shown(review) == "r0-again")


def test_programs_and_held_calls_are_decided_together_in_the_list_of_runs(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    put(fake_core, "r0", deadline=time.time() + 100)
    mild = make_held_call(run_id="", risk=Risk.MEDIUM, origins=(), sentence="Claude Code wants to delete notes.txt")
    fake_core.put_held_call(mild)
    fake_core.put_held_call(make_held_call("p2-1", run_id=""))
    qtbot.waitUntil(lambda: window.runs.list.model.rowCount() == 4)
    view = window.runs.list.view
    window.docks["runs"].come()
    qtbot.waitUntil(view.isVisible)

    def menu_at(*keys: str) -> dict[str, Any]:
        for number, key in enumerate(keys):
            place = view.visualRect(window.runs.list.model.find(key)).center()
            held = Qt.KeyboardModifier.ControlModifier if number else Qt.KeyboardModifier.NoModifier
            qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, pos=place)
        return {action.text(): action for action in window.runs.actions_for(keys[-1]) if action is not None}

    assert not menu_at("r0", "p1-1", "p2-1")["Allow 3…"].isEnabled(), "high risk is allowed one by one"
    menu_at("r0", "p1-1")["Allow 2…"].trigger()
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    texts = [one.full_text() for one in dialog.findChildren(ForeignLabel)]
    texts += [one.toPlainText() for one in dialog.findChildren(QPlainTextEdit)]
    assert any("Claude Code wants to delete notes.txt" in text and "records@collect-data" in text for text in texts)
    (button,) = [one for one in dialog.findChildren(QPushButton) if one.text() == "Allow 2"]
    qtbot.waitUntil(button.isEnabled)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "decide_many" in [name for name, _ in fake_core.asked])
    ((decided, answered),) = [words for name, words in fake_core.asked if name == "decide_many"]
    assert [(one.run_id, one.allow) for one in decided] == [("r0", True)]
    assert [(one.held_call_id, one.allow) for one in answered] == [("p1-1", True)]
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 1)


def test_several_rows_of_the_list_of_runs_are_decided_together(window: Any, fake_core: Any, qtbot: Any) -> None:
    for number, risk in enumerate((Risk.MEDIUM, Risk.LOW, Risk.HIGH)):
        put(fake_core, f"r{number}", risk, deadline=time.time() + 100 + number)
    fake_core.put_held_call(make_held_call(run_id="", deadline=time.time() + 50))
    qtbot.waitUntil(lambda: window.runs.list.model.rowCount() == 5)
    section = window.runs.list.model.index(0).data(ROW)
    assert (section.title, section.aside) == ("Waiting for you", "4")
    view = window.runs.list.view

    def click(key: str, held: Any = Qt.KeyboardModifier.NoModifier) -> None:
        place = view.visualRect(window.runs.list.model.find(key)).center()
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, pos=place)

    window.docks["runs"].come()
    qtbot.waitUntil(view.isVisible)
    click("r0")
    click("r1", Qt.KeyboardModifier.ControlModifier)
    menu = {action.text(): action for action in window.runs.actions_for("r1") if action is not None}
    assert list(menu) == ["Deny 2", "Allow 2…", "Copy IDs"]
    assert menu["Allow 2…"].isEnabled()
    click("r2", Qt.KeyboardModifier.ControlModifier)
    menu = {action.text(): action for action in window.runs.actions_for("r2") if action is not None}
    assert not menu["Allow 3…"].isEnabled(), "high risk is allowed one by one"
    menu["Deny 3"].trigger()
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 1)
    window.commands.do("run.undo_denial")
    qtbot.waitUntil(lambda: window.context.store.waiting_count == 4)
    click("p1-1")
    qtbot.mouseDClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(window.runs.list.model.find("p1-1")).center()
    )
    qtbot.waitUntil(lambda: bool(window.findChildren(ReviewDialog)))
    assert shown(window.findChildren(ReviewDialog)[0]) == "p1-1"
