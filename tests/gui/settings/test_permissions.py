"""The dialog "What you allowed": each rule with its facts, revoked and restored by mouse and by keyboard."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.errors import WorkbenchError
from workbench.gui.kit.rows import KEY
from workbench.gui.settings.permissions import PermissionsDialog
from workbench.gui.shell.navigation import ShowRun
from workbench.records import CallDecision, Permission, Permissions, ServerDecision, ToolGroup, Trust

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
DAY = 86_400.0


@pytest.fixture
def rules() -> Permissions:
    now = time.time()
    pin = Permission(
        "p", "text", CallDecision.ALLOW, key="k", source="run 17ee28dba90f", made=now - 2 * DAY, used=now - 3600,
        count=1200, expires=now + 28 * DAY, label="Run this program: Creates a ticket through demo.create_ticket.",
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
    return Permissions(
        (pin, session, mail, never), Trust(decisions={"files": ServerDecision(groups=(ToolGroup.READS,))})
    )


@pytest.fixture
def page(context: Any, fake_core: Any, bus: Any, rules: Permissions, qtbot: Any) -> PermissionsDialog:
    bus.listen(context.store.handle)
    fake_core.allow(rules)
    fake_core.network_changed()
    dialog = PermissionsDialog(context)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def click(page: PermissionsDialog, key: str) -> None:
    view = page.list.view
    index = page.list.model.find(key)
    view.scrollTo(index)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, view.visualRect(index).center()
    )


def titles(page: PermissionsDialog) -> list[str]:
    return [str(page.list.model.index(row).data()) for row in range(page.list.model.rowCount())]


def texts(page: PermissionsDialog) -> list[str]:
    model, role = page.list.model, Qt.ItemDataRole.AccessibleTextRole
    return [str(model.index(row).data(role)) for row in range(model.rowCount())]


def changes(fake_core: Any) -> list[tuple[str, tuple[Any, ...]]]:
    kinds = ("permission", "trust", "host")
    return [call for call in fake_core.asked if any(kind in call[0] for kind in kinds)]


def test_each_rule_says_what_it_allows_how_often_it_was_used_and_when_it_ends(page: PermissionsDialog) -> None:
    pin = next(text for text in texts(page) if "Creates a ticket" in text)
    for part in (
        "made 2 d ago when you allowed run 17ee28dba90f",
        "used 1,200 times, last 1 h ago",
        "28 days left",
        "void if a tool definition changes",
    ):
        assert part in pin
    assert any("this session" in text and "not used yet" in text for text in texts(page))
    assert any("files" in text and "configuration entry changes" in text for text in texts(page))


def test_uses_since_the_last_change_are_shown_when_the_dialog_opens(
    page: PermissionsDialog, context: Any, fake_core: Any, rules: Permissions, qtbot: Any
) -> None:
    mail = replace(rules.rules[2], count=7, used=time.time())
    fake_core.allowed = replace(rules, rules=(*rules.rules[:2], mail, rules.rules[3]))  # no event says so
    again = PermissionsDialog(context)
    again.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(again)
    again.open()
    qtbot.waitUntil(lambda: any("acme.com" in text and "used 7 times" in text for text in texts(again)))


def test_the_selected_rule_is_shown_in_full(page: PermissionsDialog, qtbot: Any) -> None:
    assert not page.rule.isVisible()
    click(page, "rule:p")
    qtbot.waitUntil(page.rule.isVisible)
    assert "through demo.create_ticket.\nmade 2 d ago" in page.rule.text()
    assert page.rule.text().endswith("void if a tool definition changes")


def test_a_server_says_which_of_its_tools_run_without_asking(page: PermissionsDialog) -> None:
    assert any("Without asking: tools that only read ·" in text for text in texts(page))


def test_rules_are_found_by_words_and_an_empty_search_says_so(page: PermissionsDialog, qtbot: Any) -> None:
    qtbot.keyClicks(page.list.finder, "acme.com")
    qtbot.waitUntil(lambda: titles(page) == ["Servers, tools and arguments", "demo.send_email to *@acme.com"])
    qtbot.keyClicks(page.list.finder, " nothing like this")
    qtbot.waitUntil(page.list.empty.isVisible)
    assert page.list.empty.accessibleName() == "No rule matches"


def test_a_rule_is_revoked_by_mouse_and_that_is_undone(page: PermissionsDialog, fake_core: Any, qtbot: Any) -> None:
    assert not page.button("Revoke").isEnabled()
    click(page, "rule:p")
    qtbot.mouseClick(page.button("Revoke"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "need approval again" in page.message.text())
    assert not any("Creates a ticket" in title for title in titles(page))
    qtbot.mouseClick(page.button("Undo"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.message.text() == "The rule is restored.")
    assert any("Creates a ticket" in title for title in titles(page))
    assert changes(fake_core) == [("revoke_permission", ("p",)), ("restore_permission", ("p",))]


def test_pressing_revoke_twice_revokes_one_rule(page: PermissionsDialog, fake_core: Any, qtbot: Any) -> None:
    click(page, "rule:m")
    button = page.button("Revoke")
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(page.message.text()))
    qtbot.waitUntil(page.list.view.hasFocus)
    assert page.list.key() == ""
    assert not button.isEnabled()
    focus = QApplication.focusWidget()
    assert focus is page.list.view
    qtbot.keyClick(focus, Qt.Key.Key_Return)
    qtbot.keyClick(button, Qt.Key.Key_Return)
    assert changes(fake_core) == [("revoke_permission", ("m",))]


def test_the_arrows_skip_headings(page: PermissionsDialog, qtbot: Any) -> None:
    view = page.list.view
    view.setFocus()
    reached = []
    for _ in range(7):
        qtbot.keyClick(view, Qt.Key.Key_Down)
        reached.append(page.list.key())
    every = {str(page.list.model.index(row).data(KEY)) for row in range(page.list.model.rowCount())}
    assert {*reached} == {key for key in every if not key.startswith("section:")}
    assert reached[-1] == "trust:files"


def test_trust_in_a_server_is_withdrawn_and_restored(page: PermissionsDialog, fake_core: Any, qtbot: Any) -> None:
    click(page, "trust:files")
    assert not page.button("Show run").isEnabled()
    qtbot.mouseClick(page.button("Revoke"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.message.text() == "You no longer trust the annotations of files.")
    qtbot.mouseClick(page.button("Undo"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: changes(fake_core)[-1] == ("restore_trust", ("files",)))


def test_a_host_is_closed_and_opened_again(page: PermissionsDialog, fake_core: Any, complete: Any, qtbot: Any) -> None:
    rules = complete(fake_core.add_host("api.example.org", (), ("tls",)))
    key = f"host:you:{rules.hosts[0].sha}"
    click(page, key)
    qtbot.mouseClick(page.button("Revoke"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.message.text() == "Programs can no longer reach api.example.org.")
    assert not page.list.model.find(key).isValid()
    qtbot.mouseClick(page.button("Undo"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.list.model.find(key).isValid())


def test_the_run_that_made_a_rule_is_shown(page: PermissionsDialog, context: Any, qtbot: Any) -> None:
    asked: list[object] = []
    context.messages.requested.connect(asked.append)
    click(page, "rule:p")
    qtbot.mouseClick(page.button("Show run"), Qt.MouseButton.LeftButton)
    assert asked == [ShowRun("17ee28dba90f")]
    assert not page.isVisible()


def test_a_change_that_fails_says_why(page: PermissionsDialog, fake_core: Any, qtbot: Any) -> None:
    async def revoke(rule_id: str) -> Permissions:
        raise WorkbenchError("The rule is gone.", "Look again.")

    fake_core.revoke_permission = revoke
    click(page, "rule:d")
    qtbot.mouseClick(page.button("Revoke"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.fault.sentence() == "The rule is gone.")


def test_without_a_rule_the_dialog_says_how_one_is_made(page: PermissionsDialog, fake_core: Any) -> None:
    fake_core.allow(Permissions())
    assert page.list.empty.isVisible()
    assert page.list.empty.accessibleName() == "No rules"


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_dialog_is_drawn(page: PermissionsDialog, context: Any, colours: str) -> None:
    context.theme.choose(colours)
    click(page, "rule:p")
    FOLDER.mkdir(exist_ok=True)
    assert page.grab().save(str(FOLDER / f"permissions-{colours}.png"))


def test_a_void_rule_says_why(page: PermissionsDialog, fake_core: Any, rules: Permissions) -> None:
    reason = "the definition of demo.create_ticket has changed since the rule was made"
    fake_core.allow(replace(rules, void={"p": reason}))
    (pin,) = [text for text in texts(page) if "Creates a ticket" in text]
    assert "void" in pin
    assert reason in pin
    assert sum("has changed since" in text for text in texts(page)) == 1
