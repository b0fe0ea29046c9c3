"""What a person says of one tool: by keyboard, at once, and in one sentence each."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.gui.tools.tool_page import TRUST, ToolPage
from workbench.gui.tools.trust_page import ToolTrustPage
from workbench.permissions.tool_annotations import effective_tool
from workbench.records import Hints, Tool, ToolView, Trust

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "body": {"type": "string"}}}
SEND = Tool("demo", "send_email", "", "Sends.", SCHEMA, None, Hints(read_only=True, open_world=True), {}, "e" * 64)


@pytest.fixture
def page(context: Any, fake_core: Any, qtbot: Any) -> Any:
    context.store.load()
    made = ToolTrustPage(context, effective_tool(SEND, Trust()))
    qtbot.addWidget(made)
    made.show()
    return made


def test_what_the_server_says_what_is_not_believed_and_what_is_guessed_is_told(page: Any) -> None:
    shown = {name: choice.itemText(0) for name, choice in page.annotations.choices.items()}
    assert shown["read_only"] == "The server says yes, not trusted"
    assert shown["destructive"] == "The server does not say"
    assert shown["open_world"] == "The server says yes"
    assert shown["sends"] == "Guess: yes"


def test_a_word_of_the_person_counts_at_once(page: Any, fake_core: Any, qtbot: Any) -> None:
    choice = page.annotations.choices["private"]
    choice.setFocus()
    choice.setCurrentIndex(1)
    choice.activated.emit(1)
    qtbot.waitUntil(lambda: "demo" in fake_core.rooms_rules.trust.annotations)
    assert fake_core.rooms_rules.trust.annotations["demo"]["send_email"].private is True
    assert choice.currentText() == "Yes"


def test_a_rule_for_a_recipient_is_written_with_the_keyboard(page: Any, qtbot: Any) -> None:
    page.rules.argument.setCurrentText("to")
    QTest.keyClicks(page.rules.pattern, "*@acme.com")
    QTest.keyClick(page.rules.pattern, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.rules.list.count() == 1)
    words = (
        "Programs may call demo.send_email without asking when “to” is one address at acme.com, from any agent,"
        " until you revoke it."
    )
    assert page.rules.list.item(0).text() == words
    assert page.rules.pattern.text() == ""


def test_a_rule_that_would_not_count_is_explained(page: Any, qtbot: Any) -> None:
    page.rules.add.click()
    qtbot.waitUntil(lambda: "would have no effect" in page.rules.fault.sentence())
    assert page.rules.list.count() == 0


def test_the_arguments_of_the_tool_are_offered(page: Any) -> None:
    assert [page.rules.argument.itemText(row) for row in range(3)] == ["", "to", "body"]


def test_the_page_keeps_its_tab_when_the_tool_is_trusted_otherwise(context: Any, qtbot: Any) -> None:
    page = ToolPage(context, ToolView(SEND))
    qtbot.addWidget(page)
    page.show()
    page.show_trust()
    assert page.tab_texts()[TRUST] == "Trust"
    page.show_view(ToolView(effective_tool(SEND, Trust())))
    assert page.trust.isVisible()
    assert page.trust.annotations.choices["read_only"].itemText(0) == "The server says yes, not trusted"
