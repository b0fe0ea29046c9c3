from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QDialog, QLabel, QScrollBar, QWidget

from workbench.records import Risk, RunState


def nameless(root: QWidget) -> list[str]:
    """Widgets that take the keyboard and that a screen reader could not name."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.focusPolicy() == Qt.FocusPolicy.NoFocus or isinstance(widget, QScrollBar):
            continue
        if widget.objectName().startswith("qt_") or widget.focusProxy() is not None:
            continue
        face = QAccessible.queryAccessibleInterface(widget)
        if face is None or not face.text(QAccessible.Text.Name).strip():
            parents = [type(parent).__name__ for parent in (widget.parentWidget(), widget.window()) if parent]
            found.append(f"{type(widget).__name__} {widget.objectName()!r} in {parents}")
    return found


def rich(root: QWidget) -> list[str]:
    """Labels that would take foreign text for markup."""
    return [
        label.text()
        for label in root.findChildren(QLabel)
        if label.text() and label.textFormat() != Qt.TextFormat.PlainText
    ]


def test_every_widget_that_takes_the_keyboard_has_a_name(window: Any, fake_core: Any, make: Any, settled: Any) -> None:
    fake_core.put_run(make.run("w", risk=Risk.HIGH))
    fake_core.put_run(make.run("d", RunState.DONE))
    window.commands.do("demo.connect")
    settled()
    for action in ("pane.servers", "pane.skills", "pane.runs", "pane.output", "pane.audit", "editor.show"):
        window.commands.do(action)
        settled()
        assert nameless(window) == []
    window.servers.show_tool("demo", "list_orders")
    window.centre.tool.show_tool("demo", "list_orders")
    window.centre.setCurrentWidget(window.centre.tool)
    window.docks["audit"].come()
    window.audit.table.selectRow(0)
    settled()
    assert nameless(window) == []
    assert rich(window) == []


@pytest.mark.parametrize(
    "action",
    [
        "palette.open",
        "help.open",
        "agent.connect",
        "core.sandbox",
        "server.add",
        "servers.import",
        "servers.export",
        "secrets.open",
        "states.open",
        "network.open",
        "permissions.open",
        "core.tokens",
    ],
)
def test_every_widget_of_the_dialogs_has_a_name(window: Any, qtbot: Any, settled: Any, action: str) -> None:
    window.commands.do(action)
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in window.findChildren(QDialog)))
    settled()
    dialog = next(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())
    assert nameless(dialog) == []
    assert rich(dialog) == []
    dialog.reject()


def test_rows_are_read_with_their_words(window: Any, fake_core: Any, make: Any, settled: Any) -> None:
    fake_core.put_run(make.run("w", risk=Risk.HIGH))
    settled()
    words = window.runs.model.find("w").data(Qt.ItemDataRole.AccessibleTextRole)
    assert "High risk" in words
    assert "Waiting for you" in words


def test_what_a_server_offers_is_named_and_plain(window: Any, fake_core: Any, qtbot: Any, settled: Any) -> None:
    centre = window.centre.server
    window.centre.setCurrentWidget(centre)
    fake_core.put_lines(("info", "<b>started</b>"))
    for page, item in (("resources", "demo://customers/{id}{?part}"), ("prompts", "hello"), ("log", "")):
        centre.show_server("demo", page, item)
        qtbot.waitUntil(lambda: centre.sheet() is not None)
        settled()
        assert nameless(window) == []
        assert rich(window) == []


def test_the_pages_about_personal_data_are_named_and_plain(window: Any, fake_core: Any, qtbot: Any) -> None:
    session = fake_core.fill_privacy()
    window.centre.show_privacy("hidden", session.id)
    pane = window.centre.currentWidget()
    qtbot.waitUntil(lambda: pane.masked.rows.model.rowCount() == 9)
    pane.masked.rows.view.setCurrentIndex(pane.masked.rows.model.index(0, 0))
    for page in ("hidden", "try", "marks", "kinds"):
        pane.look(page)
        assert nameless(pane) == []
        assert rich(pane) == []


def test_the_page_settings_is_named_and_plain(window: Any, settled: Any) -> None:
    for name in ("window.theme", "run.enabled", "run.seconds", "telemetry.endpoint", "run.packages"):
        window.centre.show_settings(name)
        settled()
        assert nameless(window) == []
        assert rich(window) == []
