"""The page Network: which places programs may reach, whose rule it is, and what was tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt

from workbench.events import EntryWritten
from workbench.gui.settings.network import NetworkDialog

OFFER = '[[network.allow]]\ndomain = "*.team.example.org"\nports = [443, 8443]\n[network]\ndeny = ["203.0.113.0/24"]\n'


@pytest.fixture
def page(context: Any, paper: Any, qtbot: Any) -> Callable[[], NetworkDialog]:
    def show() -> NetworkDialog:
        dialog = NetworkDialog(context)
        qtbot.addWidget(dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        dialog.open()
        qtbot.waitUntil(lambda: dialog.model.rowCount() > 0)
        return dialog

    return show


def rows(dialog: NetworkDialog) -> list[str]:
    return [str(dialog.model.index(at).data()) for at in range(dialog.model.rowCount())]


def choose(dialog: NetworkDialog, words: str) -> None:
    at = next(at for at, row in enumerate(rows(dialog)) if words in row)
    dialog.list.setCurrentIndex(dialog.model.index(at))


def test_an_action_of_the_workbench_menu_opens_it(window: Any, qtbot: Any) -> None:
    window.commands["network.open"].trigger()
    (dialog,) = window.findChildren(NetworkDialog)
    qtbot.waitUntil(lambda: dialog.model.rowCount() > 0)
    assert "Programs reach nothing outside" in dialog._sentence.text()
    dialog.done(0)


def test_without_rules_it_says_what_to_do(page: Any) -> None:
    dialog = page()
    assert "Nothing. Add a host below, or select a host when a program requests it." in rows(dialog)
    assert any("127.0.0.0/8: this machine" in row for row in rows(dialog))
    assert not dialog.deed.isEnabled()
    assert not dialog.add.isEnabled()


def test_a_place_is_opened_by_the_form_and_closed_again(page: Any, paper: Any, qtbot: Any) -> None:
    dialog = page()
    qtbot.keyClicks(dialog.domain, "API.example.org")
    qtbot.keyClick(dialog.domain, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "api.example.org" in rows(dialog))
    assert dialog.domain.text() == ""
    assert "reach the open places below and nothing else" in dialog._sentence.text()
    choose(dialog, "api.example.org")
    assert dialog.deed.text() == "Remove this rule"
    dialog.deed.click()
    qtbot.waitUntil(lambda: "api.example.org" not in rows(dialog))
    assert "allow = []" in paper.network_files[1].read_text("utf-8")


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
def test_what_is_no_place_is_told_and_stays_in_the_form(
    page: Any, qtbot: Any, host: str, ports: str, words: str
) -> None:
    dialog = page()
    dialog.domain.setText(host)
    dialog.ports.setText(ports)
    dialog.add.click()
    qtbot.waitUntil(lambda: words in dialog._fault.text())
    assert not dialog._fault.isHidden()
    assert dialog.domain.text() == host


def test_an_offer_of_the_project_waits_for_a_yes_that_can_be_taken_back(page: Any, paper: Any, qtbot: Any) -> None:
    paper.network_files[0].write_text(OFFER, "utf-8")
    dialog = page()
    assert rows(dialog)[0] == "Offered by this project, closed until you accept"
    assert "203.0.113.0/24" in rows(dialog)
    choose(dialog, "*.team.example.org")
    assert dialog.deed.text() == "Accept this offer"
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows(dialog)[0] == "Open to programs")
    choose(dialog, "*.team.example.org")
    assert dialog.deed.text() == "Withdraw approval"
    dialog.deed.click()
    qtbot.waitUntil(lambda: rows(dialog)[0].startswith("Offered"))


def test_what_is_tried_meanwhile_appears(page: Any, make: Any) -> None:
    dialog = page()
    words = "Blocked: evil.test:443 is not among the hosts that programs may reach."
    dialog.hear(EntryWritten(make.entry(900, "connection.blocked", words, detail={"address": ""})))
    dialog.hear(EntryWritten(make.entry(901, "call.done", "demo.list_orders answered")))
    assert words in rows(dialog)
    assert not [row for row in rows(dialog) if "list_orders" in row]


def test_a_closed_network_says_why(page: Any, paper: Any) -> None:
    paper.network_files[0].write_text('[network]\ndeny = ["nonsense/9"]\n', "utf-8")
    assert page()._sentence.text().startswith("Programs reach nothing: An entry of network.deny")
