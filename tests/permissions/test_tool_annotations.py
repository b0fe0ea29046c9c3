"""Guesses of what no server tells, and that a person's word stands above them."""

from __future__ import annotations

import pytest

from workbench.permissions import tool_annotations
from workbench.records import Hints, Tool


@pytest.mark.parametrize("name", ["send_email", "post_message", "publishPage"])
def test_a_sending_verb_sends(name: str) -> None:
    assert tool_annotations.sends(Tool("any", name))


def test_an_open_world_sends_unless_the_tool_only_reads() -> None:
    assert tool_annotations.sends(Tool("web", "open_page", hints=Hints(open_world=True)))
    assert not tool_annotations.sends(Tool("web", "get_page", hints=Hints(open_world=True, read_only=True)))


def test_a_description_makes_a_guess_stricter_only() -> None:
    assert not tool_annotations.guess_sends(Tool("any", "deliver", description="Sends an e-mail."))
    assert tool_annotations.suspect_sends(Tool("any", "deliver", description="Sends an e-mail."))
    assert tool_annotations.suspect_sends(Tool("any", "send_email", description="This sends nothing, promised."))


def test_mail_is_private_and_written_by_outsiders_and_a_web_page_is_not_private() -> None:
    mail, page, order = Tool("mail", "list_inbox"), Tool("web", "fetch_page"), Tool("shop", "list_orders")
    assert (tool_annotations.private(mail), tool_annotations.outsiders(mail)) == (True, True)
    assert (tool_annotations.private(page), tool_annotations.outsiders(page)) == (False, True)
    assert (tool_annotations.private(order), tool_annotations.outsiders(order)) == (True, False)


def test_what_a_person_said_stands_above_every_guess() -> None:
    assert not tool_annotations.sends(Tool("mail", "send_email", sends=False))
    assert tool_annotations.private(Tool("web", "fetch_page", private=True))
    assert not tool_annotations.outsiders(Tool("mail", "list_inbox", outsiders=False))


def test_a_claim_against_the_name_is_a_contradiction_until_a_person_says_the_same() -> None:
    lying = Tool("any", "delete_all", hints=Hints(read_only=True))
    assert tool_annotations.contradicts(lying)
    assert not tool_annotations.contradicts(Tool("any", "delete_all", hints=Hints(read_only=True), said=("read_only",)))
    assert tool_annotations.contradicts(Tool("any", "delete_all", claimed=Hints(read_only=True)))
