"""The page Personal data: what was hidden and where it went, a project for the detector, marks and kinds."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton

from workbench.gui.kit.rows import KEY
from workbench.gui.kit.wording import kind_label
from workbench.gui.privacy.privacy_pane import PrivacyPane
from workbench.gui.privacy.rows import came_from, mark_rows, read_by, went_to
from workbench.gui.privacy.trial_page import EXAMPLE
from workbench.gui.results.masking_cards import ExplanationCard
from workbench.gui.shell.navigation import ShowRun, ShowTool
from workbench.records import HiddenValue, KindRule, PrivacyMark


@pytest.fixture
def pane(context: Any, bus: Any, qtbot: Any) -> PrivacyPane:
    made = PrivacyPane(context)
    bus.listen(context.store.handle)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    qtbot.waitUntil(lambda: made.masked.report is not None and bool(made.kinds.boxes))
    return made


def titles(model: Any) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def choose(view: Any, model: Any, title: str) -> None:
    view.setCurrentIndex(model.index(titles(model).index(title)))


def test_an_empty_session_says_what_will_be_listed(pane: PrivacyPane) -> None:
    assert pane.masked.empty.isVisible()
    assert not pane.masked.card.isVisible()
    assert "as a token" in pane.masked.empty.accessibleDescription()


def test_values_are_listed_without_the_value_and_lead_to_runs_and_tools(
    pane: PrivacyPane, fake_core: Any, qtbot: Any
) -> None:
    session = fake_core.fill_privacy()
    wishes: list[object] = []
    pane.context.messages.requested.connect(wishes.append)
    pane.look("hidden", session.id)
    assert pane.masked.rows.finder.hasFocus()
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() == 9)
    assert "ada" not in "".join(titles(pane.masked.rows.model))
    pane.masked.rows.view.setCurrentIndex(pane.masked.rows.model.index(1, 0))
    for button in pane.masked.card.findChildren(QPushButton):
        if button.text() in ("crm.list_customers", "run run-1", "mail.send", "Run run-1"):
            button.click()
    assert wishes.count(ShowRun("run-1")) == 2, "the one that read it, and the one whose answer hid it"
    assert {repr(ShowTool("crm", "list_customers")), repr(ShowTool("mail", "send"))} <= set(map(repr, wishes))


def test_values_are_found_by_kind_and_by_words_and_more_are_asked_for(
    pane: PrivacyPane, fake_core: Any, qtbot: Any
) -> None:
    session = fake_core.fill_privacy(120)
    pane.look("hidden", session.id)
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() == 200)
    assert pane.masked.more.isVisible()
    pane.masked.more.click()
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() > 200)
    pane.masked.kind.setCurrentIndex(pane.masked.kind.findData("EMAIL"))
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() == 120)
    pane.masked.rows.finder.setText("ada7@example.org")
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() == 1)
    pane.masked.rows.finder.setText("ada7")
    qtbot.waitUntil(lambda: pane.masked.empty.accessibleName() == "No value matches")


def test_return_on_a_row_looks_behind_it(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    session = fake_core.fill_privacy()
    pane.look("hidden", session.id)
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() == 9)
    pane.masked.rows.view.setCurrentIndex(pane.masked.rows.model.index(0, 0))
    QTest.keyClick(pane.masked.rows.view, Qt.Key.Key_Return)
    token = str(pane.masked.rows.model.index(0, 0).data(KEY))
    qtbot.waitUntil(lambda: ("reveal", (session.id, token, False)) in fake_core.asked)


def test_a_text_is_tried_with_why_and_what_a_model_reads(pane: PrivacyPane, qtbot: Any) -> None:
    pane.look("try")
    pane.trial.example.click()
    qtbot.waitUntil(lambda: pane.trial.rows.model.rowCount() == 5)
    assert pane.trial.edit.toPlainText() == EXAMPLE
    told = str(pane.trial.rows.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert told.startswith("Ada Lovelace, Name")
    assert "Why: " in told
    assert "ada@example.org" not in pane.trial.masked.edit.toPlainText()
    assert "read as JSON" in pane.trial.summary.full_text()
    pane.trial.rows.view.setCurrentIndex(pane.trial.rows.model.index(1, 0))
    assert pane.trial.edit.textCursor().selectedText() == "ada@example.org"
    assert len(pane.trial.edit.extraSelections()) == 5


def test_what_was_missed_becomes_a_mark_that_counts_at_once(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    pane.look("try")
    pane.trial.edit.setPlainText("😀 about Falcon-9")
    qtbot.waitUntil(lambda: "Nothing found" in pane.trial.summary.full_text())
    assert not pane.trial.missed.isEnabled()
    pane.trial.edit.moveCursor(QTextCursor.MoveOperation.End)
    for _ in range(8):
        pane.trial.edit.moveCursor(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor)
    pane.trial.missed.click()
    qtbot.waitUntil(lambda: pane.trial.rows.model.rowCount() == 1)
    assert titles(pane.trial.rows.model) == ["Falcon-9"]
    assert pane.trial.edit.extraSelections()[0].cursor.selectedText() == "Falcon-9"
    assert "Falcon-9" in titles(pane.marks.rows.model)


def test_the_menu_of_a_text_offers_the_kinds_for_what_was_missed(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    pane.trial.edit.setPlainText("badge 7-7-7")
    pane.trial.edit.selectAll()
    edit = pane.trial.edit
    edit.customContextMenuRequested.emit(edit.rect().center())
    menu = next(menu for menu in edit.findChildren(QMenu) if menu.isVisible())
    kinds = next(action.menu() for action in menu.actions() if action.menu() is not None)
    next(action for action in kinds.actions() if action.text() == "User names").trigger()
    menu.close()
    qtbot.waitUntil(
        lambda: [(one.text, one.kind) for one in fake_core.personal.marks()] == [("badge 7-7-7", "USERNAME")]
    )


def test_marks_are_added_by_form_refused_with_a_reason_and_taken_back(
    pane: PrivacyPane, fake_core: Any, qtbot: Any
) -> None:
    page = pane.marks
    pane.look("marks")
    assert page.rows.empty.isVisible()
    page.target.setCurrentIndex(page.target.findData("pattern"))
    page.text.setText(r"\d+")
    QTest.keyClick(page.text, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "may take very long" in page.fault.sentence())
    page.text.setText(r"AB-\d{6}")
    page.add.click()
    qtbot.waitUntil(lambda: r"AB-\d{6}" in titles(page.rows.model))
    page.action.setCurrentIndex(1)
    assert page.kind.isHidden()
    page.target.setCurrentIndex(0)
    page.text.setText("help@corp.io")
    page.add.click()
    qtbot.waitUntil(lambda: "help@corp.io" in titles(page.rows.model))
    choose(page.rows.view, page.rows.model, r"AB-\d{6}")
    page.remove.click()
    qtbot.waitUntil(lambda: [one.text for one in fake_core.personal.marks()] == ["help@corp.io"])


def test_a_mark_of_the_project_cannot_be_taken_back_here(pane: PrivacyPane, fake_core: Any, complete: Any) -> None:
    rules = complete(fake_core.privacy_rules())
    pane.marks.show_rules(replace(rules, marks=(PrivacyMark(True, "value", "Falcon", "CUSTOM", "project", id="b"),)))
    choose(pane.marks.rows.view, pane.marks.rows.model, "Falcon")
    assert not pane.marks.remove.isEnabled()
    assert "workbench.toml" in pane.marks.remove.toolTip()


def test_a_kind_is_switched_off_and_hiding_as_a_whole_too(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    pane.look("kinds")
    pane.kinds.boxes["IP"].click()
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_off == "IP")
    pane.kinds.enabled.click()
    qtbot.waitUntil(lambda: not pane.kinds.boxes["IP"].isEnabled())
    assert not fake_core.current_settings.privacy_enabled
    pane.kinds.enabled.click()
    qtbot.waitUntil(lambda: pane.kinds.boxes["IP"].isEnabled())
    assert not pane.kinds.boxes["IP"].isChecked()


def test_the_actions_open_the_pages_in_the_centre(window: Any, qtbot: Any) -> None:
    for action, page in (("privacy.try", "trial"), ("privacy.marks", "marks"), ("privacy.open", "masked")):
        window.commands.do(action)
        front = window.centre.currentWidget()
        assert front.tabs.currentWidget() is getattr(front, page)
    qtbot.waitUntil(lambda: front.masked.report is not None)


def test_a_kind_that_is_scored_has_a_threshold(pane: PrivacyPane, fake_core: Any, complete: Any, qtbot: Any) -> None:
    rules = complete(fake_core.privacy_rules())
    pane.kinds.show_rules(replace(rules, kinds=(KindRule("SCORED", "scored things", threshold=0.5),)))
    pane.kinds.scores["SCORED"].setValue(0.7)
    qtbot.waitUntil(lambda: ("set_privacy_kind", ("SCORED", True, 0.7)) in fake_core.asked)


def test_values_are_kept_for_as_long_as_a_person_says(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    assert pane.kinds.days.text() == "until the core stops"
    pane.kinds.days.setValue(14)
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_keep_days == 14)


def test_a_click_selects_a_value_and_its_card_shows_where_it_came_from(
    pane: PrivacyPane, fake_core: Any, qtbot: Any
) -> None:
    session = fake_core.fill_privacy()
    pane.look("hidden", session.id)
    rows = pane.masked.rows
    qtbot.waitUntil(lambda: rows.model.rowCount() == 9)
    assert not pane.masked.card.reveal.isEnabled()
    place = rows.view.visualRect(rows.model.index(1, 0)).center()
    qtbot.mouseClick(rows.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert pane.masked.card.token.full_text() == str(rows.model.index(1, 0).data(KEY))
    assert pane.masked.card.reveal.isEnabled()


def test_kinds_have_readable_names(fake_core: Any, qapp: Any) -> None:
    assert [kind_label(kind) for kind in ("DOB", "IBAN", "NAME", "URL_CREDENTIAL")] == [
        "Date of birth",
        "IBAN",
        "Name",
        "Credential in a URL",
    ]


def test_a_value_without_a_source_was_made_by_the_program(qapp: Any) -> None:
    value = HiddenValue("[NAME_1.abcd]", "NAME")
    assert (came_from(value), went_to(value), read_by(value)) == ("made by the program", "no tool", "no model")


def test_a_table_shows_why_each_value_was_masked_and_who_received_it(
    pane: PrivacyPane, fake_core: Any, qtbot: Any
) -> None:
    session = fake_core.fill_privacy()
    pane.look("hidden", session.id)
    rows = pane.masked.rows
    qtbot.waitUntil(lambda: rows.model.rowCount() == 9)
    cells = [str(rows.model.index(1, column).data()) for column in range(rows.model.columnCount())]
    assert cells[1:] == [
        "••••••",
        "E-mail address",
        "It is the value of the key `email`.",
        "crm.list_customers",
        "mail.send",
        "claude-code · 1 time",
    ]
    rows.view.setFocus()
    rows.view.setCurrentIndex(rows.model.index(1, 0))
    QTest.keyClick(rows.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows.model.index(1, 1).data() == "ada0@example.org")
    pane.look("marks")
    pane.look("hidden", session.id)
    assert rows.model.index(1, 1).data() == "••••••", "a value is hidden again when the page is left"


def test_a_value_of_the_table_is_explained_and_passes_by_key_and_menu(
    pane: PrivacyPane, fake_core: Any, qtbot: Any
) -> None:
    session = fake_core.fill_privacy()
    pane.look("hidden", session.id)
    view = pane.masked.rows.view
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() == 9)
    view.setCurrentIndex(pane.masked.rows.model.index(1, 0))
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_F4, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: any(card.isVisible() for card in pane.window().findChildren(ExplanationCard)))
    view.customContextMenuRequested.emit(view.visualRect(view.currentIndex()).center())
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    next(action for action in menu.actions() if action.text() == "Never mask in this project").trigger()
    menu.close()
    qtbot.waitUntil(lambda: [one.scope for one in fake_core.personal.marks()] == ["project"])
    assert session.mask("ada0@example.org") == "ada0@example.org"


def test_return_in_the_search_box_goes_to_the_first_value(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    session = fake_core.fill_privacy()
    pane.look("hidden", session.id)
    rows = pane.masked.rows
    qtbot.waitUntil(lambda: rows.model.rowCount() == 9)
    QTest.keyClick(rows.finder, Qt.Key.Key_Return)
    assert rows.view.hasFocus()
    assert rows.key() == str(rows.model.index(0, 0).data(KEY))


def test_marks_are_added_for_one_project_and_show_their_scope(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    page = pane.marks
    pane.look("marks")
    page.scope.setCurrentIndex(page.scope.findData("project"))
    page.text.setText("Falcon-9")
    qtbot.mouseClick(page.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Falcon-9" in titles(page.rows.model))
    (mark,) = fake_core.personal.marks()
    assert (mark.hide, mark.scope) == (True, "project")
    (row,) = mark_rows((mark,))[1:]
    assert "only in this project" in row.detail


def test_the_strictness_is_set_for_all_servers_by_mouse_and_key(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    pane.look("kinds")
    steps = pane.kinds.strictness.steps
    qtbot.waitUntil(lambda: steps["balanced"].button.isChecked())
    assert "of 100 names" in steps["balanced"].sentence.full_text()
    qtbot.mouseClick(steps["recall"].button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_strictness == "recall")
    steps["forms"].button.setFocus()
    QTest.keyClick(steps["forms"].button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_strictness == "forms")
    qtbot.waitUntil(lambda: pane.kinds.scores["NAME"].isHidden())
    qtbot.mouseClick(steps["off"].button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not pane.kinds.enabled.isChecked())


def test_the_strictness_of_one_server_is_set_removed_and_measured(
    pane: PrivacyPane, fake_core: Any, complete: Any, qtbot: Any
) -> None:
    pane.look("kinds")
    dial = pane.kinds.strictness
    complete(fake_core.set_strictness("crm", "recall"))
    pane.reload()
    qtbot.waitUntil(lambda: dial.server.findData("crm") > 0)
    dial.server.setCurrentIndex(dial.server.findData("crm"))
    assert dial.steps["recall"].button.isChecked()
    assert dial.steps[""].isVisible()
    qtbot.mouseClick(dial.measure, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dial.note.full_text() == "Measured on the last 2 answers of crm.")
    assert dial.steps["off"].effect.full_text().startswith("Recent answers: 0 values masked")
    qtbot.mouseClick(dial.steps[""].button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_servers == "")


def test_answers_are_shown_before_they_are_sent_after_a_tick(pane: PrivacyPane, fake_core: Any, qtbot: Any) -> None:
    pane.look("kinds")
    pane.kinds.preview.click()
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_preview == "all")
    pane.reload()
    qtbot.waitUntil(lambda: pane.kinds.preview.isChecked())
    pane.kinds.preview.click()
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_preview == "")
