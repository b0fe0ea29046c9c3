"""Everything that was allowed is in one list, and revoked from there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.events import PermissionsChanged
from workbench.gui.kit.rows import KEY
from workbench.gui.settings.permissions import PermissionsDialog
from workbench.records import CallDecision, Permission, Permissions, Trust

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
DAY = 86_400.0


@pytest.fixture
def rules() -> Permissions:
    now = time.time()
    pin = Permission(
        "p", "text", CallDecision.ALLOW, key="k", source="run 17ee28dba90f", made=now - 2 * DAY, used=now - 3600,
        count=12, expires=now + 28 * DAY, label="Run this program: Creates a ticket through demo.create_ticket.",
    )  # fmt: skip
    session = Permission(
        "s", "text", CallDecision.ALLOW, scope="session", session="agent-1", made=now, label="Run this program: Sends."
    )
    mail = Permission(
        "m", "arguments", CallDecision.ALLOW, "demo", "send_email", label="demo.send_email to *@acme.com", made=now
    )
    never = Permission(
        "d", "tool", CallDecision.DENY, "demo", "delete_customer", label="Never demo.delete_customer", made=now
    )
    return Permissions((pin, session, mail, never), Trust(("files",)))


@pytest.fixture
def page(context: Any, paper: Any, rules: Permissions, qtbot: Any) -> PermissionsDialog:
    paper.allowed = rules
    dialog = PermissionsDialog(context)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 8)
    return dialog


def choose(page: PermissionsDialog, key: str) -> None:
    keys = [page.model.index(row).data(KEY) for row in range(page.model.rowCount())]
    page.list.setCurrentIndex(page.model.index(keys.index(key)))


def titles(page: PermissionsDialog) -> list[str]:
    return [str(page.model.index(row).data()) for row in range(page.model.rowCount())]


def test_each_rule_says_what_it_allows_how_often_it_decided_and_when_it_ends(page: PermissionsDialog) -> None:
    from PySide6.QtCore import Qt

    told = [str(page.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(8)]
    pin = next(words for words in told if "Creates a ticket" in words)
    for words in (
        "made 2 d ago by run 17ee28dba90f",
        "used 12 times, last 1 h ago",
        "28 days left",
        "void once a definition changes",
    ):
        assert words in pin
    assert any("this session" in words and "not used yet" in words for words in told)
    assert any("files" in words and "entry stays" in words for words in told)


def test_rules_are_found_by_words_and_finding_none_is_not_an_empty_list(page: PermissionsDialog) -> None:
    page.finder.setText("acme.com")
    assert titles(page) == ["Servers, tools and arguments", "demo.send_email to *@acme.com"]
    page.finder.setText("nothing like this")
    assert titles(page) == []
    assert page._stack.currentWidget() is page.list


def test_a_rule_is_revoked_and_that_is_undone(page: PermissionsDialog, paper: Any, qtbot: Any) -> None:
    assert not page.revoke.isEnabled()
    choose(page, "rule:p")
    page.revoke.click()
    qtbot.waitUntil(page.undo.isVisible)
    assert "asked again" in page.words.text()
    assert not any("Creates a ticket" in title for title in titles(page))
    page.undo.click()
    qtbot.waitUntil(page.undo.isHidden)
    assert [words for words in paper.asked if "permission" in words[0]] == [
        ("revoke_permission", ("p",)),
        ("restore_permission", ("p",)),
    ]


def test_trust_in_a_server_is_taken_back_here_too(page: PermissionsDialog, paper: Any, qtbot: Any) -> None:
    choose(page, "trust:files")
    page.revoke.click()
    qtbot.waitUntil(lambda: ("trust_server", ("files", False)) in paper.asked)


def test_without_a_rule_the_page_says_how_one_is_made(page: PermissionsDialog) -> None:
    page.hear(PermissionsChanged(Permissions()))
    assert page._stack.currentWidget() is page.empty


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_is_drawn(page: PermissionsDialog, context: Any, colours: str) -> None:
    context.theme.choose(colours)
    choose(page, "rule:p")
    FOLDER.mkdir(exist_ok=True)
    assert page.grab().save(str(FOLDER / f"permissions-{colours}.png"))


def test_a_rule_that_is_void_says_so_and_why(page: PermissionsDialog, rules: Permissions, qtbot: Any) -> None:
    from PySide6.QtCore import Qt

    page.hear(
        PermissionsChanged(
            replace(rules, void={"p": "the definition of demo.create_ticket has changed since the rule was made"})
        )
    )
    told = [str(page.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(8)]
    (pin,) = [words for words in told if "Creates a ticket" in words]
    assert "void" in pin
    assert "the definition of demo.create_ticket has changed since the rule was made" in pin
    assert sum("has changed since" in words for words in told) == 1
