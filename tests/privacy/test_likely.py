"""Which values read like somebody."""

from __future__ import annotations

import pytest

from workbench.privacy.likely import handle, likely, login, plausible
from workbench.privacy.things import WORDS


@pytest.mark.parametrize(
    "value", ["Rosa Lund", "Lund, Rosa", "Dr. Rosa M. Lund", "Jean-Luc van der Berg", "Ann O'Brien"]
)
def test_first_and_last_names_read_like_a_person(value: str) -> None:
    assert likely(value)


@pytest.mark.parametrize(
    "value",
    ["Walnut Desk", "Rosa", "In Progress", "Platform Team", "rosa lund", "API Gateway", "Room 4", "Berlin Office", ""],
)
def test_things_do_not(value: str) -> None:
    assert not likely(value)


def test_in_a_record_about_a_person_one_word_will_do_but_no_team() -> None:
    assert plausible("Rosa")
    assert not plausible("Support")
    assert not plausible("Sales Team")


def test_a_user_name_is_one_word_and_no_id() -> None:
    assert all(map(handle, ["rlund", "rosa.lund", "rlund_42", "niamh83"]))
    assert not any(map(handle, ["U024BE7LH", "usr_12345", "c0ffee00", "admin", "Rosa Lund", "u1", "rosa-lund", ""]))
    assert login("Rosa-L")
    assert not login("system")


def test_words_of_things_are_folded() -> None:
    assert all(word == word.lower() for word in WORDS)
