"""The page that says whether a server is believed, and keeps rules about all of its tools."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.gui.servers.trust_page import TrustPage
from workbench.records import ServerConfig, ServerState, ToolGroup

FILES = ServerState(ServerConfig("files", "npx"))
DEMO = ServerState(ServerConfig("demo", "python", builtin=True))


@pytest.fixture
def page(context: Any, fake_core: Any, qtbot: Any) -> Any:
    made = TrustPage(context, FILES)
    qtbot.addWidget(made)
    made.show()
    fake_core.bus.listen(context.store.handle)
    context.store.load()
    return made


def test_what_was_decided_is_said_and_withdrawn_by_key(page: Any, fake_core: Any, qtbot: Any) -> None:
    qtbot.waitUntil(lambda: page.decision.text().startswith("You have not decided."))
    fake_core.rooms_rules.decide_trust("files", [ToolGroup.READS], fake_core.trust_tools)
    page.context.store.load()
    qtbot.waitUntil(lambda: "Run without asking: tools that only read." in page.decision.text())
    QTest.keyClick(page.withdraw, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not fake_core.rooms_rules.trust.decisions)


def test_the_built_in_server_is_believed_and_nothing_changes_that(context: Any, qtbot: Any) -> None:
    page = TrustPage(context, DEMO)
    qtbot.addWidget(page)
    context.store.load()
    qtbot.waitUntil(lambda: "always trusted" in page.decision.text())
    assert not page.decide.isEnabled()


def test_a_rule_for_the_whole_server_is_added_and_revoked_by_key(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.rules.word.setCurrentIndex(2)
    page.rules.add.click()
    qtbot.waitUntil(lambda: page.rules.list.count() == 1)
    assert page.rules.list.item(0).text() == "No program may call any tool of files."
    page.rules.list.setFocus()
    QTest.keyClick(page.rules.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: page.rules.list.count() == 0)
    assert fake_core.rooms_rules.rules == ()


def test_lost_rules_are_said_and_a_new_list_begins_at_a_press(context: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.trust_folder.joinpath("permissions.json").write_text("{")
    page = TrustPage(context, FILES)
    qtbot.addWidget(page)
    page.show()
    context.store.load()
    qtbot.waitUntil(page.reset_rules.isVisible)
    assert "cannot be read" in page.rules.fault.sentence()
    page.reset_rules.click()
    qtbot.waitUntil(lambda: not page.reset_rules.isVisible())
    assert not fake_core.rooms_rules.trust.lost
