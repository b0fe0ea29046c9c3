"""A click on a row does what the arrow keys do, in every list; Return presses the button that has the keyboard."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from workbench.events import ToolsChanged
from workbench.gui.kit.notice import Notice
from workbench.gui.settings.network import NetworkDialog
from workbench.gui.settings.permissions import PermissionsDialog
from workbench.gui.settings.repl_sessions import ReplSessionsDialog
from workbench.gui.settings.secrets import SecretsDialog
from workbench.gui.shell.navigation import ShowChanges, ShowServer, ShowTool
from workbench.gui.skills.import_skills import ImportSkillsDialog
from workbench.records import (
    CallDecision,
    CassetteInfo,
    ChangeKind,
    DefinitionChange,
    KeptState,
    Permission,
    Permissions,
    RunState,
    SecretInfo,
    SecretStore,
    ServerConfig,
    ServerDecision,
    ServerState,
    ServerStatus,
    ServerTask,
    SignIn,
    SignInStep,
    SkillReview,
    ToolGroup,
    Trust,
)

Opener = Callable[[Any, Any, Any, Any], QAbstractItemView]


def dialog(window: Any, action: str, kind: type[QDialog], settled: Any) -> Any:
    window.commands.do(action)
    settled()
    return next(found for found in window.findChildren(kind) if found.isVisible())


def page(window: Any, server: str, name: str, settled: Any) -> Any:
    window.context.go(ShowServer(server, name))
    settled()
    return window.centre.server.sheet().page()


def permissions(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    rules = tuple(
        Permission(name, "tool", CallDecision.DENY, "demo", name, label=f"Never demo.{name}", made=1.0)
        for name in "abc"
    )
    fake_core.allow(Permissions(rules, Trust(decisions={"files": ServerDecision(groups=(ToolGroup.READS,))})))
    return dialog(window, "permissions.open", PermissionsDialog, settled).list.view


def network(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    for host in ("one.example", "two.example", "three.example"):
        fake_core.rooms_network.add(host, (443,), ("tls",))
    fake_core.network_changed()
    return dialog(window, "network.open", NetworkDialog, settled).list.view


def secrets(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    infos = tuple(SecretInfo(name, stored=name != "C", servers=("demo",)) for name in "ABC")
    fake_core.secret_store = SecretStore("memory", "In memory.", secrets=infos)
    return dialog(window, "secrets.open", SecretsDialog, settled).list.view


def states(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    now = time.time()
    fake_core.put_states(*(KeptState("agent", name, "Claude", now, now, now + 9e5, busy=name == "b") for name in "abc"))
    return dialog(window, "states.open", ReplSessionsDialog, settled).list.view


def changed_files(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    fake_core.put_files({"a.txt": "a\n", "b.txt": "b\n"})
    fake_core.run_writes("run-1", {"a.txt": "A\n", "b.txt": "B\n", "c.txt": "C\n"})
    window.context.go(ShowChanges("run-1"))
    settled()
    return window.centre.files.changes.rows.view


def changes(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    for run in ("run-1", "run-2", "run-3"):
        fake_core.run_writes(run, {f"{run}.txt": "A\n"})
    window.commands.do("files.changes")
    settled()
    return window.files.changes.view


def hidden(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    session = fake_core.fill_privacy()
    window.centre.show_privacy("hidden", session.id)
    settled()
    return window.centre.currentWidget().masked.rows.view


def marks(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    hidden(window, fake_core, settled, make)
    pane = window.centre.currentWidget()
    pane.look("marks")
    for text in ("Project Falcon", "Project Eagle", "Project Owl"):
        pane.marks.text.setText(text)
        pane.marks.add.click()
        settled()
    return pane.marks.rows.view


def trial(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    hidden(window, fake_core, settled, make)
    pane = window.centre.currentWidget()
    pane.look("try")
    pane.trial.example.click()
    settled()
    return pane.trial.rows.view


def definitions(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    def changed(name: str, kind: ChangeKind) -> DefinitionChange:
        before, after = (json.dumps({"name": name, "description": words}) for words in ("Old.", f"New {name}."))
        was = "" if kind is ChangeKind.NEW else before
        return DefinitionChange("demo", name, kind, "a" * 64, 1.7e9, was, after, blocked=True)

    fake_core.changed["demo"] = [changed("list_orders", ChangeKind.CHANGED), changed("fresh", ChangeKind.NEW)]
    window.context.store.handle(ToolsChanged("demo"))
    return page(window, "demo", "changes", settled).list.view


def tasks(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    fake_core.tasks["t1"] = ServerTask("demo", "t1", "working", "Step 3", "long_work", 1.7e9)
    fake_core.tasks["t2"] = ServerTask("demo", "t2", "completed", "", "", 1.6e9)
    fake_core.put(
        replace(fake_core.server_states["demo"], status=ServerStatus.READY, capabilities=("tools", "tasks.list"))
    )
    settled()
    return page(window, "demo", "tasks", settled).list.view


def sign_in(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    steps = tuple(SignInStep(name, True, f"text of {name}") for name in ("first", "second", "third"))
    told = SignIn("far", "done", steps=steps)

    async def sign_in_report(server: str) -> SignIn:
        return told

    fake_core.sign_in_report = sign_in_report
    config = ServerConfig("far", url="https://far.example/mcp")
    fake_core.put(ServerState(config, ServerStatus.FAILED, allowed=True, sign_in="needed"))
    settled()
    return page(window, "far", "sign_in", settled).list.view


def log(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    fake_core.put_lines(("info", "started"), ("warning", '{"a": 1}'), ("error", "it broke"))
    return page(window, "demo", "log", settled).list.view


def resources(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    return page(window, "demo", "resources", settled).list.view


def prompts(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    return page(window, "demo", "prompts", settled).list.view


def protocol(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    for number, name in enumerate(("list_orders", "send_email"), 1):
        fake_core.pair("demo", number, "tools/call", {"result": {"content": []}}, name=name, arguments={})
    return page(window, "demo", "protocol", settled).table


def roots(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    state = fake_core.server_states["files"]
    fake_core.put(replace(state, config=replace(state.config, roots=("/one", "/two"))))
    settled()
    return page(window, "files", "roots", settled).list


def skills(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    window.docks["skills"].come()
    settled()
    return window.skills.list


def recordings(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    fake_core.skill_list["weekly_report"] = replace(
        fake_core.skill_list["weekly_report"], cassettes=("first", "second")
    )
    fake_core.cassette_list = [
        CassetteInfo(name, "2026-11-02", "a8", f'{{"name": "{name}"}}', ("demo.list_orders",), 1, "{}")
        for name in ("first", "second")
    ]
    window.skills.list.setCurrentIndex(window.skills.model.find("weekly_report"))
    window.commands.do("skill.test")
    settled()
    return next(view for view in window.centre.findChildren(QAbstractItemView) if view.accessibleName() == "Recordings")


def found_skills(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    skill = fake_core.skill_list["first_try"]
    fake_core.review_list = [
        SkillReview("one", skill, "skills.zip: one"),
        SkillReview("two", replace(skill, name="other"), "skills.zip: two", refusal="A character nobody sees."),
    ]
    window.commands.do("skill.import")
    found = window.findChild(ImportSkillsDialog)
    found.review("/home/me/skills.zip")
    settled()
    return found.list


def runs(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    for name, state in (("a", RunState.WAITING), ("b", RunState.DONE), ("c", RunState.FAILED)):
        fake_core.put_run(make.run(name, state))
    settled()
    return window.runs.list.view


def past_calls(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    window.docks["calls"].come()
    window.calls.tabs.setCurrentIndex(0)
    settled()
    return next(view for view in window.calls.findChildren(QAbstractItemView) if view.isVisible())


def saved_calls(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    window.docks["calls"].come()
    window.calls.tabs.setCurrentIndex(1)
    settled()
    return next(view for view in window.calls.findChildren(QAbstractItemView) if view.isVisible())


def audit(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    window.docks["audit"].come()
    settled()
    return window.audit.table


def servers(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    return window.servers.tree


def files(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    fake_core.put_files({"a.txt": "a\n", "b.csv": "x,y\n1,2\n", "deep/c.txt": "c\n"})
    window.docks["files"].come()
    window.files.reload()
    settled()
    return window.files.tree


def all_servers(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    window.commands.do("servers.all")
    settled()
    return next(view for view in window.centre.currentWidget().findChildren(QAbstractItemView) if view.isVisible())


def tool_rules(window: Any, fake_core: Any, settled: Any, make: Any) -> QAbstractItemView:
    rules = tuple(
        Permission(name, "tool", CallDecision.DENY, "demo", "list_orders", label=f"Never {name}", made=1.0)
        for name in "abc"
    )
    fake_core.allowed = Permissions(rules, Trust())
    window.context.go(ShowTool("demo", "list_orders"))
    settled()
    sheet = window.centre.tool.page()
    sheet.show_trust()
    settled()
    sheet.trust.rules.show_permissions(fake_core.allowed)
    return next(view for view in sheet.trust.findChildren(QAbstractItemView) if view.isVisible())


OPENED = (changes, resources, prompts, runs)
"""A click opens a row of theirs, a key only looks at it."""
LISTS: list[Opener] = [
    permissions,
    network,
    secrets,
    states,
    changed_files,
    changes,
    hidden,
    marks,
    trial,
    definitions,
    tasks,
    sign_in,
    log,
    resources,
    prompts,
    protocol,
    roots,
    skills,
    recordings,
    found_skills,
    runs,
    past_calls,
    saved_calls,
    audit,
    servers,
    files,
    all_servers,
    tool_rules,
]


def looks(*tops: QWidget) -> list[str]:
    """What one can read and press."""
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    found = []
    for widget in (widget for top in tops for widget in top.findChildren(QWidget)):
        if not widget.isVisible():
            continue
        if isinstance(widget, QAbstractButton):
            found.append(f"{widget.text()} {widget.toolTip()} {widget.isEnabled()}")
        elif isinstance(widget, QLabel | QLineEdit):
            found.append(widget.text())
        elif isinstance(widget, QPlainTextEdit):
            cursor = widget.textCursor()
            found.append(f"{widget.toPlainText()} {cursor.selectionStart()} {cursor.selectionEnd()}")
    return sorted(found)


def selectable(view: QAbstractItemView) -> list[QModelIndex]:
    model, top = view.model(), QModelIndex()
    columns = range(1 if isinstance(view, QListView) else model.columnCount(top))
    column = next((at for at in columns if not view.visualRect(model.index(0, at, top)).isEmpty()), 0)
    rows = (model.index(row, column, top) for row in range(model.rowCount(top)))
    return [row for row in rows if row.flags() & Qt.ItemFlag.ItemIsSelectable and not view.visualRect(row).isEmpty()]


def click(view: QAbstractItemView, index: QModelIndex) -> None:
    view.scrollTo(index)
    place = view.visualRect(index).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


@pytest.mark.parametrize("opened", LISTS, ids=lambda opener: opener.__name__)
def test_a_click_on_a_row_does_what_the_arrow_keys_do(
    window: Any, fake_core: Any, make: Any, settled: Any, opened: Opener
) -> None:
    view = opened(window, fake_core, settled, make)
    settled()
    first, second = selectable(view)[:2]
    tops = (
        (view.window(),) if isinstance(view.window(), QDialog) else (window.centre, window.output, view.parentWidget())
    )
    click(view, first)
    settled()
    clicked = looks(*tops)
    assert view.selectionModel().isSelected(first)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    settled()
    by_key = looks(*tops)
    assert view.selectionModel().isSelected(second)
    QTest.keyClick(view, Qt.Key.Key_Up)
    settled()
    assert opened in OPENED or looks(*tops) == clicked
    click(view, second)
    settled()
    assert view.selectionModel().isSelected(second)
    assert opened in OPENED or looks(*tops) == by_key
    if isinstance(view.window(), QDialog):
        view.window().reject()


def test_a_list_of_one_row_is_clicked_and_its_rule_revoked(
    window: Any, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    rule = Permission("a", "tool", CallDecision.DENY, "demo", "list_orders", label="Never demo.list_orders", made=1.0)
    fake_core.allow(Permissions((rule,), Trust()))
    found = dialog(window, "permissions.open", PermissionsDialog, settled)
    assert not found.button("Revoke").isEnabled()
    click(found.list.view, selectable(found.list.view)[0])
    assert found.button("Revoke").isEnabled()
    qtbot.mouseClick(found.button("Revoke"), Qt.MouseButton.LeftButton)
    settled()
    assert selectable(found.list.view) == []
    found.reject()


def focus(widget: QWidget, qtbot: Any) -> None:
    widget.window().activateWindow()
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)


def test_return_presses_the_button_that_has_the_keyboard_in_a_strip_of_the_window(
    window: Any, qtbot: Any, settled: Any
) -> None:
    pressed: list[str] = []
    bar = Notice(window.context.theme, window.centralWidget())
    bar.ask("warning", "Is that so?", "", "Yes", lambda: pressed.append("yes"))
    yes = next(button for button in bar.findChildren(QPushButton) if button.text() == "Yes")
    focus(yes, qtbot)
    qtbot.keyClick(yes, Qt.Key.Key_Return)
    assert pressed == ["yes"]
    assert bar.isHidden()


def test_return_presses_the_focused_button_of_a_dialog_and_no_other(window: Any, qtbot: Any) -> None:
    pressed: list[str] = []
    box = QDialog(window)
    row = QHBoxLayout(box)
    for button, name in ((QToolButton(), "tool"), (QPushButton("Plain"), "plain"), (QPushButton("Default"), "default")):
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda _, name=name: pressed.append(name))
        button.setObjectName(name)
        row.addWidget(button)
    plain = box.findChild(QPushButton, "plain")
    plain.setAutoDefault(False)
    box.findChild(QPushButton, "default").setDefault(True)
    box.open()
    for name in ("tool", "plain", "default"):
        button = box.findChild(QWidget, name)
        focus(button, qtbot)
        qtbot.keyClick(button, Qt.Key.Key_Return)
    assert pressed == ["tool", "plain", "default"]
    box.reject()
