"""Why something was masked or not is explained by mouse and by key, and each remedy does what it says."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton
from shiboken6 import isValid

from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.results.masking_cards import ExplanationCard
from workbench.gui.results.token_chips import MarkMenu, TokenChips
from workbench.gui.shell.navigation import ShowPrivacy
from workbench.records import PrivacyMark

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def session(fake_core: Any) -> Any:
    return fake_core.fill_privacy()


@pytest.fixture
def token(session: Any) -> str:
    return next(token for token, held in session.vault.issued() if held.kind == "EMAIL")


@pytest.fixture
def menu(context: Any, session: Any, token: str, qtbot: Any) -> MarkMenu:
    edit = PlainEdit(f"write to {token}\nand order zq-77 from 81.2.69.142, as Marlow Tinsley said")
    qtbot.addWidget(edit)
    edit.resize(800, 500)
    with qtbot.waitExposed(edit):
        edit.show()
    return MarkMenu(edit, context, TokenChips(edit, context, session.id))


def select(menu: MarkMenu, text: str) -> Any:
    edit = menu.parent()
    edit.moveCursor(QTextCursor.MoveOperation.Start)
    assert edit.find(text)
    return edit


def explained(menu: MarkMenu, qtbot: Any) -> ExplanationCard:
    qtbot.waitUntil(lambda: menu.card is not None and isValid(menu.card) and menu.card.isVisible())
    assert menu.card is not None
    return menu.card


def click(card: ExplanationCard, text: str, qtbot: Any) -> None:
    button = next(one for one in card.findChildren(QPushButton) if one.text() == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def open_menu(edit: PlainEdit) -> QMenu:
    edit.customContextMenuRequested.emit(edit.cursorRect().center())
    return next(menu for menu in edit.findChildren(QMenu) if menu.isVisible())


def test_a_key_explains_the_next_token_without_showing_its_value(menu: MarkMenu, fake_core: Any, qtbot: Any) -> None:
    edit = menu.parent()
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_F4, SHIFT)
    card = explained(menu, qtbot)
    assert card.state.text() == "Masked · E-mail address"
    assert card.reason.full_text() == "It is the value of the key `email`."
    assert card.places.full_text().startswith("From crm.list_customers at ")
    assert "Went to mail.send. Read by claude-code, 1 time." in card.places.full_text()
    assert "ada0" not in card.accessibleName()
    assert not [words for name, words in fake_core.asked if name == "reveal"]
    assert not any(button.hasFocus() for button in card.remedies), "no key unmasks by mistake"
    QTest.keyClick(card, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(card) or not card.isVisible())


def test_tab_reaches_the_buttons_of_a_card(menu: MarkMenu, qtbot: Any) -> None:
    edit = menu.parent()
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_F4, SHIFT)
    card = explained(menu, qtbot)
    for number in (0, 1, 0):
        QTest.keyClick(card.window().focusWidget(), Qt.Key.Key_Tab)
        assert card.remedies[number].hasFocus()
    QTest.keyClick(card.remedies[0], Qt.Key.Key_Backtab)
    assert card.remedies[1].hasFocus()
    QTest.keyClick(card.remedies[1], Qt.Key.Key_Escape)
    assert edit.hasFocus()


def test_a_token_is_never_masked_in_this_project_by_a_click(
    menu: MarkMenu, token: str, session: Any, fake_core: Any, qtbot: Any
) -> None:
    QTest.keyClick(menu.parent(), Qt.Key.Key_F4, SHIFT)
    click(explained(menu, qtbot), "Never mask it in this project", qtbot)
    qtbot.waitUntil(lambda: ("never_mask_token", (session.id, token, "project")) in fake_core.asked)
    qtbot.waitUntil(lambda: session.mask("ada0@example.org") == "ada0@example.org")
    (mark,) = fake_core.personal.marks()
    assert (mark.hide, mark.scope) == (False, "project")


def test_selected_text_that_is_not_masked_is_explained_and_marked(
    menu: MarkMenu, session: Any, fake_core: Any, qtbot: Any
) -> None:
    edit = select(menu, "zq-77")
    QTest.keyClick(edit, Qt.Key.Key_F4, SHIFT)
    card = explained(menu, qtbot)
    assert card.state.text() == "Not masked"
    assert "no key, header or word beside it" in card.details.full_text()
    qtbot.waitUntil(lambda: card.remedies[0].hasFocus())
    QTest.keyClick(card.remedies[0], Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: "zq-77" not in session.mask("order zq-77"))
    (mark,) = fake_core.personal.marks()
    assert (mark.hide, mark.kind, mark.scope) == (True, "CUSTOM", "project")


def test_a_kind_that_is_off_is_switched_on_from_the_card(
    menu: MarkMenu, fake_core: Any, complete: Any, qtbot: Any
) -> None:
    complete(fake_core.set_privacy_kind("IP", False, 0.0))
    select(menu, "81.2.69.142")
    assert menu.explain()
    click(explained(menu, qtbot), "Mask IP addresses", qtbot)
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_off == "")


def test_a_mark_is_removed_from_the_card(menu: MarkMenu, fake_core: Any, complete: Any, qtbot: Any) -> None:
    complete(fake_core.mark_privacy(PrivacyMark(False, "value", "81.2.69.142")))
    select(menu, "81.2.69.142")
    assert menu.explain()
    card = explained(menu, qtbot)
    assert "never masked" in card.reason.full_text()
    click(card, "Remove the mark", qtbot)
    qtbot.waitUntil(lambda: not fake_core.personal.marks())


def test_the_strictness_opens_its_page(menu: MarkMenu, context: Any, fake_core: Any, complete: Any, qtbot: Any) -> None:
    requests: list[object] = []
    context.messages.requested.connect(requests.append)
    complete(fake_core.set_strictness("", "forms"))
    select(menu, "Marlow Tinsley")
    assert menu.explain()
    click(explained(menu, qtbot), "Change the strictness", qtbot)
    assert requests == [ShowPrivacy("kinds")]


def test_masking_is_switched_on_from_the_card(menu: MarkMenu, fake_core: Any, complete: Any, qtbot: Any) -> None:
    complete(fake_core.set_strictness("", "off"))
    select(menu, "zq-77")
    assert menu.explain()
    click(explained(menu, qtbot), "Turn masking on", qtbot)
    qtbot.waitUntil(lambda: fake_core.current_settings.privacy_enabled)


def test_the_context_menu_explains_and_marks_for_the_project_or_everywhere(
    menu: MarkMenu, fake_core: Any, qtbot: Any
) -> None:
    edit = select(menu, "zq-77")
    shown = open_menu(edit)
    texts = [action.text() for action in shown.actions()]
    assert "Is this masked, and why?\tShift+F4" in texts
    next(action for action in shown.actions() if action.text() == "Never mask in this project").trigger()
    shown.close()
    qtbot.waitUntil(lambda: [(one.text, one.scope) for one in fake_core.personal.marks()] == [("zq-77", "project")])
    shown = open_menu(edit)
    submenu = next(action.menu() for action in shown.actions() if action.text() == "Mask everywhere as")
    next(action for action in submenu.actions() if action.text() in ("Custom", "Custom values")).trigger()
    shown.close()
    qtbot.waitUntil(lambda: {(one.hide, one.scope) for one in fake_core.personal.marks()} >= {(True, "everywhere")})


def test_the_context_menu_at_a_token_offers_what_fits_a_token(menu: MarkMenu, qtbot: Any) -> None:
    edit = menu.parent()
    edit.moveCursor(QTextCursor.MoveOperation.End)
    edit.customContextMenuRequested.emit(edit.findChild(TokenChips).visible_boxes()[0].center())
    shown = next(one for one in edit.findChildren(QMenu) if one.isVisible())
    enabled = {action.text(): action.isEnabled() for action in shown.actions()}
    shown.close()
    assert enabled["Why was this masked?\tShift+F4"]
    assert enabled["Never mask anywhere"]
    assert not enabled["Mask everywhere as"]


def test_the_card_of_a_value_leads_to_the_explanation(menu: MarkMenu, qtbot: Any) -> None:
    edit = menu.parent()
    QTest.keyClick(edit, Qt.Key.Key_F4)
    chips = edit.findChild(TokenChips)
    qtbot.waitUntil(lambda: chips.card is not None and chips.card.isVisible())
    assert chips.card.reason.full_text() == "It is the value of the key `email`."
    qtbot.mouseClick(chips.card.why, Qt.MouseButton.LeftButton)
    cards = lambda: [one for one in edit.window().findChildren(ExplanationCard) if one.isVisible()]  # noqa: E731
    qtbot.waitUntil(lambda: bool(cards()))
    assert cards()[0].explanation is not None


def test_nothing_to_explain_is_said(context: Any, qtbot: Any) -> None:
    edit = PlainEdit("plain text")
    qtbot.addWidget(edit)
    said: list[Any] = []
    context.messages.said.connect(said.append)
    QTest.keyClick(edit, Qt.Key.Key_F4, SHIFT)
    assert not MarkMenu(edit, context).explain()
    assert said[0].text == "Select the text to explain first."
