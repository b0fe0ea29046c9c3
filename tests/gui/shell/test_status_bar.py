"""Messages of the status bar and their buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workbench.gui.shell import status_bar
from workbench.gui.shell.context import Message
from workbench.gui.shell.status_bar import Status


@pytest.fixture
def make_status(context: Any, qtbot: Any) -> Callable[[], Status]:
    def make() -> Status:
        made = Status(context)
        qtbot.addWidget(made)
        made.resize(900, 30)
        made.show()
        return made

    return make


def test_a_button_is_shown_as_long_as_its_text(make_status: Any, qtbot: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(status_bar, "MESSAGE_MS", 40)
    offering, plain = make_status(), make_status()
    offering.show_message(Message("Closed a.", undo="tab.reopen"))
    plain.show_message(Message("Saved b."))
    qtbot.waitUntil(lambda: plain.message() == "")
    assert (offering.message(), offering.offer.isVisible()) == ("Closed a.", True)
    monkeypatch.setattr(status_bar, "OFFER_MS", 40)
    offering.show_message(Message("Closed c.", undo="tab.reopen"))
    qtbot.waitUntil(lambda: offering.message() == "")
    assert not offering.offer.isVisible()


def test_a_message_without_a_button_takes_an_older_button_with_it(make_status: Any) -> None:
    status = make_status()
    status.show_message(Message("Closed a.", undo="tab.reopen"))
    status.show_message(Message("Saved b."))
    assert (status.message(), status.offer.isVisible()) == ("Saved b.", False)


def test_after_the_help_of_a_menu_entry_the_message_of_the_button_is_shown_again(
    make_status: Any, qtbot: Any, monkeypatch: Any
) -> None:
    status = make_status()
    status.show_message(Message("Closed a.", undo="tab.reopen"))
    status.show_tip("Open a file.")
    assert status.message() == "Open a file."
    status.show_tip("")
    assert (status.message(), status.offer.isVisible()) == ("Closed a.", True)
    monkeypatch.setattr(status_bar, "OFFER_MS", 40)
    status.show_message(Message("Closed b.", undo="tab.reopen"))
    status.show_tip("Open a file.")
    qtbot.waitUntil(lambda: not status.offer.isVisible())
    assert status.message() == "Open a file."
    status.show_tip("")
    assert status.message() == ""


def test_a_long_message_takes_the_place_of_tokens_and_agents(
    make_status: Any, context: Any, qtbot: Any, monkeypatch: Any
) -> None:
    status = make_status()
    context.store.reload_status()
    qtbot.waitUntil(lambda: status.tokens.isVisible())
    monkeypatch.setattr(status_bar, "MESSAGE_MS", 40)
    status.show_message(Message("Saved."))
    assert status.tokens.isVisible()
    status.show_message(Message("Masked in this project from now on, wherever it occurs. " * 2))
    assert not status.tokens.isVisible()
    assert status.servers.isVisible()
    qtbot.waitUntil(lambda: status.message() == "")
    assert status.tokens.isVisible()
    assert status.agents.isVisible()
