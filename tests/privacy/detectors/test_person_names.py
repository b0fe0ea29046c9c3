"""Values under keys of people and companies are names or not by how they read."""

from __future__ import annotations

import pytest

from workbench.privacy.detectors.person_names import (
    can_be_company,
    can_be_name,
    is_assigned_company,
    is_full_name,
    is_handle,
    is_likely_name,
    is_login,
    is_plausible_name,
)
from workbench.privacy.detectors.word_lists import THING_WORDS


@pytest.mark.parametrize("value", ["Rosa Lund", "Jürgen O'Brien-Lee", "rosa", "Dr. Rosa M. Lund"])
def test_person_a_value_under_its_key_is_one(value: str) -> None:
    assert can_be_name(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "null",
        "a@b.co",
        "user_42",
        "R2D2",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "one two three four five six seven",
    ],
)
def test_person_another_value_under_its_key_is_none(value: str) -> None:
    assert not can_be_name(value)


def test_under_a_role_only_a_first_and_last_name_is_one() -> None:
    assert is_full_name("Rosa Lund")
    assert is_full_name("Rosa van der Lund")
    assert not any(map(is_full_name, ["Rosa", "rosa lund", "Platform Team", "deploy-bot", "Acme Ltd.", ""]))


@pytest.mark.parametrize(
    "value", ["Rosa Lund", "Lund, Rosa", "Dr. Rosa M. Lund", "Jean-Luc van der Berg", "Ann O'Brien"]
)
def test_first_and_last_names_read_like_a_person(value: str) -> None:
    assert is_likely_name(value)


@pytest.mark.parametrize(
    "value",
    ["Walnut Desk", "Rosa", "In Progress", "Platform Team", "rosa lund", "API Gateway", "Room 4", "Berlin Office", ""],
)
def test_things_do_not(value: str) -> None:
    assert not is_likely_name(value)


def test_in_a_record_about_a_person_one_word_will_do_but_no_team() -> None:
    assert is_plausible_name("Rosa")
    assert not is_plausible_name("Support")
    assert not is_plausible_name("Sales Team")


def test_a_user_name_is_one_word_and_no_id() -> None:
    assert all(map(is_handle, ["rlund", "rosa.lund", "rlund_42", "niamh83"]))
    assert not any(map(is_handle, ["U024BE7LH", "usr_12345", "c0ffee00", "admin", "Rosa Lund", "u1", "rosa-lund", ""]))
    assert is_login("Rosa-L")
    assert not is_login("system")


def test_words_of_things_are_folded() -> None:
    assert all(word == word.lower() for word in THING_WORDS)


@pytest.mark.parametrize("value", ["Lund & Sons Ltd.", "acme", "3M"])
def test_company_a_value_under_its_key_is_one(value: str) -> None:
    assert can_be_company(value)


@pytest.mark.parametrize(
    "value", ["", "null", "ORG-0042", "550e8400-e29b-41d4-a716-446655440000", "https://acme.example", "{x}"]
)
def test_company_another_value_under_its_key_is_none(value: str) -> None:
    assert not can_be_company(value)


def test_in_free_text_it_must_read_as_one() -> None:
    assert all(map(is_assigned_company, ["Acme Corp", "Lund & Sons, Inc."]))
    assert not any(map(is_assigned_company, ["Company", "Company, given: Json", "all we know", "Json) -"]))
