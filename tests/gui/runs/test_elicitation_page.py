"""The dialogs of what servers ask, walked by keyboard: each kind, each way to end."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QScrollArea

from tests.gui.test_accessibility import nameless, rich
from workbench.gui.kit import controls
from workbench.gui.kit.notice import Notice
from workbench.gui.runs import elicitation_bodies as page_body
from workbench.gui.runs.elicitation_bodies import secret_fields
from workbench.gui.runs.elicitation_page import ElicitationPage
from workbench.records import Ask

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "minLength": 2},
        "seats": {"type": "integer", "minimum": 1, "default": 2},
        "mail": {"type": "string", "format": "email"},
        "meal": {"type": "string", "oneOf": [{"const": "f", "title": "Fish"}, {"const": "s", "title": "Soup"}]},
        "extras": {"type": "array", "items": {"type": "string", "enum": ["wine", "bread"]}},
        "vegan": {"type": "boolean", "default": True},
    },
    "required": ["name"],
}
MESSAGES = [{"role": "user", "content": {"type": "text", "text": "Greet <b>Ada</b>."}}]
LOOK = {
    "name": "look",
    "description": "Looks.",
    "inputSchema": {"type": "object", "properties": {"at": {"type": "string"}}},
}
ASKED = {"systemPrompt": "You are an innkeeper.", "messages": MESSAGES, "maxTokens": 100}


def make_ask(kind: str = "form", **fields: Any) -> Ask:
    told = {
        "form": {"message": "Who comes?", "schema": json.dumps(FORM)},
        "url": {"message": "Please sign in.", "url": "https://inn.example/sign?x=1", "host": "inn.example"},
        "sampling": {"request": json.dumps(ASKED)},
    }[kind]
    own = {"call_id": "c1", "tool": "book_table", "session": "person", "by": "you", "asked_at": time.time()}
    return Ask("a1", "inn", kind, **{**told, **own, "deadline": time.time() + 300, **fields})


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A press counts at once; that it does not at first has a test of its own."""
    monkeypatch.setattr(controls, "SETTLE_MS", 0)


@pytest.fixture
def opened(window: Any, fake_core: Any, qtbot: Any) -> Any:
    """Puts a question and gives back its dialog."""

    def put(ask: Ask) -> Any:
        fake_core.put_ask(ask)
        qtbot.waitUntil(lambda: window.context.store.elicitations.get(ask.id) == ask)
        window.commands.do("ask.answer")
        (dialog,) = window.findChildren(ElicitationPage)
        QTest.qWaitForWindowExposed(dialog)
        return dialog

    return put


def focused(dialog: Any) -> Any:
    return dialog.focusWidget()


