"""Guesses of what no server tells, and that a person's word stands above them."""

from __future__ import annotations

from itertools import product

import pytest

from workbench.permissions import tool_annotations, tool_verbs
from workbench.permissions.tool_annotations import contradicts, sends, tool_risk
from workbench.records import Hints, Risk, Tool


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


# how risky a tool is, by its hints and its name


@pytest.mark.parametrize(
    ("name", "hints", "risk"),
    [
        ("get_order", Hints(read_only=True), Risk.LOW),
        ("summary", Hints(read_only=True), Risk.LOW),
        ("delete_all", Hints(read_only=True), Risk.HIGH),
        ("send_it", Hints(read_only=True), Risk.HIGH),
        ("get_sent_mail", Hints(read_only=True), Risk.LOW),
        ("getOrder", Hints(), Risk.MEDIUM),
        ("list_items", Hints(), Risk.MEDIUM),
        ("get_and_delete", Hints(), Risk.HIGH),
        ("frobnicate", Hints(), Risk.HIGH),
        ("create_ticket", Hints(read_only=False, destructive=False), Risk.MEDIUM),
        ("purge_cache", Hints(read_only=False, destructive=False), Risk.HIGH),
        ("update", Hints(read_only=False), Risk.HIGH),
        ("update", Hints(destructive=True), Risk.HIGH),
    ],
)
def test_a_tool_is_judged_by_its_hints_and_its_name(name: str, hints: Hints, risk: Risk) -> None:
    assert tool_risk(Tool("s", name, hints=hints)) is risk


def test_a_reading_tool_called_delete_contradicts_itself() -> None:
    assert contradicts(Tool("s", "delete_all", hints=Hints(read_only=True)))
    assert not contradicts(Tool("s", "delete_all", hints=Hints(destructive=True)))


def test_what_sends_or_reaches_the_open_world_goes_outward() -> None:
    assert sends(Tool("s", "send_email"))
    assert sends(Tool("s", "create_issue", hints=Hints(read_only=False, open_world=True)))
    assert not sends(Tool("s", "fetch", hints=Hints(read_only=True, open_world=True)))
    assert not sends(Tool("s", "create_note", hints=Hints(destructive=False, open_world=False)))


# what a tool's name says it does


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("send_email", ("send", "email")),
        ("sendEmail", ("send", "email")),
        ("HTTPGet", ("http", "get")),
        ("get-item.v2", ("get", "item", "v", "2")),
        ("", ()),
    ],
)
def test_words_of_a_name(name: str, words: tuple[str, ...]) -> None:
    assert tool_verbs.name_words(name) == words


def test_reading_is_said_by_the_first_word() -> None:
    assert tool_verbs.reads("getOrder")
    assert tool_verbs.reads("list")
    assert not tool_verbs.reads("budget_get")
    assert not tool_verbs.reads("")


def test_destroying_is_said_by_any_word() -> None:
    assert tool_verbs.destroys("bulk_delete")
    assert not tool_verbs.destroys("deletion_report")


def test_sending_is_said_by_the_first_word() -> None:
    assert tool_verbs.sends("post_message")
    assert not tool_verbs.sends("get_posts")


def test_what_asks_about_a_users_own_call_is_no_less_dangerous_in_a_program() -> None:
    """Over names of up to two verbs: programs count whatever a name says as a whole, and each word as before."""
    verbs = sorted(tool_verbs.READING | tool_verbs.DESTROYING | tool_verbs.SENDING | tool_verbs.CHANGING)
    for first, second in product(verbs, [*verbs, "", "page", "query", "and_delete"]):
        name = f"{first}_{second}".strip("_")
        said = tool_verbs.name_meanings(name)
        assert tool_verbs.destroys(name) or tool_verbs.DESTROYS not in said, name
        assert tool_verbs.sends(name) or tool_verbs.SENDS not in said, name
        assert tool_verbs.destroys(name) or not {first, second} & tool_verbs.DESTROYING, name
    assert tool_verbs.name_meanings("find_and_delete") == {tool_verbs.READS, tool_verbs.DESTROYS}
    assert tool_verbs.sends("slack_post_message"), "also behind a product's name"
    assert tool_verbs.destroys("dеlete_row"), "also in letters that look alike"  # a Cyrillic е


def test_answers_of_queries_and_of_tools_that_read_after_a_prefix_are_private() -> None:
    for name in ("execute_sql", "run_query", "slack_get_channel_history", "TwilioApiV2010--ListMessage"):
        assert tool_annotations.private(Tool("box", name)), name
    assert not tool_annotations.private(Tool("box", "post_message"))
