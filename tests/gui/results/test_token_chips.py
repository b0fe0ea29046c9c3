"""Tokens are drawn as chips, and their values are revealed by mouse or key."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QToolButton
from shiboken6 import isValid

from workbench.events import EntryWritten
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.text_pages import ModelPage
from workbench.gui.results.token_chips import MarkMenu, TokenChips, find_tokens
from workbench.gui.results.tree_page import TreePage
from workbench.records import Note, RunState

MASKED = "As a model sees it"
TEXT = "😀 first line\nwrite to {} now\nand to {}"


@pytest.fixture
def session(fake_core: Any) -> Any:
    return fake_core.fill_privacy()


@pytest.fixture
def tokens(session: Any) -> list[str]:
    return [token for token, held in session.vault.issued() if held.kind == "EMAIL"]


@pytest.fixture
def chips(context: Any, session: Any, tokens: list[str], qtbot: Any) -> TokenChips:
    edit = QPlainTextEdit(TEXT.format(*tokens[:2]))
    qtbot.addWidget(edit)
    edit.resize(700, 300)
    with qtbot.waitExposed(edit):
        edit.show()
    return TokenChips(edit, context, session.id)


def middle(chips: TokenChips, number: int) -> QPoint:
    return chips.visible_boxes()[number].center()


def press(view: ResultView, name: str, qtbot: Any) -> None:
    """Click the button with this text or accessible name."""
    buttons = (one for one in view.findChildren(QAbstractButton) if name in (one.text(), one.accessibleName()))
    qtbot.mouseClick(next(one for one in buttons if one.isVisible()), Qt.MouseButton.LeftButton)


def revealed(fake_core: Any) -> list[tuple[Any, ...]]:
    return [words for name, words in fake_core.asked if name == "reveal"]


@pytest.mark.parametrize(
    "text", ["plain", "[EMAIL_1]", "[EMAIL_0.abcd]", "row[name_field]", "EMAIL_1.abcd", "[x_1.abcd"]
)
def test_what_is_no_token_is_no_chip(text: str) -> None:
    assert list(find_tokens(text)) == []


def test_places_count_as_qt_counts(tokens: list[str]) -> None:
    (found,) = find_tokens(f"😀 {tokens[0]}")
    assert (found.start, found.token, found.kind) == (3, tokens[0], "EMAIL")


def test_chips_are_painted_behind_the_letters(chips: TokenChips) -> None:
    with_chips = chips.edit.grab().toImage()
    chips.show_tokens_of("")
    assert chips.edit.grab().toImage() != with_chips


def test_resting_the_mouse_shows_the_value_and_leaving_hides_it(chips: TokenChips, fake_core: Any, qtbot: Any) -> None:
    def rests() -> bool:
        """What Qt still had to tell of another window may take the mouse away again."""
        QTest.mouseMove(chips.edit.viewport(), middle(chips, 0))
        return chips.card is not None and chips.card.isVisible()

    qtbot.waitUntil(rests)
    assert chips.card.value.full_text() == "ada0@example.org"
    assert chips.card.copy.isHidden()
    assert "audit" in chips.card.foot.text()
    card = chips.card
    QGuiApplication.sendEvent(chips.edit.viewport(), QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: not isValid(card) or not card.isVisible())
    QTest.mouseMove(chips.edit.viewport(), QPoint(3, 3))
    assert len(revealed(fake_core)) == 1, "a mouse that passes by reveals nothing"


def test_a_key_goes_from_chip_to_chip_and_the_card_copies(
    chips: TokenChips, context: Any, fake_core: Any, qtbot: Any
) -> None:
    words: list[Any] = []
    context.messages.said.connect(words.append)
    for number in (0, 1, 0):
        QTest.keyClick(chips.edit, Qt.Key.Key_F4)
        qtbot.waitUntil(lambda: chips.card is not None and isValid(chips.card) and chips.card.isVisible())
        assert chips.card.value.full_text() == f"ada{number}@example.org"
    card = chips.card
    assert card.places.full_text().startswith("from crm · went to mail.send")
    QTest.mouseClick(card.copy, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(words))
    assert QGuiApplication.clipboard().text() == "ada0@example.org"
    assert revealed(fake_core)[-1][2] is True, "the audit records a copy as one"


def test_escape_closes_the_card_and_a_click_opens_it(chips: TokenChips, qtbot: Any) -> None:
    QTest.mouseClick(chips.edit.viewport(), Qt.MouseButton.LeftButton, pos=middle(chips, 1))
    qtbot.waitUntil(lambda: chips.card is not None and chips.card.isVisible())
    card = chips.card
    QTest.keyClick(card, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(card) or not card.isVisible())


def test_what_is_not_personal_passes_from_then_on(chips: TokenChips, fake_core: Any, qtbot: Any, session: Any) -> None:
    assert chips.reveal_next()
    qtbot.waitUntil(lambda: chips.card is not None and chips.card.isVisible())
    QTest.mouseClick(chips.card.harmless, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(fake_core.personal.marks()))
    assert session.mask("ada0@example.org") == "ada0@example.org"


def test_a_token_without_a_value_is_reported(chips: TokenChips, qtbot: Any) -> None:
    chips.edit.setPlainText("[EMAIL_77.abcd]")
    assert chips.reveal_next()
    qtbot.waitUntil(lambda: chips.card is not None and chips.card.isVisible())
    assert "no longer stored" in chips.card.value.full_text()
    assert chips.card.harmless.isHidden()


def test_a_result_can_be_seen_as_a_model_sees_it_and_back(context: Any, fake_core: Any, qtbot: Any) -> None:
    view = ResultView(context)
    qtbot.addWidget(view)
    view.show()
    view.show_json('{"email": "rosa@corp.io", "n": 1}')
    view.show_masked(True)
    page = view.page()
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: "[EMAIL_" in page.masked_text())
    assert "rosa" not in page.text.edit.toPlainText()
    assert "1 × E-mail address" in page.note.full_text()
    press(view, "Copy the result", qtbot)
    assert "rosa" not in QGuiApplication.clipboard().text()
    view.show_json('{"n": 2}')
    qtbot.waitUntil(lambda: "no personal data" in page.note.full_text())
    press(view, "Tree", qtbot)
    assert isinstance(view.page(), TreePage)
    view.clear()
    assert not any(one.isVisible() for one in view.findChildren(QToolButton) if one.accessibleName() == MASKED)


def test_what_is_turned_off_is_said_beside_the_result(context: Any, fake_core: Any, qtbot: Any, complete: Any) -> None:
    complete(fake_core.change_setting("privacy.enabled", False))
    view = ResultView(context)
    qtbot.addWidget(view)
    view.show_text("rosa@corp.io")
    view.show_masked(True)
    page = view.page()
    assert isinstance(page, ModelPage)
    qtbot.waitUntil(lambda: "Masking is off" in page.note.full_text())


def test_the_audit_and_the_output_of_a_run_show_chips_of_their_session(
    window: Any, fake_core: Any, make: Any, session: Any, tokens: list[str], qtbot: Any
) -> None:
    note = Note("call.done", "crm answered", session=session.id, detail={"arguments": tokens[0]})
    window.context.store.handle(
        EntryWritten(make.entry(900, "call.done", "crm answered", session=session.id, detail=note.detail))
    )
    window.audit.card.show_entry(make.entry(901, "call.done", "x", session=session.id, detail=note.detail))
    assert window.audit.card.tokens.session == session.id
    run = make.run("r", RunState.DONE, model_view=f"to {tokens[0]}")
    fake_core.put_run(run)
    window.output.show_run("r")
    qtbot.waitUntil(lambda: window.output.printed_tokens.session == run.proposal.session)
    qtbot.waitUntil(lambda: window.output.masked.accessibleName().startswith("1 value masked"))
    window.output.masked.click()
    assert window.centre.tabText(window.centre.currentIndex()) == "Personal data"
    shown = window.output.model_view.findChildren(TokenChips)
    assert {chips.session for chips in shown if chips.session} == {run.proposal.session}


def test_a_program_that_waits_shows_its_tokens_as_chips(context: Any, make: Any, qtbot: Any) -> None:
    from workbench.gui.runs.approval_page import ApprovalPage

    run = make.run("w")
    dialog = ApprovalPage(context, run)
    qtbot.addWidget(dialog)
    assert (dialog.token_chips.session, dialog.token_chips.edit) == (run.proposal.session, dialog.program.reader)
    dialog.done(0)


def test_what_is_selected_in_a_result_or_in_output_is_marked(
    window: Any, fake_core: Any, make: Any, qtbot: Any
) -> None:
    fake_core.put_run(make.run("r", RunState.DONE, output="about Falcon-9\n", result='"Eagle-7"'))
    window.output.show_run("r")
    qtbot.waitUntil(lambda: "Falcon" in window.output.stream.toPlainText())
    window.output.result.look("Text")
    page = window.output.result.page()
    for edit, name in ((window.output.stream, "Falcon-9"), (page.edit, "Eagle-7")):
        edit.moveCursor(QTextCursor.MoveOperation.Start)
        assert edit.find(name)
        edit.findChild(MarkMenu).mark_missed()
    qtbot.waitUntil(lambda: {one.text for one in fake_core.personal.marks()} == {"Falcon-9", "Eagle-7"})
