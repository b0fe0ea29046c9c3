"""What a tool's name says it does."""

from __future__ import annotations

from itertools import product

import pytest

from workbench.permissions import tool_verbs


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
    assert tool_verbs.words(name) == words


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


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("send_email", "Sends e-mail"),
        ("delete_customer", "Deletes customer"),
        ("pushFiles", "Pushes files"),
        ("copy_sheet", "Copies sheet"),
        ("frobnicate", ""),
    ],
)
def test_a_name_becomes_a_phrase(name: str, phrase: str) -> None:
    assert tool_verbs.phrase(name) == phrase


def test_what_asks_about_a_users_own_call_is_no_less_dangerous_in_a_program() -> None:
    """Over names of up to two verbs: programs count whatever a name says as a whole, and each word as before."""
    verbs = sorted(tool_verbs.READING | tool_verbs.DESTROYING | tool_verbs.SENDING | tool_verbs.CHANGING)
    for first, second in product(verbs, [*verbs, "", "page", "query", "and_delete"]):
        name = f"{first}_{second}".strip("_")
        said = tool_verbs.says(name)
        assert tool_verbs.destroys(name) or tool_verbs.DESTROYS not in said, name
        assert tool_verbs.sends(name) or tool_verbs.SENDS not in said, name
        assert tool_verbs.destroys(name) or not {first, second} & tool_verbs.DESTROYING, name
    assert tool_verbs.says("find_and_delete") == {tool_verbs.READS, tool_verbs.DESTROYS}
    assert tool_verbs.sends("slack_post_message"), "also behind a product's name"
    assert tool_verbs.destroys("dеlete_row"), "also in letters that look alike"  # a Cyrillic е