def keys(dialog: Any, text: str = "", key: Any = None, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    target = focused(dialog) or dialog
    if text:
        QTest.keyClicks(target, text)
    if key is not None:
        QTest.keyClick(target, key, modifier)


def send(dialog: Any) -> None:
    """Ctrl+Enter, wherever in the dialog the keyboard is."""
    dialog.activateWindow()
    QTest.qWait(20)  # being activated makes it settle once more
    keys(dialog, key=Qt.Key.Key_Return, modifier=Qt.KeyboardModifier.ControlModifier)


def test_a_form_is_filled_in_and_sent_by_key(opened: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(make_ask())
    assert isinstance(focused(dialog), QLineEdit)
    keys(dialog, "Ada")
    send(dialog)
    qtbot.waitUntil(lambda: len(fake_core.answers) == 1)
    ask_id, action, content = fake_core.answers[0]
    assert (ask_id, action) == ("a1", "accept")
    assert json.loads(content) == {"name": "Ada", "seats": 2, "vegan": True}
    qtbot.waitUntil(lambda: not dialog_is_open(dialog))


def dialog_is_open(dialog: Any) -> bool:
    from shiboken6 import isValid

    return isValid(dialog) and dialog.isVisible()


def test_a_form_with_a_fault_is_not_sent_and_says_what_is_wrong(opened: Any, fake_core: Any) -> None:
    dialog = opened(make_ask())
    send(dialog)
    assert fake_core.answers == []
    assert dialog.fault.sentence() == "name is required."


def test_escape_puts_it_away_cancel_takes_no_part_and_decline_says_no(opened: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(make_ask())
    keys(dialog, key=Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert fake_core.answers == []
    dialog.come_back()
    qtbot.mouseClick(dialog.button("Cancel"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [answer[1] for answer in fake_core.answers] == ["cancel"])
    qtbot.waitUntil(lambda: not dialog_is_open(dialog))
    dialog = opened(make_ask())
    dialog.button("Decline").setFocus()
    keys(dialog, key=Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: [answer[1] for answer in fake_core.answers] == ["cancel", "decline"])


def test_later_leaves_the_question_open(opened: Any, fake_core: Any, window: Any, qtbot: Any) -> None:
    dialog = opened(make_ask())
    qtbot.mouseClick(dialog.button("Later"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog_is_open(dialog))
    assert fake_core.answers == []
    assert window.strip.isVisible()


def test_every_field_is_reached_by_tab(opened: Any, qtbot: Any) -> None:
    dialog = opened(make_ask())
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    seen = set()
    for _ in range(60):
        seen.add(focused(dialog))
        keys(dialog, key=Qt.Key.Key_Tab)
    buttons = {dialog.button(text) for text in ("Later", "Decline", "Cancel", "Send to inn")}
    assert buttons <= seen
    assert nameless(dialog) == []
    assert rich(dialog) == []


def test_a_form_that_asks_for_a_secret_is_warned_of(opened: Any) -> None:
    schema = {"type": "object", "properties": {"password": {"type": "string"}, "note": {"type": "string"}}}
    dialog = opened(make_ask(schema=json.dumps(schema)))
    cards = [card for card in dialog.findChildren(Notice) if card.isVisible()]
    assert cards[0].sentence() == "The form seems to ask for a secret: password."


def test_a_form_without_fields_is_a_yes_or_no(opened: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(make_ask(schema='{"type": "object", "properties": {}}'))
    assert dialog.button("Yes").isVisible()
    send(dialog)
    qtbot.waitUntil(lambda: [answer[1:] for answer in fake_core.answers] == [("accept", "{}")])


def test_a_refusal_of_the_core_keeps_what_was_typed(opened: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.ask_fault = "name is too long."
    dialog = opened(make_ask())
    keys(dialog, "Ada")
    send(dialog)
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "name is too long.")
    assert dialog.body.form.value()["name"] == "Ada"


def test_a_page_opens_at_a_press_only_and_the_window_waits_for_its_end(
    opened: Any, fake_core: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    visited: list[str] = []
    monkeypatch.setattr(page_body, "open_page", lambda url: visited.append(url) or True)
    dialog = opened(make_ask("url"))
    assert dialog.body.host.full_text() == "inn.example"
    assert visited == []
    assert nameless(dialog) == []
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    dialog.button("Open in browser").setFocus()
    keys(dialog, key=Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: dialog.allow_button.text() == "Done")
    assert visited == ["https://inn.example/sign?x=1"]
    assert fake_core.answers == [("a1", "accept", "")]
    fake_core.settle_ask("a1", "accept")
    qtbot.waitUntil(lambda: not dialog_is_open(dialog))


@pytest.mark.parametrize("repeats", [False, True])
def test_a_second_click_on_the_button_that_opened_the_page_sends_nothing(
    opened: Any, fake_core: Any, qtbot: Any, settled: Any, monkeypatch: pytest.MonkeyPatch, repeats: bool
) -> None:
    monkeypatch.setattr(page_body, "open_page", lambda url: True)
    dialog = opened(make_ask("url", repeats=repeats))
    qtbot.waitUntil(dialog.allow_button.isEnabled)
    monkeypatch.setattr(controls, "SETTLE_MS", 700)
    qtbot.mouseClick(dialog.allow_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.ask.opened)
    assert not dialog.allow_button.isEnabled()
    assert not dialog.cancel_button.isEnabled(), "it may be where the other button was"
    qtbot.mouseClick(dialog.allow_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.cancel_button, Qt.MouseButton.LeftButton)
    QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settled()
    assert [answer[1] for answer in fake_core.answers] == ["accept"]
    qtbot.waitUntil(lambda: dialog.allow_button.isEnabled() and dialog.cancel_button.isEnabled())


def test_a_call_that_needs_a_page_is_made_again_at_a_press(
    opened: Any, fake_core: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_body, "open_page", lambda url: True)
    dialog = opened(make_ask("url", repeats=True))
    send(dialog)
    qtbot.waitUntil(lambda: dialog.allow_button.text() == "Call again" and dialog.allow_button.isEnabled())
    send(dialog)
    qtbot.waitUntil(lambda: len(fake_core.answers) == 2)
    qtbot.waitUntil(lambda: not dialog_is_open(dialog))


def test_without_a_browser_the_address_can_be_opened_elsewhere(
    opened: Any, fake_core: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_body, "open_page", lambda url: False)
    dialog = opened(make_ask("url"))
    send(dialog)
    assert fake_core.answers == []
    dialog.body.copy.click()
    assert QGuiApplication.clipboard().text() == "https://inn.example/sign?x=1"
    dialog.body.elsewhere.click()
    qtbot.waitUntil(lambda: fake_core.answers == [("a1", "accept", "")])


def test_a_suspicious_address_is_shown_both_ways_with_each_warning(opened: Any) -> None:
    warnings = ("It is another.", "It mixes letters.")
    dialog = opened(make_ask("url", host="xn--pple-43d.com", host_shown="аpple.com", warnings=warnings))
    words = " ".join(label.text() for label in dialog.findChildren(type(dialog.body.host)))
    assert "xn--pple-43d.com" in words
    assert "Displayed as: аpple.com" in words
    assert "It is another." in words
    assert "It mixes letters." in words


def test_a_person_answers_in_a_models_place(opened: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(make_ask("sampling"))
    assert nameless(dialog) == []
    assert rich(dialog) == []
    send(dialog)
    assert dialog.fault.sentence() == "Write an answer."
    keys(dialog, "Good evening")
    send(dialog)
    qtbot.waitUntil(lambda: len(fake_core.answers) == 1)
    assert json.loads(fake_core.answers[0][2]) == {
        "role": "assistant",
        "content": {"type": "text", "text": "Good evening"},
        "model": "a person",
        "stopReason": "endTurn",
    }


def test_a_tool_that_was_offered_can_be_used_in_the_answer(opened: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(make_ask("sampling", request=json.dumps({**ASKED, "tools": [LOOK]})))
    dialog.body.kind.setCurrentIndex(1)
    dialog.body.form.set_value({"at": "the door"})
    send(dialog)
    qtbot.waitUntil(lambda: len(fake_core.answers) == 1)
    answer = json.loads(fake_core.answers[0][2])
    assert answer["stopReason"] == "toolUse"
    assert (answer["content"]["name"], answer["content"]["input"]) == ("look", {"at": "the door"})


def test_a_model_is_refused_with_a_reason(opened: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(make_ask("sampling"))
    dialog.body.why.setText("Not today.")
    dialog.button("Decline").click()
    qtbot.waitUntil(lambda: fake_core.answers == [("a1", "decline", '{"reason": "Not today."}')])


def test_a_press_that_was_meant_for_something_else_does_not_count(
    opened: Any, fake_core: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controls, "SETTLE_MS", 600_000)
    dialog = opened(make_ask(schema="{}"))
    send(dialog)
    assert fake_core.answers == []
    assert QApplication.activeModalWidget() is None


def test_a_description_that_warns_of_secrets_asks_for_none(opened: Any) -> None:
    fields = {
        "integer": {"type": "integer", "description": "A number (do not enter your phone number, PIN, or a password)"},
        "shop": {"type": "string", "title": "Shop", "description": "Where you bought it. Never send your IBAN."},
    }
    dialog = opened(make_ask(schema=json.dumps({"type": "object", "properties": fields})))
    assert not [card for card in dialog.findChildren(Notice) if card.isVisible()]
    assert secret_fields({"code": {"type": "string", "description": "The PIN of your card."}}) == ["code"]


def test_a_long_answer_that_was_put_away_is_there_again(opened: Any, window: Any, qtbot: Any) -> None:
    dialog = opened(make_ask("sampling"))
    dialog.body.text.setPlainText("A long answer. " * 200)
    qtbot.mouseClick(dialog.button("Later"), Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    qtbot.mouseClick(window.strip.act, Qt.MouseButton.LeftButton)
    assert dialog.isVisible()
    assert dialog.body.text.text().count("A long answer.") == 200


def test_what_was_entered_stays_when_the_time_is_up(opened: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = opened(make_ask())
    keys(dialog, "Ada")
    fake_core.settle_ask("a1", "timed out")
    qtbot.waitUntil(lambda: dialog.fault.sentence() == "Time is up: the request of inn was closed.")
    assert dialog.body.form.value()["name"] == "Ada"
    send(dialog)
    assert fake_core.answers == []
    qtbot.mouseClick(dialog.button("Close"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog_is_open(dialog))


def test_a_core_that_is_gone_ends_the_request_and_keeps_what_was_entered(opened: Any, qtbot: Any) -> None:
    dialog = opened(make_ask())
    keys(dialog, "Ada")
    dialog.core_lost()
    assert "connection to the core was lost" in dialog.fault.sentence()
    assert dialog.body.form.value()["name"] == "Ada"
    assert dialog.button("Close").isVisible()


def test_a_form_scrolls_in_one_place_only(opened: Any) -> None:
    many = {f"field{number}": {"type": "string"} for number in range(12)}
    dialog = opened(make_ask(schema=json.dumps({"type": "object", "properties": many, "required": list(many)})))
    dialog.resize(dialog.minimumSize())
    QApplication.processEvents()
    areas = [
        area
        for area in dialog.findChildren(QScrollArea)
        if area.isVisible() and area.isAncestorOf(dialog.focusWidget())
    ]
    assert len(areas) == 1


def test_after_an_unforeseen_fault_every_answer_can_be_given_again(
    opened: Any, fake_core: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_answer: Any) -> Ask:
        raise ZeroDivisionError

    dialog = opened(make_ask())
    with monkeypatch.context() as patch, qtbot.waitSignal(dialog.context.tasks.failed):
        patch.setattr(dialog.context.api, "answer_ask", broken)
        qtbot.mouseClick(dialog.button("Decline"), Qt.MouseButton.LeftButton)
    assert dialog.button("Cancel").isEnabled()
    qtbot.mouseClick(dialog.button("Decline"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [answer[1] for answer in fake_core.answers] == ["decline"])
