"""The dialog Network: which hosts programs can reach, whose rule it is, and recent connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from workbench.events import EntryWritten
from workbench.gui.settings.network import NetworkDialog
from workbench.gui.shell.context import Message

OFFER = '[[network.allow]]\ndomain = "*.team.example.org"\nports = [443, 8443]\n[network]\ndeny = ["203.0.113.0/24"]\n'


@pytest.fixture
def page(context: Any, fake_core: Any, bus: Any, qtbot: Any) -> Callable[[], NetworkDialog]:
    bus.listen(context.store.handle)

    def show() -> NetworkDialog:
        fake_core.network_changed()
        dialog = NetworkDialog(context)
        qtbot.addWidget(dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        dialog.open()
        return dialog

    return show


def rows(dialog: NetworkDialog) -> list[str]:
    model = dialog.list.model
    return [str(model.index(at).data()) for at in range(model.rowCount())]


def sentences(dialog: NetworkDialog) -> str:
    return "\n".join(found.text() for found in dialog.findChildren(QLabel) if found.isVisible())


def click(dialog: NetworkDialog, text: str) -> None:
    view, model = dialog.list.view, dialog.list.model
    index = model.index(next(at for at, row in enumerate(rows(dialog)) if text in row))
    view.scrollTo(index)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, view.visualRect(index).center()
    )


def test_an_action_of_the_menu_opens_it(window: Any, settled: Any) -> None:
    window.commands["network.open"].trigger()
    settled()
    (dialog,) = window.findChildren(NetworkDialog)
    assert "Programs cannot reach any host" in sentences(dialog)
    dialog.done(0)


def test_without_rules_it_says_what_to_do(page: Any) -> None:
    dialog = page()
    assert "No hosts. Add one below, or select hosts when you allow a program." in rows(dialog)
    assert any("127.0.0.0/8: this machine" in row for row in rows(dialog))
    assert not dialog.button("Remove rule").isEnabled()
    assert not dialog.button("Allow host").isEnabled()


def test_a_host_is_allowed_by_the_form_and_removed(page: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = page()
    qtbot.keyClicks(dialog.host, "API.example.org")
    qtbot.keyClick(dialog.host, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "api.example.org" in rows(dialog))
    qtbot.waitUntil(lambda: dialog.host.text() == "")
    assert "Programs can reach only the hosts listed below" in sentences(dialog)
    click(dialog, "api.example.org")
    qtbot.mouseClick(dialog.button("Remove rule"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "api.example.org" not in rows(dialog))
    assert "allow = []" in fake_core.network_files[1].read_text("utf-8")


@pytest.mark.parametrize(
    ("host", "ports", "words"),
    [
        ("localhost", "", "is not a complete domain"),
        ("https://a@example.org/", "", "is not a host name"),
        ("0x7f.1", "", "is not a host name"),
        ("example.org", "70000", "from 1 to 65535"),
        ("example.org", "https", "Ports are numbers"),
    ],
)
def test_what_is_no_host_is_explained_and_stays_in_the_form(
    page: Any, qtbot: Any, host: str, ports: str, words: str
) -> None:
    dialog = page()
    dialog.host.setText(host)
    dialog.ports.setText(ports)
    qtbot.mouseClick(dialog.button("Allow host"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: words in dialog.fault.sentence())
    assert dialog.host.text() == host
    qtbot.waitUntil(dialog.button("Allow host").isEnabled)


def test_a_suggestion_of_the_project_is_accepted_and_withdrawn(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.network_files[0].write_text(OFFER, "utf-8")
    dialog = page()
    assert rows(dialog)[0] == "Suggested by the project, not accepted"
    assert "203.0.113.0/24" in rows(dialog)
    click(dialog, "*.team.example.org")
    assert dialog.button("Accept suggestion").isEnabled()
    qtbot.keyClick(dialog.list.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows(dialog)[0] == "Programs can reach")
    click(dialog, "*.team.example.org")
    qtbot.mouseClick(dialog.button("Withdraw approval"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: rows(dialog)[0].startswith("Suggested"))


def test_the_menu_of_a_row_copies_it(page: Any, context: Any, qtbot: Any) -> None:
    said = list[Message]()
    context.messages.said.connect(said.append)
    dialog = page()
    click(dialog, "127.0.0.0/8")
    view = dialog.list.view
    view.customContextMenuRequested.emit(view.visualRect(view.currentIndex()).center())
    (menu,) = [menu for menu in dialog.findChildren(QMenu) if menu.isVisible()]
    (copy,) = menu.actions()
    copy.trigger()
    menu.close()
    assert QApplication.clipboard().text() == "127.0.0.0/8: this machine"
    assert said[-1].text == "Copied 127.0.0.0/8: this machine."


def test_new_connections_appear(page: Any, bus: Any, make: Any) -> None:
    dialog = page()
    words = "Blocked: evil.test:443 is not among the hosts that programs may reach."
    bus.tell(EntryWritten(make.entry(900, "connection.blocked", words, detail={"address": ""})))
    bus.tell(EntryWritten(make.entry(901, "call.done", "demo.list_orders answered")))
    assert words in rows(dialog)
    assert not [row for row in rows(dialog) if "list_orders" in row]


def test_a_closed_network_says_why(page: Any, fake_core: Any) -> None:
    fake_core.network_files[0].write_text('[network]\ndeny = ["nonsense/9"]\n', "utf-8")
    assert "Programs cannot reach any host: An entry of network.deny" in sentences(page())
