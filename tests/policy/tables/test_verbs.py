"""What a tool's name says it does."""

from __future__ import annotations

import pytest

from workbench.policy.tables import verbs


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
    assert verbs.words(name) == words


def test_reading_is_said_by_the_first_word() -> None:
    assert verbs.reads("getOrder")
    assert verbs.reads("list")
    assert not verbs.reads("budget_get")
    assert not verbs.reads("")


def test_destroying_is_said_by_any_word() -> None:
    assert verbs.destroys("bulk_delete")
    assert not verbs.destroys("deletion_report")


def test_sending_is_said_by_the_first_word() -> None:
    assert verbs.sends("post_message")
    assert not verbs.sends("get_posts")


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
    assert verbs.phrase(name) == phrase
